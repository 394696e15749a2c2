"""DuckDB and Polars beside the benchmarks of tables (tables_bench.cpp).

Both read the same lines as Pappus, or Parquet files that each would write: of DuckDB's writer, and
Pappus of its own, both with zstd. The table of the other queries is in each library's own memory
and form before its clock starts: a table of DuckDB's with its compressed columns, a data frame. A
result leaves as Arrow's batches or as a data frame. Checksums are of rows / bits of keys and whole
numbers / a sum of what isn't whole, as tables_bench.cpp has them, and aren't timed.
"""

import datetime
import os
import tempfile

import numpy as np
import pyarrow as pa

CARRIERS = ["AA", "AS", "B6", "DL", "F9", "G4", "HA", "MQ", "NK", "OH", "OO", "UA", "WN", "YX"]
AIRLINES = {
    "AA": "American",
    "AS": "Alaska",
    "B6": "JetBlue",
    "DL": "Delta",
    "F9": "Frontier",
    "UA": "United",
    "WN": "Southwest",
}
AIRPORTS, PLANES, PIECE = 300, 9000, 1 << 20
EPOCH = datetime.date(1970, 1, 1)
READING = ("tables_read", "tables_parquet_read")
FROM_FILE = (*READING, "tables_stream", "tables_parquet")


def below(bits, n):
    """The high word of bits * n, n below 2^32."""
    low, n = np.uint64(0xFFFFFFFF), np.uint64(n)
    high = (bits >> np.uint64(32)) * n + (((bits & low) * n) >> np.uint64(32))
    return (high >> np.uint64(32)).astype(np.int64)


