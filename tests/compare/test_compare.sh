#!/usr/bin/env bash
# What our code computes equals what clang-19's of the same source computes, on the kernels of kernels.list.
# How many instructions each executes is printed, and held to a limit (compare.py --help).
set -u
cd "$(dirname "$0")/../.." || exit 1
exec python3 tests/compare/compare.py --p2a="${P2A:-build/p2a}" --limit=1.1,1
