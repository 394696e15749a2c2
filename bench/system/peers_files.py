"""NumPy beside the benchmarks of arrays in files (vmscope_bench.cpp, bess_bench.cpp,
composite_bench.cpp, anomaly_bench.cpp).

Files are mapped, so nothing is copied where their pages are in the cache; each run maps it anew, as
pages that are mapped stay there whatever --cold says. NumPy's own loops have one thread. Libraries
of arrays in stores follow it: peers_stores.py.
"""

import math
import os
import tempfile

import numpy as np

import peers_stores

PIECE = 1 << 20


def unit(bits):
    """Numbers from 0 to 1, as f32() in generator.h."""
    return (bits >> np.uint64(40)).astype(np.float64) * 2.0**-24


class Input:
    """A file of `count` numbers, removed in the end."""

    def __init__(self, dtype, count, numbers):
        """numbers(begin, end) are those of a stretch."""
        folder = os.environ.get("TMPDIR", "/var/tmp")
        self.file = tempfile.NamedTemporaryFile(prefix="pappus-peers-", suffix=".raw", dir=folder)
        for begin in range(0, count, PIECE):
            self.file.write(numbers(begin, min(begin + PIECE, count)).astype(dtype).tobytes())
        self.file.flush()
        os.fsync(self.file.fileno())

    def leave_page_cache(self):
        os.posix_fadvise(self.file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def scale(n):
    """As layout_of() in vmscope.cpp."""
    side = max(int(math.sqrt(n)) // 8 * 8, 8)
    part = lambda thousandths: side * thousandths // 1000
    return side, part(1976), part(1536), part(300) // 8 * 8, part(200) // 8 * 8


def average_blocks(pixels):
    """The mean of each block of 8 x 8 pixels."""
    down, across = pixels.shape[0] // 8, pixels.shape[1] // 8
    rows = pixels.reshape(down, 8, across * 8, 3).sum(axis=1, dtype=np.uint16)
    blocks = rows.reshape(down, across, 8, 3).sum(axis=2, dtype=np.uint16)
    return ((blocks + 32) >> 6).astype(np.uint8)


def first_pixels(pixels):
    return np.ascontiguousarray(pixels[::8, ::8])


def vmscope(asked, streams, position_sum):
    side, width, height, left, top = scale(asked.n)
    shrink = first_pixels if asked.name == "vmscope_subsample" else average_blocks
    view = peers_stores.View(scale(asked.n), shrink)

    def checksum(view):
        total = 0
        flat = view.reshape(-1).astype(np.uint64)
        for begin in range(0, len(flat), PIECE):
            total += position_sum(flat[begin : begin + PIECE], begin)
        return f"{total % (1 << 64):016x}/{int(flat.sum())}"

    if asked.name == "vmscope_write":
        yield from peers_stores.written(asked, streams, view, checksum)
        return
    if asked.name not in ("vmscope_average", "vmscope_subsample"):
        yield from peers_stores.packed(asked, streams, view, checksum)
        return
    numbers = streams(asked.seed, 0)
    slide = Input("<u8", -(-width * height * 3 // 8), numbers.bits)

    def run():
        mapped = np.memmap(slide.file.name, np.uint8, "r", shape=(height, width, 3))
        return shrink(mapped[top : top + side, left : left + side])

    yield "numpy", run, checksum, slide.leave_page_cache
    yield from peers_stores.vmscope_in_stores(asked, slide, view, checksum)


def bess(asked, streams, _):
    scaled = lambda most: max(round(most * math.sqrt(asked.n / (30_000 * 2113 * 4))), 1)
    steps, columns = scaled(30_000), 4 * scaled(2113)
    first, in_file = steps // 5, steps * 8 // 5
    values, weights = streams(asked.seed, 0), streams(asked.seed, 1)
    flow = Input("<f4", in_file * columns, lambda b, e: 16 * unit(values.bits(b, e)))
    weight = (0.5 + unit(weights.bits(0, steps))).astype(np.float32).astype(np.float64)

    def means():
        mapped = np.memmap(flow.file.name, np.float32, "r", shape=(in_file, columns))
        total = np.zeros(columns)
        # Few at a time: they stay in the cache, and OpenBLAS needn't wait for its threads, which
        # takes it thirty times as long where others want the cores.
        for begin in range(0, steps, 16):
            end = min(begin + 16, steps)
            total += weight[begin:end] @ mapped[first + begin : first + end].astype(np.float64)
        return (total / weight.sum()).astype(np.float32)

    def checksum(found):
        found = found.astype(np.float64)
        places = 1 + np.arange(columns) % 31
        return f"{found.sum():.8e}/{np.sum(found * places):.8e}"

    yield "numpy", means, checksum, flow.leave_page_cache
    scale_of_flow = (in_file, columns, first)
    yield from peers_stores.bess_in_stores(asked, flow, scale_of_flow, weight, checksum)


def composite(asked, streams, _):
    days, side = 10, max(round(math.sqrt(asked.n / 10)), 1)
    of_day, across = side * side, side // 4 + 1

    def numbers(which, day):
        drawn = streams(asked.seed, which)

        def made(begin, end):
            share = unit(drawn.bits(day * of_day + begin, day * of_day + end))
            places = np.arange(begin, end)
            if which < 2:
                return share / 2
            if which == 2:
                return 40 + (places // side + share) / 256
            return 10 + (places % side + share) / 256

        return made

    files = [[Input("<f4", of_day, numbers(which, day)) for which in range(4)]
             for day in range(days)]

    def best_of_days():
        best = np.full(across * across, np.float32(-2))
        on = np.full(across * across, -1)
        for day, one in enumerate(files):
            red, infrared, latitude, longitude = (
                np.memmap(file.file.name, np.float32, "r") for file in one)
            sum_of_both = infrared + red
            valid = sum_of_both > 0
            with np.errstate(invalid="ignore"):
                ndvi = np.where(valid, (infrared - red) / sum_of_both, np.float32(-2))
            place = ((latitude - np.float32(40)) * np.float32(64)).astype(np.int64) * across
            place += ((longitude - np.float32(10)) * np.float32(64)).astype(np.int64)
            of_day_alone = np.full(across * across, -2.0, np.float32)
            np.maximum.at(of_day_alone, place, ndvi)
            better = of_day_alone > best
            best[better] = of_day_alone[better]
            on[better] = day
        return best, on

    def checksum(found):
        best, on = found
        seen = on >= 0
        places = 1 + np.arange(len(on)) % 31
        return f"{best[seen].sum(dtype=np.float64):.8e}/{int(((on + 1) * places)[seen].sum())}"

    def leave_page_cache():
        for one in files:
            for file in one:
                file.leave_page_cache()

    yield "numpy", best_of_days, checksum, leave_page_cache


def anomaly(asked, streams, _):
    scaled = lambda most: max(round(most * (asked.n / (1600 * 200 * 400)) ** (1 / 3)), 1)
    steps, places = scaled(1600), scaled(200) * scaled(400)
    values, others = streams(asked.seed, 0), streams(asked.seed, 1)
    spread = lambda drawn, begin, end: (8 * unit(drawn.bits(begin, end)) - 4).astype(np.float32)
    forecast = Input("<f4", steps * places, lambda b, e: spread(values, b, e))
    observed = Input("<f4", steps * places,
                     lambda b, e: (spread(values, b, e) + spread(others, b, e)) / np.float32(2))

    def means():
        x, y = (np.memmap(file.file.name, np.float32, "r", shape=(steps, places))
                for file in (forecast, observed))
        sums = np.zeros((3, places))
        for a, b in zip(x, y):
            a, b = a.astype(np.float64), b.astype(np.float64)
            sums += (a * b, a * a, b * b)
        return sums / steps

    def checksum(found):
        xy, xx, yy = found
        weighted = xy / np.sqrt(xx * yy) * (1 + np.arange(places) % 31)
        return "/".join(f"{each.sum():.8e}" for each in (xy, xx, yy, weighted))

    def leave_page_cache():
        forecast.leave_page_cache()
        observed.leave_page_cache()

    yield "numpy", means, checksum, leave_page_cache


WORKLOADS = {"vmscope_average": vmscope, "vmscope_subsample": vmscope, "vmscope_blosc": vmscope,
             "vmscope_gzip": vmscope, "vmscope_hdf5": vmscope, "vmscope_write": vmscope,
             "bess": bess, "composite": composite, "anomaly": anomaly}


def versions(asked, streams, position_sum):
    """What runs, its checksum, and what a run begins with if it is to be cold."""
    yield from WORKLOADS[asked.name](asked, streams, position_sum)
