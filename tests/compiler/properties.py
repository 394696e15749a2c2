"""Whether device code has the properties that the lambdas it was made of are said to give it.

  properties.py PRINTED FILE

PRINTED is what the plugin prints of FILE. Above each lambda in FILE stands what holds of its text:
"// TEXT: one loop, no double, no array". No text stores to what the function reads.
"""
import pathlib
import re
import sys

NUMBERS = {"no": 0, "one": 1, "two": 2, "three": 3}
# Others copy or compare bytes.
LOOP = r"\b(?:while \(|for \((?:;|(?:\w+ )?v\w+ = ))"
COUNTED = r"\bfor \((?:(?:\w+ )?v\w+ = [^;]+)?;[^;]*; (?:\+\+|--|v\w+ [-+]?= ).*\{"
LOOPS = {"loop": LOOP, "loops": LOOP, "counted loop": COUNTED, "counted loops": COUNTED}
ABSENT = {
    "double": r"\bdouble",
    "floats": r"\b(?:double|float)",
    "array": r"\w+ \w+\[\d+\];",  # in the function's own memory, where registers do
    "branch": r"\b(?:if|switch|goto|while|for)\b",
}


def problems(wanted, text):
    """A sentence for each property that the text hasn't got."""
    for prop in wanted.split(", "):
        number, _, what = prop.partition(" ")
        if what in LOOPS and number in NUMBERS:
            loops = len(re.findall(LOOPS[what], text))
            if loops != NUMBERS[number]:
                yield f"expected {prop}, got {loops}"
        elif number == "no" and what in ABSENT:
            if found := re.search(ABSENT[what], text):
                yield f"expected {prop}, got {found.group()}"
        else:
            yield f'"{prop}" is no property'
    for read in re.findall(r"const uchar\* (\w+)[,)]", text):
        if found := re.search(rf"^ *(?:\*\(\w+\*\)\(?{read}\b|{read}\[).* = ", text, re.MULTILINE):
            yield f"it stores to what it reads:{found.group()}"


def wanted_of(source):
    """{line of a lambda or name of a functor: its properties}. A lambda's is the line that its
    `[` is on: the next one with `([`, or, of a call broken after its parenthesis, `[`."""
    wanted, pending = {}, None
    for number, line in enumerate(source.splitlines(), 1):
        if found := re.match(r"\s*// TEXT( \S.*?)?: (.*)", line):
            if found.group(1):
                wanted[found.group(1).strip()] = found.group(2)
            else:
                pending = found.group(2)
        elif pending and re.search(r"\(\[|^ +\[", line):
            wanted[number], pending = pending, None
    return wanted


def check(printed, file):
    wanted = wanted_of(file.read_text(encoding="utf-8"))
    failed = []
    for text in printed.read_text(encoding="utf-8").strip().split("\n\n"):
        name = text.splitlines()[0].removeprefix("// ")
        position = re.match(rf"{re.escape(file.name)}:(\d+):", name)
        key = int(position.group(1)) if position else name
        if key not in wanted:
            failed.append(f"{name}: no line \"// TEXT: ...\" says what holds of it\n{text}")
        else:
            failed += [f"{name}: {problem}\n{text}" for problem in problems(wanted.pop(key), text)]
    failed += [f"{file.name}:{key}: no device code was printed" for key in wanted]
    return failed


if __name__ == "__main__":
    sys.exit("\n\n".join(check(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))) or None)
