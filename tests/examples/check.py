"""Runs a program of examples/ and compares what it prints with the answer found another way.

  check.py NAME PROGRAM DATA     DATA: the folder of the examples' files

The answers are computed here by plain Python, or known. Exit status 77: what the example needs
isn't on this machine.
"""
import cmath
import collections
import hashlib
import itertools
import math
import operator
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

from tables import (asof_join, blackscholes, daily_bars, flights, haversine, histogram, id3,
                    join_csv, moving_average, nearest, skyserver, terasort, top_k, web_log,
                    word_count)


def kmeans(_):
    clouds = [(0, 0), (5, 0), (0, 5)]
    points = [(clouds[i % 3][0] + i * 37 % 71 / 10 - 3, clouds[i % 3][1] + i * 53 % 79 / 10 - 4)
              for i in range(30_000)]
    centers, before = points[:3], None
    while centers != before:
        before, clusters = centers, [[] for _ in centers]
        for p in points:
            distances = [(p[0] - x) ** 2 + (p[1] - y) ** 2 for x, y in centers]
            clusters[distances.index(min(distances))].append(p)
        centers = [tuple(math.fsum(axis) / len(c) for axis in zip(*c)) for c in clusters]
    return [f"{x:.2f} {y:.2f}" for x, y in centers]


def kmeans_arrays(data):
    return kmeans(data)


def pagerank(_):
    # The figure of Wikipedia's article on PageRank, whose graph this is.
    known = {"B": 38.4, "C": 34.3, "E": 8.1, "D": 3.9, "F": 3.9, "A": 3.3,
             **dict.fromkeys("GHIJK", 1.6)}
    return [f"{page} {rank} %" for page, rank in known.items()]


