#!/usr/bin/env bash
# Set-up, build, tests, in several configurations; CMakePresets.json says which tests each has.
#   tools/test.sh           everyday: all tests with g++, chosen ones with clang, ASan+UBSan, TSan
#   tools/test.sh --quick   g++ only
#   tools/test.sh --full    all tests in all configurations, a debug build too
# All tests run in one ctest, so that its last lines count them all.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

presets=(release clang asan tsan)
options=()
case ${1:-} in
  "") ;;
  --quick) presets=(release) ;;
  --full) presets=(release debug clang asan tsan) options=(-DPAPPUS_TESTS=folders) ;;
  *)
    echo "test.sh: unknown argument '$1'; expected nothing, --quick or --full" >&2
    exit 2
    ;;
esac

cd "$root"
bash tools/setup.sh

all=build/all
mkdir -p "$all"
: >"$all/CTestTestfile.cmake"
for preset in "${presets[@]}"; do
  echo "== $preset: configuring and building"
  if [[ $preset == release ]]; then
    cmake --preset "$preset" >/dev/null
  else
    cmake --preset "$preset" "${options[@]}" >/dev/null
  fi
  cmake --build "build/$preset" -j "$(nproc)"
  echo "subdirs(\"$root/build/$preset\")" >>"$all/CTestTestfile.cmake"
done

echo "== testing: ${presets[*]}"
exec ctest --test-dir "$all" -j "$(nproc)" --output-on-failure --no-label-summary \
  --no-tests=error
