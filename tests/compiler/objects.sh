#!/usr/bin/env bash
# Objects compiled with and without the plugin, linked in every way that users have: the slots that
# the plugin saw have descriptors when the program starts. With headers of another version than the
# plugin's the descriptors tell just that.
#
#   objects.sh CLANG PLUGIN TESTS INCLUDE
set -euo pipefail

clang=$1 plugin=$2 tests=$3 include=$4
cd "$(mktemp -d)"
trap 'rm -rf "$PWD"' EXIT
sources=$tests/compiler/objects
failed=0

# build COMPILER FLAGS..
build() {
  "$@" -std=c++20 -Wno-unused-command-line-argument -I"$tests" -I"$include"
}

# precompile FLAGS..: sets `precompiled` to headers that clang takes with these flags. It refuses
# those of flags that make another program of them.
precompile() {
  local flag flags=()
  for flag in "$@"; do
    case $flag in
      -O[123]) flags+=(-O2) ;;
      -O* | -march=* | -fPIC | -fsanitize=*) flags+=("$flag") ;;
    esac
  done
  precompiled=thunks${flags[*]}.pch
  [[ -f $precompiled ]] ||
    build "$clang" "${flags[@]}" -x c++-header "$tests/compiler/thunks.h" -o "$precompiled"
}

# compile NAME COMPILER FLAGS..
compile() {
  local name=$1 options=()
  shift
  if [[ $1 == "$clang" ]]; then
    precompile "${@:2}"
    options=(-include-pch "$precompiled")
  fi
  build "$@" "${options[@]}" -c "$sources/$name.cpp" -o "$name.o"
}

run() {
  if ! ./program; then
    echo "objects.sh: failed: $*" >&2
    failed=1
  fi
}

# variant OTHER_COMPILER FLAGS..: the second object comes from the other compiler.
variant() {
  local other=$1
  shift
  compile with_plugin "$clang" -fpass-plugin="$plugin" "$@"
  compile without_plugin "$other" "$@"
  compile main "$clang" "$@"
  # Whichever comes first, the linker keeps its slot.
  "$clang" "$@" with_plugin.o without_plugin.o main.o -o program
  run "$* (with, without)"
  "$clang" "$@" main.o without_plugin.o with_plugin.o -o program
  run "$* (without, with)"
}

for level in -O0 -O1 -O2 -O3 -Os; do variant "$clang" "$level"; done
variant "$clang" -O2 -g
variant "$clang" -O2 -march=native
variant "$clang" -O1 -fsanitize=address
variant "$clang" -O0 -fsanitize=address
variant "$clang" -O2 -ffunction-sections -fdata-sections -Wl,--gc-sections
if command -v g++ >/dev/null; then variant g++ -O2; fi
if command -v ld.lld >/dev/null; then
  variant "$clang" -O2 -flto=thin -fuse-ld=lld
  variant "$clang" -O2 -flto -fuse-ld=lld
fi

# A shared library and an archive with the plugin, a program without it.
compile main "$clang" -O2
for with in shared archive; do
  compile with_plugin "$clang" -O2 -fPIC -fpass-plugin="$plugin"
  compile without_plugin "$clang" -O2 -fPIC
  if [[ $with == shared ]]; then
    "$clang" -shared with_plugin.o -o libwith.so
    "$clang" main.o without_plugin.o -L. -lwith -Wl,-rpath,"$PWD" -o program
  else
    ar rcs libstatic.a with_plugin.o
    "$clang" main.o without_plugin.o -L. -lstatic -o program
  fi
  run "$with"
done

compile unloaded "$clang" -O2
cp libwith.so libagain.so
"$clang" -rdynamic unloaded.o -ldl -o program
run "unloaded"

cp -r "$include" other
sed -i 's/\(compiler_version =\) [0-9]*;/\1 99;/' other/pappus/detail/base/compiled.h
version=$(sed -n 's/.*compiler_version = \([0-9]*\);/\1/p' \
  "$include/pappus/detail/base/compiled.h")
for level in -O0 -O2; do
  include=other build "$clang" -fpass-plugin="$plugin" "$level" \
    -c "$sources/other_version.cpp" -o other_version.o 2>told
  "$clang" other_version.o -o program
  expected="warning: the Pappus headers that $sources/other_version.cpp includes are for version \
99 of the compiler plugin, this is version $version: use the plugin that was installed with the \
headers; its functions run on the CPU"
  if ! grep -qF "$expected" told; then
    echo "objects.sh: other version, $level: expected '$expected', got:" >&2
    cat told >&2
    failed=1
  fi
  if [[ $(./program) != "{\"version\":$version}" ]]; then
    echo "objects.sh: other version, $level: $(./program)" >&2
    failed=1
  fi
done
exit "$failed"
