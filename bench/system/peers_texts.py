"""DuckDB and Polars beside the benchmarks of texts (texts_bench.cpp).

Both read the same lines as Pappus, each in two ways, as their users write it: `duckdb` and `polars`
cut lines by functions of text; `_words` takes apart at spaces what has no other letters than these
words have, without regular expressions; `_csv` reads the log as a CSV file with spaces between
quoted cells. Checksums, of the number of texts / a sum of their bits, aren't timed.
"""

import os
import tempfile

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

VOCABULARY, PATHS, PIECE = 50_000, 20_000, 1 << 19


def below(bits, n):
    """The high word of bits * n, n below 2^32."""
    low, n = np.uint64(0xFFFFFFFF), np.uint64(n)
    high = (bits >> np.uint64(32)) * n + (((bits & low) * n) >> np.uint64(32))
    return (high >> np.uint64(32)).astype(np.int64)


def often(bits, n):
    u = (bits >> np.uint64(32)).astype(np.float64) * 2.0**-32
    return (n * (u * u * u)).astype(np.int64)


def mix64(z):
    mask = (1 << 64) - 1
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & mask
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & mask
    return z ^ (z >> 31)


def word_of(number):
    letters, word = mix64(number), ""
    for _ in range(2 + number % 9):
        word += chr(97 + letters % 26)
        letters //= 26
    return word


def chosen(texts, numbers):
    codes = numbers.astype(np.int32)
    return pa.DictionaryArray.from_arrays(codes, pa.array(texts)).cast(pa.string())


def text_of(array):
    """The texts, one after the other."""
    first, last = (array.offset, array.offset + len(array))
    offsets = np.frombuffer(array.buffers()[1], np.int32)
    return memoryview(array.buffers()[2])[offsets[first] : offsets[last]]


def words(streams, begin, end):
    plain = [word_of(number) for number in range(VOCABULARY)]
    texts = plain + [word[:1].upper() + word[1:] for word in plain]
    ends = [".\n", "\n", ", "] + [" "] * 21
    word, capital, behind = (streams(number).bits(begin, end) for number in range(3))
    numbers = often(word, VOCABULARY) + VOCABULARY * (below(capital, 8) == 0)
    return [chosen(texts, numbers), chosen(ends, below(behind, 24))]


