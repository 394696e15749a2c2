"""Examples of the documentation as programs.

  examples.py extract SOURCE FOLDER   writes every complete program of README.md and docs/ as
                                      FOLDER/<path>[_<n>].cpp, and beside it, as .txt, the output
                                      the page shows for it; prints their names, one a line
  examples.py run PROGRAM [OUTPUT]    runs a program in an empty folder and compares its standard
                                      output with the file OUTPUT, but for spaces at line ends

A program is a ```cpp block; what it prints is the next block, if that is ```text. A block that is
not complete is marked ```cpp fragment. Files that don't change aren't touched, so that only changed
examples are compiled again.
"""
import difflib
import pathlib
import re
import subprocess
import sys
import tempfile

FENCE = re.compile(r"^```(.*)$")
MAIN = re.compile(r"\bint main\(")
HEADER = "#include <pappus/pappus.h>\n"  # precompiled: a compiler wouldn't miss it


def blocks(text):
    """(info string, number of its first line, content) of each fenced block."""
    info, begin, lines = None, 0, []
    for number, line in enumerate(text.splitlines(), 1):
        fence = FENCE.match(line)
        if fence and info is None:
            info, begin, lines = fence.group(1).strip(), number + 1, []
        elif fence:
            yield info, begin, "\n".join(lines) + "\n"
            info = None
        elif info is not None:
            lines.append(line)
    if info is not None:
        raise SyntaxError(f"line {begin - 1}: expected the block to end with ```, got the end")


def programs(page):
    """(line, source, output or None) of each complete program of a page."""
    found = list(blocks(page.read_text(encoding="utf-8")))
    for (info, line, content), following in zip(found, found[1:] + [("", 0, "")]):
        if info != "cpp":
            continue
        if not MAIN.search(content):
            raise SyntaxError(f"line {line - 1}: expected a program with int main(, got a part of "
                              "one; complete it or mark it ```cpp fragment")
        if HEADER not in content:
            raise SyntaxError(f"line {line - 1}: expected a program with {HEADER.strip()}")
        yield line, content, following[2] if following[0] == "text" else None


def write(path, content):
    if not path.exists() or path.read_text(encoding="utf-8") != content:
        path.write_text(content, encoding="utf-8")


def extract(source, folder):
    folder.mkdir(parents=True, exist_ok=True)
    written = set()
    for page in [source / "README.md", *sorted((source / "docs").rglob("*.md"))]:
        short = page.relative_to(source).with_suffix("")
        try:
            for number, (line, content, output) in enumerate(programs(page), 1):
                name = "_".join(short.parts).removeprefix("docs_")
                if number > 1:
                    name += f"_{number}"
                write(folder / f"{name}.cpp", f'#line {line} "{page}"\n{content}')
                written.add(f"{name}.cpp")
                if output is not None:
                    write(folder / f"{name}.txt", output)
                    written.add(f"{name}.txt")
        except SyntaxError as problem:
            sys.exit(f"{page}: {problem.msg}")
    for old in [*folder.glob("*.cpp"), *folder.glob("*.txt")]:
        if old.name not in written:
            old.unlink()
    print("\n".join(sorted(name[:-4] for name in written if name.endswith(".cpp"))))


def lines(text):
    """Without spaces at their ends, which a page doesn't show."""
    return [line.rstrip() for line in text.splitlines()]


def run(program, output=None):
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([program], cwd=folder, stdout=subprocess.PIPE, text=True, timeout=60)
    if done.returncode != 0:
        sys.exit(f"{program}: exit status {done.returncode}; it printed\n{done.stdout}")
    if output is None:
        return
    expected = lines(pathlib.Path(output).read_text(encoding="utf-8"))
    printed = lines(done.stdout)
    if printed != expected:
        difference = difflib.unified_diff(expected, printed, "page", "printed", lineterm="")
        sys.exit("\n".join([f"{program}: it prints something else than its page", *difference]))


if __name__ == "__main__":
    if sys.argv[1] == "extract":
        extract(pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]))
    else:
        run(*sys.argv[2:])
