#!/usr/bin/env bash
# What g++ makes of loops over indices: vectors, where a line of host/launches.cpp says so.
#
#   launches.sh G++ FILE OPTIONS..
#
# Each line "// GNU NAME vectors" or "// GNU NAME none" is about the function object NAME.
set -euo pipefail

gnu=$1 file=$2
shift 2
told=$(mktemp)
trap 'rm -f "$told"' EXIT
"$gnu" -std=c++20 -O3 -fno-math-errno -fno-trapping-math -ffp-contract=off -march=x86-64-v4 "$@" \
  -fdump-tree-vect-optimized="$told" -c "$file" -o /dev/null
lines=0
while read -r name wanted; do
  said=$(awk -v loops="launch_loop_of<$name," '
    /^;; Function / { here = index($0, loops) }
    here && /^;; Function |: optimized: /' "$told")
  found=none
  if [[ -z $said ]]; then found="no function"; fi
  if grep -q "launch.h:.*loop vectorized" <<< "$said"; then found=vectors; fi
  if [[ $found != "$wanted" ]]; then
    echo "launches.sh: $name: expected $wanted, got $found; g++ says: $said" >&2
    exit 1
  fi
  lines=$((lines + 1))
done < <(sed -n 's|^// GNU ||p' "$file")
if [[ $lines == 0 ]]; then
  echo "launches.sh: $file has no GNU line" >&2
  exit 1
fi
