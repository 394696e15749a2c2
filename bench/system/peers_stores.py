"""h5py, zarr, Dask and TensorStore beside the benchmarks of arrays in files (vmscope_bench.cpp,
vmscope_packed_bench.cpp, vmscope_write_bench.cpp, bess_bench.cpp).

Each reads what it is made for: h5py an HDF5 dataset in one piece, zarr and TensorStore uncompressed
tiles, Dask the raw file, mapped; of compressed slides all read the same tiles. A library that reads
and doesn't compute reads a row of tiles at a time, which its threads decode side by side, and NumPy
adds up. Files are opened anew for each run. There is none of composite: np.maximum.at is nearly all
of what NumPy takes there, however the files are read.
"""

import importlib
import itertools
import os
import tempfile

import numpy as np

TILE = 512


def load(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


h5py, zarr, tensorstore, dask = map(load, ("h5py", "zarr", "tensorstore", "dask.array"))


class Folder:
    """Of stores, removed in the end."""

    def __init__(self):
        folder = os.environ.get("TMPDIR", "/var/tmp")
        self.made = tempfile.TemporaryDirectory(prefix="pappus-peers-", dir=folder)

    def path(self, name):
        return os.path.join(self.made.name, name)

    def leave_page_cache(self):
        for folder, _, names in os.walk(self.made.name):
            for name in names:
                file = os.open(os.path.join(folder, name), os.O_RDONLY)
                os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
                os.close(file)


def make_zarr(path, shape, chunk, dtype, codec, rows):
    """rows(begin, end) are those of the slowest dimension."""
    store = zarr.create_array(path, shape=shape, chunks=chunk, dtype=dtype, compressors=codec)
    for begin in range(0, shape[0], chunk[0]):
        store[begin : begin + chunk[0]] = rows(begin, min(begin + chunk[0], shape[0]))
    os.sync()


def make_hdf5(path, shape, dtype, rows, **how):
    with h5py.File(path, "w") as file:
        data = file.create_dataset("slide", shape=shape, dtype=dtype, **how)
        for begin in range(0, shape[0], TILE):
            data[begin : begin + TILE] = rows(begin, min(begin + TILE, shape[0]))
    os.sync()


class InHdf5:
    def __init__(self, path):
        self.file = h5py.File(path, "r")

    def __enter__(self):
        return self.file["slide"]

    def __exit__(self, *_):
        self.file.close()


class InZarr:
    def __init__(self, path, asked):
        zarr.config.set({"threading.max_workers": asked.threads})
        self.array = zarr.open_array(path, mode="r")

    def __enter__(self):
        return self.array

    def __exit__(self, *_):
        pass


class InTensorStore:
    def __init__(self, path, asked):
        limits = ("data_copy_concurrency", "file_io_concurrency")
        self.array = tensorstore.open(
            {"driver": "zarr3", "kvstore": {"driver": "file", "path": path}},
            context=tensorstore.Context({name: {"limit": asked.threads} for name in limits}),
            open=True,
        ).result()

    def __enter__(self):
        return self

    def __getitem__(self, where):
        return self.array[where].read().result()

    def __exit__(self, *_):
        pass


def of_dask(asked, array, chunks, compute):
    """What compute(the array in chunks) tells, by Dask's threads."""
    # Without a name, or it would hash all elements for one.
    lazy = compute(dask.from_array(array, chunks=chunks, name=False))
    return lazy.compute(scheduler="threads", num_workers=asked.threads)


class View:
    """Of a slide: the mean of blocks, or their first pixels, `shrink`, which makes less of both."""

    def __init__(self, scale, shrink):
        self.side, self.width, self.height, self.left, self.top = scale
        self.shrink = shrink

    def by_rows_of_tiles(self, opened):
        """opened is a with-statement's array, of which what is asked for is read."""
        with opened as array:
            view = np.empty((self.side // 8, self.side // 8, 3), np.uint8)
            begin = self.top
            while begin < self.top + self.side:
                end = min((begin // TILE + 1) * TILE, self.top + self.side)
                few = self.shrink(array[begin:end, self.left : self.left + self.side])
                view[(begin - self.top) // 8 : (end - self.top) // 8] = few
                begin = end
            return view

    def by_dask(self, asked, array, chunks):
        def compute(slide):
            part = slide[self.top : self.top + self.side, self.left : self.left + self.side]
            sizes = tuple(tuple(n // 8 for n in sizes) for sizes in part.chunks[:2]) + ((3,),)
            return part.map_blocks(self.shrink, chunks=sizes, dtype=np.uint8,
                                   meta=np.empty((0, 0, 0), np.uint8))

        return of_dask(asked, array, chunks, compute)


def vmscope_in_stores(asked, slide, view, checksum):
    """Of the raw file of the Input `slide`."""
    shape = (view.height, view.width, 3)
    mapped = lambda: np.memmap(slide.file.name, np.uint8, "r", shape=shape)
    rows = lambda begin, end: mapped()[begin:end]
    folder = Folder()
    if h5py:
        path = folder.path("slide.h5")
        make_hdf5(path, shape, np.uint8, rows)
        run = lambda: view.by_rows_of_tiles(InHdf5(path))
        yield "h5py", run, checksum, folder.leave_page_cache
    if zarr:
        tiles = folder.path("slide.zarr")
        make_zarr(tiles, shape, (TILE, TILE, 3), np.uint8, None, rows)
        yield from of_tiles(asked, tiles, view, checksum, folder)
    if dask:
        run = lambda: view.by_dask(asked, mapped(), (TILE // 2, view.width, 3))
        yield "dask", run, checksum, slide.leave_page_cache


def of_tiles(asked, path, view, checksum, folder):
    run = lambda: view.by_rows_of_tiles(InZarr(path, asked))
    yield "zarr", run, checksum, folder.leave_page_cache
    if tensorstore:
        run = lambda: view.by_rows_of_tiles(InTensorStore(path, asked))
        yield "tensorstore", run, checksum, folder.leave_page_cache


def smooth_rows(asked, streams, width):
    """Rows of the smooth slide (vmscope_tiles.h)."""
    drawn = streams(asked.seed, 0)
    across = (np.arange(width)[:, None] // 16 + 64 * np.arange(3)).astype(np.uint8)

    def rows(begin, end):
        first, last = begin * width * 3, end * width * 3
        drawn_bytes = drawn.bits(first // 8, -(-last // 8)).astype("<u8").view(np.uint8)
        random = drawn_bytes[first % 8 :][: last - first].reshape(end - begin, width, 3)
        down = (np.arange(begin, end) // 16).astype(np.uint8)[:, None, None]
        return across + down + np.where(random < 32, random % 8, 0).astype(np.uint8)

    return rows


def blosc():
    return zarr.codecs.BloscCodec(cname="lz4", clevel=5, shuffle="shuffle", typesize=1)


def packed(asked, streams, view, checksum):
    """Of the slide in compressed tiles."""
    shape = (view.height, view.width, 3)
    rows = smooth_rows(asked, streams, view.width)
    folder = Folder()
    if asked.name == "vmscope_hdf5":
        if not h5py:
            return
        path = folder.path("slide.h5")
        make_hdf5(path, shape[:2], np.dtype(("u1", 3)), rows, chunks=(TILE, TILE), shuffle=True,
                  compression="gzip", compression_opts=5, maxshape=(None, None))
        run = lambda: view.by_rows_of_tiles(InHdf5(path))
        yield "h5py", run, checksum, folder.leave_page_cache
        return
    if not zarr:
        return
    codec = blosc() if asked.name == "vmscope_blosc" else zarr.codecs.GzipCodec(level=5)
    path = folder.path("slide.zarr")
    make_zarr(path, shape, (TILE, TILE, 3), np.uint8, codec, rows)
    yield from of_tiles(asked, path, view, checksum, folder)
    if dask:
        run = lambda: view.by_dask(asked, zarr.open_array(path, mode="r"), (TILE, TILE, 3))
        yield "dask", run, checksum, folder.leave_page_cache


def written(asked, streams, view, checksum):
    """Of the smooth slide in memory, square, to compressed tiles; read back for the checksum."""
    if not zarr:
        return
    slide = smooth_rows(asked, streams, view.side)(0, view.side)
    folder, numbers = Folder(), itertools.count()

    def made(write):
        """Runs end with files on the disk if they are to be cold."""

        def run():
            path = folder.path(f"{next(numbers)}.zarr")
            zarr.config.set({"threading.max_workers": asked.threads})
            write(zarr.create_array(path, shape=slide.shape, chunks=(TILE, TILE, 3),
                                    dtype=np.uint8, compressors=blosc()), path)
            if asked.cold:
                os.sync()
            return path

        return run

    def by_zarr(array, _):
        array[:] = slide

    def by_tensorstore(_, path):
        InTensorStore(path, asked).array.write(slide).result()

    def by_dask(array, _):
        cut = dask.from_array(slide, chunks=(TILE, TILE, 3), name=False)
        dask.store(cut, array, lock=False, scheduler="threads", num_workers=asked.threads)

    found = lambda path: checksum(view.shrink(zarr.open_array(path, mode="r")[:]))
    yield "zarr", made(by_zarr), found
    if tensorstore:
        yield "tensorstore", made(by_tensorstore), found
    if dask:
        yield "dask", made(by_dask), found


def weighted_sums(values, weight):
    """Few rows at a time, as NumPy alone does."""
    total = np.zeros((1, values.shape[1]))
    for begin in range(0, len(weight), 16):
        total[0] += weight[begin : begin + 16] @ values[begin : begin + 16].astype(np.float64)
    return total


def bess_in_stores(asked, flow, scale, weight, checksum):
    """Of the raw file of the Input `flow`; scale: steps of the file, columns, the first step."""
    in_file, columns, first = scale
    steps = len(weight)
    mapped = lambda: np.memmap(flow.file.name, np.float32, "r", shape=(in_file, columns))
    mean_of = lambda sums: (sums / weight.sum()).astype(np.float32)
    folder = Folder()

    def means(opened, at_once):
        with opened as array:
            total = np.zeros(columns)
            for begin in range(0, steps, at_once):
                end = min(begin + at_once, steps)
                total += weighted_sums(array[first + begin : first + end], weight[begin:end])[0]
            return mean_of(total)

    def by_dask():
        def sums(values):
            part = values[first : first + steps]
            parts = len(part.chunks[0])
            weights = dask.from_array(weight, chunks=part.chunks[:1])[:, None]
            each = part.map_blocks(lambda x, w: weighted_sums(x, w[:, 0]), weights,
                                   chunks=((1,) * parts, (columns,)), dtype=np.float64,
                                   meta=np.empty((0, 0)))
            return each.sum(axis=0)

        return mean_of(of_dask(asked, mapped(), (256, columns), sums))

    rows = lambda begin, end: mapped()[begin:end]
    if h5py:
        path = folder.path("flow.h5")
        make_hdf5(path, (in_file, columns), np.float32, rows)
        yield "h5py", lambda: means(InHdf5(path), 16), checksum, folder.leave_page_cache
    if zarr:
        chunks = folder.path("flow.zarr")
        make_zarr(chunks, (in_file, columns), (32, columns), np.float32, None, rows)
        yield "zarr", lambda: means(InZarr(chunks, asked), 256), checksum, folder.leave_page_cache
        if tensorstore:
            run = lambda: means(InTensorStore(chunks, asked), 256)
            yield "tensorstore", run, checksum, folder.leave_page_cache
    if dask:
        yield "dask", by_dask, checksum, flow.leave_page_cache
