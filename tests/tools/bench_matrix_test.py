#!/usr/bin/env python3
"""tools/bench_matrix.py on made-up numbers, and on programs that make them up."""

import contextlib
import io
import os
import stat
import subprocess
import sys
import tempfile
import unittest

TOOLS = os.path.join(os.path.dirname(__file__), "..", "..", "tools")
sys.path.insert(0, TOOLS)
import bench_matrix  # noqa: E402

PROGRAM = """#!/usr/bin/env python3
import json, os, sys
if sys.argv[1] == "none":
    print("pappus: bench: expected the name of a benchmark", file=sys.stderr)
    sys.exit(2)
with open("{log}", "a") as log:
    print("{tag}", os.environ["PAPPUS_LEVEL"], *sys.argv[1:], file=log)
versions = [("handwritten", 2e-3)] * (sys.argv[1] != "small") + [("pappus", 2e-3 * {ratio})]
for version, seconds in versions:
    print(json.dumps({{"name": sys.argv[1], "version": version, "min_s": seconds, "bound": 1.2}}))
"""


class Table(unittest.TestCase):
    def test_medians_are_of_times_and_of_ratios_within_a_run(self):
        build = ("g++-12", "v3", "x")
        times = {("scan", build): [(1e-3, 1.1e-3, 1.2), (9e-3, 9e-3, 1.2), (2e-3, 4e-3, 1.2)]}
        lines, above = bench_matrix.table([build], times, "a processor")
        self.assertEqual(lines, ["processor: a processor",
                                 "benchmark compiler level   hand ms "
                                 "pappus ms ratio bound",
                                 "scan      g++-12   v3         2.00      4.00  1.10   1.2"])
        self.assertEqual(above, 0)

    def test_a_ratio_above_its_bound_is_marked_and_counted(self):
        build = ("clang-19", "v4", "x")
        lines, above = bench_matrix.table([build], {("scan", build): [(1e-3, 1.3e-3, 1.2)]}, "it")
        self.assertTrue(lines[-1].endswith("1.30   1.2  above"), lines[-1])
        self.assertEqual(above, 1)

    def test_no_bound_is_never_missed(self):
        build = ("clang-19", "v4", "x")
        lines, above = bench_matrix.table([build], {("nbody", build): [(1e-3, 9e-3, 0)]}, "it")
        self.assertTrue(lines[-1].endswith("9.00     -"), lines[-1])
        self.assertEqual(above, 0)


class Program(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.log = os.path.join(self.folder, "log")

    def build(self, tag, ratio):
        path = os.path.join(self.folder, tag)
        with open(path, "w", encoding="utf-8") as file:
            file.write(PROGRAM.format(log=self.log, tag=tag, ratio=ratio))
        os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
        return ["--build", tag, "v3", path]

    def run_main(self, *words):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = bench_matrix.main(list(words))
        return status, out.getvalue(), err.getvalue()

    def test_builds_take_turns_and_each_round_begins_with_another(self):
        status, _, _ = self.run_main("--rounds", "2", *self.build("a", 1), *self.build("b", 1),
                                     "kmeans --k 80", "--", "--n", "5")
        self.assertEqual(status, 0)
        rest = "v3 kmeans --k 80 --json --no-sequential --n 5"
        with open(self.log, encoding="utf-8") as log:
            self.assertEqual(log.read().splitlines(), [f"{tag} {rest}" for tag in "abba"])

    def test_the_status_says_whether_a_bound_was_missed(self):
        status, out, _ = self.run_main("--rounds", "1", *self.build("a", 1.5), "scan")
        self.assertEqual(status, 1)
        self.assertIn("above", out)

    def test_what_the_program_refuses_is_passed_on(self):
        status, out, err = self.run_main(*self.build("a", 1), "none")
        self.assertEqual((status, out), (2, ""))
        self.assertEqual(err, "pappus: bench: expected the name of a benchmark\n")

    def test_nothing_to_compare_is_told(self):
        status, _, err = self.run_main(*self.build("a", 1), "small")
        self.assertEqual(status, 2)
        self.assertEqual(err, "bench_matrix.py: none of these has a hand-written version\n")


class Script(unittest.TestCase):
    def refusal(self, *words):
        done = subprocess.run([os.path.join(TOOLS, "bench_matrix.sh"), *words], text=True,
                              capture_output=True, check=False)
        return done.returncode, done.stderr

    def test_misuse_is_refused_before_anything_is_built(self):
        self.assertEqual(self.refusal(), (2, "bench_matrix.sh: expected at least one benchmark\n"))
        self.assertEqual(self.refusal("--rounds", "no", "scan"),
                         (2, "bench_matrix.sh: --rounds: expected a number from 1 on, got 'no'\n"))
        self.assertEqual(
            self.refusal("--peer", "scan"),
            (2, "bench_matrix.sh: unknown option '--peer'; expected --help, --rounds or "
                "--threads\n"))


if __name__ == "__main__":
    unittest.main()
