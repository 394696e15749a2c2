"""What adding an operator touches: the list in ARCHITECTURE.md, held against those that name scan.

The list is a fenced block of lines `new PATH what` and `edited PATH what`, whose paths have NAME
for the operator's name.
"""

import re

LIST = "ARCHITECTURE.md"
EXAMPLE = "scan"
ENTRY = re.compile(r"^(?:new|edited)\s+(\S+)", re.MULTILINE)
NAMES = re.compile(rf"\b(?:inclusive_{EXAMPLE}|{EXAMPLE}_(?:params|operator|on_cpu|on_devices))\b"
                   rf"|\bpappus/{EXAMPLE}\.h\b")
WHERE = ("include/", "src/")


def check_operator_list(tree):
    """Yields a sentence for each file that the list should have, or shouldn't."""
    if LIST not in tree.files:
        return
    listed = {path.replace("NAME", EXAMPLE) for path in ENTRY.findall(tree.files[LIST].text)}
    if not listed:
        return
    for path in sorted(listed - tree.files.keys()):
        yield f"{LIST}: adding an operator is said to need {path}, which isn't there for {EXAMPLE}"
    naming = {file.path for file in tree.code() if NAMES.search(file.text)}
    for path in sorted(path for path in naming - listed if path.startswith(WHERE)):
        yield f"{path}: names {EXAMPLE}, and {LIST} doesn't list it among what an operator needs"
    code = {path for path in listed & tree.files.keys() if tree.files[path].is_code}
    for path in sorted(code - naming):
        yield f"{LIST}: adding an operator is said to change {path}, which doesn't name {EXAMPLE}"
