#!/usr/bin/env python3
"""Writes the files that tests read, with h5py, hdf5plugin and netCDF4. Each dataset has the array
of shape 7 x 5 whose element at [y, x] is 10 y + x, if its name says nothing else, in chunks of
3 x 2.

    make_golden.py FOLDER

earliest.h5 is in the form that h5py writes if not asked for another, latest.h5 in that of HDF5
1.10, and user_block*.h5 have other bytes before.
"""

import os
import sys

import h5py
import hdf5plugin
import netCDF4
import numpy

VALUES = numpy.add.outer(10 * numpy.arange(7), numpy.arange(5))
PIXELS = numpy.stack([VALUES, VALUES + 1, VALUES + 2], axis=2)
LARGE = numpy.add.outer(10 * numpy.arange(64), numpy.arange(48))  # more than Blosc keeps as it is
CHUNK = (3, 2)


def create(path, version, user_block=0):
    created = h5py.h5p.create(h5py.h5p.FILE_CREATE)
    if user_block:
        created.set_userblock(user_block)
        if version != "latest":
            created.set_sizes(4, 4)  # bytes of addresses and lengths
    access = h5py.h5p.create(h5py.h5p.FILE_ACCESS)
    low = h5py.h5f.LIBVER_V110 if version == "latest" else h5py.h5f.LIBVER_EARLIEST
    access.set_libver_bounds(low, h5py.h5f.LIBVER_V110)
    return h5py.File(h5py.h5f.create(path.encode(), h5py.h5f.ACC_TRUNC, created, access))


def low_level(file, name, dtype="<i4", values=VALUES, **how):
    """A dataset with properties that h5py has no words for."""
    created = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    for setting, arguments in how.items():
        getattr(created, setting)(*arguments)
    space = h5py.h5s.create_simple(values.shape)
    kind = h5py.h5t.py_create(numpy.dtype(dtype))
    made = h5py.h5d.create(file.id, name.encode(), kind, space, created)
    made.write(h5py.h5s.ALL, h5py.h5s.ALL, numpy.ascontiguousarray(values.astype(dtype)))
    return made


def codecs(store):
    store("deflate", dtype="<f8", compression="gzip")
    store("shuffle", dtype="<u2", shuffle=True)
    store("fletcher32", dtype="|i1", fletcher32=True)
    store("all", dtype="<u4", compression="gzip", shuffle=True, fletcher32=True)
    store("lz4", dtype="<i8", **hdf5plugin.LZ4())
    store("lz4_blocks", LARGE, dtype="<i4", chunks=(40, 48), **hdf5plugin.LZ4(nbytes=512))
    store("zstd", dtype="<u8", shuffle=True, **hdf5plugin.Zstd())
    store("blosc", LARGE, dtype="<f4", chunks=(40, 48), **hdf5plugin.Blosc())
    store("blosc_zstd", LARGE, dtype="<i2", chunks=(40, 48),
          **hdf5plugin.Blosc(cname="zstd", clevel=5, shuffle=hdf5plugin.Blosc.BITSHUFFLE))


def types(file, store):
    file.create_dataset("big_endian", data=VALUES.astype(">i2"))
    store("big_endian_chunks", dtype=">f8", compression="gzip")
    store("pixels", PIXELS, dtype="|u1", chunks=(3, 2, 3))
    store("cut_pixels", PIXELS, dtype="|u1", chunks=(3, 2, 1))
    of_three = file.create_dataset("arrays", shape=VALUES.shape, chunks=CHUNK,
                                   dtype=numpy.dtype(("<u2", (3,))))
    of_three[...] = PIXELS
    store("bool", VALUES % 3 == 0, dtype="bool")
    colours = h5py.enum_dtype({"red": 0, "green": 1, "blue": 2}, basetype="<u2")
    store("enum", VALUES % 3, dtype=colours)
    record = numpy.dtype({"names": ["x", "name", "y", "z", "good"],
                          "formats": ["<f4", "S3", (">i2", (2,)), "|u1", "bool"],
                          "offsets": [4, 8, 12, 18, 20], "itemsize": 24})
    records = numpy.zeros(VALUES.shape, dtype=record)
    records["x"], records["z"], records["good"] = VALUES, VALUES, VALUES % 3 == 0
    records["y"] = numpy.stack([VALUES, -VALUES], axis=2)
    store("records", records, dtype=record, compression="gzip")
    file.create_dataset("records_in_one_piece", data=records)


def refused(file, store):
    store("half", dtype="<f2")
    file.create_dataset("text", data=["some", "words"], dtype=h5py.string_dtype())
    file.create_dataset("fixed_text", data=numpy.array([b"some", b"words"]))
    file.create_dataset("references", data=[file.ref], dtype=h5py.ref_dtype)
    file.create_dataset("sequences", shape=(2,), dtype=h5py.vlen_dtype(numpy.int32))
    file.create_dataset("empty", data=h5py.Empty("<f4"))
    file.create_dataset("single", data=42)
    file["a_type"] = numpy.dtype("<f8")
    store("lzf", compression="lzf")
    store("scaleoffset", scaleoffset=0)
    store("bitshuffle", **hdf5plugin.Bitshuffle())
    low_level(file, "nbit", set_chunk=(CHUNK,),
              set_filter=(h5py.h5z.FILTER_NBIT, h5py.h5z.FLAG_OPTIONAL))
    virtual = h5py.VirtualLayout(shape=VALUES.shape, dtype="<i4")
    virtual[...] = h5py.VirtualSource(".", "plain", shape=VALUES.shape)
    file.create_virtual_dataset("virtual", virtual)
    file.create_dataset("external", shape=VALUES.shape, dtype="<i4",
                        external=[("elsewhere.raw", 0, h5py.h5f.UNLIMITED)])


