#!/usr/bin/env python3
"""Parquet files, and some of Arrow's own, by others, and what others see in Pappus's.

    golden.py write FOLDER   writes files of one table, as several programs lay them out, and
                             prints their names; and types.parquet, of other types
    golden.py write_ipc FOLDER   the same of Arrow's own format, whose names it prints as files have
                                 them, and files that are refused
    golden.py write_long FOLDER  writes some of a million rows in a batch
    golden.py lists FOLDER   writes lists in both formats, laid out in several ways, whose names it
                             prints, and files odd_*, which have other items
    golden.py groups FOLDER  writes files of ten groups with ten rows of ascending values
    golden.py pages FOLDER   writes files of a group whose columns have several pages, and prints
                             their names
    golden.py show FILE      prints the schema of a file, and its rows

Exit status 77: Python hasn't the package pyarrow.
"""

import datetime
import decimal
import sys

try:
    import pyarrow as pa
    import pyarrow.feather
    import pyarrow.parquet as pq
except ImportError as problem:
    print(problem)
    sys.exit(77)

from golden_groups import of_groups, of_pages

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


def long_batches(folder):
    rows = 1_000_000
    texts = [f"text {i * 7 % 1000}" for i in range(1000)]
    columns = {
        "n": pa.array([i * i for i in range(rows)], pa.int64()),
        "text": pa.array([None if i % 10 == 0 else texts[i % 1000] for i in range(rows)]),
    }
    whole = pa.table(columns)
    for name, codec in (("plain", None), ("lz4", "lz4"), ("zstd", "zstd")):
        write_batches(f"{folder}/{name}.arrow", whole, compression=codec)


def ipc_by_others(folder):
    whole = table()
    try:
        import polars

        frame = polars.from_arrow(whole)
        frame.write_ipc(f"{folder}/real_polars.arrow")
        frame.write_ipc(f"{folder}/real_polars_zstd.arrow", compression="zstd")
        frame.write_ipc_stream(f"{folder}/real_polars.arrows", compression="lz4")
        coded = frame.with_columns(polars.col("name").cast(polars.Categorical))
        coded.write_ipc(f"{folder}/real_polars_categories.arrow", compression="lz4")
        print("real_polars.arrow real_polars_zstd.arrow real_polars.arrows")
        print("real_polars_categories.arrow")
    except ImportError:
        pass
    try:
        import pandas

        pandas.DataFrame(whole.to_pandas()).to_feather(f"{folder}/real_pandas.feather")
        print("real_pandas.feather")
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
    write_batches(f"{folder}/types.arrow", whole)


def write_batches(path, what, rows=None, stream=False, **options):
    new = pa.ipc.new_stream if stream else pa.ipc.new_file
    with new(path, what.schema, options=pa.ipc.IpcWriteOptions(**options)) as writer:
        writer.write_table(what, max_chunksize=rows)


