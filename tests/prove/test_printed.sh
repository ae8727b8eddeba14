#!/usr/bin/env bash
# What `p2a bfi` prints computes PTX's bfi, over all operands; wrong programs are found out.
. "$(dirname "$0")/lib.sh"
z3_or_skip printed
exec "$python" "$here/printed.py" $short
