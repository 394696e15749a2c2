"""Times what else a user of Python would take, for `pappus bench NAME --peers`.

    peers.py NAME --n N [--seed S] [--threads T] [--repeat R]
        groupby: [--keys K] [--domain]; kmeans: [--k K] [--d D]
        vmscope_*, bess, composite, anomaly: [--cold]
        [--cuda [--resident]]: those of peers_cuda.py instead
        outofcore_*: [--folder F] [--budget NAME=BYTES]...

NumPy, SciPy, scikit-learn, DuckDB, Polars, h5py, zarr, TensorStore and Dask compute the same from
the same numbers: a line of JSON each, with the median and the least time in seconds and the
benchmark's checksum, or with the reason why it was left out. Inputs are in each library's own form
before its clock starts, results in its own form when it stops. Runs after one to warm up, `repeat`
times.
"""

import argparse
import importlib
import json
import os
import statistics
import sys
import time

GOLDEN = 0x9E3779B97F4A7C15
PIECE = 1 << 20


def load(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


class Numbers:
    """One stream of the benchmarks' generator (generator.h)."""

    def __init__(self, seed, number):
        self.key = mix64(np.uint64((seed + (number + 1) * 0xD1342543DE82EF95) % (1 << 64)))

    def bits(self, begin, end):
        return self.bits_at(np.arange(begin, end, dtype=np.uint64))

    def bits_at(self, places):
        return mix64(self.key + (places + np.uint64(1)) * np.uint64(GOLDEN))

    def filled(self, n, dtype, function):
        """function(bits, first place) for all places, piece by piece."""
        out = np.empty(n, dtype)
        for begin in range(0, n, PIECE):
            end = min(begin + PIECE, n)
            out[begin:end] = function(self.bits(begin, end), begin)
        return out


def mix64(z):
    with np.errstate(over="ignore"):
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))


def below(bits, n):
    """The high word of bits * n, n below 2^32."""
    low = np.uint64(0xFFFFFFFF)
    m = np.uint64(n)
    return ((bits >> np.uint64(32)) * m + (((bits & low) * m) >> np.uint64(32))) >> np.uint64(32)


def f64(bits):
    return (bits >> np.uint64(32)).astype(np.float64) * 2.0**-32


def position_sum(values, begin):
    """The share of the values from place `begin` in a position hash; values are 64-bit."""
    places = np.arange(begin + 1, begin + 1 + len(values), dtype=np.uint64)
    return int(np.sum(mix64(values + places * np.uint64(GOLDEN)), dtype=np.uint64))


def position_hash(values):
    """Of 32-bit integers: the checksum of scan and sort."""
    total = 0
    for begin in range(0, len(values), PIECE):
        part = values[begin : begin + PIECE].astype(np.uint32).astype(np.uint64)
        total += position_sum(part, begin)
    return f"{total % (1 << 64):016x}"


def groups_checksum(keys, counts, sums):
    keys, counts = np.asarray(keys, np.uint64), np.asarray(counts, np.uint64)
    hashed = int(np.sum(mix64((keys << np.uint64(32)) ^ counts), dtype=np.uint64))
    weighted = float(np.sum(np.asarray(sums) * (1 + keys % np.uint64(7)).astype(np.float64)))
    return f"{hashed % (1 << 64):016x}/{weighted:.9e}"


def ints(asked):
    bits = Numbers(asked.seed, 0).filled(asked.n, np.uint32, lambda b, _: b.astype(np.uint32))
    return bits.view(np.int32)


def scan(asked):
    values = ints(asked)
    yield "numpy", lambda: np.cumsum(values, dtype=np.int32), position_hash


def sort(asked):
    values = ints(asked)
    yield "numpy", lambda: np.sort(values), position_hash
    if polars:
        series = polars.Series(values)
        yield "polars", series.sort, lambda s: position_hash(s.to_numpy())


