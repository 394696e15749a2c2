"""The project's files as the tidy rules see them: paths, lines, includes, code without comments."""

import os
import re

ROOTS = ("include", "src", "tests", "bench", "demo", "examples", "tools", "cmake", "docs", ".ci")
CODE = (".h", ".cpp")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')

# One pass over C++: comments, raw strings, strings, characters (not the ' of 1'000).
LEXEME = re.compile(
    r"//[^\n]*|/\*.*?\*/"
    r'|R"(?P<raw>[^()\s\\]{0,16})\(.*?\)(?P=raw)"'
    r'|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9A-Za-z_])'(?:\\.|[^'\\\n])+'",
    re.DOTALL,
)


def blank(text):
    """The same text with comments and literals as spaces; lines keep their numbers."""
    return LEXEME.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)


class File:
    def __init__(self, root, path):
        self.path = path
        with open(os.path.join(root, path), encoding="utf-8", errors="replace") as stream:
            self.text = stream.read()
        self.lines = self.text.splitlines()

    @property
    def is_code(self):
        return self.path.endswith(CODE)

    @property
    def is_header(self):
        return self.path.endswith(".h")

    def includes(self):
        """(line number, '<' or '"', name) of each #include, those in comments left out."""
        code = LEXEME.sub(
            lambda m: re.sub(r"[^\n]", " ", m.group()) if m.group()[0] == "/" else m.group(),
            self.text,
        )
        for number, line in enumerate(code.splitlines(), 1):
            if match := INCLUDE.match(line):
                yield number, match.group(1), match.group(2)


class Tree:
    """All text files below the roots, and those beside them."""

    def __init__(self, root):
        self.root = root
        paths = [name for name in os.listdir(root) if os.path.isfile(os.path.join(root, name))]
        for top in ROOTS:
            for folder, folders, names in os.walk(os.path.join(root, top)):
                folders[:] = [name for name in folders if name != "__pycache__"]
                paths += [os.path.relpath(os.path.join(folder, name), root) for name in names]
        self.files = {path: File(root, path) for path in sorted(paths) if not self._binary(path)}

    def _binary(self, path):
        with open(os.path.join(self.root, path), "rb") as stream:
            return b"\0" in stream.read(4096)

    def code(self, *tops):
        """C++ files, below the given top folders if there are any."""
        for file in self.files.values():
            if file.is_code and (not tops or file.path.split("/")[0] in tops):
                yield file

    def resolve(self, file, name):
        """The path of the project's file that an include means, or None."""
        folder = os.path.dirname(file.path)
        for base in (folder, "include", "src", "", "tests", "bench"):
            path = os.path.normpath(os.path.join(base, name))
            if path in self.files:
                return path
        return None

    def edges(self, file):
        """(line number, path) of each include of one of the project's own files."""
        for number, _, name in file.includes():
            if path := self.resolve(file, name):
                yield number, path
