#!/usr/bin/env bash
# Set-up, build, and the main job on this machine's own Debian package index. Built by clang with
# the compiler plugin, so that lambdas run on devices, too: PAPPUS_DEVICES=opencl bash tools/demo.sh
# Arguments go to `pappus demo`: the words to search for, or --help.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$root/build/demo
cpu_seconds=210  # what building all of it took when that was measured last
say() { echo "demo.sh: $*" >&2; }

lists=(build)
[[ ${PAPPUS_DEVICES:-} != *opencl* ]] || lists+=(opencl)
say "step 1 of 3: packages that are missing (tools/packages/)"
bash "$root/tools/setup.sh" "${lists[@]}"

say "step 2 of 3: building the library, the compiler plugin and the command in $build"
(cd "$root" && cmake --preset demo >/dev/null)
if [[ ! -x $build/bin/pappus ]]; then
  steps=$(ninja -C "$build" -t commands pappus_cli | wc -l)
  say "about $steps steps and $((cpu_seconds / 60 / $(nproc) + 1)) minutes on $(nproc) cores that" \
    "have nothing else to do; next time only what changed"
fi
cmake --build "$build" -j "$(nproc)" --target pappus_cli

say "step 3 of 3: pappus demo $*"
exec "$build/bin/pappus" demo "$@"
