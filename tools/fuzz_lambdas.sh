#!/usr/bin/env bash
# Random lambdas, compiled for devices, against the CPU: see tests/compiler/random_lambdas.py.
#   tools/fuzz_lambdas.sh [-g] [--oclgrind] [COUNT [FIRST_SEED]]
# -g: compiled with -g, so that texts have the names of the lambdas' variables.
# --oclgrind: under oclgrind, which watches the kernels (tools/check_kernels.sh).
# Needs a build of the preset `clang` (build/clang). As many programs of 100 lambdas run at once as
# there are cores. Programs with a difference are kept in build/fuzz_lambdas and named; what they
# print names a lambda, and random_lambdas.py --only writes it alone.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$root/build/clang
runner=() debug=-gline-tables-only
if [[ ${1:-} == -g ]]; then
  debug=-g
  shift
fi
if [[ ${1:-} == --oclgrind ]]; then
  runner=("$root/tools/check_kernels.sh")
  shift
fi
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

# The plugin sees the same at all levels; this one is the quickest to compile for the host.
options=(-std=c++20 -O0 -march=native -ffp-contract=off -fno-math-errno -w "$debug"
  -I"$root/include" -I"$root/tests")
header=$work/random_lambdas$debug.pch

# Parsing the headers would take longer than the lambdas of a program.
if [[ ! -f $header || -n $(find "$root/include" "$root/tests/compiler" -newer "$header") ]]; then
  clang++-19 "${options[@]}" -x c++-header "$root/tests/compiler/random_lambdas.h" -o "$header.$$"
  mv "$header.$$" "$header"
fi

run_program() {  # run_program SEED COUNT
  local program=$work/seed_$1
  local log=$program.log
  python3 -B "$root/tests/compiler/random_lambdas.py" --output "$program.cpp" "$1" "$2"
  if clang++-19 "${options[@]}" -include-pch "$header" \
    -fpass-plugin="$build/lib/libpappus-compiler.so" "$program.cpp" -o "$program" \
    "$build/lib/libpappus.a" -fuse-ld=lld -ltbb -lfmt -lblosc -ldeflate -llz4 -lsimdjson -lzstd \
    -lz -ldl -lpthread \
    >"$log" 2>&1 && "${runner[@]}" "$program" >>"$log" 2>&1; then
    echo "seed $1: $(tail -1 "$log")"
    rm "$program" "$program.cpp" "$log"
  else
    echo "seed $1: FAILED, see $log: $(tail -1 "$log")"
    # What is the same then is the driver's fault: PoCL's optimiser drops signs of zeros.
    if [[ -x $program ]]; then
      POCL_EXTRA_BUILD_FLAGS=-cl-opt-disable "$program" >"$log.unoptimised" 2>&1 ||
        echo "seed $1: without PoCL's optimiser, too: $(tail -1 "$log.unoptimised")" >>"$log"
    fi
  fi
}

summary=$work/summary.$$
trap 'rm -f "$summary"' EXIT
for ((done = 0; done < count; done += a_program, ++seed)); do
  while (($(jobs -rp | wc -l) >= $(nproc))); do wait -n || true; done
  run_program "$seed" $((count - done < a_program ? count - done : a_program)) |
    tee -a "$summary" &
done
wait
awk '/FAILED/ { ++failed }
  { for (i = 2; i < NF; ++i) { if ($(i + 1) ~ /^compared/) c += $i
      if ($(i + 1) ~ /^different/) d += $i; if ($(i + 1) == "not") r += $i } }
  END { printf "%d compared, %d different, %d not compiled; %d programs failed\n", c, d, r, failed
        exit failed > 0 }' "$summary"
