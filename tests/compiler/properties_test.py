"""Tests that properties.py finds device code without the properties it is said to have."""
import pathlib
import tempfile
import unittest

import properties

TEXT = """// f.cpp:3:21
DEVICE void $f($1 const uchar* a, uchar* out) {
  int v0 = *($1 const int_a*)a;
  while (v0 > 1) {
    v0 = v0 / 2;
  }
  *(int_a*)out = v0;
}
"""


class PropertiesTest(unittest.TestCase):
    def failed(self, wanted, text=TEXT):
        with tempfile.TemporaryDirectory() as folder:
            printed, file = pathlib.Path(folder, "printed"), pathlib.Path(folder, "f.cpp")
            printed.write_text(text, encoding="utf-8")
            file.write_text(f"void f() {{\n  {wanted}\n  element<int, int>([](int x) {{}});\n}}\n",
                            encoding="utf-8")
            return properties.check(printed, file)

    def finds(self, sentence, wanted, text=TEXT):
        failed = self.failed(wanted, text)
        self.assertEqual(len(failed), 1, failed)
        self.assertIn(sentence, failed[0])

    def test_what_holds_is_no_problem(self):
        self.assertEqual(self.failed("// TEXT: one loop, no floats, no array"), [])

    def test_finds_what_does_not_hold(self):
        self.finds("f.cpp:3:21: expected no loop, got 1", "// TEXT: no loop")
        self.finds("expected two loops, got 1", "// TEXT: two loops")
        self.finds("expected no branch, got while", "// TEXT: no branch")
        self.finds("expected no double, got double", "// TEXT: no double",
                   TEXT.replace("int_a", "double_a"))
        self.finds("expected no array, got ulong words[2];", "// TEXT: no array",
                   TEXT.replace("  while", "  ulong words[2];\n  while"))

    def test_counts_loops_with_a_counter(self):
        counted = TEXT.replace("while (v0 > 1)", "for (int v1 = 0; v1 < 5; v1 += 2)")
        self.assertEqual(self.failed("// TEXT: one loop, one counted loop", counted), [])
        left = TEXT.replace("while (v0 > 1)", "for (;; --v1)")
        self.assertEqual(self.failed("// TEXT: one loop, one counted loop", left), [])
        self.assertEqual(self.failed("// TEXT: one loop, no counted loop"), [])
        forever = TEXT.replace("while (v0 > 1)", "for (;;)")
        self.assertEqual(self.failed("// TEXT: one loop, no counted loop", forever), [])
        self.finds("expected one counted loop, got 0", "// TEXT: one loop, one counted loop")
        self.finds("expected no counted loop, got 1", "// TEXT: no counted loop", counted)
        copies = TEXT.replace("while (v0 > 1)", "for (ulong at = 0; at < 80; at += 8)")
        self.finds("expected one loop, got 0", "// TEXT: one loop", copies)

    def test_finds_stores_to_what_is_read(self):
        for store in ("*(int_a*)a = 1;", "*(int_a*)(a + 4) = 1;", "a[3] = 1;"):
            self.finds("it stores to what it reads", "// TEXT: one loop",
                       TEXT.replace("  *(int_a*)out", f"  {store}\n  *(int_a*)out"))

    def test_finds_lambdas_without_properties_and_properties_without_lambda(self):
        self.finds("f.cpp:3:21: no line", "// nothing")
        self.assertIn("no device code was printed", self.failed("// TEXT: one loop", "// g\n")[1])
        self.finds('"fast" is no property', "// TEXT: fast")


if __name__ == "__main__":
    unittest.main()
