#!/usr/bin/env python3
"""tools/test_times.py on a report of ctest's, made up."""

import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "tools"))
import test_times  # noqa: E402

REPORT = """<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="Linux-c++" tests="6" failures="1" disabled="0" skipped="1" hostname="" time="9">
  <testcase name="ops/radix_sort.keeps_ties" classname="" time="1.5" status="run"/>
  <testcase name="ops/sizes/join.finds/3" classname="" time="0.25" status="run"/>
  <testcase name="cli/command.helps" classname="" time="4" status="fail">
    <failure message="Failed"/>
    <system-out>expected &lt;help&gt;
got nothing
</system-out>
  </testcase>
  <testcase name="asan/ops/radix_sort.keeps_ties" classname="" time="3" status="run"/>
  <testcase name="asan/fuzz/csv" classname="" time="10.5" status="run"/>
  <testcase name="oclgrind/kernels" classname="" time="7" status="notrun"/>
</testsuite>
"""


def of_report(function):
    with tempfile.NamedTemporaryFile("w", suffix=".xml", encoding="utf-8") as report:
        report.write(REPORT)
        report.flush()
        return function(report.name)


class Failures(unittest.TestCase):
    def test_last_lines_of_what_failed(self):
        self.assertEqual(of_report(test_times.failures), "\n".join((
            "cli/command.helps failed, after 4 s:", "  expected <help>", "  got nothing", "")))


class Times(unittest.TestCase):
    def test_slowest_first_and_folders_by_configuration(self):
        times = of_report(test_times.times_of)
        self.assertEqual(test_times.summary(times, ["release", "asan"]), "\n".join((
            "The 5 slowest tests, in seconds:",
            "    10.5  asan/fuzz/csv",
            "     4.0  cli/command.helps",
            "     3.0  asan/ops/radix_sort.keeps_ties",
            "     1.5  ops/radix_sort.keeps_ties",
            "     0.2  ops/sizes/join.finds/3",
            "",
            "Each folder's tests and seconds:",
            "                tests   release      asan",
            "fuzz                1       0.0      10.5",
            "ops                 3       1.8       3.0",
            "cli                 1       4.0       0.0",
            "all                 5       5.8      13.5")))

    def test_only_ten_of_many(self):
        times = [(float(i), f"ops/a.{i}") for i in range(30)]
        text = test_times.summary(times, ["release"])
        self.assertIn("    20.0  ops/a.20\n", text)
        self.assertNotIn("ops/a.19", text)


if __name__ == "__main__":
    unittest.main()