def mapfiltersum(asked):
    values = np.arange(1, asked.n + 1, dtype=np.int32)

    def by_numpy():
        y = values + np.int32(15)
        kept = y[y % 15 == 0]
        return len(kept), int(np.sum(kept, dtype=np.int64))

    text = lambda found: f"{found[0]}/{found[1]}"
    yield "numpy", by_numpy, text
    if polars:
        y = (polars.col("x") + polars.lit(15, polars.Int32)).alias("y")
        frame = polars.DataFrame({"x": values})
        query = (
            frame.lazy()
            .select(y)
            .filter(polars.col("y") % 15 == 0)
            .select(polars.len(), polars.col("y").cast(polars.Int64).sum().alias("sum"))
        )
        yield "polars", query.collect, lambda rows: text(rows.row(0))


def groupby(asked):
    keys = Numbers(asked.seed, 0).filled(asked.n, np.int32, lambda b, _: below(b, asked.keys))
    values = Numbers(asked.seed, 1).filled(asked.n, np.float64, lambda b, _: f64(b))
    if asked.domain:

        def by_numpy():
            counts = np.bincount(keys, minlength=asked.keys)
            return counts, np.bincount(keys, weights=values, minlength=asked.keys)

        def check(found):
            there = np.nonzero(found[0])[0]
            return groups_checksum(there, found[0][there], found[1][there])

        yield "numpy", by_numpy, check
    if duckdb:
        base = database(asked, "create table t as select * from arrow_in", keys=keys, value=values)
        query = "select keys, count(*), sum(value) from t group by keys"
        check = lambda found: groups_checksum(*(found[c] for c in found))
        yield "duckdb", lambda: base.execute(query).fetchnumpy(), check
    if polars:
        frame = polars.DataFrame({"key": keys, "value": values})
        query = frame.lazy().group_by("key").agg(polars.len(), polars.col("value").sum())
        yield "polars", query.collect, lambda f: groups_checksum(*(s.to_numpy() for s in f))


