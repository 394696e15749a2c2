#!/usr/bin/env python3
"""Writes a C++ program of random lambdas over random records.

The program (with random_lambdas.h) maps each lambda over nasty records on the CPU and on OpenCL and
compares the results bit by bit. Lambdas are free of undefined behaviour: integers wrap as unsigned
ones, divisors and shifts are made safe, indices are masked, floats are clamped before they become
integers. So whatever differs is the compiler plugin's or the driver's fault.

    random_lambdas.py [--output program.cpp] SEED COUNT
"""
import argparse
import random

INTEGERS = ["std::int8_t", "std::uint8_t", "std::int16_t", "std::uint16_t", "std::int32_t",
            "std::uint32_t", "std::int64_t", "std::uint64_t"]
FLOATS = ["float", "double"]
TYPES = INTEGERS + FLOATS
LITERALS = ["0", "1", "2", "3", "7", "15", "31", "100", "127", "128", "255", "1000", "65535", "-1",
            "-2", "-128", "2147483647", "-2147483647"]
FLOAT_LITERALS = ["0.0", "-0.0", "1.0", "0.5", "-1.5", "3.25", "1e10", "1e-10", "255.75", "-7.0"]


class Record:
    """A struct with members of all kinds; paths are what an expression may read."""

    def __init__(self, rng, name):
        self.name = name
        self.paths = []  # (expression without the record, type)
        self.arrays = []  # (expression, element type, size: a power of two)
        lines = []
        self.packed = rng.random() < 0.2
        for i in range(rng.randint(1, 6)):
            # A packed array's elements must not be referred to, which its operator[] does.
            kind = rng.random() * (0.65 if self.packed else 1)
            member = f"m{i}"
            if kind < 0.65:
                t = rng.choice(TYPES)
                lines.append(f"  {t} {member};")
                self.paths.append((member, t))
            elif kind < 0.85:
                t = rng.choice(TYPES)
                n = rng.choice([2, 4, 8])
                lines.append(f"  std::array<{t}, {n}> {member};")
                self.arrays.append((member, t, n))
                self.paths.append((f"{member}[{rng.randrange(n)}]", t))
            else:
                a, b = rng.choice(TYPES), rng.choice(TYPES)
                lines.append(f"  struct {{ {a} a; {b} b; }} {member};")
                self.paths += [(f"{member}.a", a), (f"{member}.b", b)]
        attribute = "[[gnu::packed]] " if self.packed else ""
        self.text = f"struct {attribute}{name} {{\n" + "\n".join(lines) + "\n};\n"