def log(streams, begin, end):
    address, page, status, size = (streams(number).bits(begin, end) for number in range(4))
    addresses = [f"10.0.{i >> 8}.{i & 255} - - [" for i in range(1 << 16)]
    first, last = begin // 20, (end - 1) // 20 + 1
    of_day = lambda s: f"{s // 3600 % 24:02}:{s // 60 % 60:02}:{s % 60:02}"
    times = [
        f"{1 + s // 86_400 % 31:02}/Mar/2024:{of_day(s)} +0000] " for s in range(first, last)
    ]
    pages = [f'"GET /section{i % 40}/page{i}.html HTTP/1.1" ' for i in range(PATHS)]
    outcomes = [200] * 90 + [304] * 4 + [404] * 5 + [500]
    sizes = [f'{i * 17} "-" "Mozilla/5.0 (X11; Linux)"\n' for i in range(1000)]
    return [
        chosen(addresses, below(address, 1 << 16)),
        chosen(times, np.arange(begin, end) // 20 - first),
        chosen(pages, often(page, PATHS)),
        chosen([f"{outcome} " for outcome in outcomes], below(status, 100)),
        chosen(sizes, below(size, 1000)),
    ]


def write_file(path, asked, numbers):
    streams = lambda number: numbers(asked.seed, number)
    parts = words if asked.name == "tables_words" else log
    with open(path, "wb") as file:
        for begin in range(0, asked.n, PIECE):
            texts = parts(streams, begin, min(begin + PIECE, asked.n))
            file.write(text_of(pc.binary_join_element_wise(*texts, "")))


LINES = (
    "read_csv('{file}', columns = {{'line': 'VARCHAR'}}, header = false, auto_detect = false, "
    "delim = '\\x01', quote = '', escape = '')"
)
# As cells between spaces; the time is two of them.
CELLS = ["address", "_1", "_2", "time", "zone", "request", "status", "size", "from", "agent"]
LOG = (
    "read_csv('{file}', columns = {{"
    + ", ".join(f"'{name}': '{'INTEGER' if name == 'status' else 'VARCHAR'}'" for name in CELLS)
    + "}}, header = false, auto_detect = false, delim = ' ', quote = '\"', escape = '\"')"
)
TOP = " group by word order by n desc, word limit 10"
SQL = {
    "tables_words": {
        "duckdb": "select word, count(*) as n from (select unnest(regexp_extract_all(lower(line), "
        f"'[a-z]+')) as word from {LINES}){TOP}",
        "duckdb_words": "select word, count(*) as n from (select unnest(string_split(translate("
        f"lower(line), '.,', ''), ' ')) as word from {LINES}) where word <> ''{TOP}",
    },
    "tables_log": {
        "duckdb": "select path, count(*) from (select split_part(line, ' ', 7) as path, "
        f"split_part(line, ' ', 9)::int as status from {LINES}) where status >= 400 group by path",
        "duckdb_csv": "select split_part(request, ' ', 2) as path, count(*) from "
        f"{LOG} where status >= 400 group by path",
    },
}


def frames(pl, file):
    lines = lambda: pl.scan_csv(
        file, has_header=False, new_columns=["line"], separator="\x01", quote_char=None
    )
    line = pl.col("line")
    cells = {name: pl.Int32 if name == "status" else pl.String for name in CELLS}

    def top(word):
        one = lines().select(word.alias("word")).explode("word").drop_nulls()
        counted = one.filter(pl.col("word") != "").group_by("word").len()
        return counted.sort(["len", "word"], descending=[True, False]).head(10).collect()

    def failed(rows, path):
        rows = rows.filter(pl.col("status") >= 400)
        return rows.group_by(path.alias("path")).len().collect()

    def by_piece():
        pieces = line.str.split(" ")
        status = pieces.list.get(8).cast(pl.Int32).alias("status")
        return failed(lines().select(pieces.list.get(6).alias("path"), status), pl.col("path"))

    def by_cell():
        rows = pl.scan_csv(file, has_header=False, separator=" ", quote_char='"', schema=cells)
        return failed(rows, pl.col("request").str.split(" ").list.get(1))

    lower = line.str.to_lowercase()
    return {
        "tables_words": {
            "polars": lambda: top(lower.str.extract_all("[a-z]+")),
            "polars_words": lambda: top(
                lower.str.replace_all(".", "", literal=True)
                .str.replace_all(",", "", literal=True)
                .str.split(" ")
            ),
        },
        "tables_log": {"polars": by_piece, "polars_csv": by_cell},
    }


def checksum(rows):
    bits = 0
    for text, times in rows:
        of_text = len(text)
        for character in text.encode():
            of_text = (of_text * 31 + character) % (1 << 64)
        bits += of_text * times
    return f"{len(rows)}/{bits % (1 << 64):016x}"


def versions(asked, numbers, duckdb, polars):
    folder = os.environ.get("TMPDIR", "/var/tmp")
    with tempfile.TemporaryDirectory(prefix="pappus-peers-", dir=folder) as inside:
        file = os.path.join(inside, "texts.txt")
        write_file(file, asked, numbers)
        if duckdb:
            config = {"threads": asked.threads, "preserve_insertion_order": False}
            with duckdb.connect(config=config) as base:
                for name, sql in SQL[asked.name].items():
                    query = sql.format(file=file)
                    yield name, lambda query=query: base.execute(query).fetchall(), checksum
        if polars:
            for name, run in frames(polars, file)[asked.name].items():
                yield name, run, lambda table: checksum(table.rows())