def airport(number):
    return "".join(chr(65 + of % 26) for of in (number // 26, number, number * 7))


def chosen(texts, numbers):
    return pa.DictionaryArray.from_arrays(numbers.astype(np.int32), texts).cast(pa.string())


def delay(bits):
    part = ((bits >> np.uint64(40)) % np.uint64(1000)).astype(np.int64)
    minutes = part * part * part // 3_000_000 - 30
    return pa.array(minutes, pa.int32(), mask=bits % np.uint64(20) == 0)


def flights(asked, streams, begin, end):
    carrier, start, to, tail, day, departure, arrival, miles = (
        streams(asked.seed, number).bits(begin, end) for number in range(8)
    )
    codes = [airport(number) for number in range(AIRPORTS)]
    planes = [None] + [f"N{10_000 + number}" for number in range(1, PLANES + 1)]
    first = (datetime.date(2024, 1, 1) - EPOCH).days
    return {
        "carrier": chosen(CARRIERS, below(carrier, len(CARRIERS))),
        "from": chosen(codes, below(start, AIRPORTS)),
        "to": chosen(codes, below(to, AIRPORTS)),
        "tail": chosen(planes, below(tail, PLANES + 1)),
        "day": pa.array(first + below(day, 366), pa.int32()).cast(pa.date32()),
        "departure": delay(departure),
        "arrival": delay(arrival),
        "miles": pa.array(100 + below(miles, 2900), pa.int32()),
    }


def from_parquet(asked):
    return asked.name.startswith("tables_parquet")


def write_file(path, asked, streams, duckdb):
    pieces = ((begin, min(begin + PIECE, asked.n)) for begin in range(0, asked.n, PIECE))
    batches = [pa.RecordBatch.from_pydict(flights(asked, streams, *piece)) for piece in pieces]
    with duckdb.connect(config={"threads": asked.threads}) as base:
        base.register("arriving", pa.Table.from_batches(batches))
        base.execute("set preserve_insertion_order = true")
        how = "format parquet, compression zstd" if from_parquet(asked) else "header, delimiter ','"
        base.execute(f"copy arriving to '{path}' ({how})")


# What is asked, in SQL and of a data frame: the keys first.
TYPES = (
    "{'carrier': 'VARCHAR', 'from': 'VARCHAR', 'to': 'VARCHAR', 'tail': 'VARCHAR', "
    "'day': 'DATE', 'departure': 'INTEGER', 'arrival': 'INTEGER', 'miles': 'INTEGER'}"
)
SQL = {
    "tables_read": "create or replace table copied as select * from {file}",
    "tables_stream": "select carrier, avg(arrival) from {file} group by carrier",
    "tables_parquet_read": "create or replace table copied as select * from {file}",
    "tables_parquet": "select carrier, avg(arrival) from {file} group by carrier",
    "tables_mean": "select carrier, avg(arrival) from flights group by carrier",
    "tables_aggregates": "select carrier, count(*) + count(arrival) + coalesce(max(arrival), 0) "
    "+ sum(miles), avg(arrival) + avg(departure) from flights group by carrier",
    "tables_routes": 'select "from", "to", count(*) from flights group by all',
    "tables_top": 'select n from (select "from", count(*) as n from flights group by "from") '
    "order by n desc limit 10",
    "tables_first": "select carrier, coalesce(arrival, 1000) from (select * from flights "
    "order by carrier, arrival desc nulls last limit 100)",
    "tables_quantiles": "select carrier, q[1] + q[2] from (select carrier, "
    "quantile_cont(miles, [0.5, 0.95]) as q from flights group by carrier)",
    "tables_distinct": "select carrier, count(distinct tail) from flights group by carrier",
    "tables_join": "select coalesce(name, 'another') as name, sum(miles)::bigint from flights "
    "left join airlines using (carrier) group by all",
    "tables_months": "select date_trunc('month', day)::date, avg(departure) from flights "
    "group by 1",
    "tables_pivot": "select isodow(day), carrier, count(*) from flights group by all",
    "tables_missing": "select 3 * count(*) - count(tail) - count(departure) - count(arrival) "
    "from flights",
}


def frames(pl):
    known = pl.col("arrival")
    of = lambda *keys: (lambda rows, *what: rows.group_by(*keys).agg(*what))
    by_carrier = of("carrier")
    return {
        "tables_stream": lambda rows: by_carrier(rows, known.mean()),
        "tables_parquet": lambda rows: by_carrier(rows, known.mean()),
        "tables_mean": lambda rows: by_carrier(rows, known.mean()),
        "tables_aggregates": lambda rows: by_carrier(
            rows,
            (pl.len() + known.count() + known.max() + pl.col("miles").sum()).alias("whole"),
            (known.mean() + pl.col("departure").mean()).alias("mean"),
        ),
        "tables_routes": lambda rows: of("from", "to")(rows, pl.len()),
        "tables_top": lambda rows: of("from")(rows, pl.len()).top_k(10, by="len").select("len"),
        "tables_first": lambda rows: rows.sort(
            "carrier", "arrival", descending=[False, True], nulls_last=True
        )
        .head(100)
        .select("carrier", pl.col("arrival").fill_null(1000)),
        "tables_quantiles": lambda rows: by_carrier(
            rows,
            pl.col("miles").quantile(0.5, "linear").alias("half")
            + pl.col("miles").quantile(0.95, "linear").alias("most"),
        ),
        "tables_distinct": lambda rows: by_carrier(rows, pl.col("tail").drop_nulls().n_unique()),
        "tables_join": lambda rows: of("name")(
            rows.join(airlines(pl).lazy(), on="carrier", how="left").with_columns(
                pl.col("name").fill_null("another")
            ),
            pl.col("miles").cast(pl.Int64).sum(),  # it adds 32-bit numbers up in as many
        ),
        "tables_months": lambda rows: of(pl.col("day").dt.truncate("1mo"))(
            rows, pl.col("departure").mean()
        ),
        "tables_pivot": lambda rows: of(pl.col("day").dt.weekday(), "carrier")(rows, pl.len()),
        "tables_missing": lambda rows: rows.select(
            pl.sum_horizontal(pl.col("tail", "departure", "arrival").null_count()).alias("missing")
        ),
    }


def airlines(pl):
    return pl.DataFrame({"carrier": list(AIRLINES), "name": list(AIRLINES.values())})


def bits_of_text(text):
    bits = len(text)
    for character in text.encode():
        bits = (bits * 31 + character) % (1 << 64)
    return bits


def checksum(rows):
    """Of rows of Python's own values."""
    bits, total = 0, 0.0
    for row in rows:
        for value in row:
            if isinstance(value, float):
                total += value
            elif isinstance(value, str):
                bits += bits_of_text(value)
            elif isinstance(value, datetime.date):
                bits += (value - EPOCH).days
            else:
                bits += int(value)
    return f"{len(rows)}/{bits % (1 << 64):016x}/{total:.6e}"


def checksum_of_table(table):
    """Of all rows that were read, from Arrow: each text's bits are computed once."""
    bits = 0
    for column in ("carrier", "from", "to", "tail"):
        counts = table[column].value_counts()
        for entry in counts.to_pylist():
            bits += bits_of_text(entry["values"] or "") * entry["counts"]
    whole = lambda column, missing: int(
        np.sum(table[column].cast(pa.int64()).fill_null(missing).to_numpy(), dtype=np.int64)
    )
    bits += int(np.sum(table["day"].cast(pa.int32()).to_numpy(), dtype=np.int64))
    bits += whole("departure", 1000) + whole("arrival", 1000) + whole("miles", 0)
    return f"{len(table)}/{bits % (1 << 64):016x}/{0:.6e}"


def duckdb_version(asked, file, duckdb):
    source = (
        f"read_csv('{file}', header = true, auto_detect = false, delim = ',', quote = '\"', "
        f"columns = {TYPES})"
    )
    if from_parquet(asked):
        source = f"read_parquet('{file}')"
    config = {"threads": asked.threads, "preserve_insertion_order": False}
    with duckdb.connect(config=config) as base:
        reads = asked.name in READING
        if asked.name not in FROM_FILE:
            base.execute(f"create table flights as select * from {source}")
            pairs = ", ".join(f"('{code}', '{name}')" for code, name in AIRLINES.items())
            base.execute(f"create table airlines as from (values {pairs}) as t(carrier, name)")
        query = SQL[asked.name].format(file=source)
        run = lambda: base.execute(query) if reads else base.execute(query).fetchall()
        if reads:
            check = lambda _: checksum_of_table(base.sql("from copied").to_arrow_table())
        else:
            check = checksum
        yield "duckdb", run, check


def polars_version(asked, file, pl):
    types = {
        "carrier": pl.String,
        "from": pl.String,
        "to": pl.String,
        "tail": pl.String,
        "day": pl.Date,
        "departure": pl.Int32,
        "arrival": pl.Int32,
        "miles": pl.Int32,
    }
    scan = lambda: pl.scan_parquet(file) if from_parquet(asked) else pl.scan_csv(file, schema=types)
    if asked.name in READING:
        yield "polars", lambda: scan().collect(), lambda table: checksum_of_table(table.to_arrow())
        return
    ask = frames(pl)[asked.name]
    rows = scan() if asked.name in FROM_FILE else scan().collect().lazy()
    run = lambda: ask(rows).collect()
    yield "polars", run, lambda table: checksum(table.rows())


def versions(asked, streams, duckdb, polars):
    folder = os.environ.get("TMPDIR", "/var/tmp")
    with tempfile.TemporaryDirectory(prefix="pappus-peers-", dir=folder) as inside:
        file = os.path.join(inside, "flights.parquet" if from_parquet(asked) else "flights.csv")
        write_file(file, asked, streams, duckdb)
        yield from duckdb_version(asked, file, duckdb)
        if polars:
            yield from polars_version(asked, file, polars)
