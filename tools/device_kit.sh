#!/usr/bin/env bash
# Puts what runs on devices into a folder that works on another machine, which needs neither
# compilers nor this project's packages: tests, benchmarks and the command of a build whose compiler
# has the plugin, with the libraries that they load.
#   tools/device_kit.sh BUILD FOLDER    BUILD as this makes it, for processors of any machine:
#     cmake --preset clang -B BUILD -DPAPPUS_MARCH=x86-64-v3 -DPAPPUS_UNITY=ON \
#       "-DPAPPUS_TESTS=devices;device_ops;compiler;conformance;floats;session;bench"
#     cmake --build BUILD
# There FOLDER/run.sh runs them on all OpenCL devices; its first lines say how.
set -euo pipefail

if [[ $# -ne 2 || ! -d $1/bin ]]; then
  echo "device_kit.sh: expected a build and the folder to fill" >&2
  exit 2
fi
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$1 kit=$2
mkdir -p "$kit/bin" "$kit/lib"

programs=()  # those that the build has
for program in pappus pappus-bench pappus_compile_for_cuda \
  pappus_test_{devices,device_ops,compiler,conformance,floats,session,bench}; do
  [[ ! -x $build/bin/$program ]] || programs+=("$program")
done
if [[ ${#programs[@]} -eq 0 ]]; then
  echo "device_kit.sh: $build/bin has neither tests nor benchmarks" >&2
  exit 1
fi
for program in "${programs[@]}"; do
  strip -o "$kit/bin/$program" "$build/bin/$program"
done

# All but what belongs to the system's C library and to drivers; the loader of OpenCL's drivers too.
for program in "${programs[@]}"; do
  ldd "$build/bin/$program"
done | awk '$2 == "=>" && $3 ~ /^\// { print $3 }' | sort -u |
  { grep -vE '/(libc|libm|libmvec|libpthread|libdl|librt|ld-linux[^/]*)\.so' || true; } |
  xargs -r cp -L -t "$kit/lib"
loader=$(/sbin/ldconfig -p | awk '/libOpenCL\.so\.1 / && !found++ { print $NF }')
[[ -z $loader ]] || cp -L "$loader" "$kit/lib/"
install -m 755 "$root/tools/device_kit_run.sh" "$kit/run.sh"
