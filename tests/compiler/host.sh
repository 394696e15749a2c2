#!/usr/bin/env bash
# What the plugin does for the CPU's loops: LLVM's code of a file, after all of clang's passes, is
# what the CHECK lines in it say.
#
#   host.sh CLANG PLUGIN FILECHECK FILE OPTIONS..
#
# Each line "// RUN PREFIX.. | OPTIONS" of the file is a compilation, compared with the lines of
# these prefixes.
set -euo pipefail

clang=$1 plugin=$2 filecheck=$3 file=$4
shift 4
printed=$(mktemp)
trap 'rm -f "$printed"' EXIT
runs=0
while IFS="|" read -r prefixes flags; do
  # shellcheck disable=SC2086  # Flags are words.
  "$clang" -std=c++20 -O3 -fno-math-errno -fno-trapping-math -ffp-contract=off \
    --target=x86_64-linux-gnu "$@" $flags -fpass-plugin="$plugin" -S -emit-llvm "$file" \
    -o "$printed"
  options=()
  for prefix in $prefixes; do options+=("--check-prefix=$prefix"); done
  if ! "$filecheck" "${options[@]}" --input-file="$printed" "$file"; then
    echo "host.sh: failed: $prefixes|$flags" >&2
    exit 1
  fi
  runs=$((runs + 1))
done < <(sed -n 's|^// RUN ||p' "$file")
if [[ $runs == 0 ]]; then
  echo "host.sh: $file has no RUN line" >&2
  exit 1
fi
