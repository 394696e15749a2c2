"""Whether each installed header compiles alone: whether it includes what it needs.

Most of that time would go to what many headers include. Some of these are therefore precompiled,
and a header is compiled behind the largest one that it includes itself, directly or not. What it
sees is then what it sees alone, in another order; it misses an include no less, since what it
doesn't include is in none of that. This holds for headers whose includes come before everything
else, so that nothing stands between two of them; others are compiled without.
"""

import concurrent.futures
import os
import re
import subprocess
import tempfile

from tree import INCLUDE, blank

FLAGS = ("-std=c++20", "-Wall", "-Wextra", "-Werror")
SHARED = 4
# What a header of the standard library takes to compile, in headers of ours.
STANDARD = 4


def top_includes(file):
    """Names of its includes; None if something else stands before one of them."""
    names, code = [], blank(file.text).splitlines()
    rest = False
    for line, code in zip(file.lines, code):
        code = code.strip()
        if re.match(r"#\s*include\b", code):
            if rest or not INCLUDE.match(line):
                return None
            names.append(INCLUDE.match(line).group(2))
        elif code and code != "#pragma once":
            rest = True
    return names


def included(tree, headers):
    """{path: what it includes in the end, itself too}, of headers with their includes on top."""
    reach = {}

    def visit(file):
        if file.path not in reach:
            reach[file.path] = seen = {file.path}
            for name in top_includes(file) or ():
                path = tree.resolve(file, name)
                seen |= visit(tree.files[path]) if path else {name}
        return reach[file.path]

    for file in headers:
        visit(file)
    return {file.path: reach[file.path] for file in headers if top_includes(file) is not None}


def shared_headers(reach):
    """The headers whose precompiling saves most, and {header: the largest that it includes}."""
    effort = {path: sum(1 if other in reach else STANDARD for other in reach[path])
              for path in reach}
    saved, behind = dict.fromkeys(reach, 0), {}
    for _ in range(SHARED):
        def gain(path):
            return sum(max(0, effort[path] - saved[user])
                       for user in reach if path in reach[user]) - 3 * effort[path]

        best = max(sorted(reach), key=gain, default=None)
        if best is None or gain(best) <= 0:
            break
        for user in reach:
            if best in reach[user] and effort[best] > saved[user]:
                saved[user], behind[user] = effort[best], best
    return sorted(set(behind.values())), behind


def check_alone(tree, headers, command):
    """Yields a sentence for each of the headers that doesn't compile alone."""
    shared, behind = shared_headers(included(tree, headers))
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        def run(source, *options):
            include = os.path.join(tree.root, "include")
            return subprocess.run([*command.split(), *FLAGS, "-I", include, *options, source],
                                  text=True, capture_output=True, check=False)

        def program(header, ending):
            path = os.path.join(folder, header.replace("/", "+") + ending)
            with open(path, "w", encoding="utf-8") as stream:
                stream.write(f'#include "{os.path.relpath(header, "include")}"\n')
            return path

        def precompile(header):
            source = program(header, "")
            ran = run(source, "-x", "c++-header", "-o", source + ".gch")
            return source if ran.returncode == 0 else None

        def check(header):
            options = ["-include", usable[behind[header]]] if usable.get(behind.get(header)) else []
            ran = run(program(header, ".cpp"), "-fsyntax-only", *options)
            return f"{header}: doesn't compile alone:\n{ran.stderr}" if ran.returncode else None

        usable = dict(zip(shared, pool.map(precompile, shared)))
        answers = pool.map(check, [file.path for file in headers])
        yield from (answer for answer in answers if answer)
