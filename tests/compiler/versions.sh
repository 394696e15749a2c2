#!/usr/bin/env bash
# Another major version of clang refuses the plugin with one line.
#
#   versions.sh PLUGIN
set -euo pipefail

plugin=$1
found=0
source=$(mktemp --suffix=.cpp)
trap 'rm -f "$source"' EXIT
for clang in /usr/bin/clang++-1[0-8] /usr/bin/clang++-[2-9][0-9]; do
  [[ -x $clang ]] || continue
  found=1
  output=$("$clang" -fpass-plugin="$plugin" -c "$source" -o /dev/null 2>&1) && {
    echo "versions.sh: $clang accepted the plugin" >&2
    exit 1
  }
  line=$(head -n 1 <<<"$output")
  if [[ $line != "error: libpappus-compiler.so was built for clang 19, this is "* ]]; then
    printf 'versions.sh: %s says:\n%s\n' "$clang" "$output" >&2
    exit 1
  fi
  printf '%s: %s\n' "$clang" "$output"
done
if [[ $found == 0 ]]; then exit 77; fi
