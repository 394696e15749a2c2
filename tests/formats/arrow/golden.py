#!/usr/bin/env python3
"""Parquet files by others, and what others see in Pappus's.

    golden.py write FOLDER   writes files of one table, as several programs lay them out, and
                             prints their names; and types.parquet, of other types
    golden.py groups FOLDER  writes files of ten groups with ten rows of ascending values
    golden.py show FILE      prints the schema of a file, and its rows

Exit status 77: Python hasn't the package pyarrow.
"""

import datetime
import decimal
import sys

try:
    import pyarrow as pa
    import pyarrow.parquet as pq
except ImportError as problem:
    print(problem)
    sys.exit(77)

ROWS = 1000
SCHEMA = pa.schema(
    [
        ("id", pa.int64()),
        ("small", pa.int16()),
        ("name", pa.string()),
        ("value", pa.float64()),
        ("flag", pa.bool_()),
        ("day", pa.date32()),
        ("at", pa.timestamp("us")),
    ]
)


def table():
    begin = datetime.datetime(2020, 9, 13, 12, 26, 40)
    numbers = range(ROWS)
    columns = {
        "id": [i * 1_000_003 for i in numbers],
        "small": [i % 200 - 100 for i in numbers],
        "name": [None if i % 5 == 3 else f"n{i % 37}" for i in numbers],
        "value": [None if i % 6 == 2 else i / 4 for i in numbers],
        "flag": [i % 3 == 0 for i in numbers],
        "day": [datetime.date(2022, 1, 8) + datetime.timedelta(days=i) for i in numbers],
        "at": [begin + datetime.timedelta(seconds=i) for i in numbers],
    }
    return pa.table(columns, schema=SCHEMA)


def with_type(whole, name, kind):
    at = whole.schema.get_field_index(name)
    return whole.set_column(at, name, whole.column(name).cast(kind))


def by_arrow(folder):
    """As programs lay files out, by Arrow's options."""
    whole = table()
    variants = {
        "arrow": (whole, {}),
        "pandas": (
            with_type(whole, "at", pa.timestamp("ns")).replace_schema_metadata({"pandas": "{}"}),
            {"compression": "snappy"},
        ),
        "polars": (
            with_type(whole, "name", pa.large_string()),
            {"compression": "zstd", "row_group_size": 300},
        ),
        "duckdb": (whole, {"store_schema": False, "row_group_size": 128, "version": "1.0"}),
        "spark": (
            whole,
            {"use_deprecated_int96_timestamps": True, "store_schema": False, "version": "1.0"},
        ),
        "delta": (
            whole,
            {
                "data_page_version": "2.0",
                "use_dictionary": False,
                "compression": "gzip",
                "column_encoding": {
                    "id": "DELTA_BINARY_PACKED",
                    "name": "DELTA_BYTE_ARRAY",
                    "value": "BYTE_STREAM_SPLIT",
                },
            },
        ),
        "small_pages": (
            whole,
            {
                "data_page_size": 64,
                "write_batch_size": 10,
                "dictionary_pagesize_limit": 20,
                "row_group_size": 77,
                "write_page_checksum": True,
            },
        ),
        "categories": (
            with_type(whole, "name", pa.dictionary(pa.int8(), pa.string())),
            {"compression": "lz4"},
        ),
        "seconds": (with_type(whole, "at", pa.timestamp("s")), {"compression": "none"}),
        "milliseconds": (with_type(whole, "at", pa.timestamp("ms", "UTC")), {}),
        "bytes": (with_type(whole, "name", pa.binary()), {"compression": "brotli"}),
        "one_row_a_group": (whole, {"row_group_size": 1}),
        "nested": (
            whole.add_column(0, "list", [[[i] for i in range(ROWS)]]).add_column(
                2, "pair", [[{"a": i, "b": str(i)} for i in range(ROWS)]]
            ),
            {},
        ),
    }
    for name, (what, options) in variants.items():
        pq.write_table(what, f"{folder}/{name}.parquet", **options)
        print(name)


def by_others(folder):
    """By the programs themselves, where Python has them."""
    whole = table()
    try:
        import polars

        polars.from_arrow(whole).write_parquet(f"{folder}/real_polars.parquet", row_group_size=300)
        print("real_polars")
    except ImportError:
        pass
    try:
        import duckdb

        duckdb.sql(f"copy (from whole) to '{folder}/real_duckdb.parquet'")
        print("real_duckdb")
    except ImportError:
        pass
    try:
        import pandas

        pandas.DataFrame(whole.to_pandas()).to_parquet(f"{folder}/real_pandas.parquet")
        print("real_pandas")
    except ImportError:
        pass


