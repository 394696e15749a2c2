"""Tests that examples.py finds what is wrong with a page."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).with_name("examples.py")
PROGRAM = "```cpp\n#include <pappus/pappus.h>\nint main() {}\n```\n"


def call(*arguments):
    command = [sys.executable, "-B", SCRIPT, *arguments]
    return subprocess.run(command, capture_output=True, text=True)


class Examples(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name)
        (self.root / "docs").mkdir()

    def extract(self, page):
        (self.root / "README.md").write_text("")
        (self.root / "docs" / "page.md").write_text(page)
        return call("extract", self.root, self.root / "out")

    def run_printing(self, text, expected, status=0):
        program = self.root / "program"
        program.write_text(f"#!/bin/sh\nprintf '{text}'\nexit {status}\n")
        program.chmod(0o755)
        (self.root / "expected").write_text(expected)
        return call("run", program, self.root / "expected")

    def test_extracts_programs_with_the_output_that_follows(self):
        page = (f"```\nsignature\n```\n{PROGRAM}words\n```text\n1\n```\n"
                f"```cpp fragment\nf();\n```\n{PROGRAM}```console\n2\n```\n")
        self.assertEqual(self.extract(page).stdout.split(), ["page", "page_2"])
        out = self.root / "out"
        self.assertTrue((out / "page.cpp").read_text().endswith("int main() {}\n"))
        self.assertEqual((out / "page.txt").read_text(), "1\n")
        self.assertFalse((out / "page_2.txt").exists())

    def test_removes_programs_that_are_gone(self):
        self.extract(PROGRAM)
        self.extract("")
        self.assertEqual(list((self.root / "out").iterdir()), [])

    def test_refuses_parts_of_programs_and_open_blocks(self):
        wrong = {
            "words\n```cpp\nf();\n```\n": "page.md: line 2: expected a program with int main(",
            "```cpp\nint main() {}\n```\n": "page.md: line 1: expected a program with #include",
            "```cpp\nint main() {}\n": "page.md: line 1: expected the block to end",
        }
        for page, problem in wrong.items():
            done = self.extract(page)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(problem, done.stderr)

    def test_compares_what_a_program_prints(self):
        self.assertEqual(self.run_printing("a \\nb", "a\nb\n").returncode, 0)
        wrong = self.run_printing("a\\nc\\n", "a\nb\n")
        self.assertNotEqual(wrong.returncode, 0)
        self.assertIn("-b\n+c", wrong.stderr)
        self.assertNotEqual(self.run_printing("a", "a", status=3).returncode, 0)


if __name__ == "__main__":
    unittest.main()
