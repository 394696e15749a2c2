#!/usr/bin/env python3
"""What failed tests said last, and where a run of the tests spent its time: the slowest ten, and
each folder in each configuration.

    test_times.py REPORT PRESET...      REPORT: what ctest --output-junit wrote

A test's name is FOLDER/NAME in the first preset and PRESET/FOLDER/NAME in others. Times are those
of the tests one by one, as if none had run beside another.
"""

import sys
import xml.etree.ElementTree

SLOWEST = 10
FAILED = 5  # tests of which the last lines are shown
LINES = 200  # the stacks of some threads


def place_of(name, presets):
    """(preset, folder) of a test."""
    parts = name.split("/")
    if len(parts) > 2 and parts[0] in presets[1:]:
        return parts[0], parts[1]
    return presets[0], parts[0]


def times_of(report):
    """[(seconds, name)] of the tests that ran."""
    root = xml.etree.ElementTree.parse(report).getroot()
    return [(float(case.get("time")), case.get("name"))
            for case in root.iter("testcase") if case.get("status") in ("run", "fail")]


def failures(report):
    """The last lines of tests that failed, each under its name; \"\": none did."""
    root = xml.etree.ElementTree.parse(report).getroot()
    failed = [case for case in root.iter("testcase") if case.get("status") == "fail"]
    lines = []
    for case in failed[:FAILED]:
        said = (case.findtext("system-out") or "").rstrip().splitlines()
        lines += [f"{case.get('name')} failed, after {float(case.get('time')):.0f} s:"]
        lines += ["  " + line for line in said[-LINES:]] + [""]
    if len(failed) > FAILED:
        lines += [f"{len(failed) - FAILED} more tests failed.", ""]
    return "\n".join(lines)


def summary(times, presets):
    lines = [f"The {min(SLOWEST, len(times))} slowest tests, in seconds:"]
    for seconds, name in sorted(times, reverse=True)[:SLOWEST]:
        lines.append(f"{seconds:8.1f}  {name}")
    folders, tests = {}, {}
    for seconds, name in times:
        preset, folder = place_of(name, presets)
        row = folders.setdefault(folder, dict.fromkeys(presets, 0.0))
        row[preset] += seconds
        tests[folder] = tests.get(folder, 0) + 1
    lines += ["", "Each folder's tests and seconds:"]
    lines.append(f"{'':<14}{'tests':>7}" + "".join(f"{preset:>10}" for preset in presets))
    for folder, row in sorted(folders.items(), key=lambda item: -sum(item[1].values())):
        lines.append(f"{folder:<14}{tests[folder]:>7}" +
                     "".join(f"{row[preset]:>10.1f}" for preset in presets))
    sums = [sum(row[preset] for row in folders.values()) for preset in presets]
    lines.append(f"{'all':<14}{len(times):>7}" + "".join(f"{total:>10.1f}" for total in sums))
    return "\n".join(lines)


def main(words):
    if len(words) < 2:
        print(f"test_times.py: expected a report and presets, got {words}", file=sys.stderr)
        return 2
    if text := failures(words[0]):
        print(text)
    print(summary(times_of(words[0]), words[1:]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
