#!/usr/bin/env python3
"""Each tidy rule finds what it is there to find, in small trees written to a temporary folder."""

import argparse
import json
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from functions import functions  # noqa: E402
from layers import ARROW, closure, parse_table  # noqa: E402
from tidy import RULES  # noqa: E402
from tree import Tree, blank  # noqa: E402

ARCHITECTURE = f"""# Architecture
An arrow {ARROW} in the text is no entry.
```
headers: detail/base {ARROW} std    detail/fuse {ARROW} detail/base
public {ARROW} detail/fuse    (never src/)
base {ARROW} detail/base           graph tasks {ARROW} base    cli {ARROW} graph, tasks
```
"""

CLEAN = {
    "ARCHITECTURE.md": ARCHITECTURE,
    "include/pappus/pappus.h": '#pragma once\n#include "pappus/error.h"\n'
                               '#include "pappus/detail/fuse/map.h"\n',
    "include/pappus/error.h": "#pragma once\n#include <string>\n",
    "include/pappus/detail/base/id.h": '#pragma once\n#include "pappus/error.h"\n',
    "include/pappus/detail/fuse/map.h": '#pragma once\n#include "pappus/detail/base/id.h"\n',
    "src/base/text.h": '#pragma once\n#include "pappus/detail/base/id.h"\n',
    "src/base/text.cpp": '#include "base/text.h"\n',
    "src/graph/node.h": '#pragma once\n#include "base/text.h"\n',
    "src/graph/node.cpp": '#include "graph/node.h"\n#include <fmt/format.h>\n',
    "src/tasks/task.cpp": '#include "base/text.h"\n#include "pappus/error.h"\n',
    "src/cli/main.cpp": '#include "graph/node.h"\n#include "bench/system/scan.h"\n',
    "bench/system/scan.h": '#pragma once\n#include "pappus/pappus.h"\n',
    "examples/first.cpp": "#include <pappus/pappus.h>\nint main() {}\n",
}


