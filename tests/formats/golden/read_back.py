#!/usr/bin/env python3
"""Reads files that Pappus wrote of the table of make.py, by pandas, Polars, DuckDB and pyarrow.

    read_back.py FOLDER     ours.csv, ours.tsv, ours.csv.gz, ours.csv.zst, ours.jsonl, ours.parquet,
                            ours.arrow

Prints what differs. Exit status 77: Python has none of them.
"""

import datetime
import importlib
import os
import sys

import make

# Folders beside this file have names of libraries.
sys.path.remove(os.path.dirname(os.path.abspath(__file__)))

TYPES = {
    "id": "BIGINT",
    "name": "VARCHAR",
    "count": "INTEGER",
    "value": "DOUBLE",
    "flag": "BOOLEAN",
    "day": "DATE",
    "at": "TIMESTAMP",
}
SKIPPED = 77


def load(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def cell(value):
    """As make.rows() has it."""
    if hasattr(value, "to_pydatetime"):  # pandas
        value = value.to_pydatetime()
    if isinstance(value, datetime.datetime):
        return value.replace(tzinfo=None)
    if str(value) in ("None", "nan", "<NA>", "NaT"):
        return None
    return value


def by_duckdb(duckdb, path):
    if path.endswith(".arrow"):
        return None  # it reads streams, by an extension
    typed = "{" + ", ".join(f"'{name}': '{of}'" for name, of in TYPES.items()) + "}"
    if path.endswith(".parquet"):
        source = f"read_parquet('{path}')"
    elif path.endswith(".jsonl"):
        source = f"read_json('{path}', columns={typed}, format='newline_delimited')"
    else:
        tab = ", delim='\\t'" if path.endswith(".tsv") else ""
        source = f"read_csv('{path}', columns={typed}, header=true, allow_quoted_nulls=false{tab})"
    return duckdb.sql(f"select * from {source}").fetchall()


def by_polars(polars, path):
    types = {
        "BIGINT": polars.Int64,
        "VARCHAR": polars.String,
        "INTEGER": polars.Int32,
        "DOUBLE": polars.Float64,
        "BOOLEAN": polars.Boolean,
        "DATE": polars.Date,
        "TIMESTAMP": polars.Datetime("us"),
    }
    schema = {name: types[of] for name, of in TYPES.items()}
    if path.endswith(".parquet"):
        return polars.read_parquet(path).rows()
    if path.endswith(".arrow"):
        return polars.read_ipc(path).rows()
    if path.endswith(".jsonl"):
        # Of times in JSON it wants to know the format.
        text = {**schema, "at": polars.String}
        at = polars.col("at").str.to_datetime("%FT%T%.fZ", time_unit="us")
        return polars.read_ndjson(path, schema=text).with_columns(at).rows()
    tab = "\t" if path.endswith(".tsv") else ","
    return polars.read_csv(path, schema=schema, separator=tab).rows()


def by_pandas(pandas, path):
    if path.endswith(".parquet"):
        if not load("pyarrow"):
            return None
        table = pandas.read_parquet(path, dtype_backend="numpy_nullable")
    elif path.endswith(".arrow"):
        if not load("pyarrow"):
            return None
        table = pandas.read_feather(path, dtype_backend="numpy_nullable")
    elif path.endswith(".jsonl"):
        table = pandas.read_json(path, lines=True, convert_dates=["day", "at"],
                                 dtype_backend="numpy_nullable")
    elif path.endswith(".zst") and not load("zstandard") and sys.version_info < (3, 14):
        return None
    else:
        table = pandas.read_csv(path, sep="\t" if path.endswith(".tsv") else ",",
                                parse_dates=["day", "at"], date_format="ISO8601",
                                dtype_backend="numpy_nullable")
    table["day"] = pandas.to_datetime(table["day"]).dt.date
    return list(table.itertuples(index=False, name=None))


def by_pyarrow(pyarrow, path):
    if path.endswith(".parquet"):
        table = importlib.import_module("pyarrow.parquet").read_table(path)
    elif path.endswith(".arrow"):
        table = pyarrow.ipc.open_file(path).read_all()
    elif path.endswith(".jsonl"):
        return None  # its reader guesses types
    else:
        module = importlib.import_module("pyarrow.csv")
        types = dict(zip(TYPES, make.arrow_table().schema.types))
        table = module.read_csv(
            path,
            parse_options=module.ParseOptions(delimiter="\t" if ".tsv" in path else ",",
                                              newlines_in_values=True),
            convert_options=module.ConvertOptions(column_types=types, strings_can_be_null=True,
                                                  quoted_strings_can_be_null=False),
        )
    return [tuple(row.values()) for row in table.to_pylist()]


def same(program, theirs, row):
    """pandas can't tell an empty text from none in CSV files."""
    if program == "pandas" and row[1] == "" and theirs[1] is None:
        theirs = (*theirs[:1], "", *theirs[2:])
    return theirs == row


def main(folder):
    readers = {"duckdb": by_duckdb, "polars": by_polars, "pandas": by_pandas, "pyarrow": by_pyarrow}
    loaded = {name: load(name) for name in readers}
    if not any(loaded.values()):
        return SKIPPED
    wrong = 0
    for program, read in readers.items():
        if not loaded[program]:
            print(f"{program}: skipped")
            continue
        for name in sorted(os.listdir(folder)):
            if not name.startswith("ours."):
                continue
            try:
                found = read(loaded[program], os.path.join(folder, name))
            except Exception as problem:
                found = []
                print(f"{program}, {name}: {problem}")
            if found is None:
                continue
            rows = [tuple(cell(value) for value in row) for row in found]
            if len(rows) != len(make.rows()):
                wrong += 1
                print(f"{program}, {name}: {len(rows)} rows")
            for theirs, row in zip(rows, make.rows()):
                if not same(program, theirs, row):
                    wrong += 1
                    print(f"{program}, {name}: expected {row}, got {theirs}")
    print("all as they were written" if wrong == 0 else f"{wrong} differ")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
