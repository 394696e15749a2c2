#!/usr/bin/env python3
"""Random queries, answered by Pappus and by an oracle, DuckDB.

    compare.py PROGRAM [--seed N] [--queries N] [--first K] [--only K] [--keep FOLDER] [--sql]

PROGRAM is pappus_oracle, which draws the queries, runs them and tells what they are in SQL. Where
answers differ the seed, the query and the first row that differs are told, and how to run that
query alone; --keep leaves the files that it reads in a folder.

Integers, text, dates and what is missing must be equal, floats nearly; rows come in an order that
the SQL says in full, so lists of rows are compared as they are.

Where the rules of Pappus and of the oracle differ (docs/guides/missing.md), the SQL says Pappus's:

    what is missing     sorts last in both directions: NULLS LAST; SQL's comparisons with it are
                        neither true nor false, those of conditions are false: coalesce(.., false)
    sums of nothing     are 0: coalesce(sum(x), 0); means, variances and quantiles of nothing NaN
    NaN                 is a value greater than others in sorts, as here; but in a user's function
                        no comparison with it holds, where the oracle's do: not isnan(x)
    fields not optional an empty cell is an empty text, and NaN of a float: the tables' statements
    argmax, argmin      of equal values the least argument: first(.. order by value, argument)
    first, last         count what is missing: first(x order by pos)
    groups of a domain  stay without records: a left join with range(k)
    joins as of, ranges windows over all pairs with equal keys, of which one is chosen by rank

Exit status 77: Python hasn't the package duckdb.
"""

import argparse
import datetime
import decimal
import json
import math
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
RELATIVE, ABSOLUTE = 1e-11, 1e-9

EPOCH = datetime.datetime(1970, 1, 1)


def arguments(args):
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--queries", type=int, default=100)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--only", type=int)
    parser.add_argument("--keep")
    parser.add_argument("--sql", action="store_true", help="print each query")
    return parser.parse_args(args)


def cell(value):
    """An oracle's value as Pappus tells its own."""
    if isinstance(value, datetime.datetime):
        return (value - EPOCH) // datetime.timedelta(microseconds=1)
    if isinstance(value, datetime.date):
        return (value - EPOCH.date()).days
    if isinstance(value, decimal.Decimal):
        return float(value)
    return value


def same(ours, theirs):
    if isinstance(ours, float) and isinstance(theirs, (int, float)):
        if math.isnan(ours) or math.isnan(theirs) or math.isinf(ours):
            return ours == theirs or (math.isnan(ours) and math.isnan(theirs))
        return math.isclose(ours, theirs, rel_tol=RELATIVE, abs_tol=ABSOLUTE)
    if isinstance(ours, bool) or isinstance(theirs, bool):
        return bool(ours) == theirs
    return type(ours) is type(theirs) and ours == theirs


def difference(ours, theirs):
    """The first row that differs, in words; None where none does."""
    for i, (a, b) in enumerate(zip(ours, theirs)):
        if len(a) != len(b) or not all(same(x, y) for x, y in zip(a, b)):
            return f"row {i}\n  Pappus  {a}\n  oracle  {b}"
    if len(ours) != len(theirs):
        return f"Pappus has {len(ours)} rows, the oracle {len(theirs)}"
    return None


class Comparison:
    def __init__(self, asked, duckdb):
        self.asked = asked
        self.oracle = duckdb.connect()
        self.oracle.execute("set threads = 1; set timezone = 'UTC'")
        self.refused = self.wrong = self.compared = self.cells = 0
        self.running = self.program = None

    def take(self, line):
        if "begin" in line:
            self.running = line["begin"]
        elif "end" in line:
            self.running = None
        elif "table" in line:
            self.load(line)
        elif "wait" in line:
            self.program.stdin.write("\n")
            self.program.stdin.flush()
        else:
            self.compare(line)

    def load(self, table):
        try:
            self.oracle.execute(table["load"])
        except Exception as problem:
            self.wrong += 1
            print(f"seed {self.asked.seed}, {table['load']}\nthe oracle fails: {problem}")

    def compare(self, query):
        if self.asked.sql:
            print(f"query {query['query']}: {query['steps']} ({query['settings']})", flush=True)
            print(query["sql"], flush=True)
        self.refused += query["refused"]
        self.compared += 1
        if "failed" in query:
            self.tell(query, f"Pappus fails: {query['failed']}")
            return
        try:
            rows = self.oracle.execute(query["sql"]).fetchall()
        except Exception as problem:  # whatever the SQL does: it is the generator's to mend
            self.tell(query, f"the oracle fails: {problem}")
            return
        theirs = [[cell(value) for value in row] for row in rows]
        self.cells += sum(map(len, theirs))
        found = difference(query["rows"], theirs)
        if found:
            self.tell(query, found)

    def tell(self, query, what):
        self.wrong += 1
        print(
            f"seed {self.asked.seed}, query {query['query']}: {query['steps']}\n"
            f"({query['settings']})\n{query['sql']}\n{what}\n"
            f"again: compare.py {self.asked.program} --seed {self.asked.seed} "
            f"--only {query['query']}\n",
            flush=True,
        )


def run(asked, duckdb, folder):
    first, count = (asked.first, asked.queries) if asked.only is None else (asked.only, 1)
    comparison = Comparison(asked, duckdb)
    command = [asked.program, folder, str(asked.seed), str(first), str(count)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as program:
        comparison.program = program
        for line in program.stdout:
            comparison.take(json.loads(line))
    if program.returncode != 0:
        print(f"seed {asked.seed}, query {comparison.running}: the program ends with status "
              f"{program.returncode}")
    print(
        f"seed {asked.seed}: {comparison.compared} queries from {first}, "
        f"{comparison.cells} values, {comparison.wrong} differ; "
        f"{comparison.refused} were run again with more memory"
    )
    return program.returncode == 0 and comparison.wrong == 0 and comparison.compared == count


def main(args):
    asked = arguments(args)
    try:
        import duckdb
    except ImportError:
        print(f"skipped: {sys.executable} has no package duckdb")
        return SKIPPED
    if asked.keep:
        return 0 if run(asked, duckdb, asked.keep) else 1
    folder = tempfile.mkdtemp(prefix="pappus_oracle_")
    try:
        return 0 if run(asked, duckdb, folder) else 1
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
