#!/usr/bin/env python3
"""Writes the files beside it, each as a program's users get it: by pandas, Polars, DuckDB,
pyarrow and Spark, where Python has these.

    make.py [NAME]...     all, or those of the programs named; a folder a program

The tests read the files as they are committed; running this again is for another version of a
program, or another file. All but a few are of one table, that of rows().
"""

import csv
import datetime
import os
import shutil
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
NAMES = ["id", "name", "count", "value", "flag", "day", "at"]


def rows():
    day, at = datetime.date, datetime.datetime
    noon, last, half = (12, 0, 0, 1), (23, 59, 59), 500000
    return [
        (1, "plain", 10, 0.1, True, day(2024, 2, 29), at(2024, 2, 29, 13, 45)),
        (2, "with, comma", None, -2.5e-07, False, day(1969, 12, 31), at(1969, 12, 31, *last, half)),
        (3, 'with "quotes"', -7, 1e300, True, day(1900, 1, 1), at(1900, 1, 1)),
        (4, "two\nlines", 2147483647, None, False, day(2100, 12, 31), at(2100, 12, 31, *noon)),
        (5, "Zürich 日本", None, 3.0, True, day(1970, 1, 1), at(1970, 1, 1)),
        (6, "", 0, 0.0, False, day(2000, 2, 29), at(2000, 2, 29, 0, 0, 0, 999999)),
        (9007199254740993, None, 1, -0.5, True, day(2024, 12, 31), at(2024, 12, 31, *last)),
    ]


def many():
    """Enough for several row groups, and pages where a dictionary is given up."""
    name = lambda i: f"name {i % 7}" if i % 5 else None
    return [(i, name(i), i % 11 if i % 3 else None, i / 4) for i in range(600)]


MANY_NAMES = ["id", "name", "count", "value"]


def columns(names, of):
    return {name: [row[i] for row in of] for i, name in enumerate(names)}


def folder(program):
    path = os.path.join(HERE, program)
    shutil.rmtree(path, ignore_errors=True)
    os.makedirs(path)
    return path + "/"


def arrow_table():
    import pyarrow as pa

    schema = pa.schema(
        [
            ("id", pa.int64()),
            ("name", pa.string()),
            ("count", pa.int32()),
            ("value", pa.float64()),
            ("flag", pa.bool_()),
            ("day", pa.date32()),
            ("at", pa.timestamp("us")),
        ]
    )
    return pa.table(columns(NAMES, rows()), schema=schema)


def by_pandas():
    import pandas

    to = folder("pandas")
    # As most people have it: what is missing makes floats of integers.
    plain = pandas.DataFrame(columns(NAMES, rows()))
    plain.to_csv(to + "index.csv")
    plain.to_csv(to + "plain.csv", index=False)
    plain.to_csv(to + "na.csv", index=False, na_rep="NA", quoting=csv.QUOTE_NONNUMERIC)
    plain.to_csv(to + "semicolons.csv.gz", index=False, sep=";", decimal=",", lineterminator="\r\n")
    by_line = {"orient": "records", "lines": True}
    plain.to_json(to + "lines.jsonl", date_format="iso", date_unit="us", **by_line)
    plain.to_json(to + "epochs.jsonl", **by_line)
    typed = arrow_table().to_pandas(types_mapper=pandas.ArrowDtype)
    typed.to_csv(to + "typed.csv", index=False)
    typed.to_parquet(to + "typed.parquet")
    typed.to_feather(to + "typed.feather")
    plain.to_feather(to + "plain.feather", compression="zstd")
    plain.set_index("name").to_parquet(to + "indexed.parquet", compression="gzip")


def by_polars():
    import polars

    to = folder("polars")
    table = polars.from_arrow(arrow_table())
    table.write_csv(to + "plain.csv")
    table.write_csv(to + "quoted.tsv", separator="\t", quote_style="always", null_value="null")
    table.write_csv(to + "formats.csv", date_format="%d.%m.%Y", datetime_format="%F %T%.6f",
                    include_bom=True, line_terminator="\r\n")
    table.write_ndjson(to + "lines.ndjson")
    for codec in ("zstd", "snappy", "gzip", "lz4", "brotli", "uncompressed"):
        table.write_parquet(to + codec + ".parquet", compression=codec)
    table.write_ipc(to + "plain.arrow")
    table.write_ipc(to + "lz4.arrow", compression="lz4")
    table.write_ipc_stream(to + "zstd.arrows", compression="zstd")
    of_many = polars.DataFrame(columns(MANY_NAMES, many()))
    of_many.with_columns(polars.col("name").cast(polars.Categorical)).write_ipc(
        to + "categories.arrow", compression="zstd", record_batch_size=100)
    of_many.with_columns(polars.col("name").cast(polars.Categorical)).write_parquet(
        to + "categories.parquet", row_group_size=100)


