"""What the examples ask, asked of Polars: for those who come from there.

    in_polars.py DATA        DATA: the folder data/ beside this file

Each function holds the part that examples/README.md counts, and nothing else.
"""
import sys

import polars as pl
from polars import col

DATA = sys.argv[1] if len(sys.argv) > 1 else "data"


def word_count(path):
    return (
        pl.scan_lines(path, name="line")
        .select(col("line").str.to_lowercase().str.extract_all("[a-z]+").explode().alias("word"))
        .drop_nulls()
        .group_by("word")
        .len()
        .top_k(5, by="len")
    )


def web_log(path):
    words = col("line").str.split(" ").list
    hits = (
        pl.scan_lines(path, name="line")
        .select(
            address=words.get(0),
            path=words.get(6),
            at=words.get(3).str.to_datetime("[%d/%b/%Y:%H:%M:%S"),
            status=words.get(8).cast(pl.Int32),
        )
        .collect()
    )
    failed = hits.filter(col("status") >= 400)["path"].value_counts(sort=True)
    since = col("at") - col("at").shift().over("address", order_by="at")
    visits = (
        hits.filter(since.is_null() | (since > pl.duration(minutes=30)))["address"]
        .value_counts(sort=True)
    )
    return failed, visits


def flights(path, names):
    flights = pl.read_csv(path, try_parse_dates=True)
    airlines = pl.read_csv(names)
    by_carrier = flights.group_by("carrier")
    delay = col("delay")
    yield flights.head(3)
    yield by_carrier.agg(delay.mean(), longest=delay.max(), miles=col("miles").sum(), n=pl.len())
    yield by_carrier.agg(
        median=delay.quantile(0.5, "linear"), late=delay.quantile(0.95, "linear")
    )
    yield by_carrier.agg(col("tail").drop_nulls().n_unique())
    yield flights["to"].value_counts(sort=True)
    yield flights.group_by("from", "to").len().top_k(3, by="len")
    yield flights.group_by(col("day").dt.truncate("1mo")).len()
    yield flights.group_by(col("day").dt.weekday()).agg(
        (col("carrier") == carrier).sum().alias(carrier) for carrier in ("AB", "KL", "SK")
    )
    yield (
        flights.join(airlines, left_on="carrier", right_on="code", how="left")
        .group_by(col("name").fill_null("unknown"))
        .len()
    )
    yield flights.select(
        pl.len(), late=delay.count(), tail=col("tail").count(), on=col("day").sort_by(delay).last()
    )


def daily_bars(path):
    return (
        pl.read_csv(path, try_parse_dates=True)
        .sort("at")
        .group_by("share", day=col("at").dt.date())
        .agg(
            open=col("price").first(),
            high=col("price").max(),
            low=col("price").min(),
            close=col("price").last(),
            pieces=col("pieces").sum(),
        )
        .sort("share", "day")
    )


def asof_join(trades, quotes):
    return (
        pl.read_csv(trades, try_parse_dates=True)
        .sort("at")
        .join_asof(pl.read_csv(quotes, try_parse_dates=True).sort("at"), on="at", by="share")
        .select("at", "share", "price", "bid", "ask")
        .head(10)
    )


def nearest(houses, stations):
    return (
        houses.join(stations, how="cross")
        .with_columns(
            ((col("x") - col("x_right")) ** 2 + (col("y") - col("y_right")) ** 2)
            .sqrt()
            .alias("distance")
        )
        .sort("id", "distance")
        .group_by("id", maintain_order=True)
        .head(3)
    )


def skyserver(objects, neighbours):
    def near(a, b):
        def apart(side):
            return col(a + side) - col(b + side)

        return (apart("") - apart("_right")).abs() < 0.05

    return (
        neighbours.filter(col("id") < col("other"))
        .join(objects, on="id")
        .join(objects, left_on="other", right_on="id")
        .filter(near("u", "g") & near("g", "r") & near("r", "i"))
        .select(col("id").unique().sort())
    )


def haversine(trips):
    up = ((col("to_latitude") - col("from_latitude")).radians() / 2).sin()
    along = ((col("to_longitude") - col("from_longitude")).radians() / 2).sin()
    both = col("from_latitude").radians().cos() * col("to_latitude").radians().cos()
    return trips.select(
        (2 * 6371 * (up**2 + both * along**2).sqrt().arcsin()).alias("km")
    ).describe()


def moving_average(days):
    return (
        days.with_row_index("day")
        .with_columns(average=col("degrees").rolling_mean(7))
        .filter(col("day") >= 6)
        .top_k(3, by="average")
    )


def made_up(n, **columns):
    return pl.select(i=pl.int_range(n)).select(**columns)


def brightness(i):
    pairs = ((18, 131), (17, 241), (16, 353), (15, 463))
    return [i * i % 10007 * by % 251 / 512 + least for least, by in pairs]


if __name__ == "__main__":
    pl.Config.set_tbl_rows(20)
    i = col("i")
    n = 100_000
    trips = made_up(
        n,
        from_latitude=i * 37 % 1601 / 10 - 80,
        from_longitude=i * 53 % 3593 / 10 - 180,
        to_latitude=i * 29 % 1597 / 10 - 80,
        to_longitude=i * 31 % 3583 / 10 - 180,
    )
    objects = made_up(n, id=i, **dict(zip("ugri", brightness(i))))
    neighbours = made_up(4 * n, id=i // 4, other=(i // 4 + 1 + i % 4 * i * 7919 % 512) % n)
    houses = made_up(10_000, id=i, x=i * 37 % 101 / 10, y=i * 53 % 97 / 10)
    stations = houses.join(made_up(300, id=i * 31 + 7), on="id")
    days = made_up(365, degrees=(250 - (i - 200).abs() + i * 37 % 61) / 10)
    for answer in (
        word_count(f"{DATA}/gettysburg.txt").collect(),
        *web_log(f"{DATA}/access.log"),
        *flights(f"{DATA}/flights.csv", f"{DATA}/airlines.csv"),
        daily_bars(f"{DATA}/trades.csv"),
        asof_join(f"{DATA}/trades.csv", f"{DATA}/quotes.csv"),
        haversine(trips),
        skyserver(objects, neighbours),
        nearest(houses, stations).head(6),
        moving_average(days),
    ):
        print(answer)
