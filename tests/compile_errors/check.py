#!/usr/bin/env python3
"""Compiles each program of a folder and compares what the compiler says with what the program
expects.

    check.py COMPILER INCLUDE [NAME...]      all of this folder, or those named

A program begins with comments. `// expect: sentence` (it may go on in further comment lines): the
program mustn't compile, and the sentence stands within the first three lines that the compiler
writes. Without it the program must compile without a word. `// flags: ...` adds options.

With a mistake, compilers stop at the first error: what they would say later isn't looked at, and
the templates that a program leaves to its end take most of the time.

Nothing is generated. Programs without flags of their own share a precompiled shop.h.
"""

import os
import re
import shlex
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

FOLDER = os.path.dirname(os.path.abspath(__file__))
LINES = 3
FLAGS = ["-std=c++20", "-fsyntax-only", "-fdiagnostics-color=never"]


def directive(text, name):
    """The words behind `// name:` and in the comment lines that go on."""
    found = re.search(rf"^// {name}: (.*\n(?://   .*\n)*)", text, re.MULTILINE)
    return " ".join(found[1].replace("//", " ").split()) if found else ""


def precompile(compiler, include, folder):
    """Precompiles shop.h; returns the options that use it."""
    header = os.path.join(folder, "shop.h")  # of one line: shop.h itself may not be the main file
    with open(header, "w", encoding="utf-8") as lines:
        lines.write(f'#include "{FOLDER}/shop.h"\n')
    clang = "clang" in os.path.basename(compiler)
    target = os.path.join(folder, "shop.pch" if clang else "shop.h.gch")
    # clang else instantiates the headers' templates in each program; g++ has no such option.
    options = ["-fpch-instantiate-templates"] if clang else []
    subprocess.run([compiler, "-std=c++20", *options, f"-I{include}", "-x", "c++-header",
                    header, "-o", target], check=True)
    return ["-include-pch", target] if clang else ["-include", header]


def problem(compiler, include, shared, name):
    """What is wrong with the program; empty where nothing is."""
    path = os.path.join(FOLDER, name)
    with open(path, encoding="utf-8") as source:
        text = source.read()
    expected, flags = directive(text, "expect"), shlex.split(directive(text, "flags"))
    options = [*(flags or shared), *(["-Wfatal-errors"] if expected else [])]
    run = subprocess.run([compiler, *FLAGS, f"-I{include}", *options, path],
                         capture_output=True, text=True, check=False,
                         env={**os.environ, "LC_ALL": "C"})
    said = run.stderr.splitlines()
    begin = "\n".join(said[:LINES])
    if not expected:
        return f"expected to compile, got\n{begin}" if run.returncode or said else ""
    if run.returncode == 0:
        return f"expected the error\n  {expected}\ngot none"
    if expected not in begin:
        return f"expected within {LINES} lines\n  {expected}\ngot\n{begin}"
    return ""


def main():
    compiler, include, *names = sys.argv[1:]
    names = names or sorted(name for name in os.listdir(FOLDER) if name.endswith(".cpp"))
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
        shared = precompile(compiler, include, folder)
        problems = pool.map(lambda name: problem(compiler, include, shared, name), names)
        wrong = [f"{name}: {what}" for name, what in zip(names, problems) if what]
    print("\n".join(wrong), f"{len(names) - len(wrong)} of {len(names)} programs as expected",
          sep="\n")
    return 1 if wrong or not names else 0


if __name__ == "__main__":
    sys.exit(main())
