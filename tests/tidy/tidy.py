#!/usr/bin/env python3
"""Checks what STYLE.md and ARCHITECTURE.md promise about the tree, one rule at a time.

    tidy.py RULE [--root DIR] [--build DIR] [--compiler COMMAND] [--clang-format COMMAND]

Exit status: 0 the rule holds, 1 it doesn't (each violation is a line), 2 wrong use, 77 a needed
tool is missing.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys

from alone import check_alone
from functions import functions
from layers import check_cycles, check_layers
from operator_list import check_operator_list
from tree import Tree

FILE_LINES_MAX = 500
FUNCTION_LINES_MAX = 80  # the aim is 60; a flat switch or a table may need the rest
COLUMNS_MAX = 100
SKIPPED = 77

# The standard library's headers, which is all that an installed header may include besides our own.
STANDARD = set(
    """algorithm any array atomic barrier bit bitset charconv chrono compare complex concepts
    condition_variable coroutine deque exception execution filesystem format forward_list fstream
    functional future initializer_list iomanip ios iosfwd iostream istream iterator latch limits
    list locale map memory memory_resource mutex new numbers numeric optional ostream queue random
    ranges ratio regex scoped_allocator semaphore set shared_mutex source_location span sstream
    stack stdexcept stop_token streambuf string string_view syncstream system_error thread tuple
    type_traits typeindex typeinfo unordered_map unordered_set utility valarray variant vector
    version
    cassert cctype cerrno cfenv cfloat cinttypes climits clocale cmath csetjmp csignal cstdarg
    cstddef cstdint cstdio cstdlib cstring ctime cuchar cwchar cwctype""".split()
)

# Spelt so that this file doesn't contain them.
FORBIDDEN = (
    (re.compile(r"/wor[k]/|/roo[t]/|/hom[e]/\w|/User[s]/\w"), "a path of somebody's machine"),
    (re.compile(r"\bTOD[O]\b|\bFIXM[E]\b|\bXX[X]\b"), "a note of unfinished work"),
    (re.compile(r"^(<{7}|>{7}) "), "a merge conflict"),
)


def file_length(tree, _):
    for file in tree.files.values():
        if file.path.endswith((".h", ".cpp", ".py", ".sh", ".cmake", "CMakeLists.txt")):
            if len(file.lines) > FILE_LINES_MAX:
                yield f"{file.path}: {len(file.lines)} lines; at most {FILE_LINES_MAX}, split it"


def line_length(tree, _):
    for file in tree.files.values():
        if not file.path.endswith((".h", ".cpp", ".py", ".sh", ".cmake", "CMakeLists.txt")):
            continue
        for number, line in enumerate(file.lines, 1):
            if len(line) > COLUMNS_MAX:
                yield f"{file.path}:{number}: {len(line)} columns; at most {COLUMNS_MAX}"


def function_length(tree, _):
    for file in tree.code():
        for start, length, head in functions(file.text):
            if length > FUNCTION_LINES_MAX:
                yield (f"{file.path}:{start}: a function of {length} lines; at most "
                       f"{FUNCTION_LINES_MAX}, better 60: {head[-60:]}")


def forbidden_words(tree, _):
    for file in tree.files.values():
        for number, line in enumerate(file.lines, 1):
            for pattern, what in FORBIDDEN:
                if match := pattern.search(line):
                    yield f"{file.path}:{number}: {what}: {match.group().strip()}"


def includes(tree, _):
    """The table of ARCHITECTURE.md, and that quoted includes exist and oneTBB stays in one file."""
    yield from check_layers(tree)
    tbb = []
    for file in tree.code():
        for number, quote, name in file.includes():
            if quote == '"' and not tree.resolve(file, name):
                yield f'{file.path}:{number}: "{name}" is no file of this project'
            if name.startswith(("tbb/", "oneapi/")) and file.path not in tbb:
                tbb.append(file.path)
    if len(tbb) > 1:
        yield f"oneTBB is included by {', '.join(tbb)}; it belongs in one .cpp"


def cycles(tree, _):
    yield from check_cycles(tree)


def adding_an_operator(tree, _):
    yield from check_operator_list(tree)


def compiled_files(root, build):
    """What a build compiles: alone, or as a part of a unit of several files (PAPPUS_UNITY)."""
    files = set()
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as stream:
        for command in json.load(stream):
            files.add(command["file"])
            if "/Unity/unity_" in command["file"]:
                with open(command["file"], encoding="utf-8") as unit:
                    files.update(re.findall(r'^#include "(/.*)"$', unit.read(), re.MULTILINE))
    return {os.path.relpath(file, root) for file in files}


def dead_files(tree, options):
    """Headers only their own .cpp includes, and .cpp files that no target compiles."""
    users = {}
    for file in tree.code():
        for _, target in tree.edges(file):
            users.setdefault(target, set()).add(file.path)
    def compiled_by_a_test(path):  # which runs the compiler itself
        return path.startswith(
            ("examples/consumer/", "tests/compile_errors/", "tests/compiler/", "tests/package/"))

    for file in tree.code():
        if compiled_by_a_test(file.path):
            continue
        own = file.path[: -len(".h")] + ".cpp"
        entry = file.path == "include/pappus/pappus.h"
        if file.is_header and not entry and not users.get(file.path, set()) - {own}:
            yield f"{file.path}: nobody includes it; remove it"
    if not options.build:
        return
    built = compiled_files(tree.root, options.build)
    optional = "src/formats/arrow/library/"  # where the machine has no Arrow nothing of it is built
    if not any(path.startswith(optional) for path in built):
        built |= {file.path for file in tree.code() if file.path.startswith(optional)}
    for file in tree.code():
        separate = compiled_by_a_test(file.path) or file.path.endswith("_fuzz.cpp")
        if not file.is_header and not separate and file.path not in built:
            yield f"{file.path}: no target compiles it; remove it or name it so that one does"


def public_headers(tree, options):
    """Installed headers need the standard library and each other only, and compile alone."""
    headers = [file for file in tree.code("include") if file.is_header]
    for file in headers:
        for number, quote, name in file.includes():
            if quote == "<" and name not in STANDARD:
                yield f"{file.path}:{number}: <{name}> is not of the C++ standard library"
            if quote == '"' and not name.startswith("pappus/"):
                yield f'{file.path}:{number}: "{name}" won\'t be installed; include "pappus/..."'
    if options.compiler:
        yield from check_alone(tree, headers, options.compiler)


def formatting(tree, options):
    if not shutil.which(options.clang_format):
        print(f"SKIP: {options.clang_format} is not installed")
        sys.exit(SKIPPED)
    paths = [file.path for file in tree.code()]
    result = subprocess.run([options.clang_format, "--dry-run", "-Werror", *paths],
                            cwd=tree.root, text=True, capture_output=True, check=False)
    if result.returncode:
        bad = sorted(set(re.findall(r"^(.*?):\d+:\d+: error", result.stderr, re.MULTILINE)))
        for path in bad or [result.stderr]:
            yield f"{path}: not formatted; run {options.clang_format} -i {path}"


RULES = {rule.__name__: rule for rule in (
    includes, cycles, adding_an_operator, file_length, function_length, line_length, dead_files,
    public_headers, forbidden_words, formatting)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rule", choices=RULES)
    here = os.path.dirname(os.path.abspath(__file__))
    parser.add_argument("--root", default=os.path.dirname(os.path.dirname(here)))
    parser.add_argument("--build", help="build folder with a compile_commands.json")
    parser.add_argument("--compiler", help="command that compiles each public header alone")
    parser.add_argument("--clang-format", default="clang-format-19")
    options = parser.parse_args()
    violations = list(RULES[options.rule](Tree(options.root), options))
    for violation in violations:
        print(violation)
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
