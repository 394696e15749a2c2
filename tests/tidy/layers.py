"""Who may include what: the table of ARCHITECTURE.md, held against the tree.

A fenced block of ARCHITECTURE.md holds entries like `graph tasks <- kernel` (with the arrow
character): graph and tasks may include kernel and whatever kernel may include. A folder of src/ has
the name of its layer, one of include/pappus/detail/ is the layer `detail/<folder>`; the headers
right in include/pappus/ are the layer `public`.

A public header may be so simple that lower layers want it (error.h). Including one is therefore
allowed where all that it includes in turn would be, as if its text stood there; who may include
`public` may include any.
"""

import re

ARROW = "\u2190"
TABLE = "ARCHITECTURE.md"


def parse_table(text):
    """{layer: layers it may include directly}, from fenced or indented lines with an arrow."""
    table = {}
    fenced = False
    for line in text.splitlines():
        if line.lstrip().startswith("```"):
            fenced = not fenced
            continue
        if ARROW not in line or not (fenced or line.startswith("    ")):
            continue
        line = re.sub(r"\([^)]*\)", "", line)
        line = re.sub(r"^\s*\w+:", "", line)
        for entry in re.split(r"\s{2,}", line.strip()):
            if ARROW not in entry:
                continue
            above, below = (re.findall(r"[\w/]+", side) for side in entry.split(ARROW))
            for layer in above:
                table.setdefault(layer, set()).update(below)
    return table


def closure(table):
    """{layer: every layer it may include}, itself among them."""
    reach = {}
    for layer in table:
        seen, todo = set(), [layer]
        while todo:
            current = todo.pop()
            if current not in seen:
                seen.add(current)
                todo += table.get(current, ())
        reach[layer] = seen
    return reach


def layer_of(path):
    """The layer a file belongs to; None for files outside include/ and src/."""
    parts = path.split("/")
    if parts[:2] == ["include", "pappus"]:
        return f"detail/{parts[3]}" if parts[2] == "detail" and len(parts) > 4 else "public"
    if parts[0] == "src" and len(parts) > 2:
        return parts[1]
    return None


def below_public(tree, path, seen):
    """The layers a public header leads to through public headers."""
    if path in seen:
        return set()
    seen.add(path)
    layers = set()
    for _, target in tree.edges(tree.files[path]):
        layer = layer_of(target)
        layers |= below_public(tree, target, seen) if layer == "public" else {layer}
    return layers


def check_entries(tree, table):
    present = {layer_of(file.path) for file in tree.code("include", "src")} - {None}
    for layer in sorted(present - table.keys()):
        yield f"{TABLE}: no entry says what {layer} may include; add it to the table"
    for layer in sorted(table.keys() - present):
        yield f"{TABLE}: the table has an entry for {layer}, which has no files; remove it"
    reach = closure(table)
    for layer in sorted(table):
        for other in sorted(table[layer] - {layer}):
            if layer in reach.get(other, ()):
                yield f"{TABLE}: {layer} and {other} may include each other; break the cycle"


def check_file(tree, file, allowed):
    layer = layer_of(file.path)
    for number, target in tree.edges(file):
        where = f"{file.path}:{number}"
        reached = layer_of(target)
        if reached is None:
            if not (layer == "cli" and target.startswith(("bench/", "demo/"))):
                yield f"{where}: {layer} includes {target}, which is not part of the library"
        elif reached == "public" and layer != "public" and "public" not in allowed:
            for bad in sorted(below_public(tree, target, set()) - allowed):
                yield (f"{where}: {layer} includes {target}, which leads to {bad}; "
                       f"{TABLE} doesn't allow it")
        elif reached != layer and reached not in allowed:
            yield f"{where}: {layer} includes {target} of {reached}; {TABLE} doesn't allow it"


def check_layers(tree):
    """Yields a sentence for each include that the table doesn't allow."""
    if TABLE not in tree.files:
        yield f"{TABLE}: the file is missing; it holds the table of who may include what"
        return
    table = parse_table(tree.files[TABLE].text)
    if not table:
        yield f"{TABLE}: no table of includes (lines like `graph {ARROW} kernel` in a fenced block)"
        return
    yield from check_entries(tree, table)
    reach = closure(table)
    for file in tree.code("include", "src"):
        yield from check_file(tree, file, reach.get(layer_of(file.path), set()))
    for file in tree.code("demo", "examples"):
        for number, target in tree.edges(file):
            if layer_of(target) not in ("public", None):
                yield (f"{file.path}:{number}: {file.path.split('/')[0]} includes {target}; "
                       "programs use the public API only")
            elif file.path.startswith("examples/") and target != "include/pappus/pappus.h":
                yield (f"{file.path}:{number}: an example includes {target}; "
                       "it is one file, and <pappus/pappus.h> all that it includes")


def circles(edges):
    """The paths of files along which an include leads back to a file still open."""
    state, found = {}, []

    def visit(path, trail):
        state[path] = "open"
        for target in edges.get(path, ()):
            if state.get(target) == "open":
                found.append(trail[trail.index(target) :] + [target])
            elif target not in state:
                visit(target, trail + [target])
        state[path] = "done"

    for path in edges:
        if path not in state:
            visit(path, [path])
    return found


def check_cycles(tree):
    """Yields a sentence for each circle of includes and each two folders that include each other.

    `public` counts as no folder: the table tells which of its headers lower layers may include.
    """
    edges = {file.path: [path for _, path in tree.edges(file)] for file in tree.code()}
    for cycle in circles(edges):
        yield f"{cycle[0]}: included in a circle: {' -> '.join(cycle)}"

    folders = {}
    for path, targets in edges.items():
        for target in targets:
            pair = layer_of(path), layer_of(target)
            if None not in pair and "public" not in pair and pair[0] != pair[1]:
                folders.setdefault(pair, f"{path} -> {target}")
    for (above, below), example in sorted(folders.items()):
        if above < below and (below, above) in folders:
            yield f"{above} and {below} include each other: {example}, {folders[below, above]}"