def earliest(path):
    with create(path, "earliest") as file:
        def store(name, values=VALUES, dtype="<i4", chunks=CHUNK, **how):
            return file.create_dataset(name, data=values.astype(dtype), dtype=dtype, chunks=chunks,
                                       **how)

        store("plain")
        file.create_dataset("one_piece", data=VALUES.astype("<i4"))
        file.create_dataset("unwritten", shape=VALUES.shape, dtype="<f4", fillvalue=1.5)
        low_level(file, "compact", set_layout=(h5py.h5d.COMPACT,))
        codecs(store)
        types(file, store)
        missing = file.create_dataset("missing", shape=VALUES.shape, dtype=">f4", chunks=CHUNK,
                                      compression="gzip", fillvalue=-1.5)
        missing[0:3, 0:2], missing[3:6, 4:5] = VALUES[0:3, 0:2], VALUES[3:6, 4:5]
        file.create_dataset("none_there", shape=VALUES.shape, dtype="<i4", chunks=CHUNK)
        # Chunks that skipped the first filter, the second, and both.
        masks = store("masks", dtype="<i4", shuffle=True, compression="gzip")
        whole = numpy.zeros((9, 6), "<i4")
        whole[:7, :5] = VALUES
        import zlib
        for (y, x), mask in {(0, 0): 1, (0, 2): 2, (3, 2): 3}.items():
            content = whole[y:y + 3, x:x + 2]
            shuffled = content.reshape(-1).view("u1").reshape(-1, 4).T.tobytes()
            stored = content.tobytes() if mask & 1 else shuffled
            if not mask & 2:
                stored = zlib.compress(stored)
            masks.id.write_direct_chunk((y, x), stored, filter_mask=mask)
        growing = file.create_dataset("growing", shape=(2, 5), maxshape=(None, None), chunks=CHUNK,
                                      dtype="<i4")
        growing[...] = VALUES[:2]
        growing.resize(VALUES.shape)
        growing[2:] = VALUES[2:]
        attributes = store("attributes")
        for i in range(40):  # so that the object header is continued elsewhere
            attributes.attrs[f"attribute {i}"] = i
        file.create_dataset("group/deep/values", data=VALUES.astype("<i8"))
        store("group/other", dtype="<i8")
        file.create_group("nothing")
        refused(file, store)


def latest(path, user_block=0):
    with create(path, "latest", user_block) as file:
        def store(name, **how):
            how = {"chunks": CHUNK, "dtype": "<i4", **how}
            return file.create_dataset(name, data=VALUES.astype(how["dtype"]), **how)

        file.create_dataset("one_piece", data=VALUES.astype("<i4"))
        low_level(file, "compact", set_layout=(h5py.h5d.COMPACT,))
        store("fixed_array", compression="gzip", shuffle=True)
        store("single_chunk", chunks=VALUES.shape, compression="gzip", fletcher32=True)
        store("extensible_array", maxshape=(None, 5), compression="gzip")
        store("b_tree", maxshape=(None, None))
        low_level(file, "implicit", set_chunk=(CHUNK,),
                  set_alloc_time=(h5py.h5d.ALLOC_TIME_EARLY,))
        missing = file.create_dataset("missing", shape=VALUES.shape, dtype="<f4", chunks=CHUNK,
                                      fillvalue=-1.5)
        missing[0:3, 0:2], missing[3:6, 4:5] = VALUES[0:3, 0:2], VALUES[3:6, 4:5]


def older(path, user_block):
    with create(path, "earliest", user_block) as file:
        file.create_dataset("one_piece", data=VALUES.astype("<i4"))
        file.create_dataset("deflate", data=VALUES.astype("<i4"), chunks=CHUNK, compression="gzip")
    with open(path, "r+b") as file:
        file.write(b"what comes before" * 30)


def flow(path):
    with netCDF4.Dataset(path, "w") as file:
        file.createDimension("time", None)
        file.createDimension("y", 7)
        file.createDimension("x", 5)
        y = file.createVariable("y", "f8", ("y",))
        y[:] = numpy.arange(7) / 2
        velocity = file.createVariable("velocity", "f4", ("time", "y", "x"), zlib=True,
                                       shuffle=True, chunksizes=(1, 7, 5), fill_value=-999.0)
        velocity.units = "m/s"
        velocity[0], velocity[2] = VALUES, 100 + VALUES
        inner = file.createGroup("run")
        inner.createVariable("count", "i2", ("y", "x"))[:] = VALUES


def main(folder):
    earliest(os.path.join(folder, "earliest.h5"))
    latest(os.path.join(folder, "latest.h5"))
    latest(os.path.join(folder, "user_block_latest.h5"), 1024)
    older(os.path.join(folder, "user_block.h5"), 512)
    flow(os.path.join(folder, "flow.nc"))


main(sys.argv[1])
