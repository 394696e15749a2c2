#!/usr/bin/env bash
# Set-up, build, and the main job on this machine's own Debian package index. Built by clang with
# the compiler plugin, so that lambdas run on devices, too: PAPPUS_DEVICES=opencl bash tools/demo.sh
# Arguments go to `pappus demo`: the words to search for, or --help.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

bash "$root/tools/setup.sh"
(cd "$root" && cmake --preset clang >/dev/null)
cmake --build "$root/build/clang" -j "$(nproc)" --target pappus_cli
exec "$root/build/clang/bin/pappus" demo "$@"
