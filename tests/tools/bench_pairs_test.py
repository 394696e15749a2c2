#!/usr/bin/env python3
"""tools/bench_pairs.py on made-up numbers, and on programs that make them up."""

import contextlib
import io
import os
import random
import stat
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "tools"))
import bench_pairs  # noqa: E402

PROGRAM = """#!/usr/bin/env python3
import json, sys
times, checksum = {times}, "{checksum}"
name = sys.argv[1]
if name not in times:
    print(f'pappus: bench: expected the name of a benchmark or --all, got "{{name}}"',
          file=sys.stderr)
    sys.exit(2)
with open("{log}", "a") as log:
    print("{tag}", *sys.argv[1:], file=log)
for version, seconds in (("handwritten", 1.0), ("pappus", times[name])):
    print(json.dumps({{"name": name, "version": version, "checksum": checksum,
                      "min_s": seconds, "median_s": 9.0}}))
print(json.dumps({{"name": name, "version": "device", "skipped": "no device"}}))
"""


class Statistics(unittest.TestCase):
    def test_an_interval_of_15_leaves_out_3_at_either_end(self):
        # P(at most 3 of 15 coins show heads) is 0.0176; of 4 it would be 0.059.
        values = [float(i) for i in range(1, 16)]
        random.Random(1).shuffle(values)
        self.assertEqual(bench_pairs.median_interval(values), (4.0, 12.0))

    def test_an_interval_of_6_takes_all(self):
        self.assertEqual(bench_pairs.median_interval([3, 1, 2, 6, 5, 4]), (1, 6))

    def test_an_interval_holds_the_median_as_often_as_promised(self):
        generator = random.Random(2026)
        for n in (6, 15, 16, 31):
            held = 0
            for _ in range(2000):
                low, high = bench_pairs.median_interval(
                    [generator.lognormvariate(0, 1) for _ in range(n)])
                held += low <= 1 <= high
            self.assertGreaterEqual(held / 2000, 0.94, n)

    def test_a_geometric_mean_of_a_ratio_and_its_inverse_is_1(self):
        self.assertAlmostEqual(bench_pairs.geometric_mean([0.8, 1.25]), 1)


class Verdict(unittest.TestCase):
    def test_one_slow_series_among_fast_ones_is_told(self):
        problems = bench_pairs.verdict({"sort pappus": [0.9] * 15, "sum pappus": [1.06] * 15})
        self.assertEqual(
            problems, ["sum pappus: the interval 1.060 to 1.060 lies above 1.05"])

    def test_a_wide_interval_that_reaches_below_the_bound_is_no_proof(self):
        noisy = [1.0] * 4 + [1.03] * 4 + [1.2] * 7
        self.assertLess(bench_pairs.median_interval(noisy)[0], 1.05)
        self.assertEqual(
            bench_pairs.verdict({"sum pappus": noisy, "sort pappus": [0.9] * 15}), [])

    def test_many_slightly_slower_series_are_told_by_their_mean(self):
        ratios = {f"{name} pappus": [1.03] * 15 for name in ("sort", "sum", "join")}
        self.assertEqual(
            bench_pairs.verdict(ratios), ["the geometric mean is 1.030, above 1.02"])

    def test_small_and_launch_are_judged_alone_by_their_medians(self):
        within = {"small pappus": [1.04] * 15, "launch pappus": [1.05] * 15}
        self.assertEqual(bench_pairs.verdict(within), [])
        above = {"small pappus": [1.0] * 7 + [1.06] * 8, "sum pappus": [1.0] * 15}
        self.assertEqual(
            bench_pairs.verdict(above), ["small pappus: the median is 1.060, above 1.05"])


class Run(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.log = os.path.join(self.folder, "log")

    def program(self, tag, times, checksum="12"):
        path = os.path.join(self.folder, tag)
        with open(path, "w", encoding="utf-8") as file:
            file.write(PROGRAM.format(times=times, checksum=checksum, log=self.log, tag=tag))
        os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
        return path

    def outcome(self, old, new, *words):
        out, errors = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
            status = bench_pairs.main(["--pairs", "6", "--old", old, "--new", new, *words])
        return status, out.getvalue(), errors.getvalue()

    def test_runs_alternate_and_pass_arguments_on(self):
        self.outcome(self.program("old", {"sum": 1}), self.program("new", {"sum": 1}),
                     "sum", "--", "--n", "10")
        with open(self.log, encoding="utf-8") as log:
            lines = log.read().splitlines()
        self.assertEqual([line.split()[0] for line in lines], ["old", "new", "new", "old"] * 3)
        self.assertEqual(set(line.split(" ", 1)[1] for line in lines),
                         {"sum --json --no-sequential --n 10"})

    def test_a_faster_build_is_good(self):
        status, out, errors = self.outcome(
            self.program("old", {"sum": 2.0, "sort": 1.0}),
            self.program("new", {"sum": 1.0, "sort": 1.0}), "sum", "sort")
        self.assertEqual((status, errors), (0, ""))
        self.assertEqual(out, "\n".join((
            "                       new/old  at least 95 %",
            "sum pappus               0.500  0.500 to 0.500",
            "sort pappus              1.000  1.000 to 1.000",
            "geometric mean of all    0.707",
            "of hand-written code     1.000  (the same in both builds)",
            "good: as fast as before", "")))

    def test_a_slower_build_is_not(self):
        status, out, _ = self.outcome(
            self.program("old", {"sum": 1.0}), self.program("new", {"sum": 1.2}), "sum")
        self.assertEqual(status, 1)
        self.assertIn("not good: the geometric mean is 1.200, above 1.02\n", out)

    def test_names_that_a_build_lacks_are_told_and_left_out(self):
        status, out, errors = self.outcome(
            self.program("old", {"sum": 1.0}), self.program("new", {"sum": 1.0, "tops": 1.0}),
            "sum", "tops")
        self.assertEqual(status, 0)
        self.assertNotIn("tops", out)
        self.assertEqual(errors, "tops: skipped: the old build has no such benchmark\n")

    def test_other_checksums_are_not_good(self):
        status, out, _ = self.outcome(
            self.program("old", {"sum": 1.0}), self.program("new", {"sum": 1.0}, "13"), "sum")
        self.assertEqual(status, 1)
        self.assertIn("not good: sum pappus: expected the old build's checksum 12, got 13\n", out)

    def test_nothing_in_common_is_wrong_use(self):
        status, _, errors = self.outcome(
            self.program("old", {"sum": 1.0}), self.program("new", {}), "sum")
        self.assertEqual(status, 2)
        self.assertTrue(errors.endswith("bench_pairs.py: nothing to compare\n"), errors)


if __name__ == "__main__":
    unittest.main()
