"""Finds C++ function bodies by their braces: good enough to measure them, no parser.

At namespace or class level an opening brace is judged by the text since the last ; { or }. With a
parenthesis in it and no namespace, class, enum or = before that, it is a function's; everything
nested in it, lambdas too, counts as its lines.
"""

import re

from tree import blank

SCOPE = re.compile(r"\b(namespace|class|struct|union|enum|extern|concept)\b")
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n\\]|\\\n|\\.)*", re.MULTILINE)


def without_templates(head):
    """The text without template parameter lists, whose `class` and `=` mean something else."""
    if "template" not in head:
        return head
    out, depth, i = [], 0, 0
    while i < len(head):
        if depth == 0 and (match := re.compile(r"template\s*<").match(head, i)):
            depth, i = 1, match.end()
            continue
        if depth:
            depth += {"<": 1, ">": -1}.get(head[i], 0)
        else:
            out.append(head[i])
        i += 1
    return "".join(out)


def is_function(head):
    head = without_templates(head)
    before, parenthesis, _ = head.partition("(")
    if not parenthesis or SCOPE.search(before):
        return False
    return "=" not in before.replace("operator==", "").replace("operator=", "").replace("<=>", "")


def functions(text):
    """Yields (line of the opening brace, lines between the braces, head) of each function."""
    code = DIRECTIVE.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), blank(text))
    stack = []  # (kind, line, head); kind is scope, function or inner
    head, line, parentheses, last = "", 1, 0, 0
    for match in re.finditer(r"[{}();]", code):
        c, i = match.group(), match.start()
        line += code.count("\n", last, i)
        inside = any(kind != "scope" for kind, _, _ in stack)
        if not inside:
            head += code[last:i]
        last = i + 1
        if c == "{":
            kind = "function" if is_function(head) else "scope"
            if inside or parentheses:
                kind = "inner"
            stack.append((kind, line, head))
            if kind != "inner":
                head = ""
        elif c == "}" and stack:
            kind, start, saved = stack.pop()
            if kind == "function" and code[i + 1 :].lstrip()[:1] in (",", "{"):
                head = saved  # it was a member's initialiser: the body is still to come
            elif kind != "inner":
                if kind == "function":
                    yield start, max(0, line - start - 1), " ".join(saved.split())
                head = ""
        elif not inside:
            parentheses += (c == "(") - (c == ")")
            head = "" if c == ";" and not parentheses else head + c
