#!/usr/bin/env bash
# Installs the packages that are missing. Needs root or sudo only if some are.
#   tools/setup.sh            all: what building, OpenCL, Parquet files and the tests need
#   tools/setup.sh LIST...    those of tools/packages/LIST.txt: build, opencl, arrow, test
# Arrow is no package of Debian's: it comes from PyPI, into build/arrow/. Where that fails, Pappus
# is built without it.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

fail() {
  echo "setup.sh: $*" >&2
  exit 1
}

lists=("$@")
((${#lists[@]})) || lists=(build opencl arrow test)
files=()
for list in "${lists[@]}"; do
  files+=("$here/packages/$list.txt")
  [[ -f ${files[-1]} ]] || fail "expected build, opencl, arrow or test, got '$list'"
done

# Prints the packages of the lists that are not installed.
missing() {
  local package
  while read -r package; do
    [[ $(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) == installed ]] ||
      echo "$package"
  done < <(sed 's/#.*//; s/[[:space:]]//g; /^$/d' "${files[@]}")
}

# Puts the package pyarrow, whose libraries and headers are Arrow's, where cmake/Arrow.cmake looks.
get_arrow() {
  [[ " ${lists[*]} " == *" arrow "* ]] || return 0
  local version folder partial
  version=$(sed -n 's/^pyarrow==//p' "$here/packages/python/arrow.txt")
  folder=$here/../build/arrow/$version
  [[ -d $folder ]] && return 0
  partial=$folder.$$.new
  mkdir -p "$partial"
  echo "setup.sh: installing pyarrow $version into build/arrow/"
  if python3 -m pip install --quiet --disable-pip-version-check --no-input --retries 1 \
    --timeout 20 --root-user-action ignore --no-deps --no-compile --only-binary :all: \
    --target "$partial" "pyarrow==$version"; then
    mv "$partial" "$folder"
  else
    rm -rf "$partial"
    echo "setup.sh: pip could not install pyarrow: Parquet files won't be read" >&2
  fi
}

command -v dpkg-query >/dev/null && command -v apt-get >/dev/null ||
  fail "this system has no apt; install the equivalents of tools/packages/ by hand"

mapfile -t wanted < <(missing)
if ((${#wanted[@]} == 0)); then
  get_arrow
  exit 0
fi

as_root=()
if ((EUID != 0)); then
  command -v sudo >/dev/null ||
    fail "not root and no sudo; have an administrator run: apt-get install ${wanted[*]}"
  as_root=(sudo)
fi
apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 -q)

echo "setup.sh: installing ${wanted[*]}"
# Sources that have nothing to do with us may be unreachable; what counts is the installation.
"${apt[@]}" update ||
  echo "setup.sh: apt-get update reported errors; trying with the lists there are" >&2
"${apt[@]}" install -y --no-install-recommends "${wanted[@]}" ||
  fail "apt-get could not install: ${wanted[*]}
  The reason is above. Debian 12 (bookworm with its updates) has all of these packages."

mapfile -t wanted < <(missing)
((${#wanted[@]} == 0)) || fail "still missing after the installation: ${wanted[*]}"
get_arrow