def ipc_by_arrow(folder):
    """As programs lay files out, by Arrow's options."""
    whole = table()
    small = pa.dictionary(pa.uint8(), pa.large_string())
    # More than 127 texts, so that numbers without a sign must be taken for such.
    texts = pa.array([None if i % 5 == 3 else f"n{i % 37}" for i in range(ROWS)])
    many = pa.array([f"x{i}" for i in range(200)] + [f"n{i}" for i in range(37)], pa.large_string())
    numbers = pa.array([None if i % 5 == 3 else 200 + i % 37 for i in range(ROWS)], pa.uint8())
    coded = whole.set_column(2, "name", pa.DictionaryArray.from_arrays(numbers, many))
    assert coded.column(2).type == small
    nested = (
        whole.add_column(0, "list", [[[i] for i in range(ROWS)]])
        .add_column(2, "pair", [[{"a": i, "b": str(i)} for i in range(ROWS)]])
        .add_column(3, "nothing", pa.nulls(ROWS))
        .add_column(4, "views", texts.cast(pa.string_view()))
        .add_column(5, "fixed", pa.array([[i, i] for i in range(ROWS)], pa.list_(pa.int16(), 2)))
    )
    union = pa.UnionArray.from_dense(
        pa.array([i % 2 for i in range(ROWS)], pa.int8()),
        pa.array([i // 2 for i in range(ROWS)], pa.int32()),
        [pa.array(range(ROWS)), pa.array([str(i) for i in range(ROWS)])],
    )
    runs = pa.RunEndEncodedArray.from_arrays(pa.array([ROWS], pa.int32()), pa.array([5]))
    odd = whole.add_column(0, "union", union).add_column(1, "ends", runs)
    sliced = pa.concat_tables([whole.slice(0, ROWS - 3), whole.slice(ROWS - 3)])
    variants = {
        "plain.arrow": (whole, {}),
        "batches.arrow": (whole, {"rows": 77}),
        "one_row_a_batch.arrow": (whole, {"rows": 1, "compression": "lz4"}),
        "lz4.arrow": (whole, {"rows": 300, "compression": "lz4"}),
        "zstd.arrow": (whole, {"rows": 300, "compression": "zstd"}),
        "one_batch.arrow": (whole.combine_chunks(), {"compression": "zstd"}),
        "large.arrow": (with_type(whole, "name", pa.large_string()), {"rows": 64}),
        "views.arrow": (with_type(whole, "name", pa.string_view()), {"rows": 400}),
        "views_zstd.arrow": (
            with_type(whole, "name", pa.string_view()), {"rows": 400, "compression": "zstd"}
        ),
        "bytes.arrow": (with_type(whole, "name", pa.binary()), {}),
        "categories.arrow": (with_type(whole, "name", pa.dictionary(pa.int8(), pa.string())), {}),
        "coded.arrow": (coded, {"rows": 99, "compression": "lz4"}),
        "seconds.arrow": (with_type(whole, "at", pa.timestamp("s")), {}),
        "nanoseconds.arrow": (with_type(whole, "at", pa.timestamp("ns", "UTC")), {}),
        "nested.arrow": (nested, {"rows": 250, "compression": "lz4"}),
        "odd.arrow": (odd, {}),
        "sliced.arrow": (sliced, {}),
        "old.arrow": (whole, {"use_legacy_format": True, "rows": 500}),
        "version_4.arrow": (whole, {"metadata_version": pa.ipc.MetadataVersion.V4}),
        "stream.arrows": (whole, {"stream": True, "rows": 100}),
        "stream_zstd.arrows": (coded, {"stream": True, "rows": 100, "compression": "zstd"}),
        "old_stream.arrows": (whole, {"stream": True, "use_legacy_format": True, "rows": 90}),
    }
    for name, (what, options) in variants.items():
        write_batches(f"{folder}/{name}", what, **options)
        print(name)
    pyarrow.feather.write_feather(whole, f"{folder}/plain.feather")
    print("plain.feather")
    growing(whole, folder)


def growing(whole, folder):
    """Dictionaries that get more texts on the way, and one that others take the place of."""
    kind = pa.dictionary(pa.int32(), pa.string())
    names = whole.column("name").to_pylist()
    seen = []
    batches = []
    for begin in range(0, ROWS, 200):
        some = names[begin : begin + 200]
        seen += sorted({one for one in some if one is not None} - set(seen))
        at = {text: i for i, text in enumerate(seen)}
        numbers = pa.array([None if one is None else at[one] for one in some], pa.int32())
        coded = pa.DictionaryArray.from_arrays(numbers, pa.array(seen))
        part = whole.slice(begin, 200)
        batches.append(part.set_column(2, "name", coded).combine_chunks().to_batches()[0])
    for name, new in (("deltas.arrow", pa.ipc.new_file), ("deltas.arrows", pa.ipc.new_stream)):
        options = pa.ipc.IpcWriteOptions(emit_dictionary_deltas=True)
        with new(f"{folder}/{name}", batches[0].schema, options=options) as writer:
            for batch in batches:
                writer.write_batch(batch)
        print(name)
    for name, batches_of_one in (("replaced.arrows", 1), ("replaced_and_grown.arrows", 3)):
        options = pa.ipc.IpcWriteOptions(emit_dictionary_deltas=True)
        with pa.ipc.new_stream(f"{folder}/{name}", batches[0].schema, options=options) as writer:
            for number, begin in enumerate(range(0, ROWS, 100)):
                some = names[begin : begin + 100]
                if number % batches_of_one == 0:
                    seen = [f"none {number}"]
                seen += sorted({one for one in some if one is not None} - set(seen))
                at = [None if one is None else seen.index(one) for one in some]
                coded = pa.DictionaryArray.from_arrays(pa.array(at, pa.int32()), pa.array(seen))
                part = whole.slice(begin, 100).set_column(2, "name", coded)
                writer.write_batch(part.combine_chunks().to_batches()[0])
        print(name)
    lacking = pa.DictionaryArray.from_arrays(pa.array([0], pa.int32()), pa.array([None, "a"]))
    write_batches(f"{folder}/lacking.arrow", whole.slice(0, 1).set_column(2, "name", lacking))


def show_ipc(path):
    file = pa.ipc.open_file(path)
    for field in file.schema:
        print(f"{field.name}: {field.type}{'' if field.nullable else ' not null'}")
    for row in file.read_all().to_pylist():
        print(*row.values(), sep="|")


def of_lists(folder):
    numbers = range(ROWS)
    tags = [[f"t{i * k % 23}" for k in range(i % 4)] for i in numbers]
    scores = [None if i % 5 == 3 else [i * k / 4 for k in range(i % 6)] for i in numbers]
    ids = [[i, i + 1] for i in numbers]
    whole = pa.table(
        {
            "tags": pa.array(tags, pa.list_(pa.string())),
            "scores": pa.array(scores, pa.list_(pa.float64())),
            "ids": pa.array(ids, pa.list_(pa.int64())),
        }
    )
    large = with_type(whole, "tags", pa.large_list(pa.large_string()))
    large = with_type(large, "ids", pa.large_list(pa.int16()))
    variants = {
        "plain": (whole, {"use_dictionary": False, "compression": None}),
        "dictionary": (whole, {"row_group_size": 300}),
        "pages": (whole, {"data_page_size": 1, "row_group_size": 7, "data_page_version": "2.0"}),
        "large": (large, {}),
        "fixed": (with_type(whole, "ids", pa.list_(pa.int64(), 2)), {}),
        "floats": (with_type(whole, "scores", pa.list_(pa.float32())), {}),
        "required": (
            whole.cast(
                pa.schema(
                    [
                        pa.field("tags", pa.list_(pa.field("element", pa.string(), False)), False),
                        whole.schema.field("scores"),
                        pa.field("ids", pa.list_(pa.field("element", pa.int64(), False)), False),
                    ]
                )
            ),
            {"use_compliant_nested_type": False},
        ),
    }
    for name, (table, options) in variants.items():
        pq.write_table(table, f"{folder}/{name}.parquet", **options)
        print(f"{name}.parquet")
    views = pa.table({**dict(zip(whole.column_names, whole.columns))})
    views = views.set_column(0, "tags", pa.array(tags, pa.list_(pa.string_view())))
    for name, table, compression, rows in [
        ("plain", whole, "uncompressed", ROWS),
        ("lz4", whole, "lz4", 77),
        ("zstd", whole, "zstd", 300),
        ("large", large, "lz4", ROWS),
        ("fixed", variants["fixed"][0], "uncompressed", 64),
        ("fixed_lz4", variants["fixed"][0], "lz4", 77),
        ("views", views, "zstd", 300),
        ("sliced", whole.slice(0, ROWS), "lz4", 9),
    ]:
        pa.feather.write_feather(
            table, f"{folder}/{name}.arrow", compression=compression, chunksize=rows
        )
        print(f"{name}.arrow")
    lists_of_numbers(whole, folder)
    odd = {
        "missing": pa.array([[1.5, None], [], None, [None]], pa.list_(pa.float64())),
        "numbers": pa.array([[1, 2], [], [3, None]], pa.list_(pa.int32())),
        "wide": pa.array([[1], [2, 1 << 40]], pa.list_(pa.int64())),
        "lists": pa.array([[[1]]], pa.list_(pa.list_(pa.int32()))),
        "structs": pa.array([[{"a": 1}]], pa.list_(pa.struct([("a", pa.int32())]))),
        "decimals": pa.array([[decimal.Decimal("1.25")]], pa.list_(pa.decimal128(9, 2))),
        "days": pa.array([[datetime.date(2024, 2, 29)], []], pa.list_(pa.date32())),
        "flags": pa.array([[True, False, True], [False]], pa.list_(pa.bool_())),
    }
    for name, column in odd.items():
        pq.write_table(pa.table({"x": column}), f"{folder}/odd_{name}.parquet")
    kind = pa.dictionary(pa.int8(), pa.string())
    coded = pa.array([["a", "b"], [], ["b", None]], pa.list_(kind))
    pa.feather.write_feather(pa.table({"x": coded}), f"{folder}/odd_coded.arrow")


def lists_of_numbers(whole, folder):
    """Whose items are numbers of a dictionary's texts, for which others come in a stream."""
    tags = whole.column("tags").to_pylist()

    def coded(begin, n, extra):
        part = whole.slice(begin, n)
        texts = sorted({tag for some in tags[begin : begin + n] for tag in some}) + extra
        numbers = [texts.index(tag) for some in tags[begin : begin + n] for tag in some]
        ends = [0]
        for some in tags[begin : begin + n]:
            ends.append(ends[-1] + len(some))
        items = pa.DictionaryArray.from_arrays(pa.array(numbers, pa.uint8()), pa.array(texts))
        lists = pa.ListArray.from_arrays(pa.array(ends, pa.int32()), items)
        return part.set_column(0, "tags", lists).combine_chunks().to_batches()[0]

    one = coded(0, ROWS, [])
    parts = [coded(begin, 90, [f"none {begin}"]) for begin in range(0, ROWS, 90)]
    lz4 = pa.ipc.IpcWriteOptions(compression="lz4")
    for name, new, batches, options in [
        ("coded.arrow", pa.ipc.new_file, [one], None),
        ("coded.arrows", pa.ipc.new_stream, [one.slice(0, 500), one.slice(500)], lz4),
        ("replaced.arrows", pa.ipc.new_stream, parts, lz4),
    ]:
        with new(f"{folder}/{name}", one.schema, options=options) as writer:
            for batch in batches:
                writer.write_batch(batch)
        print(name)


def show(path):
    if not path.endswith(".parquet"):
        return show_ipc(path)
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
elif sys.argv[1] == "write_ipc":
    ipc_by_arrow(sys.argv[2])
    ipc_by_others(sys.argv[2])
    of_types(sys.argv[2])
elif sys.argv[1] == "write_long":
    long_batches(sys.argv[2])
elif sys.argv[1] == "lists":
    of_lists(sys.argv[2])
elif sys.argv[1] == "groups":
    of_groups(sys.argv[2])
elif sys.argv[1] == "pages":
    of_pages(sys.argv[2])
else:
    show(sys.argv[2])
