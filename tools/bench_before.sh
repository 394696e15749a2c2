#!/usr/bin/env bash
# Whether this tree's benchmarks are as fast as an earlier commit's.
#   tools/bench_before.sh [--pairs N] [--threads N] [--preset P] COMMIT NAME... [-- ARGUMENT...]
# NAME is a benchmark, or how the names of several begin (`pappus bench --help` lists them);
# ARGUMENTs go to all runs: --n 1000000, --devices opencl:0. COMMIT is built in build/before by the
# same preset as the tree, which is built in its usual place. Then both run in pairs, 15 by default;
# tools/bench_pairs.py says how they are compared, and what the exit status means.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

misused() {
  echo "bench_before.sh: $*" >&2
  exit 2
}

preset=release pairs=15 threads=()
while [[ ${1:-} == --* ]]; do
  [[ $# -ge 2 ]] || misused "$1: expected a value"
  case $1 in
    --pairs) pairs=$2 ;;
    --threads) threads=(--threads "$2") ;;
    --preset) preset=$2 ;;
    *) misused "unknown option '$1'; expected --pairs, --threads or --preset" ;;
  esac
  shift 2
done
[[ $# -ge 2 ]] || misused "expected a commit and at least one benchmark, got '$*'"
commit=$(git -C "$root" rev-parse --verify --quiet "$1^{commit}") ||
  misused "expected a commit, got '$1'"
shift
names=()
while [[ $# -gt 0 && $1 != -- ]]; do
  names+=("$1")
  shift
done
[[ ${#names[@]} -gt 0 ]] || misused "expected at least one benchmark before --"
[[ $# -eq 0 ]] || shift

before=$root/build/before/$commit
if [[ ! -d $before ]]; then
  git clone --quiet --shared --no-checkout "$root" "$before.part"
  git -C "$before.part" checkout --quiet --detach "$commit"
  mv "$before.part" "$before"
fi

# What a commit's benchmarks are: a program of their own or, before there was one, a part of pappus.
build() {  # build TREE
  local target=pappus_cli
  [[ ! -d $1/bench/command ]] || target=pappus_bench_command
  echo "== building the benchmarks of $(git -C "$1" describe --always --dirty)" >&2
  (cd "$1" && cmake --preset "$preset" >/dev/null &&
    cmake --build "build/$preset" -j "$(nproc)" --target "$target") >&2
}
command_of() {  # command_of TREE
  local bin=$1/build/$preset/bin
  if [[ -d $1/bench/command ]]; then
    printf '%q' "$bin/pappus-bench"
  else
    printf '%q bench' "$bin/pappus"
  fi
}
build "$before"
build "$root"

python3 -B "$root/tools/bench_pairs.py" --pairs "$pairs" --old "$(command_of "$before")" \
  --new "$(command_of "$root")" "${names[@]}" -- "${threads[@]}" "$@"
