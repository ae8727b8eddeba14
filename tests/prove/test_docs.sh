#!/usr/bin/env bash
# docs/bfi.md is what bfi.def, the proofs, the counts and `p2a bfi` say; bfi_code.def is bfi.def in codes. The
# document and `p2a bfi` agree on what is proved; the short run asks a seventh of it.
. "$(dirname "$0")/lib.sh"
python3 "$here/make_code.py" --check || exit 1
python3 "$here/make_docs.py" --check || exit 1
exec python3 "$here/agree.py" $short
