"""The libraries that `pappus bench --peers` times compute what the benchmarks do.

Exits with 77, skipped, where python3 has no NumPy; other libraries that are missing are left out.
"""

import importlib.util
import json
import os
import subprocess
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SCRIPT = os.path.join(ROOT, "bench", "system", "peers.py")
SKIPPED = 77

# Checksums of 65,537 elements (pagerank: pages), seed 42, of the benchmarks' sequential versions.
KNOWN = {
    ("scan",): "0dea6b5551f71dd5",
    ("sort",): "b3f42cde5271f494",
    ("mapfiltersum",): "4369/143259510",
    ("groupby", "--keys", "1000"): "83d404214e3bba61/1.312635892e+05",
    ("groupby", "--keys", "1000", "--domain"): "83d404214e3bba61/1.312635892e+05",
    ("join",): "52406/12955231720",
    ("kmeans", "--k", "10", "--d", "20"): "9.450743e+04",
    ("pagerank",): "1.000000000e+00/4.834905114e+01",
    ("vmscope_average",): "961713f851ee1f60/391867",
    ("vmscope_average", "--cold"): "961713f851ee1f60/391867",
    ("vmscope_subsample",): "bd89dba292958514/391418",
    ("vmscope_blosc",): "3c292288f7ba2630/266834",
    ("vmscope_gzip", "--cold"): "3c292288f7ba2630/266834",
    ("vmscope_hdf5",): "3c292288f7ba2630/266834",
    ("vmscope_write",): "8829d99580a5f94a/243785",
    ("vmscope_write", "--cold"): "8829d99580a5f94a/243785",
    ("bess",): "1.09467677e+03/1.65548156e+04",
    ("composite",): "4.26609072e+02/38975",
    ("composite", "--cold"): "4.26609072e+02/38975",
    ("anomaly",): "1.37588966e+03/2.72632868e+03/1.37500500e+03/5.73185471e+03",
    ("outofcore_sort",): "8944bf7c3aed4c6f/65537/0000000080008000",
    ("outofcore_terasort",): "f85004fedba3735d/65537/0000000080008000",
    ("outofcore_text",): "f5a7efc650392846/65537/dd4e4b3896beee91",
    ("outofcore_groupby",): "34a0aaaaac7f507c/6553/0000000080030c74",
    ("outofcore_distinct",): "b4963b6dbc0e2ac1/6553/00000000014791ec",
    ("outofcore_join",): "164f65f4d76f40d4/52469/00000000667e5650",
}


def lines(name, *args, python=()):
    command = [sys.executable, *python, "-B", SCRIPT, name, "--n", "65537", "--repeat", "1", *args]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise AssertionError(done.stderr)
    return [json.loads(line) for line in done.stdout.splitlines()]


def agree(got, expected, tolerance):
    def same(a, b):
        if a == "-":  # in an order that nobody promises
            return True
        return abs(float(a) - float(b)) <= tolerance * abs(float(b)) if "." in b else a == b

    a, b = got.split("/"), expected.split("/")
    return len(a) == len(b) and all(map(same, a, b))


class Peers(unittest.TestCase):
    @unittest.skipUnless(importlib.util.find_spec("numpy"), "no NumPy")
    def test_compute_what_the_benchmarks_do(self):
        for (name, *args), expected in KNOWN.items():
            timed = [line for line in lines(name, *args) if "skipped" not in line]
            for line in timed:
                with self.subTest(name=name, args=args, version=line["version"]):
                    tolerance = 1e-4 if name == "kmeans" else 1e-9  # as in suite.cpp
                    self.assertTrue(
                        agree(line["checksum"], expected, tolerance), line["checksum"]
                    )
                    self.assertGreater(line["median_s"], 0)
                    self.assertLessEqual(line["min_s"], line["median_s"])

    @unittest.skipUnless(
        all(map(importlib.util.find_spec, ("numpy", "duckdb", "pyarrow"))), "no DuckDB"
    )
    def test_that_fail_with_little_memory_say_so_beside_those_that_do_not(self):
        budgets = ("--budget", "1/2=100000000", "--budget", "1/32=1048576")
        enough, little = lines("outofcore_terasort", *budgets)
        self.assertEqual(enough["version"], "duckdb 1/2")
        self.assertEqual(enough["checksum"], KNOWN[("outofcore_terasort",)])
        self.assertEqual(little["version"], "duckdb 1/32")
        self.assertRegex(little["skipped"], "^fails: Out of Memory Error: .* used[)]$")

    def test_that_are_missing_are_named_with_the_reason(self):
        for name, *args in KNOWN:
            found = lines(name, *args, python=("-I", "-S"))  # without any packages
            self.assertTrue(found)
            for line in found:
                self.assertEqual(line["skipped"], "python3 has no package numpy")

    def test_on_cuda_that_are_missing_are_named_with_the_reason(self):
        for name in ("scan", "sum", "blackscholes"):
            (line,) = lines(name, "--cuda", "--resident", python=("-I", "-S"))
            self.assertEqual(line, {"version": "cupy", "skipped": "python3 has no package numpy"})
        self.assertEqual(lines("pagerank", "--cuda"), [])

    def test_that_have_no_version_of_a_benchmark_say_nothing(self):
        self.assertEqual(lines("stencil"), [])


if __name__ == "__main__":
    result = unittest.main(exit=False).result
    sys.exit(not result.wasSuccessful() or (SKIPPED if result.skipped else 0))
