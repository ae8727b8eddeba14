#!/usr/bin/env bash
# The README's console blocks are true: each `$ command` is run and must print the lines below it.
set -u
cd "$(dirname "$0")/../.." || exit 1
export P2A=${P2A:-$PWD/build/p2a}
exec python3 tests/e2e/console.py README.md
