#!/usr/bin/env python3
"""The table of docs/guides/compiler.md: what can't run on a device, the message, the remedy.

It is made from the tests: rejected/*.check hold the compiler plugin's messages word by word, and
the .cpp files beside them the functions that were rejected.

    rejections.py --check     fails when the page's table isn't what the tests say
    rejections.py --update    writes it
"""
import argparse
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
PAGE = HERE.parents[1] / "docs" / "guides" / "compiler.md"
BEGIN, END = "<!-- rejections: tests/compiler/rejections.py -->\n", "<!-- end of rejections -->\n"
MESSAGE = re.compile(r"  (?P<file>[^:]+):(?P<line>\d+)(:\d+)?: (?P<what>.*)")
REMEDY = re.compile(r"    instead: (?P<remedy>.*)")


def said_in(check):
    """(what, remedy, file and line) of each reason in a .check file."""
    lines = [re.sub(r"^CHECK(-NEXT)?:", "", line) for line in check.read_text().splitlines()]
    lines = [re.sub(r"\{\{\\(.)\}\}|\{\{\\(\[\[|\{\{)\}\}", r"\1\2", line) for line in lines]
    pending = None
    for line in lines:
        if remedy := REMEDY.fullmatch(line):
            if pending:
                yield (*pending[:1], remedy["remedy"], *pending[1:])
            pending = None
        elif message := MESSAGE.fullmatch(line):
            pending = (message["what"], message["file"], int(message["line"]))


def code_at(folder, file, line):
    """The statement that the message points to, on one line of a table."""
    source = folder / file
    if not source.exists():
        return ""
    text = source.read_text().splitlines()[line - 1].strip()
    text = re.sub(r"^(thunks::)?element<.*?>\((?=\[)", "", text)
    return text.removesuffix(");") if text.startswith("[") else text


def table():
    rows, known = [], set()
    for check in sorted((HERE / "rejected").glob("*.check")):
        for what, remedy, file, line in said_in(check):
            kind = (remedy, re.sub(r"(calls|variable|memory) .*", r"\1", what))
            if kind in known:
                continue
            known.add(kind)
            what, remedy = what.replace("<", "&lt;"), remedy.replace("<", "&lt;")
            code = code_at(check.parent, file, line).replace("|", "\\|")
            rows.append(f"| `{code}` | {what} | {remedy} |\n" if code else
                        f"| | {what} | {remedy} |\n")
    assert rows, "no messages in rejected/*.check"
    return "| for example | message: the function ... | instead |\n|---|---|---|\n" + "".join(rows)


def main():
    parser = argparse.ArgumentParser(description="The documentation's table of rejections.")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--update", action="store_true")
    asked = parser.parse_args()
    page = PAGE.read_text()
    begin, end = page.index(BEGIN) + len(BEGIN), page.index(END)
    wanted = table()
    if asked.update:
        PAGE.write_text(page[:begin] + wanted + page[end:])
    elif page[begin:end] != wanted:
        sys.exit(f"{PAGE.name}: the table isn't what the tests say: run "
                 f"{pathlib.Path(__file__).name} --update and look at the difference")


if __name__ == "__main__":
    main()
