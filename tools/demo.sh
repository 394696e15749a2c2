#!/usr/bin/env bash
# Set-up, release build, and the main job on this machine's own Debian package index.
# Arguments go to `pappus demo`: the words to search for, or --help.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

bash "$root/tools/setup.sh"
(cd "$root" && cmake --preset release >/dev/null)
cmake --build "$root/build/release" -j "$(nproc)" --target pappus_cli
exec "$root/build/release/bin/pappus" demo "$@"
