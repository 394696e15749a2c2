"""What the examples that ask questions of tables print, computed by plain Python."""
import collections
import csv
import datetime
import math
import os
import re
import statistics


def rows_of(data, name):
    with open(os.path.join(data, name), newline="", encoding="ascii") as file:
        return list(csv.DictReader(file))


def cell_text(cell):
    if cell is None:
        return "null"
    if isinstance(cell, list):
        return f"[{', '.join(map(cell_text, cell))}]"
    return f"{cell:.6g}" if isinstance(cell, float) else str(cell)


def table(types, rows, first=None):
    """Numbers stand to the right, two spaces apart. `first`: how many rows are shown."""
    cells = [list(types), list(types.values())]
    cells += [[cell_text(cell) for cell in row] for row in rows[:first]]
    widths = [max(map(len, column)) for column in zip(*cells)]
    align = [str.rjust if re.match("[fiu]", kind) and not cell.startswith("[") else str.ljust
             for kind, cell in zip(types.values(), cells[2])]
    lines = ["  ".join(put(cell, width) for put, cell, width in zip(align, row, widths)).rstrip()
             for row in cells]
    shown = len(cells) - 2
    return [*lines, f"{'the first ' if shown < len(rows) else ''}{shown} row{'s'[:shown != 1]}"]


def most_frequent(values):
    return sorted(collections.Counter(values).items(), key=lambda of: (-of[1], of[0]))


def by(key, rows):
    groups = collections.defaultdict(list)
    for row in rows:
        groups[key(row)].append(row)
    return sorted(groups.items())


def quantile(values, p):
    """Linear between neighbours, as pandas' and SQL's quantile_cont."""
    values = sorted(values)
    at = p * (len(values) - 1)
    low, part = values[math.floor(at)], at - math.floor(at)
    return float(low + part * (values[math.ceil(at)] - low))


def word_count(data):
    with open(os.path.join(data, "gettysburg.txt"), encoding="ascii") as file:
        words = most_frequent(re.findall("[a-z]+", file.read().lower()))
    return table({"key": "text", "value": "i64"}, words, 5)


def join_csv(data):
    country = {row["id"]: row["country"] for row in rows_of(data, "customers.csv")}
    spent = collections.Counter()
    for row in rows_of(data, "orders.csv"):
        spent[country.get(row["customer"], "unknown")] += float(row["price"])
    return [f"{name} {spent[name]:.2f}" for name in sorted(spent)]


def flights(data):
    rows = [{**row, "day": datetime.date.fromisoformat(row["day"]), "miles": float(row["miles"]),
             "delay": int(row["delay"]) if row["delay"] else None, "tail": row["tail"] or None}
            for row in rows_of(data, "flights.csv")]
    names = {row["code"]: row["name"] for row in rows_of(data, "airlines.csv")}
    by_carrier = by(lambda row: row["carrier"], rows)
    delays = {carrier: [row["delay"] for row in flown if row["delay"] is not None]
              for carrier, flown in by_carrier}
    weekdays = by(lambda row: row["day"].isoweekday(), rows)
    latest = min((row for row in rows if row["delay"] is not None),
                 key=lambda row: (-row["delay"], row["day"]))
    counts = {"key": "text", "value": "i64"}
    return [
        *table({"day": "date", "carrier": "text", "from": "text", "to": "text", "delay": "i32",
                "miles": "f64", "tail": "text"},
               [[row[name] for name in ("day", "carrier", "from", "to", "delay", "miles", "tail")]
                for row in rows], 3),
        *table({"key": "text", "value.mean_delay": "f64", "value.longest": "i32",
                "value.miles": "f64", "value.flown": "i64"},
               [(carrier, statistics.fmean(delays[carrier]), max(delays[carrier]),
                 math.fsum(row["miles"] for row in flown), len(flown))
                for carrier, flown in by_carrier]),
        *table({"key": "text", "value": "f64"},
               [(carrier, [quantile(known, p) for p in (0.5, 0.95)])
                for carrier, known in delays.items()]),
        *table(counts, [(carrier, len({row["tail"] for row in flown} - {None}))
                        for carrier, flown in by_carrier]),
        *table(counts, most_frequent(row["to"] for row in rows)),
        *table({"key.0": "text", "key.1": "text", "value": "i64"},
               [(*towns, n) for towns, n in most_frequent(
                   (row["from"], row["to"]) for row in rows)], 3),
        *table({"key": "date", "value": "i64"},
               [(month, len(flown)) for month, flown in by(lambda row: row["day"].replace(day=1),
                                                           rows)]),
        *table({"key": "i32", "value.0": "u64", "value.1": "u64", "value.2": "u64"},
               [(day, *(sum(row["carrier"] == carrier for row in flown)
                        for carrier in ("AB", "KL", "SK"))) for day, flown in weekdays]),
        *table(counts, sorted(collections.Counter(names.get(row["carrier"], "unknown")
                                                  for row in rows).items())),
        f"({len(rows)}, {sum(map(len, delays.values()))}, "
        f"{sum(row['tail'] is not None for row in rows)}, "
        f"({latest['delay']}, {latest['day']}))"]