class TidyTest(unittest.TestCase):
    def check(self, rule, changes, **options):
        """The violations of one rule in the clean tree with some files added or replaced."""
        with tempfile.TemporaryDirectory() as root:
            for path, text in {**CLEAN, **changes}.items():
                if text is None:
                    continue
                full = os.path.join(root, path)
                os.makedirs(os.path.dirname(full), exist_ok=True)
                with open(full, "w", encoding="utf-8") as stream:
                    stream.write(text)
            if built := options.pop("built", None):
                options["build"] = root
                if unit := options.pop("unit", None):
                    built = [*built, "Unity/unity_0_cxx.cxx"]
                    os.mkdir(os.path.join(root, "Unity"))
                    with open(os.path.join(root, built[-1]), "w", encoding="utf-8") as stream:
                        stream.writelines(f'#include "{root}/{path}"\n' for path in unit)
                with open(os.path.join(root, "compile_commands.json"), "w") as stream:
                    json.dump([{"file": os.path.join(root, path)} for path in built], stream)
            values = {"build": None, "compiler": None, "clang_format": "clang-format-19"}
            return list(RULES[rule](Tree(root), argparse.Namespace(**{**values, **options})))

    def finds(self, rule, changes, *words, **options):
        found = self.check(rule, changes, **options)
        self.assertEqual(len(found), 1, found)
        for word in words:
            self.assertIn(word, found[0])

    def test_a_clean_tree_violates_nothing(self):
        for rule in RULES:
            if rule != "formatting":
                self.assertEqual(self.check(rule, {}), [], rule)

    def test_the_table_is_read_from_the_fenced_block(self):
        table = parse_table(ARCHITECTURE)
        self.assertEqual(table["tasks"], {"base"})
        self.assertEqual(table["cli"], {"graph", "tasks"})
        self.assertEqual(table["detail/base"], {"std"})
        self.assertIn("detail/base", closure(table)["cli"])
        self.assertNotIn("detail/fuse", closure(table)["cli"])
        self.assertEqual(set(table), {"detail/base", "detail/fuse", "public", "base", "graph",
                                      "tasks", "cli"})

    def test_includes_finds_a_layer_that_reaches_up(self):
        self.finds("includes", {"src/base/text.cpp": '#include "graph/node.h"\n'},
                   "src/base/text.cpp:1", "base includes src/graph/node.h of graph")

    def test_includes_finds_a_layer_that_reaches_sideways(self):
        self.finds("includes", {"src/tasks/task.cpp": '\n#include "graph/node.h"\n'},
                   "src/tasks/task.cpp:2")

    def test_includes_finds_a_header_that_reaches_into_src(self):
        self.finds("includes", {"include/pappus/error.h": '#include "base/text.h"\n',
                                "include/pappus/detail/base/id.h": "",
                                "src/tasks/task.cpp": ""}, "public includes src/base/text.h")

    def test_includes_looks_through_a_public_header(self):
        self.finds("includes", {"src/base/text.h": '#include "pappus/pappus.h"\n'},
                   "base includes include/pappus/pappus.h, which leads to detail/fuse")

    def test_includes_finds_benchmarks_used_by_the_library(self):
        self.finds("includes", {"src/graph/node.cpp": '#include "bench/system/scan.h"\n'},
                   "not part of the library")

    def test_includes_finds_an_example_that_uses_internals(self):
        self.finds("includes", {"examples/first.cpp": '#include "pappus/detail/fuse/map.h"\n'},
                   "public API only")

    def test_includes_finds_an_example_of_two_files(self):
        self.finds("includes", {"examples/first.cpp": '#include "second.h"\n',
                                "examples/second.h": "#pragma once\n"}, "it is one file")
        self.finds("includes", {"demo/first.cpp": '#include "pappus/detail/fuse/map.h"\n'},
                   "public API only")

    def test_includes_finds_a_folder_without_an_entry(self):
        self.finds("includes", {"src/rogue/x.cpp": ""}, "rogue", "add it to the table")

    def test_includes_finds_an_entry_without_a_folder(self):
        extra = ARCHITECTURE.replace("graph tasks " + ARROW,
                                     f"plan {ARROW} base    graph tasks {ARROW}")
        self.finds("includes", {"ARCHITECTURE.md": extra}, "plan", "no files")

    def test_includes_finds_a_cycle_in_the_table(self):
        circular = ARCHITECTURE.replace(f"detail/base {ARROW} std",
                                        f"detail/base {ARROW} detail/fuse")
        found = self.check("includes", {"ARCHITECTURE.md": circular})
        self.assertTrue(any("break the cycle" in line for line in found), found)

    def test_the_list_for_adding_an_operator_is_compared_with_files(self):
        listed = ARCHITECTURE + "\n```\nnew  src/ops/NAME.cpp  its entry\n```\n"
        entry = {"ARCHITECTURE.md": listed, "src/ops/scan.cpp": "int scan_operator();\n"}
        self.assertEqual(self.check("adding_an_operator", entry), [])
        self.finds("adding_an_operator", {"ARCHITECTURE.md": listed}, "isn't there for scan")
        self.finds("adding_an_operator", {**entry, "src/plan/x.cpp": "// scan_params\n"},
                   "src/plan/x.cpp: names scan")
        self.finds("adding_an_operator", {**entry, "src/ops/scan.cpp": ""}, "doesn't name scan")

    def test_includes_finds_a_missing_table(self):
        self.finds("includes", {"ARCHITECTURE.md": "# Architecture\n"}, "no table")
        self.finds("includes", {"ARCHITECTURE.md": None}, "missing")

    def test_includes_finds_a_file_that_is_not_there(self):
        self.finds("includes", {"src/base/text.cpp": '#include "base/gone.h"\n'}, "base/gone.h")

    def test_includes_finds_onetbb_in_two_files(self):
        self.finds("includes", {"src/base/text.cpp": "#include <tbb/task_group.h>\n",
                                "src/graph/node.cpp": "#include <oneapi/tbb/tbb.h>\n"}, "oneTBB")
        self.assertEqual(
            self.check("includes", {"src/base/text.cpp": "#include <tbb/task_group.h>\n"}), [])

    def test_includes_ignores_what_is_commented_out(self):
        self.assertEqual(
            self.check("includes", {"src/base/text.cpp": '/*\n#include "graph/node.h"\n*/\n'}), [])

    def test_cycles_finds_headers_in_a_circle(self):
        self.finds("cycles", {"src/graph/a.h": '#include "graph/b.h"\n',
                              "src/graph/b.h": '#include "graph/a.h"\n'}, "circle", "graph/b.h")

    def test_cycles_finds_folders_that_include_each_other(self):
        self.finds("cycles", {"src/graph/a.cpp": '#include "tasks/b.h"\n', "src/tasks/b.h": "",
                              "src/tasks/task.cpp": '#include "graph/node.h"\n'},
                   "graph and tasks include each other")

    def test_file_length_finds_a_long_file(self):
        self.finds("file_length", {"src/base/text.cpp": "\n" * 501}, "501 lines")
        self.assertEqual(self.check("file_length", {"src/base/text.cpp": "\n" * 500}), [])

    def test_line_length_finds_a_wide_line(self):
        self.finds("line_length", {"src/base/text.cpp": "//" + "x" * 99}, ":1:", "101 columns")
        accents = "//" + "\u00e9" * 98
        self.assertEqual(self.check("line_length", {"src/base/text.cpp": accents}), [])

    def test_function_length_finds_a_long_function(self):
        body = "int f(int x) {\n" + "  ++x;\n" * 81 + "}\n"
        self.finds("function_length", {"src/base/text.cpp": body}, "81 lines", "int f(int x)")
        self.assertEqual(
            self.check("function_length", {"src/base/text.cpp": body.replace("  ++x;\n", "", 1)}),
            [])

    def test_forbidden_words_finds_paths_notes_and_conflicts(self):
        for text in ("/ho" + "me/somebody/x", "/ro" + "ot/.cache", "TO" + "DO: later",
                     "<" * 7 + " HEAD"):
            self.finds("forbidden_words", {"README.md": f"first\n{text}\n"}, "README.md:2")

    def test_dead_files_finds_a_header_without_users(self):
        self.finds("dead_files", {"src/base/lost.h": ""}, "src/base/lost.h")

    def test_dead_files_does_not_count_a_headers_own_source(self):
        self.finds("dead_files", {"src/base/lost.h": "",
                                  "src/base/lost.cpp": '#include "base/lost.h"\n'}, "base/lost.h")

    def test_dead_files_finds_a_source_that_no_target_compiles(self):
        sources = [path for path in CLEAN if path.endswith(".cpp")]
        self.finds("dead_files", {"src/base/lost.cpp": "", "examples/consumer/main.cpp": "",
                                  "tests/formats/csv_fuzz.cpp": ""}, "lost.cpp", built=sources)

    def test_dead_files_counts_the_files_of_a_unit_as_compiled(self):
        first, *others = [path for path in CLEAN if path.endswith(".cpp")]
        self.assertEqual(self.check("dead_files", {}, built=[first], unit=others), [])
        self.finds("dead_files", {}, others[-1], built=[first], unit=others[:-1])

    def test_public_headers_finds_third_party_includes(self):
        self.finds("public_headers", {"include/pappus/error.h": "#include <fmt/format.h>\n"},
                   "<fmt/format.h>")

    def test_public_headers_finds_an_include_that_will_not_be_installed(self):
        self.finds("public_headers", {"include/pappus/pappus.h": '#include "error.h"\n'},
                   '"error.h"')

    def test_public_headers_finds_a_header_that_needs_another_first(self):
        compiler = os.environ.get("CXX", "g++")
        self.finds("public_headers", {"include/pappus/error.h": "inline std::string text;\n",
                                      "include/pappus/pappus.h": "",
                                      "include/pappus/detail/base/id.h": ""},
                   "error.h", "doesn't compile alone", compiler=compiler)

    def test_formatting_finds_an_unformatted_file(self):
        style = {".clang-format": "BasedOnStyle: Google\nSortIncludes: Never\n"}
        try:
            self.finds("formatting", {**style, "src/base/text.cpp": "int  x;\n"},
                       "src/base/text.cpp")
        except SystemExit:
            self.skipTest("clang-format-19 is not installed")


