#!/usr/bin/env bash
# Random lambdas, compiled for devices, against the CPU: see tests/compiler/random_lambdas.py.
#   tools/fuzz_lambdas.sh [COUNT [FIRST_SEED]]
# Needs a build of the preset `clang` (build/clang). Programs with a difference are kept in
# build/fuzz_lambdas and named; each prints the number of its lambda, and takes it as an argument.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$root/build/clang
count=${1:-20000}
seed=${2:-1}
a_program=100
work=$root/build/fuzz_lambdas

[[ $count =~ ^[0-9]+$ && $seed =~ ^[0-9]+$ ]] || {
  echo "fuzz_lambdas.sh: expected numbers, got '$*'" >&2
  exit 2
}
[[ -f $build/lib/libpappus-compiler.so ]] || {
  echo "fuzz_lambdas.sh: no $build/lib/libpappus-compiler.so: run tools/test.sh first" >&2
  exit 2
}
mkdir -p "$work"
export POCL_DEVICES=${POCL_DEVICES:-basic} PAPPUS_CACHE=off

# The flags that the preset's own program of random lambdas is compiled with.
compile() {
  clang++-19 -std=c++20 -O1 -march=native -ffp-contract=off -fno-math-errno -w \
    -fpass-plugin="$build/lib/libpappus-compiler.so" -gline-tables-only \
    -I"$root/include" -I"$root/tests" "$1" -o "$2" "$build/lib/libpappus.a" \
    -fuse-ld=lld -ltbb -lfmt -llz4 -llzma -ldl -lpthread
}

failed=0
for ((done = 0; done < count; done += a_program, ++seed)); do
  n=$((count - done < a_program ? count - done : a_program))
  program=$work/seed_$seed
  log=$program.log
  python3 -B "$root/tests/compiler/random_lambdas.py" "$seed" "$n" >"$program.cpp"
  if compile "$program.cpp" "$program" >"$log" 2>&1 && "$program" >>"$log" 2>&1; then
    echo "seed $seed: $(tail -1 "$log")"
    rm "$program" "$program.cpp" "$log"
  else
    failed=$((failed + 1))
    echo "seed $seed: FAILED, see $log"
  fi
done
echo "$failed programs failed"
((failed == 0))