def blackscholes(_):
    rate, volatility = 0.02, 0.3
    def normal(d):
        return math.erfc(-d / math.sqrt(2)) / 2
    def option(i):
        spot, strike, years = 50.0 + i * 37 % 101, 50.0 + i * 53 % 97, 0.25 + i * 29 % 40 / 10
        d1 = (math.log(spot / strike) + (rate + volatility ** 2 / 2) * years) / (
            volatility * math.sqrt(years))
        d2 = d1 - volatility * math.sqrt(years)
        paid = strike * math.exp(-rate * years)
        return (spot, strike, years, spot * normal(d1) - paid * normal(d2),
                paid * normal(-d2) - spot * normal(-d1))
    options = [option(i) for i in range(100_000)]
    return [*table(dict.fromkeys(["spot", "strike", "years", "call", "put"], "f64"), options, 3),
            f"all calls {math.fsum(call for *_, call, _ in options):.2f}", "calls and puts agree"]


def haversine(_):
    def kilometres(i):
        latitudes = [math.radians(i * by % n / 10 - 80) for by, n in ((37, 1601), (29, 1597))]
        longitudes = [math.radians(i * by % n / 10 - 180) for by, n in ((53, 3593), (31, 3583))]
        up = math.sin((latitudes[1] - latitudes[0]) / 2)
        along = math.sin((longitudes[1] - longitudes[0]) / 2)
        return 12742 * math.asin(math.sqrt(
            up * up + math.cos(latitudes[0]) * math.cos(latitudes[1]) * along * along))
    far = [kilometres(i) for i in range(100_000)]
    return table({"count": "i64", **dict.fromkeys(
        ["mean", "std", "min", "q25", "q50", "q75", "max"], "f64")}, [[
            len(far), statistics.fmean(far), statistics.stdev(far),
            *(quantile(far, p) for p in (0, 0.25, 0.5, 0.75, 1))]])


def moving_average(_):
    degrees = [(250 - abs(day - 200) + day * 37 % 61) / 10 for day in range(365)]
    weeks = [(day, math.fsum(degrees[day - 6:day + 1]) / 7) for day in range(6, 365)]
    return table({"last_day": "i64", "average": "f64"},
                 sorted(weeks, key=lambda week: (-round(week[1], 9), week[0]))[:3])


