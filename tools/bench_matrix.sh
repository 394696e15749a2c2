#!/usr/bin/env bash
# How fast the benchmarks are by every compiler and on every level of the processor.
#   tools/bench_matrix.sh [--rounds N] [--threads N] NAME... [-- ARGUMENT...]
# NAME is a benchmark, or how the names of several begin (`pappus bench --help` lists them), perhaps
# with arguments of its own: "groupby --keys 1000000 --domain", "kmeans --k 80 --d 40"; ARGUMENTs go
# to all runs: --n 1000000. Builds four times in build/matrix, by g++-12 and by clang-19 with
# the plugin, each for x86-64-v3 (AVX2) and x86-64-v4 (AVX-512); levels that the processor lacks are
# left out. The four take turns; tools/bench_matrix.py says what is printed and what the exit status
# means.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

misused() {
  echo "bench_matrix.sh: $*" >&2
  exit 2
}

rounds=3 threads=() names=()
while [[ $# -gt 0 && $1 != -- ]]; do
  case $1 in
    --help)
      sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "${BASH_SOURCE[0]}"
      exit 0
      ;;
    --rounds | --threads)
      [[ ${2:-} =~ ^[1-9][0-9]*$ ]] || misused "$1: expected a number from 1 on, got '${2:-}'"
      if [[ $1 == --rounds ]]; then rounds=$2; else threads=(--threads "$2"); fi
      shift
      ;;
    --*) misused "unknown option '$1'; expected --help, --rounds or --threads" ;;
    *) names+=("$1") ;;
  esac
  shift
done
[[ ${#names[@]} -gt 0 ]] || misused "expected at least one benchmark"
[[ $# -eq 0 ]] || shift

# Whether this processor has a level, as the C library's loader sees it.
has_level() {
  /lib64/ld-linux-x86-64.so.2 --help | grep -q "^  x86-64-$1 (supported"
}

build() {  # build PRESET LEVEL FOLDER
  echo "== building the benchmarks by preset $1 for x86-64-$2" >&2
  (cd "$root" && cmake --preset "$1" -B "$3" -DPAPPUS_UNITY=ON "-DPAPPUS_MARCH=x86-64-$2" \
    >/dev/null &&
    cmake --build "$3" -j "$(nproc)" --target pappus_bench_command) >&2
}

# Refuses names that the program doesn't list.
check_names() {  # check_names PROGRAM
  local name list
  list=$("$1" --help | sed -n '/^Benchmarks:/,$p')
  for name in "${names[@]}"; do
    grep -qE "^  ${name%% *}(_| )" <<<"$list" ||
      misused "expected the name of a benchmark, got '$name'; there are"$'\n'"${list#*$'\n'}"
  done
}

builds=()
for level in v3 v4; do
  if ! has_level "$level"; then
    echo "SKIP: x86-64-$level: this processor doesn't have it"
    continue
  fi
  for preset in release clang; do
    compiler=g++-12 folder=$root/build/matrix/gcc-$level
    [[ $preset == release ]] || compiler=clang-19 folder=$root/build/matrix/clang-$level
    build "$preset" "$level" "$folder"
    [[ ${#builds[@]} -gt 0 ]] || check_names "$folder/bin/pappus-bench"
    builds+=(--build "$compiler" "$level" "$(printf '%q' "$folder/bin/pappus-bench")")
  done
done
[[ ${#builds[@]} -gt 0 ]] || exit 0

python3 -B "$root/tools/bench_matrix.py" --rounds "$rounds" "${builds[@]}" "${names[@]}" -- \
  "${threads[@]}" "$@"
