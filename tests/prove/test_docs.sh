#!/usr/bin/env bash
# docs/bfi.md is what bfi.def, the proofs, the counts and `p2a bfi` say.
. "$(dirname "$0")/lib.sh"
exec python3 "$here/make_docs.py" --check
