#!/usr/bin/env bash
# Precompiles what the files of lambdas include, for all of them: reading it takes longer than
# their own lines.
#
#   precompile.sh CLANG FOLDER OPTIONS..
set -euo pipefail

clang=$1 folder=$2
shift 2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=levels.sh
source "$here/levels.sh"
mkdir -p "$folder"
for level in -O0 -O3; do
  options_at "$level"
  "$clang" "${options[@]}" "$@" -fpch-instantiate-templates -include "$here/thunks.h" \
    -x c++-header "$here/footprints.h" -o "$folder/headers$level.pch"
done
