#!/usr/bin/env python3
"""A program that was built with settings under which containers or structs lie otherwise doesn't
link with the library, and the linker's message names the setting.

    settings.py COMPILER INCLUDE LIBRARY [LINKER FLAG...]
"""

import os
import subprocess
import sys
import tempfile

PROGRAM = """#include <pappus/session.h>
int main(int argc, char** argv) {
  pappus::session first, second{argc, argv}, third{pappus::options{.threads = 1}};
  return first.threads() > 0 ? 0 : 1;
}
"""
SETTINGS = {
    "-D_GLIBCXX_DEBUG": "GLIBCXX_DEBUG_on",
    "-D_GLIBCXX_USE_CXX11_ABI=0": "GLIBCXX_USE_CXX11_ABI_0",
    "-fpack-struct": "pack_struct_on",
}
HARMLESS = ["-O0", "-O2 -DNDEBUG", "-D_GLIBCXX_ASSERTIONS"]


def main():
    compiler, include, library, *flags = sys.argv[1:]
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        source, program = os.path.join(folder, "small.cpp"), os.path.join(folder, "small")
        with open(source, "w", encoding="utf-8") as text:
            text.write(PROGRAM)

        def build(options):
            return subprocess.run(
                [compiler, "-std=c++20", *options.split(), f"-I{include}", source, "-o", program,
                 library, f"-Wl,-rpath,{os.path.dirname(library)}", *flags],
                capture_output=True, text=True, check=False)

        for options in HARMLESS:
            built = build(options)
            if built.returncode or subprocess.run([program], check=False).returncode:
                problems.append(f"{options}: expected to link and run, got\n{built.stderr[:2000]}")
        for options, name in SETTINGS.items():
            alone = subprocess.run(
                [compiler, "-std=c++20", "-fsyntax-only", *options.split(), "-include", "ranges",
                 "-x", "c++", "/dev/null"], capture_output=True, text=True, check=False)
            if alone.returncode:
                print(f"{options}: not even the standard library's headers compile")
                continue
            built = build(options)
            named = [line for line in built.stderr.splitlines()
                     if "program_built_with<" in line and name in line]
            if built.returncode == 0 or not named:
                problems.append(f"{options}: expected an undefined constructor that names {name}, "
                                f"got {built.returncode}\n{built.stderr[:2000]}")
    print("\n".join(problems) or "all settings as expected")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