def heat(_):
    side = 64
    now = [[100.0 if y < side // 2 and x < side // 4 else 0.0 for x in range(side)]
           for y in range(side)]
    for _ in range(100):
        padded = [now[0]] + now + [now[-1]]
        now = [[here + 0.2 * (up + down + left + right - 4 * here)
                for here, up, down, left, right in zip(
                    row, above, below, row[:1] + row[:-1], row[1:] + row[-1:])]
               for above, row, below in zip(padded, padded[1:], padded[2:])]
    places = [here for row in now for here in row]
    return [f"mean {math.fsum(places) / len(places):.3f}", f"highest {max(places):.3f}",
            f"in the middle {now[side // 2][side // 2]:.3f}"]


def gemm(_):
    return ["both ways: the identity", f"there: {math.cos(0.3):.3f} {-math.sin(0.3):.3f}"]


def cocluster(_):
    ratings = [[(4 if (i % 3 == 0) == (j % 4 == 0) else 2) + (i * 37 + j * 53) % 11 / 10
                for j in range(400)] for i in range(600)]

    def mean(viewers, films):
        return math.fsum(ratings[i][j] for i in viewers for j in films) / len(viewers) / len(films)
    # The groups that the ratings were made of.
    viewers = [[i for i in range(600) if i % 3 != 0], [i for i in range(600) if i % 3 == 0]]
    films = [[j for j in range(400) if j % 4 != 0], [j for j in range(400) if j % 4 == 0]]
    return [*(" ".join(f"{mean(a, b):.2f}" for b in films) for a in viewers),
            f"{len(viewers[1])} viewers and {len(films[1])} films belong together"]


def nbody(_):
    time, n = 0.001, 64
    x, y, vx, vy, mass = [0.0], [0.0], [0.0], [0.0], [1.0] + [1e-6] * (n - 1)
    for i in range(1, n):
        distance = 1 + 0.1 * i
        x.append(distance * math.cos(i))
        y.append(distance * math.sin(i))
        vx.append(-math.sin(i) / math.sqrt(distance))
        vy.append(math.cos(i) / math.sqrt(distance))
    for _ in range(1000):
        for i in range(n):
            ax = ay = 0
            for j in range(n):
                dx, dy = x[j] - x[i], y[j] - y[i]
                near = dx * dx + dy * dy + 1e-9
                strength = mass[j] / (near * math.sqrt(near))
                ax += strength * dx
                ay += strength * dy
            vx[i] += time * ax
            vy[i] += time * ay
        for i in range(n):
            x[i] += time * vx[i]
            y[i] += time * vy[i]
    return [f"body {i} at {x[i]:.4f} {y[i]:.4f}, {math.hypot(x[i], y[i]):.4f} from the middle"
            for i in (0, 1, 10, 63)]


def spmv(_):
    side = 100
    def streets(i, j):
        return [(k, m) for k, m in ((i - 1, j), (i + 1, j), (i, j - 1), (i, j + 1))
                if 0 <= k < side and 0 <= m < side]
    now = {(0, 0): 1.0}
    for _ in range(50):
        then = collections.Counter()
        for place, chance in now.items():
            for to in streets(*place):
                then[to] += chance / len(streets(*place))
        now = then
    return [f"somewhere {sum(now.values()):.6f}", f"in the corner {now[0, 0]:.6f}",
            f"streets away {sum(chance * (i + j) for (i, j), chance in now.items()):.6f}"]


def md5(_):
    wanted = hashlib.md5(b"271828").hexdigest()
    return [f"the digest of {i}" for i in range(1_000_000)
            if hashlib.md5(b"%06d" % i).hexdigest() == wanted]


def correlator(_):
    antennas, times, mask = 8, 10_000, (1 << 64) - 1
    def noise(number):
        bits = (number + 1) * 0x9E3779B97F4A7C15 & mask
        bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9 & mask
        bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EB & mask
        return ((bits >> 40) - (1 << 23)) / (1 << 23)
    def signal(antenna):
        first = 2 * antenna * times
        return [complex(noise(first + 2 * t), noise(first + 2 * t + 1)) for t in range(times)]
    star = signal(antennas)
    turned = {2: 1, 5: 1j}
    heard = [[own + turned.get(antenna, 0) * light for own, light in zip(signal(antenna), star)]
             for antenna in range(antennas)]
    lines = []
    for i in range(antennas):
        for j in range(i):
            mean = sum(x * y.conjugate() for x, y in zip(heard[i], heard[j])) / times
            if abs(mean) > 0.1:
                lines.append(f"antennas {j} and {i} hear the same: {abs(mean):.1f}, "
                             f"{math.degrees(cmath.phase(mean)):.1f} degrees apart")
    return lines


def custom_reducer(_):
    # The largest gap below a million, between 492113 and 492227 (OEIS A002386).
    return ["113 numbers from 492114"]


def two_devices(_):
    return ["314159053 points"]  # Gauss's circle problem, OEIS A000328


def explain(_):
    totals = collections.Counter()
    for i in range(1_000_000):
        if i % 97 > 48:
            totals[i % 10] += i % 97
    best = sorted(totals, key=lambda shop: (-totals[shop], shop))
    return [f"shop {shop}: {totals[shop]}" for shop in best[:3]]


def vmscope(_):
    def stain(y, x):
        across = x + y // 128 % 2 * 64
        kind = (y // 128 * 73 + across // 128 * 151) ** 2 % 251
        dy, dx = y % 128 - 48 - kind % 33, across % 128 - 48 - kind * 7 % 33
        away = dy * dy + dx * dx + int(dy * dx * (kind % 3 - 1) / 2)
        stained = (y + x // 2) // 80 + (y * 13 + x * 7 + y * x) % 11
        if away < 400 + kind * 6:
            stained += min(400 + kind * 6 - away, 300) // 6 + min(max(80 + kind - away, 0), 70)
        return stained
    def pixel(y, x):
        stained = stain(y, x)
        return 245 - stained, 240 - stained * 5 // 4, 245 - stained // 2
    def mean(values):
        return (sum(values) + 32) // 64
    def block(i, j):
        return [(800 + i * 8 + y, 1200 + j * 8 + x) for y in range(8) for x in range(8)]
    view = [block(i, j) for i in range(200) for j in range(200)]
    corner = [mean(colour) for colour in zip(*(pixel(*at) for at in view[-1]))]
    def line(what, reds, corner):
        return f"{what} 200 x 200, red in all {sum(reds)}, the corner {' '.join(map(str, corner))}"
    return [line("means", (mean([245 - stain(*at) for at in places]) for places in view), corner),
            line("samples", (245 - stain(*places[0]) for places in view), pixel(*view[-1][0]))]


def bess(_):
    weights = [1 + step % 3 for step in range(1250)]
    # Of columns that begin alike there is one mean.
    means = [math.fsum(weight * (((400 + step) * 7 + start) % 11)
                       for step, weight in enumerate(weights)) / sum(weights)
             for start in range(11)]
    columns = [means[(element * 3 + part) % 11] for element in range(500) for part in range(4)]
    return [f"first {columns[0]:.4f}", f"last {columns[-1]:.4f}",
            f"all {math.fsum(columns) / len(columns):.4f}"]


def wave(at, n):
    u = abs(at % n * 2 - n)
    return 100 * u * u * (3 * n - 2 * u) // n ** 3


def composite(_):
    best = {}
    for day, i, j in itertools.product(range(10), range(320), range(200)):
        y, x = (i + day) % 320, (j * 2 + day * 9) % 480
        cloud = (wave(x + day * 70, 210) + wave(y + x // 2 + day * 30, 130)
                 + wave(2 * x + 3 * y + day * 40, 190) // 2)
        red, infrared = 210, 205
        if cloud <= 150:
            grows = wave(x + y, 480) + wave(2 * x + 640 - y, 310) + wave(y + x // 3, 97) // 2
            haze = (y * 7 + x * 3 + day * 5) % 11
            red, infrared = 110 - grows * 2 // 5 + haze, 120 + grows // 3 - haze
        seen = ((infrared - red) / (infrared + red), -day)
        best[y // 4, x // 4] = max(best.get((y // 4, x // 4), seen), seen)
    best_on = collections.Counter(-day for _, day in best.values())
    return [f"mean of the best {math.fsum(ndvi for ndvi, _ in best.values()) / len(best):.5f}",
            *(f"{best_on[day]} cells were greenest on day {day}" for day in range(10))]


def anomaly(_):
    def correlation(place):
        x = [(month * 5 + place) % 12 - 5.5 for month in range(240)]
        y = [(month * 5 + place * 2) % 12 - 5.5 + (month % 7 - 3) / 2 for month in range(240)]
        def mean(a, b):
            return math.fsum(map(operator.mul, a, b)) / len(a)
        return mean(x, y) / math.sqrt(mean(x, x) * mean(y, y))
    kinds = [correlation(place) for place in range(13)]
    places = [kinds[(i * 3 + j) % 13] for i in range(100) for j in range(150)]
    return [f"mean correlation {math.fsum(places) / len(places):.4f}",
            f"highest {max(places):.4f}", f"lowest {min(places):.4f}"]


def arguments(name, data):
    files = {"word_count": ["gettysburg.txt"], "join_csv": ["orders.csv", "customers.csv"],
             "flights": ["flights.csv", "airlines.csv"], "daily_bars": ["trades.csv"],
             "web_log": ["access.log"], "id3": ["picnics.csv"],
             "asof_join": ["trades.csv", "quotes.csv"]}
    return [os.path.join(data, file) for file in files.get(name, [])]


def expect(expected, printed):
    if printed != expected:
        sys.exit("\n".join(["expected", *expected, "printed", *printed]))


def expect_lines(lines, text):
    for line in lines:
        if not re.search(line, text, re.MULTILINE):
            sys.exit(f"no line like {line} in\n{text}")


def expect_sweep(program):
    """A plate that doesn't fit the cache: what its launches touch is found, and they pass over it
    together."""
    done = subprocess.run([program, "2048", "60", "--pappus-threads=2"], capture_output=True,
                          env={**os.environ, "PAPPUS_EXPLAIN": "text"}, text=True, timeout=120)
    touched = r"read \w+\[i,j-1:j\+1\], read \w+\[i-1:i\+1,j\], write \w+\[i,j\]"
    expect_lines([r"^  n\d+ for_each at heat.cpp:\d+: " + touched,
                  r"^     note: 60 launches in one sweep, bands of \d+ rows?: "], done.stdout)


def expect_plate(program):
    """Its own picture: 64 x 64 squares, of which the heated corner isn't as cold as the far one."""
    with tempfile.TemporaryDirectory() as folder:
        picture = os.path.join(folder, "plate.svg")
        subprocess.run([program, "128", "10", picture], capture_output=True, check=True,
                       timeout=120)
        drawn = xml.etree.ElementTree.parse(picture).getroot()
    squares = {(int(square.get("x")), int(square.get("y"))): square.get("fill")
               for square in drawn.iter("{http://www.w3.org/2000/svg}rect")}
    if sorted(squares) != [(x, y) for x in range(64) for y in range(64)]:
        sys.exit(f"expected 64 x 64 squares, got {len(squares)}")
    if (squares[0, 0], squares[63, 63]) != ("hsl(0,90%,50%)", "hsl(240,90%,50%)"):
        sys.exit(f"expected red and blue, got {squares[0, 0]} and {squares[63, 63]}")


def expect_picture(program):
    """XML with a box for each launch."""
    with tempfile.TemporaryDirectory() as folder:
        picture = os.path.join(folder, "heat.svg")
        subprocess.run([program, "64", "6", "--pappus-threads=2"], capture_output=True,
                       env={**os.environ, "PAPPUS_EXPLAIN": "svg:1:" + picture}, check=True,
                       timeout=120)
        drawn = xml.etree.ElementTree.parse(picture).getroot()
    texts = [text.text for text in drawn.iter("{http://www.w3.org/2000/svg}text")]
    places = [text for text in texts if re.match(r"s\d+ for_each at heat\.cpp:\d+$", text)]
    if len(places) != 6 or len(set(places)) != 6:
        sys.exit(f"expected 6 launches, got {texts}")


def expect_explained(text):
    """Both reports: the lines' parts that don't depend on the machine."""
    expect_lines([r"^graph$", r"^  n0 range·map·filter·group_by.sum: pappus::keyed<int, .*>$",
                  r"^  s0 range·map·filter·group_by.sum: 1,000,000 → ≤ 1,000,000 rows, ",
                  r"^tasks$", r"^predicted: ", r"^stages: predicted → measured$",
                  r"^  s0 range·map·filter·group_by.sum: rows ≤ 1,000,000 → 10, ",
                  r"^  s1 top: rows ≤ 3 → 3, ", r"^total: "], text)


# Those that make the files that they read, if they aren't told of any.
OF_FILES = {
    "anomaly": ["forecast.npy", "observed.npy"],
    "bess": ["flow.npy"],
    "composite": [f"day{day}.zarr" for day in range(10)],
    "vmscope": ["slide.zarr"],
}


def bytes_of(path):
    if os.path.isfile(path):
        return os.path.getsize(path)
    return sum(bytes_of(os.path.join(path, name)) for name in os.listdir(path))


def expect_in_little_memory(name, program, folder, environment, expected):
    """The same of the files that it made, in a quarter of the memory that they would take."""
    taken = sum(bytes_of(os.path.join(folder, file)) for file in OF_FILES[name])
    done = subprocess.run([program, *OF_FILES[name]], cwd=folder, capture_output=True, text=True,
                          env={**environment, "PAPPUS_HOST_MEMORY": str(taken // 4)}, timeout=120)
    if done.returncode != 0:
        sys.exit(f"in {taken // 4} bytes: exit status {done.returncode}; {done.stderr}")
    expect(expected, done.stdout.splitlines())


def expect_sorted(folder):
    """What terasort made up, in the order of the keys."""
    def records(name):
        with open(os.path.join(folder, name), "rb") as file:
            return list(iter(lambda: file.read(100), b""))
    made_up = records("terasort.raw")
    if len({record[:10] for record in made_up}) < 99_000:
        sys.exit("expected keys that differ")
    if records("sorted.raw") != sorted(made_up, key=lambda record: record[:10]):
        sys.exit("sorted.raw isn't what sorted(terasort.raw) is")


def check(name, program, data, lambdas_on_devices):
    environment = {**os.environ, "PAPPUS_DEVICES": "cpu"}
    if name == "two_devices":
        environment["POCL_DEVICES"] = "basic basic"
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([program, *arguments(name, os.path.abspath(data))], cwd=folder,
                              env=environment, capture_output=True, text=True, timeout=120)
        if name == "terasort" and done.returncode == 0:
            expect_sorted(folder)
        # By a compiler with the plugin: without it nobody knows what is read, so that it is all.
        if name in OF_FILES and done.returncode == 0 and lambdas_on_devices:
            expect_in_little_memory(name, program, folder, environment, globals()[name](data))
    if name == "two_devices" and done.returncode == 1 and "opencl" in done.stderr:
        print("SKIP: no two OpenCL devices:", done.stderr)
        sys.exit(77)
    if done.returncode != 0:
        sys.exit(f"exit status {done.returncode}; it printed\n{done.stdout}{done.stderr}")
    printed = done.stdout.splitlines()
    expected = globals()[name](data)
    if name == "explain":
        expect(expected, printed[-len(expected):])
        expect_explained(done.stdout)
    elif name == "two_devices":
        expect(expected, printed[-1:])
        where = "opencl:0+opencl:1" if lambdas_on_devices else "cpu"
        if f"on {where}" not in done.stdout:
            sys.exit(f"no stage ran on {where}:\n{done.stdout}")
    else:
        expect(expected, printed)
        if name == "heat":
            expect_plate(program)
            expect_picture(program)
        if name == "heat" and lambdas_on_devices:  # by a compiler with the plugin
            expect_sweep(program)


if __name__ == "__main__":
    check(*sys.argv[1:4], lambdas_on_devices="--lambdas-on-devices" in sys.argv)