def of_types(folder):
    dec = decimal.Decimal
    at = datetime.datetime(2020, 1, 1)
    columns = {
        "cents": pa.array([dec("0.10"), dec("-12345.67"), None], pa.decimal128(9, 2)),
        "whole": pa.array([dec(7), dec(-8), dec(10**17)], pa.decimal128(18, 0)),
        "exact": pa.array([dec("0.1"), dec("2"), dec("3")], pa.decimal128(38, 10)),
        "code": pa.array([b"abc", b"def", None], pa.binary(3)),
        "large": pa.array([0, 2**64 - 1, 2**63], pa.uint64()),
        "single": pa.array([0.5, -1.5, float("inf")], pa.float32()),
        "tiny": pa.array([1, -128, 127], pa.int8()),
        "time": pa.array([1, 2, 3], pa.time64("us")),
        "half": pa.array([1, 2, 3], pa.float16()),
        "list": pa.array([[1], [2, 3], []], pa.list_(pa.int32())),
        "pair": pa.array([{"a": 1}, {"a": 2}, {"a": 3}], pa.struct([("a", pa.int32())])),
        "nanos": pa.array([1000, 2000, 2001], pa.timestamp("ns")),
        "far": pa.array([1, 2, 2**62], pa.timestamp("ms")),
        "nothing": pa.nulls(3),
        "twice": pa.array([at, at, None], pa.timestamp("us")),
    }
    whole = pa.table(list(columns.values()), names=list(columns))
    whole = whole.append_column("twice", whole.column("cents"))
    pq.write_table(whole, f"{folder}/types.parquet")


def of_groups(folder):
    dec = decimal.Decimal
    begin = datetime.datetime(2020, 1, 1)
    numbers = range(100)
    times = [begin + datetime.timedelta(seconds=i) for i in numbers]
    nan = float("nan")
    columns = {
        "i8": pa.array([i - 50 for i in numbers], pa.int8()),
        "u8": pa.array([i + 78 for i in numbers], pa.uint8()),
        "i16": pa.array([i * 600 - 30_000 for i in numbers], pa.int16()),
        "u16": pa.array([i + 2**15 - 50 for i in numbers], pa.uint16()),
        "i32": pa.array([i - 50 for i in numbers], pa.int32()),
        "u32": pa.array([i + 2**31 - 50 for i in numbers], pa.uint32()),
        "i64": pa.array([(i - 50) * 10**15 for i in numbers], pa.int64()),
        "u64": pa.array([i + 2**63 - 50 for i in numbers], pa.uint64()),
        "f32": pa.array([nan if i % 10 == 3 else (i - 50) / 4 for i in numbers], pa.float32()),
        "f64": pa.array([nan if i % 10 == 0 else (i - 50) / 4 for i in numbers], pa.float64()),
        "flag": pa.array([i >= 50 for i in numbers], pa.bool_()),
        "day": pa.array([datetime.date(2020, 1, 1) + datetime.timedelta(i) for i in numbers]),
        "seconds": pa.array(times, pa.timestamp("s")),
        "millis": pa.array(times, pa.timestamp("ms")),
        "micros": pa.array(times, pa.timestamp("us")),
        "nanos": pa.array(times, pa.timestamp("ns", "UTC")),
        "whole": pa.array([dec(i - 50) for i in numbers], pa.decimal128(9, 0)),
        "some": pa.array([None if i < 50 else i for i in numbers], pa.int32()),
    }
    whole = pa.table(list(columns.values()), names=list(columns))
    variants = {
        "newest": {"store_decimal_as_integer": True},
        "oldest": {"version": "1.0", "store_schema": False, "store_decimal_as_integer": True},
        "bytes": {"version": "2.4", "store_schema": False},
        "untold": {"write_statistics": False},
    }
    for name, options in variants.items():
        pq.write_table(whole, f"{folder}/groups_{name}.parquet", row_group_size=10, **options)


def show(path):
    file = pq.ParquetFile(path)
    for field in file.schema_arrow:
        print(f"{field.name}: {field.type}{'' if field.nullable else ' not null'}")
    for row in file.read().to_pylist():
        print(*row.values(), sep="|")
    group = file.metadata.row_group(0)
    print({group.column(i).compression for i in range(group.num_columns)})


if sys.argv[1] == "write":
    by_arrow(sys.argv[2])
    by_others(sys.argv[2])
    of_types(sys.argv[2])
elif sys.argv[1] == "groups":
    of_groups(sys.argv[2])
else:
    show(sys.argv[2])