class Lambda:
    def __init__(self, rng, number):
        self.rng = rng
        self.number = number
        self.record = Record(rng, f"record{number}")
        self.captures = [(f"c{i}", rng.choice(TYPES)) for i in range(rng.randint(0, 3))]
        self.by_reference = rng.random() < 0.15
        self.variables = []  # in scope: (name, type, may be assigned)
        self.fresh = 0
        self.lines = []
        self.indent = "    "
        self.depth = 0

    def name(self):
        self.fresh += 1
        return f"v{self.fresh}"

    def line(self, text):
        self.lines.append(self.indent + text)

    # Expressions, each of a given type.
    def leaf(self, t):
        rng = self.rng
        pick = rng.random()
        sources = [(n, vt) for n, vt, _ in self.variables] + self.captures
        if pick < 0.35 and sources:
            return self.convert(*rng.choice(sources), t)
        if pick < 0.75 and self.record.paths:
            path, pt = rng.choice(self.record.paths)
            return self.convert(f"r.{path}", pt, t)
        if pick < 0.85 and self.record.arrays:
            array, at, n = rng.choice(self.record.arrays)
            index = self.expression("std::uint32_t", 1)
            return self.convert(f"r.{array}[({index}) & {n - 1}]", at, t)
        literal = rng.choice(FLOAT_LITERALS if t in FLOATS else LITERALS)
        return f"static_cast<{t}>({literal})"

    def convert(self, text, source, target):
        if source == target:
            return f"({target})({text})"  # a copy: packed members have no references
        if source in FLOATS and target in INTEGERS:
            return f"to_integer<{target}>({text})"
        return f"static_cast<{target}>({text})"

    def condition(self, depth):
        t = self.rng.choice(TYPES)
        op = self.rng.choice(["<", "<=", ">", ">=", "==", "!="])
        text = f"({self.expression(t, depth - 1)} {op} {self.expression(t, depth - 1)})"
        if depth > 1 and self.rng.random() < 0.25:
            joint = self.rng.choice(["&&", "||"])
            text = f"({text} {joint} {self.condition(depth - 1)})"
        return text if self.rng.random() < 0.9 else f"!{text}"

    def expression(self, t, depth):
        if depth <= 0:
            return self.leaf(t)
        rng = self.rng
        a, b = (lambda: self.expression(t, depth - 1)), (lambda: self.expression(t, depth - 1))
        kind = rng.random()
        if kind < 0.15:
            return self.leaf(t)
        if kind < 0.25:
            other = rng.choice(TYPES)
            return self.convert(self.expression(other, depth - 1), other, t)
        if kind < 0.35:
            return f"({self.condition(depth - 1)} ? {a()} : {b()})"
        if kind < 0.42:
            return f"{rng.choice(['std::min', 'std::max'])}<{t}>({a()}, {b()})"
        if t in FLOATS:
            if kind < 0.52:
                f = rng.choice(["std::sqrt", "std::fabs", "std::floor", "std::ceil", "std::trunc"])
                return f"{f}({a()})"
            if kind < 0.56:
                return f"std::copysign({a()}, {b()})"
            return f"({a()} {rng.choice('+-*/')} {b()})"
        if kind < 0.5:
            f = rng.choice(["quotient", "remainder_of"])
            return f"{f}<{t}>({a()}, {b()})"
        if kind < 0.6:
            f = rng.choice(["shifted_left", "shifted_right"])
            return f"{f}<{t}>({a()}, {b()})"
        if kind < 0.66:
            f = rng.choice(["std::popcount", "std::countl_zero", "std::countr_zero"])
            return f"static_cast<{t}>({f}(std::make_unsigned_t<{t}>({a()})))"
        f = rng.choice(["sum", "difference", "product", "both_bits", "any_bits", "other_bits"])
        return f"{f}<{t}>({a()}, {b()})"

    # Statements.
    def block(self, count):
        known = len(self.variables)
        self.indent += "  "
        self.depth += 1
        for _ in range(count):
            self.statement()
        self.depth -= 1
        self.indent = self.indent[:-2]
        del self.variables[known:]

    def declare(self):
        t = self.rng.choice(TYPES)
        text = self.expression(t, 3)
        name = self.name()
        self.line(f"{t} {name} = {text};")
        self.variables.append((name, t, True))

    def assign(self):
        targets = [(n, t) for n, t, mutable in self.variables if mutable]
        if not targets:
            return self.declare()
        name, t = self.rng.choice(targets)
        self.line(f"{name} = {self.expression(t, 3)};")

    def branch(self):
        self.line(f"if ({self.condition(2)}) {{")
        self.block(self.rng.randint(1, 3))
        if self.rng.random() < 0.5:
            self.line("} else {")
            self.block(self.rng.randint(1, 2))
        self.line("}")

    def loop(self):
        counter = self.name()
        bound = self.expression("std::uint32_t", 2)
        self.line(f"for (std::uint32_t {counter} = 0; {counter} < (({bound}) & 7); ++{counter}) {{")
        self.variables.append((counter, "std::uint32_t", False))
        self.block(self.rng.randint(1, 3))
        self.variables.pop()
        if self.rng.random() < 0.4:
            word = self.rng.choice(["break", "continue"])
            self.line(f"  if ({self.condition(1)}) {word};")
            if word == "continue":
                self.line(f"  if ({counter} > 5) break;")
        self.line("}")

    def switch(self):
        self.line(f"switch (({self.expression('std::uint32_t', 2)}) & 3) {{")
        for case in self.rng.sample(range(4), self.rng.randint(1, 4)):
            self.line(f"  case {case}: {{")
            self.block(self.rng.randint(1, 2))
            self.line("  }")
            if self.rng.random() < 0.7:
                self.line("  break;")
        if self.rng.random() < 0.5:
            self.line("  default: {")
            self.block(1)
            self.line("  }")
        self.line("}")

    def array(self):
        t, n, name = self.rng.choice(TYPES), self.rng.choice([4, 8]), self.name()
        self.line(f"std::array<{t}, {n}> {name}{{}};")
        counter = self.name()
        self.line(f"for (std::uint32_t {counter} = 0; {counter} < {n}; ++{counter})")
        self.variables.append((counter, "std::uint32_t", False))
        self.line(f"  {name}[{counter}] = {self.expression(t, 2)};")
        self.variables.pop()
        picked = self.name()
        index = self.expression("std::uint32_t", 2)
        self.line(f"const {t} {picked} = {name}[({index}) & {n - 1}];")
        self.variables.append((picked, t, False))

    def optional(self):
        t, name, picked = self.rng.choice(TYPES), self.name(), self.name()
        self.line(f"std::optional<{t}> {name};")
        self.line(f"if ({self.condition(2)}) {name} = {self.expression(t, 2)};")
        self.line(f"const {t} {picked} = {name}.value_or({self.expression(t, 1)});")
        self.variables.append((picked, t, False))

    def statement(self):
        simple = [self.declare, self.declare, self.assign, self.assign]
        nested = [self.branch, self.loop, self.switch, self.array, self.optional]
        self.rng.choice(simple + (nested if self.depth < 2 else []))()

    def text(self):
        rng = self.rng
        for _ in range(rng.randint(2, 6)):
            self.statement()
        early = ""
        if rng.random() < 0.3:
            early = f"    if ({self.condition(2)}) return result{{}};\n"
        results = ", ".join(self.expression(t, 3)
                            for t in ["std::uint64_t", "double", "float", "std::uint32_t"])
        n = self.number
        captures = [f"{'&' if self.by_reference else ''}{name}" for name, _ in self.captures]
        out = self.record.text + f"void run{n}(comparison& with) {{\n"
        for name, t in self.captures:
            out += f"  const {t} {name} = with.capture<{t}>();\n"
        out += f"  with.compare<{self.record.name}>({n}, [{', '.join(captures)}]"
        out += f"([[maybe_unused]] const {self.record.name}& r) {{\n"
        out += "\n".join(self.lines) + "\n" + early
        return out + f"    return result{{{results}}};\n  }});\n}}\n"


def program(seed, count):
    text = f"// random_lambdas.py {seed} {count}\n#include \"compiler/random_lambdas.h\"\n\n"
    text += "namespace {\n\n"
    for n in range(count):
        text += Lambda(random.Random(f"{seed} {n}"), n).text() + "\n"
    text += "}  // namespace\n\nint main(int argc, char** argv) {\n"
    text += f"  comparison with(argc, argv, {seed});\n"
    text += "".join(f"  run{n}(with);\n" for n in range(count))
    return text + "  return with.report();\n}\n"


def main():
    parser = argparse.ArgumentParser(description="Writes a C++ program of random lambdas.")
    parser.add_argument("--output", help="file to write; default: standard output")
    parser.add_argument("seed", type=int)
    parser.add_argument("count", type=int)
    asked = parser.parse_args()
    text = program(asked.seed, asked.count)
    if asked.output:
        with open(asked.output, "w", encoding="utf-8") as file:
            file.write(text)
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
