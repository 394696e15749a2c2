#!/usr/bin/env bash
# Set-up, build, tests, in several configurations; CMakePresets.json says which tests each has.
#   tools/test.sh           everyday: all tests with g++, chosen ones with clang, ASan+UBSan, TSan
#   tools/test.sh --quick   g++ only
#   tools/test.sh --full    all tests in all configurations, a debug build too, all kernels that the
#                           tests run under oclgrind
# All tests run in one ctest, so that its last lines count them all; before these stand what failed
# tests said last, the slowest tests and each folder's time. A test that takes too long says last
# where its threads are (tests/support/hang.cpp).
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

presets=(release clang asan tsan)
options=()
case ${1:-} in
  "") ;;
  --quick) presets=(release) ;;
  --full)
    presets=(release debug clang asan tsan)
    options=(-DPAPPUS_TESTS=folders -DPAPPUS_TEST_ALL_KERNELS=ON)
    ;;
  *)
    echo "test.sh: unknown argument '$1'; expected nothing, --quick or --full" >&2
    exit 2
    ;;
esac

cd "$root"
bash tools/setup.sh

# What one clone has compiled serves others, wherever they lie.
export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1

all=build/all
mkdir -p "$all"
: >"$all/CTestTestfile.cmake"
for preset in "${presets[@]}"; do
  echo "subdirs(\"$root/build/$preset\")" >>"$all/CTestTestfile.cmake"
done

# Configuring is mostly compilers that are asked one after another: all presets at once.
declare -A preset_of  # by process
trap 'kill "${!preset_of[@]}" 2>/dev/null || true' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
for preset in "${presets[@]}"; do
  chosen=()
  [[ $preset == release ]] || chosen=("${options[@]}")
  # New builds compile folders as a whole. Where one works on, files are better compiled one by one:
  # cmake --preset PRESET -DPAPPUS_UNITY=OFF, before or after.
  [[ -f build/$preset/CMakeCache.txt ]] || chosen+=(-DPAPPUS_UNITY=ON)
  cmake --preset "$preset" "${chosen[@]}" >/dev/null 2>"$all/$preset.log" &
  preset_of[$!]=$preset
done
for process in "${!preset_of[@]}"; do
  status=0
  wait "$process" || status=$?
  preset=${preset_of[$process]}
  unset "preset_of[$process]"
  echo "== $preset: configured"
  cat "$all/$preset.log" >&2  # warnings, errors
  ((status == 0)) || exit "$status"
done

for preset in "${presets[@]}"; do
  echo "== $preset: building"
  cmake --build "build/$preset" -j "$(nproc)"
done

echo "== testing: ${presets[*]}"
status=0
ctest --test-dir "$all" -j "$(nproc)" --output-on-failure --no-label-summary --no-tests=error \
  --output-junit "$root/$all/tests.xml" | tee "$all/tests.log" || status=$?
echo
python3 -B tools/test_times.py "$all/tests.xml" "${presets[@]}" || true
# ctest's own summary once more, so that the last lines still count all tests.
sed -n '/^[0-9]*% tests passed/,$p' "$all/tests.log"
exit "$status"
