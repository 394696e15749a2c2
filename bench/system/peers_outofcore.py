"""DuckDB beside the benchmarks of queries with less memory than they need (outofcore_bench.cpp).

The same on both sides: rows; bytes of memory (`memory_limit`), the folder of what is spilled
(`temp_directory`), threads (`threads`); a warm-up, and then runs that hand on all rows of the
result, whole, some thousands at a time: none is kept, none is left out. Sorts hand them on in
order.

Rows lie in a database file of DuckDB's own, which is what it reads fastest; text in a CSV file with
the same lines as Pappus's, which both parse. Timed runs count rows; an additional one, not timed,
tells the checksum, for hashing by NumPy would be a part of DuckDB's time. Where SQL promises no
order the checksum's first part, which depends on it, is "-". Rows leave DuckDB as Arrow's batches:
of the ways to have all of them this takes the least time. A fold in SQL over row_number() runs on
one thread (1.5 times as long for a sort), COPY writes a file that Pappus doesn't (twice),
fetchnumpy keeps all rows in memory that no limit counts.

What isn't the same is in DuckDB's favour: table columns are compressed; groups, keys and pairs come
in any order (`preserve_insertion_order` is off), which Pappus gives in one that is always the same;
what is spilled goes through the page cache, which no budget limits, where Pappus writes and reads
past it; the process takes more than the limit. No limit on both sides is "resident".
"""

import os
import tempfile

import duckdb
import numpy as np
import pyarrow as pa

PIECE = 1 << 20
BATCH = 1 << 16


class Query:
    """What is timed: rows in SQL, and a 64-bit value of each for the checksum.

    `sql` may also be a function of the bytes of memory, 0 without a limit.
    """

    def __init__(self, sql, value, ordered=False):
        self.sql = sql if callable(sql) else lambda budget_bytes: sql
        self.value, self.ordered = value, ordered

    def batches(self, base, budget_bytes):
        return base.sql(self.sql(budget_bytes)).to_arrow_reader(BATCH)


def bits_of(column):
    """Of an Arrow column of 64-bit integers."""
    return column.to_numpy().view(np.uint64)


def bits_of_text(column):
    """31 times the bits so far plus the next character, from the length on; of a column of text."""
    column = column.cast(pa.large_string())
    _, offsets, text = column.buffers()
    offsets = np.frombuffer(offsets, np.int64)[column.offset : column.offset + len(column) + 1]
    text = np.frombuffer(text, np.uint8)
    lengths = np.diff(offsets)
    bits = lengths.astype(np.uint64)
    for place in range(int(lengths.max(initial=0))):
        longer = lengths > place
        characters = text[offsets[:-1][longer] + place]
        bits[longer] = bits[longer] * np.uint64(31) + characters
    return bits


def table(base, name, n, columns):
    """`columns` gives those of the rows from one place to another, by their names."""
    pieces = ((begin, min(begin + PIECE, n)) for begin in range(0, n, PIECE))
    schema = pa.RecordBatch.from_pydict(columns(0, 1)).schema
    batches = (pa.RecordBatch.from_pydict(columns(*piece)) for piece in pieces)
    base.register("arriving", pa.RecordBatchReader.from_batches(schema, batches))
    base.execute(f"create table {name} as select * from arriving")
    base.unregister("arriving")


def places(begin, end):
    return np.arange(begin, end, dtype=np.int64)


def fixed_bytes(rows):
    """A column of a matrix of bytes."""
    width = pa.binary(rows.shape[1])
    buffers = [None, pa.py_buffer(np.ascontiguousarray(rows))]
    return pa.FixedSizeBinaryArray.from_buffers(width, len(rows), buffers)


def sort(base, asked, streams, _):
    keys = streams(asked.seed, 0)
    columns = lambda b, e: {"key": keys.bits(b, e).view(np.int64), "place": places(b, e)}
    table(base, "records", asked.n, columns)
    value = lambda batch: bits_of(batch["place"])
    return Query("select key, place from records order by key", value, ordered=True)


def terasort(base, asked, streams, _):
    first, second = streams(asked.seed, 0), streams(asked.seed, 1)

    def columns(begin, end):
        parts = [s.bits(begin, end).view(np.uint8).reshape(-1, 8) for s in (first, second)]
        letters = (65 + places(begin, end) % 26).astype(np.uint8)
        return {
            "key": fixed_bytes(np.hstack([parts[0], parts[1][:, :2]])),
            "place": places(begin, end),
            "filler": fixed_bytes(np.repeat(letters[:, None], 82, axis=1)),
        }

    table(base, "records", asked.n, columns)
    value = lambda batch: bits_of(batch["place"])
    return Query("select key, place, filler from records order by key", value, ordered=True)


