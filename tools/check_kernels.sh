#!/usr/bin/env bash
# Runs a program under oclgrind, which watches its kernels: accesses out of bounds, races between
# work-items, wrong calls of OpenCL.
#   tools/check_kernels.sh PROGRAM ARGUMENT...           fails if oclgrind reports anything
#   tools/check_kernels.sh --broken PROGRAM ARGUMENT...  fails unless it does
# Exit status: 0 as wanted, 1 not, 2 wrong use, 77 oclgrind isn't installed.
set -euo pipefail

broken=0
if [[ ${1:-} == --broken ]]; then
  broken=1
  shift
fi
if [[ $# -eq 0 ]]; then
  echo "check_kernels.sh: expected a program to run" >&2
  exit 2
fi
if ! command -v oclgrind >/dev/null; then
  echo "SKIP: oclgrind is not installed"
  exit 77
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT

# Its binaries are of no use to others, and it should see each kernel compiled: without optimising,
# which removes accesses and makes intrinsics of which it knows few (llvm.abs, say).
status=0
PAPPUS_CACHE=off oclgrind --build-options -cl-opt-disable --check-api --data-races \
  --uniform-writes --log "$log" "$@" || status=$?

if [[ $status -ne 0 ]]; then
  echo "check_kernels.sh: the program failed with status $status" >&2
  head -n 100 "$log" >&2
  exit 1
fi
if [[ $broken -eq 1 && ! -s $log ]]; then
  echo "check_kernels.sh: oclgrind should have reported something" >&2
  exit 1
fi
if [[ $broken -eq 0 && -s $log ]]; then
  echo "check_kernels.sh: oclgrind reported:" >&2
  head -n 100 "$log" >&2
  exit 1
fi
