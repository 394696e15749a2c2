#!/usr/bin/env python3
"""Writes a C++ program of random lambdas over random records.

The program (with random_lambdas.h) maps lambdas over nasty records on the CPU and on OpenCL and
compares the results bit by bit. Lambdas are free of undefined behaviour: integers wrap as unsigned
ones, divisors and shifts are made safe, indices are masked, floats are clamped before they become
integers. So whatever differs is the compiler plugin's or the driver's fault.

Most are the ten lambdas of one map, which makes the program quick to compile; some are filters,
flat_maps and reducers, with a kernel of their own.

    random_lambdas.py [--output program.cpp] [--only N] SEED COUNT

--only leaves out all lambdas but the N-th, to find out what is wrong with it.
"""
import argparse
import random

from random_records import TYPES, Record
from random_statements import Statements

OF_A_MAP, ALONE = 10, 3  # lambdas that share a type of record


class Lambda:
    """One lambda, and the variables that it captures."""

    def __init__(self, seed, number, record, sides, captures):
        rng = self.rng = random.Random(f"{seed} {number}")
        self.number = number
        self.record = record
        self.sides = sides
        self.declared, self.captured, values, arrays = [], [], [], []
        for i in range(rng.randint(0, 3) if captures else 0):
            name, t = f"c{number}_{i}", rng.choice(TYPES)
            sign = "&" if rng.random() < 0.25 else ""
            self.captured.append(sign + name)
            if rng.random() < 0.3:
                n = rng.choice([4, 16, 128])
                self.declared.append(f"  const auto {name} = next.array<{t}, {n}>();\n")
                arrays.append((name, t, n))
            else:
                self.declared.append(f"  const {t} {name} = next.value<{t}>();\n")
                values.append((name, t))
        self.body = Statements(rng, record, values, sides)
        self.body.arrays += arrays

    def text(self):
        parameters = [f"[[maybe_unused]] const {self.record.name}& r"]
        parameters += [f"[[maybe_unused]] std::span<const {t}> {name}" for name, t in self.sides]
        return (f"[{', '.join(self.captured)}]({', '.join(parameters)}) {{\n"
                f"{self.body.body(self.rng.randint(2, 6))}\n  }}")


class Group:
    """Lambdas over one type of record: the lambdas of one map, or stages of their own."""

    def __init__(self, seed, first, left):
        rng = random.Random(f"{seed} group {first}")
        self.how = rng.choice(["map"] * 7 + ["filter", "flat_map", "reduce"])
        self.numbers = range(first, first + min(left, OF_A_MAP if self.how == "map" else ALONE))
        self.record = Record(rng, f"record{first}")
        self.sides = [("side", rng.choice(TYPES))] if rng.random() < 0.3 else []
        if self.how != "map":
            self.sides = []
        self.seed = seed

    def text(self, only):
        lambdas = [Lambda(self.seed, n, self.record, self.sides, self.how != "reduce")
                   for n in self.numbers if only in (None, n)]
        first = lambdas[0].number
        out = self.record.text + self.record.filling() + f"void run{self.numbers[0]}"
        out += "(comparison& with) {\n  [[maybe_unused]] auto& next = with.next();\n"
        out += "".join(line for one in lambdas for line in one.declared)
        side = f"with.side<{self.sides[0][1]}>()" if self.sides else "nothing()"
        if self.how == "map":
            out += f"  with.map<{self.record.name}>({first}, {side}"
            return out + "".join(",\n" + one.text() for one in lambdas) + ");\n}\n"
        for one in lambdas:
            out += f"  with.{self.how}<{self.record.name}>({one.number}, {one.text()});\n"
        return out + "}\n"


def program(seed, count, only):
    text = f"// random_lambdas.py {seed} {count}\n#include \"compiler/random_lambdas.h\"\n\n"
    text += "namespace {\n\n"
    groups, first = [], 0
    while first < count:
        groups.append(Group(seed, first, count - first))
        first = groups[-1].numbers[-1] + 1
    groups = [g for g in groups if only is None or only in g.numbers]
    text += "\n".join(g.text(only) for g in groups)
    text += "\n}  // namespace\n\nint main() {\n"
    text += f"  comparison with({seed});\n"
    text += "".join(f"  run{g.numbers[0]}(with);\n" for g in groups)
    return text + "  return with.report();\n}\n"


def main():
    parser = argparse.ArgumentParser(description="Writes a C++ program of random lambdas.")
    parser.add_argument("--output", help="file to write; default: standard output")
    parser.add_argument("--only", type=int, help="the number of the only lambda")
    parser.add_argument("seed", type=int)
    parser.add_argument("count", type=int)
    asked = parser.parse_args()
    text = program(asked.seed, asked.count, asked.only)
    if asked.output:
        with open(asked.output, "w", encoding="utf-8") as file:
            file.write(text)
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
