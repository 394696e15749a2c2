"""Random statements for random_lambdas.py: the body of a lambda, line by line."""
from random_expressions import Expressions
from random_records import FLOATS, INTEGERS, TYPES, UNSIGNED

RESULTS = ["std::uint64_t", "double", "float", "std::uint32_t"]


class Statements(Expressions):
    def __init__(self, rng, record, captures, sides, results=RESULTS):
        super().__init__(rng, record, captures, sides)
        self.results = results
        self.lines = []
        self.indent = "    "
        self.depth = 0

    def line(self, text):
        self.lines.append(self.indent + text)

    def block(self, count):
        known, arrays = len(self.variables), len(self.arrays)
        self.indent += "  "
        self.depth += 1
        for _ in range(count):
            self.statement()
        self.depth -= 1
        self.indent = self.indent[:-2]
        del self.variables[known:]
        del self.arrays[arrays:]

    def braces(self, head, count, tail="}"):
        self.line(f"{head} {{")
        self.block(count)
        self.line(tail)

    def few(self):
        return self.rng.randint(1, 3)

    def declare(self, name=None, t=None, text=None, may_be_assigned=True):
        t = t or self.rng.choice(TYPES)
        text = text or self.expression(t, 3)
        name = name or self.name()
        self.line(f"{t} {name} = {text};")
        self.variables.append((name, t, may_be_assigned))

    def target(self):
        targets = [(n, t) for n, t, may_be_assigned in self.variables if may_be_assigned]
        return self.rng.choice(targets) if targets else None

    def assign(self):
        target = self.target()
        if not target:
            return self.declare()
        name, t = target
        if t in UNSIGNED[2:] and self.rng.random() < 0.4:
            op = self.rng.choice(["+=", "-=", "*=", "&=", "|=", "^="])
            self.line(f"{name} {op} {self.expression(t, 2)};")
        elif t in UNSIGNED and self.rng.random() < 0.2:
            self.line(f"{self.rng.choice(['++', '--'])}{name};")
        else:
            self.line(f"{name} = {self.expression(t, 3)};")

    def branch(self):
        self.braces(f"if ({self.condition(2)})", self.few())
        if self.rng.random() < 0.5:
            self.lines[-1] = self.indent + "} else {"
            self.block(self.few())
            self.line("}")

    def leave(self):
        """A way out of a loop's turn, the loop or the function."""
        way = self.rng.choice(["break", "continue", f"return {self.result(1)}"])
        self.line(f"  if ({self.condition(1)}) {way};")

    def loop(self):
        i, rng = self.name(), self.rng
        bound = f"(({self.expression('std::uint32_t', 2)}) & 7)"
        head, t = rng.choice([
            (f"for (std::uint32_t {i} = 0; {i} < {bound}; ++{i})", "std::uint32_t"),
            (f"for (int {i} = static_cast<int>({bound}); {i} > 0; {i} -= 2)", "std::int32_t"),
            (f"for (int {i} = -3; {i} < static_cast<int>({bound}); ++{i})", "std::int32_t"),
            (f"for (std::uint64_t {i} = 1; {i} < 100; {i} = {i} * 3 + {rng.randint(0, 2)})",
             "std::uint64_t"),
            (f"for (std::uint8_t {i} = 0; {i} != {rng.randint(1, 9)}; ++{i})", "std::uint8_t")])
        self.line(f"{head} {{")
        self.variables.append((i, t, False))
        self.block(self.few())
        if rng.random() < 0.5:
            self.leave()
            self.block(1)
        self.variables.pop()
        self.line("}")

    def conditional_loop(self):
        turns = self.name()
        self.line(f"std::uint32_t {turns} = 0;")
        if self.rng.random() < 0.5:
            self.line(f"while ({self.condition(2)}) {{")
            self.block(self.few())
            self.line(f"  if (++{turns} > {self.few() + 1}) break;")
            self.line("}")
        else:
            self.braces("do", self.few(),
                        f"}} while (++{turns} < {self.few() + 1} && {self.condition(2)});")

    def jumps(self):
        """goto: forwards, backwards, out of two loops, and into a loop."""
        label, turns, rng = self.name(), self.name(), self.rng
        kind = rng.randrange(4)
        if kind == 0:
            self.line(f"if ({self.condition(2)}) goto {label};")
            self.braces("", self.few())
        else:
            self.line(f"std::uint32_t {turns} = 0;")
        if kind == 1:
            self.line(f"{label}:")
            self.braces("", self.few())
            self.line(f"if (++{turns} < 4 && {self.condition(1)}) goto {label};")
        elif kind == 2:
            self.line(f"for (; {turns} < 3; ++{turns}) {{")
            self.line(f"  for (std::uint32_t i = 0; i < {turns}; ++i) {{")
            self.block(self.few())
            self.line(f"    if ({self.condition(1)}) goto {label};")
            self.line("  }")
            self.line("}")
        elif kind == 3:
            self.line(f"if ({self.condition(1)}) goto {label};")
            self.line(f"for (; {turns} < 3; ++{turns}) {{")
            self.braces("", self.few())
            self.line(f"{label}:")
            self.braces("", self.few())
            self.line("}")
        if kind in (0, 2):
            self.line(f"{label}:;")

    def switch(self):
        rng = self.rng
        if rng.random() < 0.6:
            self.line(f"switch (({self.expression('std::uint32_t', 2)}) & 3) {{")
            cases = rng.sample(range(4), rng.randint(1, 4))
        else:
            t = rng.choice(["std::int32_t", "std::int64_t"])
            self.line(f"switch ({self.expression(t, 2)}) {{")
            cases = rng.sample([-128, -1, 0, 1, 2, 3, 5, 9, 10, 100, 127, 1000, 2147483647],
                               rng.randint(1, 6))
        for case in cases:
            self.braces(f"  case {case}:", rng.randint(1, 2), "  }")
            if rng.random() < 0.7:
                self.line("  break;")
        if rng.random() < 0.5:
            self.braces("  default:", 1, "  }")
        self.line("}")

    def array(self):
        rng = self.rng
        t, n, name, i = rng.choice(TYPES), rng.choice([4, 8]), self.name(), self.name()
        self.line(f"std::array<{t}, {n}> {name}{{}};")
        self.line(f"for (std::uint32_t {i} = 0; {i} < {n}; ++{i})")
        self.variables.append((i, "std::uint32_t", False))
        self.line(f"  {name}[{i}] = {self.expression(t, 2)};")
        self.variables.pop()
        self.arrays.append((name, t, n))
        for _ in range(rng.randint(0, 2)):
            self.line(rng.choice([
                f"{name}[{self.index(n)}] = {self.expression(t, 2)};",
                f"std::reverse({name}.begin(), {name}.end());",
                f"sort_few({name});",
                f"std::swap({name}[{self.index(n)}], {name}[{self.index(n)}]);",
                f"std::rotate({name}.begin(), {name}.begin() + {rng.randint(1, 3)}, {name}.end());",
                f"std::fill({name}.begin() + ({self.index(2)}), {name}.end(), {self.leaf(t)});"]))
        self.declare(t=t, text=self.of_array(name, t, n))

    def of_array(self, name, t, n):
        """A value found in an array whose elements may be referred to."""
        x, i = self.leaf(t), self.index(n)
        at = self.rng.choice([
            f"*std::max_element({name}.begin(), {name}.end())",
            f"*std::min_element({name}.begin(), {name}.begin() + 1 + ({i}))",
            f"place<{t}>(std::find({name}.begin(), {name}.end(), {x}) - {name}.begin())",
            f"place<{t}>(std::count({name}.begin(), {name}.end(), {x}))",
            f"place<{t}>(std::lower_bound({name}.begin(), {name}.end(), {x}) - {name}.begin())",
            f"place<{t}>(std::upper_bound({name}.begin(), {name}.end(), {x}) - {name}.begin())",
            f"std::span<const {t}>({name}).subspan({i}).front()",
            f"std::span<const {t}>({name}).first(1 + ({i})).back()",
            f"total<{t}>(std::span<const {t}>({name}).subspan({i}))",
            f"{name}.at(any_below<{n}>({self.expression('std::uint8_t', 1)}))",
            f"{name}[{i}]"])
        return f"({t})({at})"

    def over_elements(self):
        if not self.record.spans:
            return self.array()
        member, t, n = self.rng.choice(self.record.spans)
        if self.rng.random() < 0.5:
            return self.declare(t=t, text=self.of_array(f"r.{member}", t, n))
        x = self.name()
        self.line(f"for (const {t} {x} : r.{member}) {{")
        self.variables.append((x, t, False))
        self.block(1)
        self.variables.pop()
        self.line("}")

    def table(self):
        t, n, name = self.rng.choice(TYPES), self.rng.choice([4, 8, 16]), self.name()
        values = ", ".join(self.literal(t) for _ in range(n))
        self.line(f"static constexpr {t} {name}[] = {{{values}}};")
        self.arrays.append((name, t, n))

    def optional(self):
        t, name = self.rng.choice(TYPES), self.name()
        self.line(f"std::optional<{t}> {name};")
        self.line(f"if ({self.condition(2)}) {name} = {self.expression(t, 2)};")
        self.declare(t=t, text=self.rng.choice([f"{name}.value_or({self.leaf(t)})",
                                                f"({name} ? *{name} : {self.leaf(t)})"]))

    def variant(self):
        name = self.name()
        a, b = self.rng.sample(["std::int32_t", "double", "std::uint8_t", "std::uint64_t"], 2)
        t = self.rng.choice(INTEGERS)
        self.line(f"std::variant<{a}, {b}> {name} = {a}({self.expression(a, 2)});")
        self.line(f"if ({self.condition(2)}) {name} = {b}({self.expression(b, 2)});")
        self.declare(t=t, text=f"std::visit([&](auto x) {{ return converted<{t}>(x); }}, {name})")

    def tuple(self):
        t, u = self.rng.choice(TYPES), self.rng.choice(TYPES)
        a, b = self.name(), self.name()
        kind = self.rng.choice(["std::tuple", "std::pair"])
        self.line(f"auto [{a}, {b}] = {kind}<{t}, {u}>({self.expression(t, 2)}, "
                  f"{self.expression(u, 2)});")
        self.variables += [(a, t, True), (b, u, True)]

    def cells(self):
        """Structs in an array, one of them written through a pointer."""
        t, u, name, p = self.rng.choice(TYPES), self.rng.choice(TYPES), self.name(), self.name()
        self.line(f"cell<{t}, {u}> {name}[4] = {{}};")
        pair = f"{{{self.expression(t, 2)}, {self.expression(u, 2)}}}"
        self.line(f"{name}[{self.index(4)}] = {pair};")
        self.line(f"auto* {p} = &{name}[{self.index(4)}];")
        self.line(f"{p}->a = {self.expression(t, 2)};")
        self.line(f"std::swap({name}[0], {name}[{self.rng.randint(1, 3)}]);")
        self.declare(t=t, text=f"{name}[{self.index(4)}].a")
        self.declare(t=u, text=f"{p}->b", may_be_assigned=False)

    def complex_number(self):
        t, name = self.rng.choice(FLOATS), self.name()
        self.line(f"std::complex<{t}> {name}({self.expression(t, 2)}, {self.expression(t, 2)});")
        if self.rng.random() < 0.5:
            self.line(f"if ({self.condition(1)}) {name} = {name} * {name} + {t}(0.5);")
        part = self.rng.choice(["{}.real()", "{}.imag()", "std::norm({})", "std::conj({}).imag()"])
        self.declare(t=t, text=part.format(name))

    def helper(self):
        """A lambda within the lambda, which may change a variable outside."""
        name, x, y, t = self.name(), self.name(), self.name(), self.rng.choice(TYPES)
        target = self.target()
        kept, arrays = list(self.variables), list(self.arrays)
        self.line(f"const auto {name} = [&]({t} {x}, {t} {y}) -> {t} {{")
        self.variables += [(x, t, True), (y, t, False)]
        if self.rng.random() < 0.5:
            self.line(f"  if ({self.condition(1)}) return {x};")
        if target and self.rng.random() < 0.5:
            self.line(f"  {target[0]} = {self.expression(target[1], 1)};")
        self.line(f"  return {self.expression(t, 2)};")
        self.variables, self.arrays = kept, arrays
        self.line("};")
        for _ in range(2):
            self.declare(t=t, text=f"{name}({self.expression(t, 1)}, {self.expression(t, 1)})")

    def copy_bytes(self):
        """Numbers taken out of another's bytes."""
        size, name, source = self.rng.choice([2, 4, 8]), self.name(), self.name()
        bits = f"std::uint{8 * size}_t"
        self.line(f"const {bits} {source} = {self.expression(bits, 2)};")
        self.line(f"std::array<std::uint8_t, {size}> {name};")
        self.line(f"std::memcpy({name}.data(), &{source}, {size});")
        self.arrays.append((name, "std::uint8_t", size))

    def statement(self):
        simple = [self.declare, self.declare, self.assign, self.assign, self.tuple]
        nested = [self.branch, self.loop, self.switch, self.array, self.optional, self.variant,
                  self.conditional_loop, self.jumps, self.over_elements, self.table, self.cells,
                  self.complex_number, self.helper, self.copy_bytes, self.branch, self.loop]
        self.rng.choice(simple * 2 + (nested if self.depth < 2 else []))()

    def result(self, depth):
        return "result{" + ", ".join(self.expression(t, depth) for t in self.results) + "}"

    def body(self, count):
        for _ in range(count):
            self.statement()
        if self.rng.random() < 0.3:
            self.line(f"if ({self.condition(2)}) return result{{}};")
        numbers = ", ".join(self.expression(t, 3) for t in self.results)
        self.line(f"return result{{{numbers}, {self.inexact()}}};")
        return "\n".join(self.lines)
