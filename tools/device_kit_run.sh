#!/usr/bin/env bash
# Runs on this machine's devices what tools/device_kit.sh put beside this script.
#   run.sh [--out FOLDER] devices          what there is, and its rates, measured
#   run.sh [--out FOLDER] test [NAME...]   tests: conformance, compiler, ...; each in a process for
#                                          each core; FOLDER has what they say
#   run.sh [--out FOLDER] cuda             the kernels that tests dumped, through CUDA's compiler
#   run.sh [--out FOLDER] bench ARGUMENT...   pappus bench with these
#   run.sh -- COMMAND...                   anything else, with the libraries found
# Exit status: 0 all passed, else not.
set -uo pipefail

kit=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
out=$kit/out
if [[ ${1:-} == --out ]]; then
  out=$2
  shift 2
fi
mkdir -p "$out"

export LD_LIBRARY_PATH=$kit/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} PATH=$kit/bin:$PATH
# NVIDIA's driver in a container is there, but not registered where OpenCL's loader looks.
registered=/etc/OpenCL/vendors
if [[ -z ${OCL_ICD_VENDORS:-} ]] && ! grep -qs nvidia "$registered"/*.icd; then
  driver=$(/sbin/ldconfig -p | awk '/libnvidia-opencl\.so\.1 / && !found++ { print $NF }')
  if [[ -n $driver ]]; then
    mkdir -p "$kit/vendors"
    cp "$registered"/*.icd "$kit/vendors/" 2>/dev/null || true
    echo "$driver" >"$kit/vendors/nvidia.icd"
    export OCL_ICD_VENDORS=$kit/vendors
  fi
fi

# Prints a line: the program, what passed and failed, seconds.
run_tests() {
  local name=$1 program=$kit/bin/pappus_test_$1 shards i failed=0 begin=$SECONDS
  shards=$(nproc)
  local -a pids=()
  # As ctest has them: drivers keep what they compiled themselves; devices/ tests our cache.
  local variables=(PAPPUS_CACHE=off PAPPUS_DUMP="$kit/kernels/$name")
  case $name in
    devices | bench) variables=() ;;
    conformance) variables+=(PAPPUS_DEVICES=cpu) ;;
  esac
  for ((i = 0; i < shards; ++i)); do
    env "${variables[@]}" GTEST_TOTAL_SHARDS="$shards" GTEST_SHARD_INDEX="$i" \
      timeout "${TEST_SECONDS:-100}" "$program" --gtest_brief=0 \
      --gtest_filter="-broken_kernels.*" >"$out/$name.$i.log" 2>&1 &
    pids+=($!)
  done
  for ((i = 0; i < shards; ++i)); do
    local status=0
    wait "${pids[i]}" || status=$?
    ((status == 0)) && continue
    failed=1
    ((status == 1)) ||
      echo "$name: exit status $status in $(grep '^\[ RUN' "$out/$name.$i.log" | tail -n 1)"
  done
  cat "$out/$name".*.log >"$out/$name.log"
  rm -f "$out/$name".*.log
  echo "$name: $(results_of "$name" '      OK') passed, $(results_of "$name" ' FAILED ') failed," \
    "$(results_of "$name" ' SKIPPED') skipped, $((SECONDS - begin)) s"
  grep '^\[  FAILED  \] .* ms)$' "$out/$name.log" | sort
  return $failed
}

# How many tests of a program ended so.
results_of() { grep -c "^\[ $2 \] .* ms)\$" "$out/$1.log"; }

what=${1:-devices}
shift || true
status=0
case $what in
  devices) "$kit/bin/pappus" devices --measure 2>&1 | tee "$out/devices.txt" ;;
  test)
    if (($# == 0)); then
      set -- "$kit"/bin/pappus_test_*
      set -- "${@##*/pappus_test_}"
    fi
    for name in "$@"; do
      run_tests "$name" || status=1
    done
    ;;
  cuda) "$kit/bin/pappus_compile_for_cuda" "$kit/kernels" 2>&1 | tee "$out/cuda.txt" ;;
  bench) "$kit/bin/pappus-bench" "$@" ;;
  --) "$@" ;;
  *)
    sed -n '2,9s/^# \{0,1\}//p' "$0" >&2
    exit 2
    ;;
esac || status=1
exit $status
