#!/usr/bin/env python3
"""Times benchmarks by several builds in turn; tools/bench_matrix.sh makes the builds.

    bench_matrix.py [--rounds N] --build COMPILER LEVEL COMMAND... NAME... [-- ARGUMENT...]

A NAME may bring arguments of its own: "groupby --keys 1000000 --domain". A machine shared with
others slows down for seconds at a time. So each round runs a benchmark by all builds, one right
after the other, and what is printed are medians over the rounds: of the least times of hand-written
code and of Pappus, and of their ratio within a run. A build runs with the library at the level that
its own loops are compiled for. The bound is the benchmark's own, which the program tells.

Exit status: 0 when no ratio is above its bound, 1 when one is or a run fails, 2 when it was used
wrongly.
"""

import argparse
import json
import os
import shlex
import statistics
import subprocess
import sys

HAND, OURS = "handwritten", "pappus"


def processor():
    """The processor's name, as Linux tells it."""
    with open("/proc/cpuinfo", encoding="utf-8") as lines:
        for line in lines:
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return "an unknown processor"


class Failed(Exception):
    """A run that gave no times; its exit status and what it said."""

    def __init__(self, status, text):
        super().__init__(text)
        self.status = status


def run(command, level, name, arguments):
    """{benchmark: {version: its JSON object}} of one run."""
    line = [*shlex.split(command), *shlex.split(name), "--json", "--no-sequential", *arguments]
    done = subprocess.run(line, text=True, capture_output=True, check=False,
                          env={**os.environ, "PAPPUS_LEVEL": level})
    if done.returncode != 0:
        raise Failed(done.returncode, done.stderr or f"{shlex.join(line)} failed\n")
    found = {}
    for row in map(json.loads, done.stdout.splitlines()):
        found.setdefault(row["name"], {})[row["version"]] = row
    return found


def measure(builds, names, rounds, arguments, once=run):
    """{(benchmark, build): [(hand-written seconds, Pappus's, bound)]}, a triple a round."""
    times = {}
    for turn in range(rounds):
        for name in names:
            for build in builds[turn % len(builds):] + builds[:turn % len(builds)]:
                for title, of in once(build[2], build[1], name, arguments).items():
                    if HAND in of and OURS in of:
                        times.setdefault((title, build), []).append(
                            (of[HAND]["min_s"], of[OURS]["min_s"], of[OURS]["bound"]))
    return times


def table(builds, times, name_of_processor):
    """(the lines to print, how many ratios are above their bounds)."""
    width = max(len("benchmark"), *(len(title) for title, _ in times))
    head = (f"{'benchmark':<{width}} {'compiler':<8} level {'hand ms':>9} {'pappus ms':>9} ratio "
            f"bound")
    lines, above = [f"processor: {name_of_processor}", head], 0
    for title in dict.fromkeys(title for title, _ in times):
        for build in builds:
            rounds = times.get((title, build))
            if not rounds:
                continue
            hand = statistics.median(1e3 * one for one, _, _ in rounds)
            ours = statistics.median(1e3 * one for _, one, _ in rounds)
            ratio = statistics.median(b / a for a, b, _ in rounds)
            bound = rounds[0][2]
            missed = 0 < bound < ratio
            above += missed
            lines.append(f"{title:<{width}} {build[0]:<8} {build[1]:<5} {hand:9.2f} {ours:9.2f} "
                         f"{ratio:5.2f} {bound if bound else '-':>5}{'  above' if missed else ''}")
    return lines, above


def main(words):
    arguments = []
    if "--" in words:
        cut = words.index("--")
        words, arguments = words[:cut], words[cut + 1:]
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--build", nargs=3, action="append", required=True,
                        metavar=("COMPILER", "LEVEL", "COMMAND"))
    parser.add_argument("names", nargs="+", metavar="NAME")
    options = parser.parse_args(words)
    builds = [tuple(build) for build in options.build]
    try:
        times = measure(builds, list(dict.fromkeys(options.names)), options.rounds, arguments)
    except Failed as failed:
        sys.stderr.write(str(failed))
        return failed.status if failed.status == 2 else 1
    if not times:
        print("bench_matrix.py: none of these has a hand-written version", file=sys.stderr)
        return 2
    lines, above = table(builds, times, processor())
    print("\n".join(lines))
    return 1 if above else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
