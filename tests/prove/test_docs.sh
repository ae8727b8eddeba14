#!/usr/bin/env bash
# docs/bfi.md is what bfi.def, the proofs, the counts and `p2a bfi` say; bfi_code.def is bfi.def in codes.
. "$(dirname "$0")/lib.sh"
python3 "$here/make_code.py" --check || exit 1
exec python3 "$here/make_docs.py" --check