def histogram(_):
    ways = {0: 1}
    for _ in range(8):
        ways = {points: sum(ways.get(points - die, 0) for die in range(1, 7))
                for points in range(min(ways) + 1, max(ways) + 7)}
    return [f"{points:2}{n:8} " + "*" * (n // 2500) for points, n in ways.items()]


def top_k(_):
    steps = [0, 0]
    for number in range(2, 1_000_000):
        n, taken = number, 0
        while n >= number:
            n, taken = n // 2 if n % 2 == 0 else 3 * n + 1, taken + 1
        steps.append(taken + steps[n])
    best = sorted(range(1, 1_000_000), key=lambda number: (-steps[number], number))
    return table({"number": "i32", "steps": "i32"}, [(n, steps[n]) for n in best[:5]])


def terasort(_):
    return ["100000 records, in order"]


def skyserver(_):
    n = 100_000
    def bright(i):
        # Floats of 32 bits have all of these, and what is added to them, exactly.
        return [least + i * i % 10007 * by % 251 / 512
                for least, by in ((18, 131), (17, 241), (16, 353), (15, 463))]
    def alike(a, b):
        colors = [[x - y for x, y in zip(of, of[1:])] for of in (bright(a), bright(b))]
        return all(abs(x - y) < 0.05 for x, y in zip(*colors))
    pairs = ((i // 4, (i // 4 + 1 + i % 4 * i * 7919 % 512) % n) for i in range(4 * n))
    found = sorted({a for a, b in pairs if a < b and alike(a, b)})
    return [f"{len(found)} objects", *table({"value": "i64"}, [[a] for a in found], 5)]


def daily_bars(data):
    rows = [(row["share"], row["at"][:10], float(row["price"]), int(row["pieces"]))
            for row in sorted(rows_of(data, "trades.csv"), key=lambda row: row["at"])]
    bars = []
    for key, trades in by(lambda row: row[:2], rows):
        prices = [row[2] for row in trades]
        bars.append([*key, prices[0], max(prices), min(prices), prices[-1],
                     sum(row[3] for row in trades)])
    return table({"key.0": "text", "key.1": "date", "value.open": "f64", "value.high": "f64",
                  "value.low": "f64", "value.close": "f64", "value.pieces": "i64"}, bars)


def id3(data):
    """Of equally good questions the first is asked."""
    def doubt(rows):
        return -sum(n * math.log2(n / len(rows))
                    for n in collections.Counter(row["went"] for row in rows).values())
    def grow(rows, questions, indent):
        outcomes = most_frequent(row["went"] for row in rows)
        if len(outcomes) == 1 or not questions:
            return [f"{indent}{outcomes[0][0]} ({outcomes[0][1]})"]
        best = min(questions, key=lambda question: round(sum(
            doubt(same) for _, same in by(lambda row: row[question], rows)), 9))
        return [line for answer, same in by(lambda row: row[best], rows)
                for line in (f"{indent}{best} is {answer}",
                             *grow(same, [other for other in questions if other != best],
                                   indent + "  "))]
    return grow(rows_of(data, "picnics.csv"), ["sky", "warmth", "wind", "day"], "")


def asof_join(data):
    quotes = sorted(rows_of(data, "quotes.csv"), key=lambda quote: quote["at"])
    priced = []
    for trade in rows_of(data, "trades.csv"):
        known = [quote for quote in quotes
                 if quote["share"] == trade["share"] and quote["at"] <= trade["at"]]
        priced.append([trade["at"], trade["share"], float(trade["price"]),
                       *(float(known[-1][side]) if known else None for side in ("bid", "ask"))])
    return table({"at": "timestamp", "share": "text", "price": "f64", "bid": "f64", "ask": "f64"},
                 priced, 10)


def nearest(_):
    def place(i):
        return i * 37 % 101 / 10, i * 53 % 97 / 10
    stations = [i * 31 + 7 for i in range(300)]
    ways = []
    for house in range(3):  # all that is shown
        far = [(round(math.dist(place(house), place(station)), 9), i, station)
               for i, station in enumerate(stations)]
        ways += [[house, station, distance] for distance, _, station in sorted(far)[:3]]
    return table({"house": "i32", "station": "i32", "distance": "f64"}, ways, 6)


def web_log(data):
    hits = []
    with open(os.path.join(data, "access.log"), encoding="ascii") as file:
        for line in file:
            words = line.split()
            at = datetime.datetime.strptime(words[3], "[%d/%b/%Y:%H:%M:%S")
            hits.append((words[0], at, words[6], int(words[8])))
    visits = collections.Counter()
    for address, own in by(lambda hit: hit[0], hits):
        times = sorted(at for _, at, *_ in own)
        visits[address] = 1 + sum(b - a > datetime.timedelta(minutes=30)
                                  for a, b in zip(times, times[1:]))
    counts = {"key": "text", "value": "i64"}
    return [*table(counts, most_frequent(path for *_, path, status in hits if status >= 400)),
            *table(counts, sorted(visits.items(), key=lambda of: (-of[1], of[0])))]