def join(asked):
    n, some, seed = asked.n, asked.n // 10, asked.seed
    build_key = Numbers(seed, 0).filled(some, np.int64, lambda b, _: b >> np.uint64(1))
    build_pay = Numbers(seed, 1).filled(some, np.int64, lambda b, _: below(b, 1000))
    choice = Numbers(seed, 2).filled(n, np.int64, lambda b, _: below(b, max(n // 8, 1)))
    key = Numbers(seed, 3).filled(n, np.int64, lambda b, _: b >> np.uint64(1))
    hits = choice < some
    key[hits] = build_key[choice[hits]]
    pay = Numbers(seed, 4).filled(n, np.int64, lambda b, _: below(b, 1000))
    text = lambda found: f"{int(found[0])}/{int(found[1])}"
    if duckdb:
        base = database(asked, "create table b as select * from arrow_in", k=build_key, v=build_pay)
        arrive(base, "create table p as select * from arrow_in", k=key, v=pay)
        query = "select count(*), sum(p.v * b.v) from p join b on p.k = b.k"
        yield "duckdb", lambda: base.execute(query).fetchone(), text
    if polars:
        left = polars.DataFrame({"k": key, "v": pay}).lazy()
        right = polars.DataFrame({"k": build_key, "w": build_pay}).lazy()
        product = (polars.col("v") * polars.col("w")).sum().alias("sum")
        query = left.join(right, on="k").select(polars.len(), product)
        yield "polars", query.collect, lambda rows: text(rows.row(0))


def kmeans(asked):
    bits = Numbers(asked.seed, 0)
    unit = lambda b, _: (b >> np.uint64(40)).astype(np.float64) * 2.0**-24
    points = bits.filled(asked.n * asked.d, np.float32, unit).reshape(asked.n, asked.d)
    if sklearn:
        # Five assignments: four that move centers, and a last one.
        model = sklearn.KMeans(
            asked.k, init=points[: asked.k], n_init=1, max_iter=4, tol=0, algorithm="lloyd"
        )
        yield "sklearn", lambda: model.fit(points), lambda m: f"{m.inertia_:.6e}"


def pagerank(asked):
    pages, links = asked.n, 20 * asked.n
    places = np.arange(links, dtype=np.uint64)
    source = (places * np.uint64(300007) % np.uint64(pages)).astype(np.int32)
    target = Numbers(asked.seed, 0).filled(links, np.int32, lambda b, _: pages * (f64(b) * f64(b)))
    target = np.minimum(target, pages - 1).astype(np.int32)

    def by_scipy():
        degrees = np.bincount(source, minlength=pages)
        shares = 1.0 / degrees[source]
        matrix = scipy.csr_matrix((shares, (target, source)), shape=(pages, pages))
        ranks = np.full(pages, 1.0 / pages)
        for _ in range(5):
            ranks = 0.15 / pages + 0.85 * (matrix @ ranks)
        return ranks

    def check(ranks):
        weights = (1 + np.arange(pages) % 97).astype(np.float64)
        return f"{np.sum(ranks):.9e}/{np.sum(ranks * weights):.9e}"

    if scipy:
        yield "scipy", by_scipy, check
    if duckdb:
        base = database(asked, "create table links as select * from arrow_in", f=source, t=target)

        def by_duckdb():
            run = base.execute
            run("create or replace table degree as select f, count(*) n from links group by f")
            run(f"create or replace table r as select f p, 1.0::double / {pages} v from degree")
            for _ in range(5):
                run(
                    "create or replace table r as select d.f p, "
                    f"0.15::double / {pages} + 0.85::double * coalesce(s.v, 0) v from degree d "
                    "left join (select l.t, sum(r.v / degree.n) v from links l "
                    "join r on l.f = r.p join degree on l.f = degree.f group by l.t) s on s.t = d.f"
                )
            found = run("select p, v from r").fetchnumpy()
            ranks = np.empty(pages)
            ranks[found["p"]] = found["v"]
            return ranks

        yield "duckdb", by_duckdb, check


def outofcore(asked):
    if duckdb and pyarrow:
        import peers_outofcore

        yield from peers_outofcore.versions(asked, Numbers, position_sum)


def tables(asked):
    if duckdb and pyarrow:
        import peers_tables

        yield from peers_tables.versions(asked, Numbers, duckdb, polars)


def texts(asked):
    if pyarrow:
        import peers_texts

        yield from peers_texts.versions(asked, Numbers, duckdb, polars)


def in_files(asked):
    import peers_files

    yield from peers_files.versions(asked, Numbers, position_sum)


def database(asked, statement, **columns):
    base = duckdb.connect()
    base.execute(f"set threads = {asked.threads}")
    arrive(base, statement, **columns)
    return base


def arrive(base, statement, **columns):
    base.register("arrow_in", columns)
    base.execute(statement)
    base.unregister("arrow_in")


def timed(asked, run, checksum, leave_page_cache=None):
    found = run()
    seconds = []
    for _ in range(asked.repeat):
        if asked.cold and leave_page_cache:
            leave_page_cache()
        begin = time.perf_counter()
        found = run()
        seconds.append(time.perf_counter() - begin)
    return {
        "median_s": statistics.median(seconds),
        "min_s": min(seconds),
        "checksum": checksum(found),
    }


def outcome(asked, *version):
    """What timed() gives, or why DuckDB couldn't: most likely, out of memory.

    Arrow's batches tell what happens midway as an OSError.
    """
    try:
        return timed(asked, *version)
    except (OSError, *([duckdb.Error] if duckdb else [])) as problem:
        return {"skipped": "fails: " + str(problem).splitlines()[0]}


# Libraries of peers_stores.py.
STORES = ("h5py", "zarr", "tensorstore", "dask")
PEERS = {
    "scan": (scan, ["numpy"]),
    "sort": (sort, ["numpy", "polars"]),
    "mapfiltersum": (mapfiltersum, ["numpy", "polars"]),
    "groupby": (groupby, ["duckdb", "polars"]),
    "join": (join, ["duckdb", "polars"]),
    "kmeans": (kmeans, ["sklearn"]),
    "pagerank": (pagerank, ["scipy", "duckdb"]),
    "vmscope_average": (in_files, ["numpy", *STORES]),
    "vmscope_subsample": (in_files, ["numpy", *STORES]),
    "vmscope_blosc": (in_files, ["zarr", "tensorstore", "dask"]),
    "vmscope_gzip": (in_files, ["zarr", "tensorstore", "dask"]),
    "vmscope_hdf5": (in_files, ["h5py"]),
    "vmscope_write": (in_files, ["zarr", "tensorstore", "dask"]),
    "bess": (in_files, ["numpy", *STORES]),
    "composite": (in_files, ["numpy"]),
    "anomaly": (in_files, ["numpy"]),
    **{
        f"tables_{name}": (tables, ["duckdb", "polars"])
        for name in (
            *("read", "stream", "parquet", "parquet_read", "mean", "aggregates", "routes"),
            *("top", "first", "quantiles", "distinct", "join", "months", "pivot", "missing"),
        )
    },
    "tables_words": (texts, ["duckdb", "polars"]),
    "tables_log": (texts, ["duckdb", "polars"]),
    "outofcore_sort": (outofcore, ["duckdb"]),
    "outofcore_terasort": (outofcore, ["duckdb"]),
    "outofcore_text": (outofcore, ["duckdb"]),
    "outofcore_groupby": (outofcore, ["duckdb"]),
    "outofcore_distinct": (outofcore, ["duckdb"]),
    "outofcore_join": (outofcore, ["duckdb"]),
}


def arguments(args):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("name")
    parser.add_argument("--n", type=int, required=True)
    parser.add_argument("--seed", type=int, default=42)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--keys", type=int, default=100)
    parser.add_argument("--domain", action="store_true")
    parser.add_argument("--k", type=int, default=10)
    parser.add_argument("--d", type=int, default=20)
    parser.add_argument("--cuda", action="store_true", help="what runs on NVIDIA's GPUs instead")
    parser.add_argument("--resident", action="store_true", help="inputs are on the GPU before")
    parser.add_argument("--cold", action="store_true", help="files: out of the page cache")
    parser.add_argument("--folder", help="of spilled rows and of inputs on disk")
    parser.add_argument(
        "--budget",
        action="append",
        type=lambda text: (text.partition("=")[0], int(text.partition("=")[2])),
        help="NAME=BYTES of memory, for a version of its own; 0: no limit",
    )
    return parser.parse_args(args)


# Those of which peers_cuda.py has versions.
ON_CUDA = ("scan", "sort", "sum", "mapfiltersum", "groupby", "blackscholes", "kmeans")


def main_on_cuda(asked):
    if asked.name not in ON_CUDA:
        return
    global np
    np = load("numpy")
    for name in ("numpy", "cupy"):
        if load(name) is None:
            print(json.dumps({"version": "cupy", "skipped": f"python3 has no package {name}"}))
            return
    try:  # CuPy has errors of many kinds where there is no GPU, memory or compiler
        import peers_cuda

        for version, run, checksum in peers_cuda.versions(asked, Numbers, groups_checksum):
            timed_there = {"device": "cuda:0", **timed(asked, run, checksum)}
            print(json.dumps({"version": version, **timed_there}), flush=True)
    except Exception as problem:
        first_line = (str(problem).splitlines() or [type(problem).__name__])[0]
        print(json.dumps({"version": "cupy", "skipped": f"fails: {first_line}"}))


def main(args):
    asked = arguments(args)
    if asked.cuda:
        main_on_cuda(asked)
        return
    if asked.name not in PEERS:
        return
    # Libraries read these when they are loaded.
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "POLARS_MAX_THREADS"):
        os.environ[variable] = str(asked.threads)
    global np, scipy, sklearn, duckdb, polars, pyarrow
    np, duckdb, polars = load("numpy"), load("duckdb"), load("polars")
    scipy = load("scipy.sparse")
    sklearn = load("sklearn.cluster") if asked.name == "kmeans" else None
    make, expected = PEERS[asked.name]
    by_arrow = make in (outofcore, tables, texts)
    pyarrow = load("pyarrow") if by_arrow else None
    there = {
        "numpy": np,
        "scipy": scipy,
        "sklearn": sklearn,
        "duckdb": duckdb,
        "polars": polars,
        "pyarrow": pyarrow,
        **{name: load(name) for name in STORES if name in expected},
    }
    for name in expected:
        needed = ["numpy", name, *(["pyarrow"] if by_arrow else [])]
        missing = [package for package in needed if not there[package]]
        if missing:
            print(json.dumps({"version": name, "skipped": f"python3 has no package {missing[0]}"}))
    if not np:
        return
    for name, *version in make(asked):
        print(json.dumps({"version": name, **outcome(asked, *version)}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