class FunctionsTest(unittest.TestCase):
    def lengths(self, text):
        return [length for _, length, _ in functions(text)]

    def test_classes_namespaces_and_enums_are_no_functions(self):
        text = "namespace a {\nstruct b {\n int c;\n};\nenum d { e };\n}"
        self.assertEqual(self.lengths(text), [])

    def test_a_method_in_a_class_is_a_function(self):
        self.assertEqual(self.lengths("class a : public b {\n int c() const {\n\n\n }\n};"), [2])

    def test_lambdas_count_as_their_functions_lines(self):
        self.assertEqual(self.lengths("void f() {\n g([](int x) {\n  return x;\n });\n}"), [3])

    def test_member_initialisers_with_braces_are_not_the_body(self):
        self.assertEqual(self.lengths("a::a(int x) : b{x}, c{x + 1} {\n\n\n\n}"), [3])

    def test_template_parameters_do_not_hide_a_function(self):
        self.assertEqual(self.lengths("template <class T = int>\nT f(T x) {\n\n}"), [1])

    def test_a_function_after_a_table_is_found(self):
        self.assertEqual(self.lengths("int t[] = {\n1,\n2};\nint f() {\n\n}"), [1])

    def test_braces_in_strings_comments_and_macros_do_not_count(self):
        body = 's = "}{{"; // }\n c = \'{\';\n n = 1\'0;\n'
        self.assertEqual(self.lengths("#define X {\\\n {\nint f() {\n" + body + "}"), [3])

    def test_literals_and_comments_become_blanks(self):
        self.assertEqual(blank('"a" b /*\n*/ c // d'), "    b   \n   c     ")


if __name__ == "__main__":
    unittest.main()
