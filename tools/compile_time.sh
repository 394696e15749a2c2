#!/usr/bin/env bash
# How long users' programs take to compile: CPU seconds, the least of RUNS (3), of a query of ten
# operators and of a program of fifteen queries, with the flags of a release build; alone, and with
# pappus.h precompiled. The bounds we set ourselves are 3 and 8.
#   tools/compile_time.sh [RUNS]
# The plugin is build/release's or build/demo's; without either clang compiles without.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
runs=${1:-3}
[[ $runs =~ ^[1-9][0-9]*$ ]] || {
  echo "compile_time.sh: expected a number of runs, got '$runs'" >&2
  exit 2
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

flags=(-std=c++20 -O3 -DNDEBUG -ffp-contract=off -fno-math-errno -fno-trapping-math -march=native
  -I "$root/include")
plugin=()
for build in release demo; do
  file=$root/build/$build/lib/libpappus-compiler.so
  [[ ${#plugin[@]} -gt 0 || ! -f $file ]] || plugin=(-fpass-plugin="$file" -gline-tables-only)
done

TIMEFORMAT='%U %S'
seconds() {  # seconds COMMAND...: the least of several runs
  local run
  for ((run = 0; run < runs; ++run)); do
    { time "$@" 2>"$work/messages" || { cat "$work/messages" >&2; exit 1; }; } 2>&1 |
      awk '{ printf "%.2f\n", $1 + $2 }'
  done | sort -n | head -1
}

echo '#include <pappus/pappus.h>' >"$work/precompiled.h"
g++-12 "${flags[@]}" -x c++-header "$work/precompiled.h" -o "$work/precompiled.h.gch"
clang++-19 "${flags[@]}" -x c++-header "$work/precompiled.h" -o "$work/precompiled.pch"

row='%-22s %-20s %8s %12s\n'
printf "$row" program compiler seconds precompiled
for program in ten_operators fifteen_queries; do
  source=$root/bench/compile/$program.cpp
  to=(-c "$source" -o "$work/object")
  printf "$row" "$program" g++-12 "$(seconds g++-12 "${flags[@]}" "${to[@]}")" \
    "$(seconds g++-12 "${flags[@]}" -include "$work/precompiled.h" "${to[@]}")"
  printf "$row" "$program" clang++-19 "$(seconds clang++-19 "${flags[@]}" "${to[@]}")" \
    "$(seconds clang++-19 "${flags[@]}" -include-pch "$work/precompiled.pch" "${to[@]}")"
  if [[ ${#plugin[@]} -gt 0 ]]; then
    printf "$row" "$program" "clang++-19, plugin" \
      "$(seconds clang++-19 "${flags[@]}" "${plugin[@]}" "${to[@]}")" \
      "$(seconds clang++-19 "${flags[@]}" "${plugin[@]}" -include-pch "$work/precompiled.pch" \
        "${to[@]}")"
  fi
done