def text(base, asked, streams, folder):
    times, visitors = streams(asked.seed, 0), streams(asked.seed, 1)

    def columns(begin, end):
        return {
            "time": (times.bits(begin, end) >> np.uint64(1)).view(np.int64),
            "place": places(begin, end),
            "who": visitors.bits(begin, end),
        }

    file = os.path.join(folder, "visits.csv").replace("'", "''")
    table(base, "visits", asked.n, columns)
    base.execute(
        "copy (select time, place, '/shop/articles/' || (who % 1000) || '.html' as page, "
        "'visitor ' || format('{:x}', who) || ' from somewhere' as visitor from visits) "
        f"to '{file}' (header)"
    )

    def value(batch):
        return (
            bits_of(batch["place"]) ^ bits_of_text(batch["page"]) ^ bits_of_text(batch["visitor"])
        )

    def sql(budget_bytes):
        types = "{time: 'BIGINT', place: 'BIGINT', page: 'VARCHAR', visitor: 'VARCHAR'}"
        how = f"header = true, auto_detect = false, columns = {types}"
        # Its buffers of 32 MB don't fit small budgets; of other sizes than powers of two it
        # refuses some.
        if 0 < budget_bytes < 1 << 29:
            size = max(1 << 20, 1 << (budget_bytes // 16).bit_length() - 1)
            how += f", max_line_size = 65536, buffer_size = {size}"
        return f"select * from read_csv('{file}', {how}) order by time"

    return Query(sql, value, ordered=True)


def table_of_groups(base, asked, streams):
    keys, groups = streams(asked.seed, 0), np.uint64(max(asked.n // 10, 1))
    columns = lambda b, e: {"key": (keys.bits(b, e) % groups).view(np.int64), "place": places(b, e)}
    table(base, "records", asked.n, columns)


def groupby(base, asked, streams, _):
    table_of_groups(base, asked, streams)
    # As 64-bit integers, which Pappus sums up: 128 bits leave as decimals.
    sums = "select key, sum(place)::bigint as total from records group by key"
    return Query(sums, lambda batch: bits_of(batch["key"]) ^ bits_of(batch["total"]))


def distinct(base, asked, streams, _):
    table_of_groups(base, asked, streams)
    return Query("select distinct key from records", lambda batch: bits_of(batch["key"]))


def join(base, asked, streams, _):
    keys, chosen, misses = (streams(asked.seed, number) for number in (0, 2, 3))
    right_rows = max(asked.n // 2, 1)

    def right(begin, end):
        key = (keys.bits(begin, end) >> np.uint64(1)).view(np.int64)
        return {"key": key, "place": places(begin, end)}

    def left(begin, end):
        of = chosen.bits(begin, end) % np.uint64(right_rows * 5 // 4)
        bits = np.where(of >= right_rows, misses.bits(begin, end), keys.bits_at(of))
        return {"key": (bits >> np.uint64(1)).view(np.int64), "place": places(begin, end)}

    table(base, "others", right_rows, right)
    table(base, "records", asked.n, left)
    pairs = "select xor(r.place, o.place) as pair from records r join others o on r.key = o.key"
    return Query(pairs, lambda batch: bits_of(batch["pair"]))


WORKLOADS = {
    "outofcore_sort": sort,
    "outofcore_terasort": terasort,
    "outofcore_text": text,
    "outofcore_groupby": groupby,
    "outofcore_distinct": distinct,
    "outofcore_join": join,
}


def checksum(query, batches, rows, position_sum):
    """As with_less_memory() has it: of values in order / rows / sum of values.

    `rows` are those of the runs that were timed.
    """
    hashed = total = place = 0
    for batch in batches:
        values = query.value(batch)
        hashed += position_sum(values, place) if query.ordered else 0
        total += int(np.sum(values, dtype=np.uint64))
        place += len(values)
    digits = lambda number: f"{number % (1 << 64):016x}"
    return f"{digits(hashed) if query.ordered else '-'}/{rows}/{digits(total)}"


def versions(asked, streams, position_sum):
    """One a budget, each in a database instance of its own, while no other is open."""
    with tempfile.TemporaryDirectory(prefix="pappus-peers-", dir=asked.folder) as folder:
        file = os.path.join(folder, "rows.duckdb")
        with duckdb.connect(file, config={"threads": asked.threads}) as base:
            query = WORKLOADS[asked.name](base, asked, streams, folder)
        for name, budget_bytes in asked.budget or [("resident", 0)]:
            config = {
                "threads": asked.threads,
                "temp_directory": os.path.join(folder, "spilled"),
                "preserve_insertion_order": False,
            }
            if budget_bytes:
                config["memory_limit"] = f"{budget_bytes}B"
            with duckdb.connect(file, read_only=True, config=config) as base:
                batches = lambda: query.batches(base, budget_bytes)
                run = lambda: sum(batch.num_rows for batch in batches())
                check = lambda rows: checksum(query, batches(), rows, position_sum)
                yield f"duckdb {name}", run, check
