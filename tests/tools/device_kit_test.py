"""A folder that tools/device_kit.sh fills runs its tests where nothing else is known of a build.

    device_kit_test.py --build FOLDER    a build with pappus_test_floats
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SCRIPT = os.path.join(ROOT, "tools", "device_kit.sh")
BUILD = ""


def run(*command, **more):
    return subprocess.run(command, capture_output=True, text=True, check=False, **more)


class DeviceKit(unittest.TestCase):
    def test_runs_tests_and_sums_up_what_they_said(self):
        with tempfile.TemporaryDirectory() as folder:
            packed = run("bash", SCRIPT, BUILD, os.path.join(folder, "kit"))
            self.assertEqual(packed.returncode, 0, packed.stderr)
            kit = os.path.join(folder, "elsewhere")
            os.rename(os.path.join(folder, "kit"), kit)
            bare = {"PATH": "/usr/bin:/bin:/sbin", "HOME": folder, "POCL_DEVICES": "basic"}
            out = os.path.join(folder, "said")
            done = run(os.path.join(kit, "run.sh"), "--out", out, "test", "floats", env=bare)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertRegex(done.stdout, r"(?m)^floats: [1-9]\d* passed, 0 failed, \d+ skipped, ")
            with open(os.path.join(out, "floats.log"), encoding="utf-8") as log:
                self.assertTrue(re.search(r"(?m)^\[       OK \] ", log.read()))

            missing = run(os.path.join(kit, "run.sh"), "--out", out, "test", "nothing", env=bare)
            self.assertNotEqual(missing.returncode, 0)
            self.assertIn("nothing: exit status 127", missing.stdout)

    def test_refuses_builds_without_programs(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(run("bash", SCRIPT, folder, folder).returncode, 2)
            os.mkdir(os.path.join(folder, "bin"))
            refused = run("bash", SCRIPT, folder, os.path.join(folder, "kit"))
            self.assertEqual(refused.returncode, 1)
            self.assertIn("has neither tests nor benchmarks", refused.stderr)


if __name__ == "__main__":
    options = argparse.ArgumentParser()
    options.add_argument("--build", required=True)
    chosen, rest = options.parse_known_args()
    BUILD = chosen.build
    unittest.main(argv=[sys.argv[0], *rest])
