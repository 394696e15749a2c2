"""Random expressions for random_lambdas.py, each of a given type and defined for all values.

Operations that C++ leaves undefined for some operands go through functions of random_lambdas.h
that define them; whatever depends on the sign or payload of a NaN is kept out, because C++ doesn't
say which of two NaNs a sum yields.
"""
from random_records import FLOATS, INTEGERS, SIGNED, TYPES, UNSIGNED

LITERALS = ["0", "1", "2", "3", "7", "10", "15", "31", "100", "127", "128", "255", "1000", "65535",
            "-1", "-2", "-128", "2147483647", "-2147483647", "0x123456789abcdefLL"]
FLOAT_LITERALS = ["0.0", "-0.0", "1.0", "0.5", "-1.5", "3.25", "1e10", "1e-10", "255.75", "-7.0"]
WORDS = ["", "a", "b", "ab", "abc", "ca", "bbbbbbb"]
NARROW = ["std::int8_t", "std::uint8_t", "std::int16_t", "char"]  # their products fit into an int


class Expressions:
    def __init__(self, rng, record, captures, sides):
        self.rng = rng
        self.record = record
        self.captures = captures  # [(name, type)]
        self.variables = []  # in scope: (name, type, may be assigned)
        self.arrays = [(f"r.{a}", t, n) for a, t, n in record.arrays]  # may be indexed
        self.sides = sides  # [(name, type)]: spans of at least one element
        self.fresh = 0
        self.within_index = False
        self.within_choice = False

    def name(self):
        self.fresh += 1
        return f"v{self.fresh}"

    def index(self, n):
        """Any index below n, a power of two."""
        return f"({self.any_number()}) & {n - 1}"

    def any_number(self):
        """That no other index is a part of: expressions would become huge."""
        self.within_index, before = True, self.within_index
        text = self.expression("std::uint32_t", 1)
        self.within_index = before
        return text

    def literal(self, t):
        literals = FLOAT_LITERALS if t in FLOATS else LITERALS
        if self.within_choice:
            literals = [text for text in literals if text not in ("0", "0.0", "-0.0")]
        return f"static_cast<{t}>({self.rng.choice(literals)})"

    def least_or_greatest(self, t, depth):
        """One of several numbers. Of floats none is a constant zero: in x < 0 ? -0.0 : x and the
        like LLVM 15 (clang 15, PoCL 3) takes < for <=, and so the other zero."""
        self.within_choice, before = self.within_choice or t in FLOATS, self.within_choice
        a, b = self.expression(t, depth - 1), self.expression(t, depth - 1)
        if self.rng.random() < 0.7:
            text = f"{self.rng.choice(['std::min', 'std::max'])}<{t}>({a}, {b})"
        else:
            text = f"clamped<{t}>({a}, {b}, {self.leaf(t)})"
        self.within_choice = before
        return text

    def leaf(self, t):
        rng = self.rng
        pick = rng.random()
        sources = [(n, vt) for n, vt, _ in self.variables] + self.captures
        if pick < 0.4 and sources:
            return self.convert(*rng.choice(sources), t)
        if pick < 0.65 and self.record.paths:
            path, pt = rng.choice(self.record.paths)
            return self.convert(f"r.{path}", pt, t)
        if 0.65 <= pick < 0.7 and self.record.optionals:
            optional, ot = rng.choice(self.record.optionals)
            return self.convert(f"{optional}.value_or({self.literal(ot)})", ot, t)
        if self.within_index:
            return self.literal(t)
        if pick < 0.8 and self.arrays:
            array, at, n = rng.choice(self.arrays)
            return self.convert(f"{array}[{self.index(n)}]", at, t)
        if pick < 0.85 and self.sides:
            side, at = rng.choice(self.sides)
            return self.convert(f"{side}[({self.any_number()}) % {side}.size()]", at, t)
        return self.literal(t)

    def convert(self, text, source, target):
        if source == target:
            return f"({target})({text})"  # a copy: packed members have no references
        if source in FLOATS and target in INTEGERS:
            return f"to_integer<{target}>({text})"
        return f"static_cast<{target}>({text})"

    def condition(self, depth):
        rng = self.rng
        pick = rng.random()
        if pick < 0.06 and self.record.texts:
            text = self.of_text()
        elif pick < 0.1 and self.record.optionals:
            text = f"{rng.choice(self.record.optionals)[0]}.has_value()"
        elif pick < 0.15:
            f = rng.choice(["std::isnan", "std::isinf", "std::isfinite", "is_negative"])
            text = f"{f}({self.expression(rng.choice(FLOATS), depth - 1)})"
        elif pick < 0.18:
            t = rng.choice(UNSIGNED)
            text = f"std::has_single_bit({self.expression(t, depth - 1)})"
        elif pick < 0.22:
            a, b = rng.choice(TYPES), rng.choice(TYPES)
            pairs = [f"std::tuple<{a}, {b}>({self.expression(a, depth - 1)}, "
                     f"{self.expression(b, depth - 1)})" for _ in range(2)]
            text = f"({pairs[0]} {rng.choice(['<', '==', '>='])} {pairs[1]})"
        else:
            t = rng.choice(TYPES)
            op = rng.choice(["<", "<=", ">", ">=", "==", "!="])
            text = f"({self.expression(t, depth - 1)} {op} {self.expression(t, depth - 1)})"
        if depth > 1 and rng.random() < 0.25:
            text = f"({text} {rng.choice(['&&', '||', '!=', '&'])} {self.condition(depth - 1)})"
        return text if rng.random() < 0.9 else f"!{text}"

    def of_text(self):
        text, word = self.rng.choice(self.record.texts), f'"{self.rng.choice(WORDS)}"'
        return self.rng.choice([
            f"({text} == {word})", f"({text} < std::string_view({word}))",
            f"{text}.starts_with({word})", f"{text}.ends_with({word})",
            f"({text}.compare({word}) > 0)", f"({text}.find('c') > 3)",
            f"({text}.find({word}) != std::string_view::npos)",
            f"({text} <= {self.rng.choice(self.record.texts)})"])

    def expression(self, t, depth):
        rng = self.rng
        if depth <= 0 or rng.random() < 0.15:
            return self.leaf(t)
        a, b = (lambda: self.expression(t, depth - 1)), (lambda: self.expression(t, depth - 1))
        kind = rng.random()
        if kind < 0.12:
            other = rng.choice(TYPES)
            return self.convert(self.expression(other, depth - 1), other, t)
        if kind < 0.22:
            return f"({self.condition(depth - 1)} ? {a()} : {b()})"
        if kind < 0.33:
            return self.least_or_greatest(t, depth)
        return self.of_floats(t, depth, a, b) if t in FLOATS else self.of_integers(t, depth, a, b)

    def of_floats(self, t, depth, a, b):
        rng = self.rng
        kind = rng.random()
        if kind < 0.25:
            f = rng.choice(["std::sqrt", "std::fabs", "std::floor", "std::ceil", "std::trunc",
                            "std::round", "std::rint", "std::nearbyint"])
            return f"{f}({a()})"
        if kind < 0.3:
            return f"with_sign({a()}, {b()})"
        if kind < 0.35:
            return f"({rng.choice(['std::fmin', 'std::fmax'])}({a()}, {b()}) + {t}(0))"
        if kind < 0.4:
            return f"{rng.choice(['std::fma', 'fused_in_steps'])}({a()}, {b()}, {self.leaf(t)})"
        if kind < 0.43:
            return f"scaled({a()}, {self.expression('std::int8_t', depth - 1)})"
        if kind < 0.46:
            bits = "std::uint32_t" if t == "float" else "std::uint64_t"
            return f"from_bits<{t}>({self.expression(bits, depth - 1)})"
        if kind < 0.49:
            return f"{rng.choice(['norm_of', 'real_of_square'])}<{t}>({a()}, {b()})"
        return f"({a()} {rng.choice('+-*/')} {b()})"

    def of_integers(self, t, depth, a, b):
        rng = self.rng
        kind = rng.random()
        if kind < 0.12:
            divisor = b() if rng.random() < 0.6 else f"static_cast<{t}>({rng.randint(1, 120)})"
            return f"{rng.choice(['quotient', 'remainder_of'])}<{t}>({a()}, {divisor})"
        if kind < 0.24:
            by = b() if rng.random() < 0.5 else str(rng.randint(0, 63))
            return f"{rng.choice(['shifted_left', 'shifted_right'])}<{t}>({a()}, {by})"
        if kind < 0.34:
            f = rng.choice(["std::popcount", "std::countl_zero", "std::countr_zero",
                            "std::countl_one", "std::bit_width", "std::bit_floor"])
            return f"static_cast<{t}>({f}(std::make_unsigned_t<{t}>({a()})))"
        if kind < 0.38:
            by = str(rng.randint(-9, 70)) if rng.random() < 0.5 else \
                self.expression("std::int8_t", depth - 1)
            f = rng.choice(["std::rotl", "std::rotr"])
            return f"static_cast<{t}>({f}(std::make_unsigned_t<{t}>({a()}), {by}))"
        if kind < 0.44:
            f = rng.choice(["magnitude", "byte_swapped", "common_divisor", "upper_half"])
            return f"{f}<{t}>({a()}, {b()})"
        if kind < 0.5:
            f = rng.choice(["sum", "difference", "product"])
            return f"{rng.choice(['checked', 'saturated'])}_{f}<{t}>({a()}, {b()})"
        if kind < 0.53:
            return f"std::midpoint<{t}>({a()}, {b()})" if t in SIGNED + UNSIGNED else a()
        if kind < 0.56:
            source = rng.choice(FLOATS)
            return f"static_cast<{t}>(bits_of_number({self.expression(source, depth - 1)}))"
        if kind < 0.62:
            x, y = (self.leaf(rng.choice(NARROW)) for _ in range(2))
            last = f"{rng.choice('+-')} {rng.randint(0, 9)}"
            return f"static_cast<{t}>({x} {rng.choice('+-*')} {y} {last})"
        f = rng.choice(["sum", "difference", "product", "both_bits", "any_bits", "other_bits"])
        return f"{f}<{t}>({a()}, {b()})"

    def inexact(self):
        """A function of <cmath>, whose last digits differ between C libraries and drivers."""
        x, y = (f"tame({self.expression('double', 2)})" for _ in range(2))
        t = self.rng.choice(FLOATS)
        f = self.rng.choice(["sin", "cos", "tanh", "exp", "log1p_of", "log_of", "cbrt", "atan",
                             "erf", "exp2", "expm1", "atan2", "hypot", "pow_of", "quotient_of"])
        if f in ("atan2", "hypot", "pow_of", "quotient_of"):
            prefix = "" if f.endswith("_of") else "std::"
            return f"{prefix}{f}({t}({x}), {t}({y}))"
        return f"{'' if f.endswith('_of') else 'std::'}{f}({t}({x}))"
