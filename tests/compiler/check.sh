#!/usr/bin/env bash
# One file of lambdas: what the plugin prints of it is the same at -O0 and -O3, with the options
# that pappus_enable and Pappus's package add in builds of either kind, and is what the CHECK lines
# in the file beside it say, or has the properties that it says itself.
#
#   check.sh CLANG PLUGIN FILECHECK HEADERS FILE OPTIONS..
#
# HEADERS is the folder of precompile.sh.
#
# X.cpp is compared with X.check, line by line; where there is none, properties.py looks at what
# accepted_test.cpp runs. PAPPUS_UPDATE_CHECKS=1 writes X.check instead: look at the difference
# before committing it. Lines in X.cpp: "// FLAGS: .." adds options, "// FAILS"
# says that compiling it is an error; "// PRINTS: footprint" has that printed, and X.cpp itself says
# what it is.
set -euo pipefail

clang=$1 plugin=$2 filecheck=$3 headers=$4 file=$5
shift 5
flags=$(sed -n 's|^// FLAGS: ||p' "$file")
prints=$(sed -n 's|^// PRINTS: ||p' "$file")
expected=0
if grep -q '^// FAILS' "$file"; then expected=1; fi

printed=$(mktemp -d)
trap 'rm -rf "$printed"' EXIT
# shellcheck source=levels.sh
source "$(dirname "${BASH_SOURCE[0]}")/levels.sh"
# From its folder, so that positions have the file's name and nothing of this machine.
cd "$(dirname "$file")"
for level in -O0 -O3; do
  result=0
  options_at "$level"
  # With definitions and flags of the language the headers are another program.
  if [[ "$* $flags" != *" -"[Dfm]* ]]; then
    options+=(-include-pch "$headers/headers$level.pch")
  fi
  # shellcheck disable=SC2086  # Flags are words.
  PAPPUS_COMPILER_PRINT=${prints:-text} "$clang" "${options[@]}" "$@" $flags \
    -fpass-plugin="$plugin" -fno-caret-diagnostics \
    -c "$(basename "$file")" -o "$printed/object" 2>"$printed/$level" || result=$?
  if [[ $result != "$expected" ]]; then
    cat "$printed/$level"
    echo "check.sh: $file at $level: clang returned $result, expected $expected" >&2
    exit 1
  fi
done
if ! cmp -s "$printed/-O0" "$printed/-O3"; then
  echo "check.sh: $file: what is printed at -O0 differs from -O3:" >&2
  diff "$printed/-O0" "$printed/-O3" >&2
  exit 1
fi
if [[ -n $prints ]]; then
  "$filecheck" --match-full-lines --input-file="$printed/-O0" "$(basename "$file")"
  exit
fi
checks=$(basename "$file" .cpp).check
if [[ ! -f $checks ]] && grep -q '// TEXT' "$file"; then
  python3 -B ../properties.py "$printed/-O0" "$(basename "$file")"
  exit
fi
if [[ ${PAPPUS_UPDATE_CHECKS:-} == 1 ]]; then
  # What FileCheck takes for a pattern is quoted.
  sed -E -e 's/(\[\[|\{\{)/{{\\\1}}/g' -e 's/^$/CHECK-EMPTY:/; t; s/^/CHECK-NEXT:/' -e \
    '1s/^CHECK-NEXT/CHECK/' "$printed/-O0" >"$checks"
  echo 'CHECK-NOT:{{.+}}' >>"$checks"
fi
"$filecheck" --match-full-lines --strict-whitespace --input-file="$printed/-O0" "$checks"
