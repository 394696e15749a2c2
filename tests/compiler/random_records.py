"""Random record types for random_lambdas.py: members of all kinds, and what may be read of them.

A record knows its C++ text and how an expression reads it: paths are values, arrays take an index.
Its members are filled one by one, because random bytes are seldom a valid bool or optional.
"""
SIGNED = ["std::int8_t", "std::int16_t", "std::int32_t", "std::int64_t"]
UNSIGNED = ["std::uint8_t", "std::uint16_t", "std::uint32_t", "std::uint64_t"]
INTEGERS = SIGNED + UNSIGNED + ["char", "long long", "unsigned long long"]
FLOATS = ["float", "double"]
TYPES = INTEGERS + FLOATS


class Record:
    def __init__(self, rng, name):
        self.rng = rng
        self.name = name
        self.paths = []  # (expression without the record, type)
        self.arrays = []  # (expression, element type, size: a power of two)
        self.spans = []  # arrays whose elements may be referred to
        self.optionals = []  # (expression with the record, type)
        self.texts = []  # a std::string_view each
        self.lines = []
        self.fills = []
        self.packed = rng.random() < 0.2
        # Nothing may refer to members of a packed struct, which the functions of classes do.
        kinds = [self.scalar] * 6 + [self.c_array, self.nested, self.matrix, self.bits]
        if not self.packed:
            kinds += [self.array, self.array, self.cells, self.optional, self.variant,
                      self.complex_number, self.string, self.wide]
        for i in range(rng.randint(1, 6)):
            rng.choice(kinds)(f"m{i}")
        attribute = "[[gnu::packed]] " if self.packed else ""
        self.text = f"struct {attribute}{name} {{\n" + "\n".join(self.lines) + "\n};\n"

    def add(self, line, *filled):
        self.lines.append(f"  {line}")
        self.fills += filled

    def scalar(self, m):
        t = self.rng.choice(TYPES + ["bool", "shade"])
        self.add(f"{t} {m};", f"r.{m} = next.value<{t}>();")
        self.paths.append((m, t))

    def fill_each(self, m, t, n):
        return f"for (auto& x : r.{m}) x = next.value<{t}>();" if not self.packed else \
            f"for (int i = 0; i < {n}; ++i) r.{m}[i] = next.value<{t}>();"

    def array(self, m):
        t, n = self.rng.choice(TYPES), self.rng.choice([2, 4, 8, 32])
        self.add(f"std::array<{t}, {n}> {m};", self.fill_each(m, t, n))
        self.arrays.append((m, t, n))
        self.spans.append((m, t, n))
        self.paths.append((f"{m}[{self.rng.randrange(n)}]", t))

    def c_array(self, m):
        t, n = self.rng.choice(TYPES), self.rng.choice([2, 4, 8])
        self.add(f"{t} {m}[{n}];", self.fill_each(m, t, n))
        self.arrays.append((m, t, n))

    def matrix(self, m):
        t, n = self.rng.choice(TYPES), self.rng.choice([2, 4])
        self.add(f"{t} {m}[2][{n}];",
                 f"for (int i = 0; i < 2 * {n}; ++i) r.{m}[i / {n}][i % {n}] = next.value<{t}>();")
        self.arrays += [(f"{m}[0]", t, n), (f"{m}[1]", t, n)]

    def nested(self, m):
        a, b = self.rng.choice(TYPES), self.rng.choice(TYPES)
        self.add(f"struct {{ {a} a; struct {{ {b} b; {a} c; }} in; }} {m};",
                 f"r.{m}.a = next.value<{a}>(); r.{m}.in.b = next.value<{b}>();",
                 f"r.{m}.in.c = next.value<{a}>();")
        self.paths += [(f"{m}.a", a), (f"{m}.in.b", b), (f"{m}.in.c", a)]

    def cells(self, m):
        a, b = self.rng.choice(TYPES), self.rng.choice(TYPES)
        self.add(f"std::array<cell<{a}, {b}>, 4> {m};",
                 f"for (auto& x : r.{m}) x = {{next.value<{a}>(), next.value<{b}>()}};")
        i, j = self.rng.randrange(4), self.rng.randrange(4)
        self.paths += [(f"{m}[{i}].a", a), (f"{m}[{j}].b", b)]

    def bits(self, m):
        low, high = self.rng.randint(1, 20), self.rng.randint(1, 40)
        self.add(f"std::int32_t {m}a : {low}; std::uint64_t {m}b : {high};",
                 f"r.{m}a = next.value<std::int16_t>(); r.{m}b = next.value<std::uint64_t>();")
        self.paths += [(f"{m}a", "std::int32_t"), (f"{m}b", "std::uint64_t")]

    def optional(self, m):
        t = self.rng.choice(TYPES)
        self.add(f"std::optional<{t}> {m};",
                 f"if (next.value<bool>()) r.{m} = next.value<{t}>(); else r.{m}.reset();")
        self.optionals.append((f"r.{m}", t))

    def variant(self, m):
        a, b = self.rng.sample(["std::int32_t", "double", "std::uint8_t", "std::int64_t"], 2)
        self.add(f"std::variant<{a}, {b}> {m};",
                 f"if (next.value<bool>()) r.{m} = next.value<{a}>(); "
                 f"else r.{m} = next.value<{b}>();")
        self.paths.append((f"{m}.index()", "std::uint64_t"))
        for t in (a, b):
            self.optionals.append((f"or_none<{t}>(r.{m})", t))

    def complex_number(self, m):
        t = self.rng.choice(FLOATS)
        self.add(f"std::complex<{t}> {m};", f"r.{m} = {{next.value<{t}>(), next.value<{t}>()}};")
        self.paths += [(f"{m}.real()", t), (f"{m}.imag()", t)]

    def string(self, m):
        self.add(f"char {m}[8]; std::uint8_t {m}_size;",
                 f"for (char& x : r.{m}) x = \"abc\"[next.value<std::uint32_t>() % 3];",
                 f"r.{m}_size = next.value<std::uint8_t>() % 8;")
        self.texts.append(f"std::string_view(r.{m}, r.{m}_size)")

    def wide(self, m):
        t = self.rng.choice(TYPES)
        self.add(f"alignas({self.rng.choice([16, 32])}) {t} {m};", f"r.{m} = next.value<{t}>();")
        self.paths.append((m, t))

    def filling(self):
        """A function that gives every member a value; padding stays 0."""
        body = "".join(f"  {line}\n" for line in self.fills)
        return (f"void fill([[maybe_unused]] values& next, {self.name}& r) {{\n"
                f"  std::memset(static_cast<void*>(&r), 0, sizeof r);\n{body}}}\n")
