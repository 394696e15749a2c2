#!/usr/bin/env python3
"""The library runs on any x86-64 since SSE4.2: only the units of a level use its instructions, and
they share no function with others.

    levels.py COMPILER OBJECT...

Of two copies of an inline function the linker keeps any. One that was compiled for AVX-512 would
then be called on every processor; so units of levels define no weak symbols. First shows that it
finds what it looks for, in units that COMPILER compiles wrongly.
"""

import os
import re
import subprocess
import sys
import tempfile

UNIT = re.compile(r"levels/(v[234])\.cpp\.o$")

# AVX and AVX2, and instructions of v3 on plain registers.
VEX = re.compile(r"\t(v[a-z0-9]+|andn|bextr|blsi|blsmsk|blsr|bzhi|lzcnt|movbe|mulx|pdep|pext|rorx|"
                 r"sarx|shlx|shrx)(\s|$)|%ymm")
# AVX-512: its registers, masks, and the upper half of the others.
EVEX = re.compile(r"%zmm|%k[0-7]|%[xy]mm(1[6-9]|2\d|3[01])\b")
WEAK = re.compile(r"^[0-9a-f]* +([wWvVu]) (.*)$")

WRONG = """#include <vector>
int sum(const std::vector<int>& numbers, int last) {
  std::vector<int> copy = numbers;
  copy.push_back(last);
  int total = 0;
  for (const int number : copy) total += number;
  return total;
}
"""


def lines_of(*command):
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    return run.stdout.splitlines()


def foreign_instructions(path, level):
    """The first instruction that a unit of this level, or of none, may not have."""
    if level == "v4":
        return
    for line in lines_of("objdump", "-d", "--no-show-raw-insn", path):
        if EVEX.search(line) or (level != "v3" and VEX.search(line)):
            yield f"{path}: expected instructions of {level or 'v2'}, got {line.strip()}"
            return


def weak_symbols(path):
    for line in lines_of("nm", "-C", path):
        if match := WEAK.match(line):
            yield f"{path}: expected no weak symbols, got {match[2]}"


def problems_of(path, level):
    yield from foreign_instructions(path, level)
    if level is not None:
        yield from weak_symbols(path)


def missed(compiler):
    """Wrong units of which no problem is told."""
    with tempfile.TemporaryDirectory() as folder:
        source, path = os.path.join(folder, "wrong.cpp"), os.path.join(folder, "wrong.o")
        with open(source, "w", encoding="utf-8") as text:
            text.write(WRONG)
        for march, level, expected in (
                ("v3", None, "instructions of v2"), ("v4", None, "instructions of v2"),
                ("v3", "v2", "instructions of v2"), ("v4", "v3", "instructions of v3"),
                ("v2", "v2", "no weak symbols"), ("v4", "v4", "no weak symbols")):
            options = ["-std=c++20", "-O3", f"-march=x86-64-{march}", "-mprefer-vector-width=512"]
            subprocess.run([compiler, *options, "-c", source, "-o", path], check=True)
            if not any(expected in problem for problem in problems_of(path, level)):
                yield f"expected to find: {expected}, in a unit of {level} compiled for {march}"


def main():
    compiler, *objects = sys.argv[1:]
    problems = list(missed(compiler))
    units = []
    for path in objects:
        match = UNIT.search(path)
        level = match[1] if match else None
        units += [level] if level else []
        problems += problems_of(path, level)
    if sorted(units) != ["v2", "v3", "v4"]:
        problems.append(f"expected the units of v2, v3 and v4, got {units}")
    print("\n".join(problems) or f"{len(objects)} objects as expected")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
