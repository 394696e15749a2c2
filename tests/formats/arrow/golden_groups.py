"""Parquet files of groups and pages whose statistics are told, or not, for golden.py."""

import datetime
import decimal

import pyarrow as pa
import pyarrow.parquet as pq


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
        "text": pa.array([f"t{i:02}" for i in numbers]),
        "large": pa.array([f"t{i:02}" for i in numbers], pa.large_string()),
        "bytes": pa.array([b"t%02d" % i for i in numbers], pa.binary()),
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


def of_pages(folder):
    rows = 10_000
    numbers = range(rows)
    whole = pa.table(
        {
            "id": pa.array(numbers, pa.int64()),
            "some": pa.array([None if i % 5 == 3 else i * 2 for i in numbers], pa.int32()),
            "name": pa.array([None if i % 7 == 3 else f"n{i % 37}" for i in numbers]),
            "flag": pa.array([i % 3 == 0 for i in numbers]),
            "small": pa.array([i % 200 - 100 for i in numbers], pa.int16()),
            "value": pa.array([i / 4 for i in numbers]),
            "numbers": pa.array([[i] * (i % 3) for i in numbers], pa.list_(pa.int32())),
        }
    )
    encodings = {"some": "DELTA_BINARY_PACKED", "value": "BYTE_STREAM_SPLIT"}
    told = {"write_page_index": True, "write_batch_size": 100, "data_page_size": 3000}
    variants = {
        "plain": {**told, "use_dictionary": False, "compression": None},
        "dictionary": {**told, "compression": "zstd"},
        "newer": {**told, "data_page_version": "2.0", "compression": "snappy"},
        "checked": {**told, "write_page_checksum": True, "use_dictionary": ["name", "id"]},
        "delta": {**told, "use_dictionary": ["name"], "column_encoding": encodings},
        "untold": {**told, "write_page_index": False},
    }
    for name, options in variants.items():
        pq.write_table(whole, f"{folder}/{name}.parquet", **options)
        print(f"{name}.parquet")
