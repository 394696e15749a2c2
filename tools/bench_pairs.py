#!/usr/bin/env python3
"""Compares two builds' benchmarks, run in pairs; tools/bench_before.sh makes the builds.

    bench_pairs.py [--pairs N] --old COMMAND --new COMMAND NAME... [-- ARGUMENT...]

The commands are `pappus bench` of either build; ARGUMENTs go to both. A machine shared with others
slows down for seconds at a time, so old and new run one right after the other, which of them first
alternating, and what counts is the ratio new/old within a pair: of the least times of either run,
which others disturbed least.

For every series (a benchmark's version) it prints the median of the pairs' ratios with an interval
that holds the true median with a probability of at least 95 %: the order statistics that the
binomial distribution gives, whatever the ratios' distribution. Hand-written versions are the same
code in both builds: how far their mean is from 1 says what the machine's noise may do.

Exit status: 0 when the geometric mean is at most 1.02, no interval lies wholly above 1.05, `small`,
`launch` and `launches_*`, which are microseconds and judged each on its own, have medians of at
most 1.05, and checksums agree; 1 when not; 2 when it was used wrongly or nothing could be compared.
"""

import argparse
import json
import math
import shlex
import statistics
import subprocess
import sys

MEAN_MAX = 1.02
SERIES_MAX = 1.05
JUDGED_ALONE = ("small", "launch", "launches_call", "launches_host", "launches_items")
CONFIDENCE = 0.95
BASELINES = ("sequential", "opencl", "opencl_cpu")  # neither ours nor needed as a control
CONTROL = "handwritten"


def median_interval(values):
    """The narrowest symmetric pair of order statistics that covers the median of what `values` are
    drawn from with probability CONFIDENCE; least and greatest where they are too few for that
    (below 6)."""
    ordered, n = sorted(values), len(values)
    outside, cut = 0.0, 0  # outside: P(at most cut - 1 of n fair coins show heads)
    while cut < n // 2 and 2 * (outside + math.comb(n, cut) / 2**n) <= 1 - CONFIDENCE:
        outside += math.comb(n, cut) / 2**n
        cut += 1
    least = max(cut - 1, 0)
    return ordered[least], ordered[n - 1 - least]


def geometric_mean(values):
    return math.exp(statistics.fmean(math.log(value) for value in values))


def verdict(ratios):
    """What is wrong with {series: ratios of its pairs}, a sentence each; empty: nothing."""
    problems = []
    medians = {name: statistics.median(values) for name, values in ratios.items()}
    shared = [median for name, median in medians.items() if name.split()[0] not in JUDGED_ALONE]
    if shared and geometric_mean(shared) > MEAN_MAX:
        problems.append(f"the geometric mean is {geometric_mean(shared):.3f}, above {MEAN_MAX}")
    for name, values in ratios.items():
        low, high = median_interval(values)
        if name.split()[0] in JUDGED_ALONE:
            if medians[name] > SERIES_MAX:
                problems.append(f"{name}: the median is {medians[name]:.3f}, above {SERIES_MAX}")
        elif low > SERIES_MAX:
            problems.append(
                f"{name}: the interval {low:.3f} to {high:.3f} lies above {SERIES_MAX}")
    return problems


class Missing(Exception):
    """A build has no benchmark of that name."""


def run(command, name, arguments):
    """{series: its JSON object} of one run of a benchmark."""
    line = [*shlex.split(command), name, "--json", "--no-sequential", *arguments]
    done = subprocess.run(line, text=True, capture_output=True, check=False)
    if done.returncode == 2 and f'got "{name}"' in done.stderr:
        raise Missing
    if done.returncode != 0:
        sys.stderr.write(done.stderr)
        raise SystemExit(f"bench_pairs.py: {shlex.join(line)} ended with {done.returncode}")
    rows = [json.loads(row) for row in done.stdout.splitlines()]
    return {f"{row['name']} {row['version']}": row
            for row in rows if "skipped" not in row and row["version"] not in BASELINES}


def run_pair(commands, name, arguments, new_first):
    """The results of old and new, in that order."""
    order = ("new", "old") if new_first else ("old", "new")
    results = {}
    for which in order:
        try:
            results[which] = run(commands[which], name, arguments)
        except Missing:
            results[which] = None
    return results["old"], results["new"]


def compare(commands, names, pairs, arguments, tell):
    """({series: ratios}, {series of hand-written code: ratios}, problems)."""
    ratios, controls, problems = {}, {}, []
    names = list(dict.fromkeys(names))
    for pair in range(pairs):
        for name in list(names):
            old, new = run_pair(commands, name, arguments, new_first=pair % 2 == 1)
            if old is None or new is None:
                lacking = " and ".join(w for w, r in (("old", old), ("new", new)) if r is None)
                tell(f"{name}: skipped: the {lacking} build has no such benchmark")
                names.remove(name)
                continue
            if pair == 0:
                for series in sorted(old.keys() ^ new.keys()):
                    which = "new" if series in old else "old"
                    tell(f"{series}: skipped: the {which} build has no such version")
            for series in old.keys() & new.keys():
                before, after = old[series], new[series]
                if before["checksum"] != after["checksum"]:
                    problem = (f"{series}: expected the old build's checksum "
                               f"{before['checksum']}, got {after['checksum']}")
                    if problem not in problems:
                        problems.append(problem)
                kept = controls if before["version"] == CONTROL else ratios
                kept.setdefault(series, []).append(after["min_s"] / before["min_s"])
        tell(f"pair {pair + 1} of {pairs}", passing=True)
    return ratios, controls, problems


def report(ratios, controls):
    all_of_them, control = "geometric mean of all", "of hand-written code"
    width = max(len(name) for name in (*ratios, all_of_them))
    lines = [f"{'':<{width}}  new/old  at least 95 %"]
    for name, values in ratios.items():
        low, high = median_interval(values)
        lines.append(f"{name:<{width}}  {statistics.median(values):7.3f}  {low:.3f} to {high:.3f}")
    mean = geometric_mean([statistics.median(values) for values in ratios.values()])
    lines.append(f"{all_of_them:<{width}}  {mean:7.3f}")
    if controls:
        mean = geometric_mean([statistics.median(values) for values in controls.values()])
        lines.append(f"{control:<{width}}  {mean:7.3f}  (the same in both builds)")
    return "\n".join(lines)


def tell(text, passing=False):
    """A line on stderr; one that passes is only for somebody who watches."""
    if not passing:
        print(text, file=sys.stderr)
    elif sys.stderr.isatty():
        print(f"\r{text}", end="", file=sys.stderr, flush=True)


def main(words):
    arguments = []
    if "--" in words:
        cut = words.index("--")
        words, arguments = words[:cut], words[cut + 1:]
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--pairs", type=int, default=15)
    parser.add_argument("--old", required=True)
    parser.add_argument("--new", required=True)
    parser.add_argument("names", nargs="+", metavar="NAME")
    options = parser.parse_args(words)
    if options.pairs < 6:
        parser.error(f"--pairs: expected at least 6, which an interval of 95 % needs, "
                     f"got {options.pairs}")
    commands = {"old": options.old, "new": options.new}
    ratios, controls, problems = compare(commands, options.names, options.pairs, arguments, tell)
    tell("\r", passing=True)
    if not ratios:
        tell("bench_pairs.py: nothing to compare")
        return 2
    print(report(ratios, controls))
    problems += verdict(ratios)
    for problem in problems:
        print(f"not good: {problem}")
    if not problems:
        print("good: as fast as before")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
