#!/usr/bin/env bash
# What the compiler plugin adds to compiling: user CPU seconds with and without it, medians of five
# alternating runs, and their ratio. The bound we set ourselves is 1.10.
#   tools/plugin_cost.sh [PLUGIN]     default: build/lib/libpappus-compiler.so
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
plugin=${1:-$root/build/lib/libpappus-compiler.so}
if [[ ! -f $plugin ]]; then
  echo "plugin_cost.sh: $plugin isn't there; build the target pappus_compiler, or give its path" >&2
  exit 2
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The flags of a Release build (cmake/PappusLoopFlags.cmake), and what pappus_enable adds to them.
common=(-std=c++20 -O3 -DNDEBUG -ffp-contract=off -fno-math-errno -fno-trapping-math -march=native
  -I "$root/include" -I "$root/src" -I "$root/bench" -I "$root")
enabled=(-fpass-plugin="$plugin" -gline-tables-only)

TIMEFORMAT=%U
compile() {  # compile SERIES FILE OPTION...: appends the seconds to the series
  local series=$1 file=$2
  shift 2
  { time clang++-19 "${common[@]}" "$@" -o "$work/object" -c "$root/$file" 2>"$work/messages"; } \
    2>>"$work/$series" || { cat "$work/messages" >&2; exit 1; }
}
median() { sort -n "$work/$1" | sed -n 3p; }

printf '%-34s %8s %8s %6s\n' file without with ratio
for file in demo/queries/{kmeans,search,pagerank}.cpp bench/system/generated_bench.cpp \
  bench/compile/fifteen_queries.cpp; do
  rm -f "$work"/{without,with}
  for _ in 1 2 3 4 5; do
    compile without "$file"
    compile with "$file" "${enabled[@]}"
  done
  awk -v file="$file" -v without="$(median without)" -v with="$(median with)" \
    'BEGIN { printf "%-34s %8.2f %8.2f %6.2f\n", file, without, with, with / without }'
done
