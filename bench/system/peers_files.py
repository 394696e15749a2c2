"""NumPy beside the benchmarks of arrays in files (vmscope_bench.cpp, bess_bench.cpp).

The file is mapped, so nothing is copied where its pages are in the cache; each run maps it anew, as
pages that are mapped stay there whatever --cold says. NumPy's own loops have one thread.
"""

import math
import os
import tempfile

import numpy as np

PIECE = 1 << 20


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


def vmscope(asked, streams, position_sum):
    side, width, height, left, top = scale(asked.n)
    numbers = streams(asked.seed, 0)
    count = -(-width * height * 3 // 8)
    slide = Input("<u8", count, numbers.bits)

    def window():
        mapped = np.memmap(slide.file.name, np.uint8, "r", shape=(height, width, 3))
        return mapped[top : top + side, left : left + side]

    def average():
        view = side // 8
        rows = window().reshape(view, 8, side, 3).sum(axis=1, dtype=np.uint16)
        blocks = rows.reshape(view, view, 8, 3).sum(axis=2, dtype=np.uint16)
        return ((blocks + 32) >> 6).astype(np.uint8)

    def subsample():
        return np.ascontiguousarray(window()[::8, ::8])

    def checksum(view):
        flat = view.reshape(-1).astype(np.uint64)
        return f"{position_sum(flat, 0) % (1 << 64):016x}/{int(flat.sum())}"

    run = average if asked.name == "vmscope_average" else subsample
    yield "numpy", run, checksum, slide.leave_page_cache


def bess(asked, streams, _):
    scaled = lambda most: max(round(most * math.sqrt(asked.n / (30_000 * 2113 * 4))), 1)
    steps, columns = scaled(30_000), 4 * scaled(2113)
    first, in_file = steps // 5, steps * 8 // 5
    unit = lambda bits: (bits >> np.uint64(40)).astype(np.float64) * 2.0**-24
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


WORKLOADS = {"vmscope_average": vmscope, "vmscope_subsample": vmscope, "bess": bess}


def versions(asked, streams, position_sum):
    """What runs, its checksum, and what a run begins with if it is to be cold."""
    yield from WORKLOADS[asked.name](asked, streams, position_sum)