def by_duckdb():
    import duckdb

    to = folder("duckdb")
    golden = arrow_table()  # which DuckDB finds by this name
    of_many = duckdb.connect()
    of_many.execute("create table many (id bigint, name varchar, count int, value double)")
    of_many.executemany("insert into many values (?, ?, ?, ?)", many())
    duckdb.sql(f"copy (from golden) to '{to}plain.csv'")
    bars = "(delimiter '|', header false, force_quote *)"
    duckdb.sql(f"copy (from golden) to '{to}bars.csv.gz' {bars}")
    duckdb.sql(f"copy (from golden) to '{to}lines.json' (format json)")
    duckdb.sql(f"copy (from golden) to '{to}plain.parquet'")
    duckdb.sql(f"copy (from golden) to '{to}second.parquet' (parquet_version v2, codec zstd)")
    of_many.execute(f"copy many to '{to}groups.parquet' (row_group_size 128, codec lz4_raw)")
    of_many.execute(f"copy (select *, id % 3 as third from many where id < 9 order by id) "
                    f"to '{to}parts' (format parquet, partition_by (third))")


def by_arrow():
    import pyarrow as pa
    import pyarrow.csv
    import pyarrow.feather
    import pyarrow.parquet as pq

    to = folder("arrow")
    table = arrow_table()
    pyarrow.csv.write_csv(table, to + "plain.csv")
    pq.write_table(table, to + "pages2.parquet", data_page_version="2.0", compression="gzip",
                   write_page_checksum=True)
    pyarrow.feather.write_feather(table, to + "plain.feather")
    with pa.ipc.new_stream(to + "parts.arrows", table.schema) as writer:
        writer.write_table(table, max_chunksize=2)
    empty = table.slice(0, 0)
    pyarrow.feather.write_feather(empty, to + "empty.arrow")
    pq.write_table(empty, to + "empty.parquet")
    nothing = table.set_column(1, "name", pa.nulls(len(table), pa.string()))
    nothing = nothing.set_column(2, "count", pa.nulls(len(table), pa.int32()))
    pq.write_table(nothing, to + "nulls.parquet")
    pyarrow.feather.write_feather(nothing, to + "nulls.arrow")
    of_many = pa.table(columns(MANY_NAMES, many()))
    coded = of_many.set_column(1, "name", of_many.column("name").dictionary_encode())
    pyarrow.feather.write_feather(coded, to + "categories.feather", compression="zstd",
                                  chunksize=150)
    # A dictionary that is given up when it is full: pages of both encodings in a column.
    pq.write_table(of_many, to + "fallback.parquet", dictionary_pagesize_limit=64,
                   data_page_size=256, write_batch_size=50, row_group_size=400, compression="lz4")
    pq.write_table(of_many, to + "delta.parquet", use_dictionary=False, compression="brotli",
                   column_encoding={"id": "DELTA_BINARY_PACKED", "name": "DELTA_LENGTH_BYTE_ARRAY",
                                    "value": "BYTE_STREAM_SPLIT"})


def by_spark():
    from pyspark.sql import SparkSession
    from pyspark.sql.types import (BooleanType, DateType, DecimalType, DoubleType, IntegerType,
                                   LongType, StringType, StructField, StructType, TimestampType)

    to = folder("spark")
    spark = (SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
             .config("spark.sql.session.timeZone", "UTC").getOrCreate())
    utc = datetime.timezone.utc
    types = [LongType(), StringType(), IntegerType(), DoubleType(), BooleanType(), DateType(),
             TimestampType()]
    schema = StructType([StructField(name, of) for name, of in zip(NAMES, types)])
    in_utc = [(*row[:-1], row[-1].replace(tzinfo=utc)) for row in rows()]
    table = spark.createDataFrame(in_utc, schema)
    table.repartitionByRange(2, "id").write.parquet(to + "parts")
    one = table.coalesce(1)
    one.write.csv(to + "csv", header=True)
    one.write.csv(to + "csv_as_others", header=True, escape='"', emptyValue='""',
                  compression="gzip")
    one.write.json(to + "json")
    spark.conf.set("spark.sql.parquet.writeLegacyFormat", "true")
    spark.conf.set("spark.sql.parquet.outputTimestampType", "INT96")
    cents = one.select("*", (one["count"] % 1000 / 4).cast(DecimalType(9, 2)).alias("amount"),
                       one["count"].cast(DecimalType(18, 0)).alias("whole"))
    cents.write.parquet(to + "legacy", compression="gzip")
    spark.conf.set("spark.sql.parquet.outputTimestampType", "TIMESTAMP_MILLIS")
    cents.write.parquet(to + "millis", compression="zstd")
    spark.stop()
    # Checksums of what Hadoop wrote stand in files that begin with a dot.
    for path, _, names in os.walk(to):
        for name in names:
            if name.startswith("."):
                os.remove(os.path.join(path, name))


PROGRAMS = {
    "pandas": by_pandas,
    "polars": by_polars,
    "duckdb": by_duckdb,
    "arrow": by_arrow,
    "spark": by_spark,
}

if __name__ == "__main__":
    for program in sys.argv[1:] or PROGRAMS:
        PROGRAMS[program]()
