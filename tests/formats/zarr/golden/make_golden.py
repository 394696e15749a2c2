#!/usr/bin/env python3
"""Writes the stores that tests read, with the zarr-python that is installed: version 2.18 makes
v2.json of them, version 3 makes v3.json. Each store has the array of shape 7 x 5 whose element at
[y, x] is 10 y + x, if its name says nothing else. v2.json and v3.json have the stores' files by
their paths, as hexadecimal digits.

    make_golden.py FOLDER
"""

import json
import os
import sys
import tempfile

import numpy
import zarr

SHAPE = (7, 5)
VALUES = numpy.add.outer(10 * numpy.arange(7), numpy.arange(5))
LARGE = numpy.add.outer(10 * numpy.arange(64), numpy.arange(48))  # more than Blosc keeps as it is
PIXELS = numpy.stack([VALUES, VALUES + 1, VALUES + 2], axis=2)


def version_2(folder):
    import numcodecs

    def store(name, values=VALUES, dtype="<i4", chunks=(3, 2), **how):
        how = {"compressor": None, "fill_value": 0, **how}
        array = zarr.open(os.path.join(folder, name), mode="w", shape=values.shape,
                          chunks=chunks, dtype=dtype, **how)
        array[...] = values.astype(dtype)
        return array

    store("plain")
    store("zlib", compressor=numcodecs.Zlib(level=1))
    store("gzip", compressor=numcodecs.GZip(level=5), dtype="<f8")
    store("zstd", compressor=numcodecs.Zstd(level=1), dtype="<u2")
    store("lz4", compressor=numcodecs.LZ4(), dtype="|u1")
    store("blosc", compressor=numcodecs.Blosc(), dtype="<f4")
    store("blosc_zstd_bits", compressor=numcodecs.Blosc("zstd", 5, numcodecs.Blosc.BITSHUFFLE))
    store("large", LARGE, dtype="<f4", chunks=(40, 48), compressor=numcodecs.Blosc())
    store("order_f", order="F", compressor=numcodecs.Zstd())
    store("big_endian", dtype=">i2")
    store("slashes", dimension_separator="/", dtype="<i8")
    store("pixels", PIXELS, dtype="|u1", chunks=(3, 2, 3), compressor=numcodecs.LZ4())
    store("pixels_f", PIXELS, dtype=">u2", chunks=(3, 2, 3), order="F")
    store("bool", VALUES % 3 == 0, dtype="|b1")
    fields = [("x", "<f4"), ("y", "<i2", (2,)), ("z", "|u1")]
    records = numpy.zeros(SHAPE, dtype=fields)
    records["x"], records["z"] = VALUES, VALUES
    records["y"] = numpy.stack([VALUES, -VALUES], axis=2)
    store("records", records, dtype=fields, compressor=numcodecs.Zlib())
    missing = store("missing", dtype="<f4", fill_value=float("nan"))
    os.remove(os.path.join(missing.store.path, "1.1"))
    group = zarr.open_group(os.path.join(folder, "group"), mode="w")
    group.create_dataset("deep/values", data=VALUES, chunks=(7, 5), compressor=None)
    group.create_dataset("other", data=VALUES, chunks=(7, 5), compressor=None)


def version_3(folder):
    from zarr.codecs import (BloscCodec, BytesCodec, Crc32cCodec, GzipCodec, ShardingCodec,
                             TransposeCodec, ZstdCodec)
    from zarr.codecs.numcodecs import LZ4, Zlib

    def store(name, values=VALUES, dtype="int32", chunks=(3, 2), **how):
        how = {"compressors": None, "fill_value": 0, **how}
        array = zarr.create_array(os.path.join(folder, name), shape=values.shape,
                                  chunks=chunks, dtype=dtype, overwrite=True, **how)
        array[...] = values.astype(dtype)
        return array

    store("plain")
    store("gzip", compressors=[GzipCodec()], dtype="float64")
    store("zstd", compressors=[ZstdCodec(level=1, checksum=True)], dtype="uint16")
    store("blosc", compressors=[BloscCodec(cname="lz4")], dtype="float32")
    store("large", LARGE, dtype="float32", chunks=(40, 48), compressors=[BloscCodec(cname="zstd")])
    store("crc32c", compressors=[Crc32cCodec()], dtype="int8")
    store("gzip_crc32c", compressors=[GzipCodec(), Crc32cCodec()], dtype="uint64")
    store("numcodecs", compressors=[Zlib(), LZ4()], dtype="int16")
    store("transposed", filters=[TransposeCodec(order=(1, 0))], serializer=BytesCodec(endian="big"),
          compressors=[ZstdCodec()], dtype="int64")
    store("dots", chunk_key_encoding={"name": "default", "separator": "."}, dtype="uint8")
    store("v2_keys", chunk_key_encoding={"name": "v2", "separator": "."}, dtype="uint32")
    store("bool", VALUES % 3 == 0, dtype="bool")
    store("pixels", PIXELS, dtype="uint8", chunks=(3, 2, 3))
    store("shards", shards=(6, 4), compressors=[ZstdCodec()])
    store("shards_start", chunks=(6, 4), dtype="float32", serializer=ShardingCodec(
        chunk_shape=(3, 2), codecs=[TransposeCodec(order=(1, 0)), BytesCodec(), GzipCodec()],
        index_location="start"))
    partly = store("shards_partly", shards=(6, 4), dtype="float32", fill_value=float("nan"),
                   config={"write_empty_chunks": False})
    partly[0:3, 2:4] = float("nan")
    partly[6:7, :] = float("nan")
    group = zarr.open_group(os.path.join(folder, "group"), mode="w")
    group.create_array("deep/values", data=VALUES)
    group.create_array("other", data=VALUES)


def main():
    version = zarr.__version__.split(".", maxsplit=1)[0]
    files = {}
    with tempfile.TemporaryDirectory() as folder:
        (version_2 if version == "2" else version_3)(folder)
        for below, _, names in os.walk(folder):
            for name in names:
                path = os.path.join(below, name)
                with open(path, "rb") as file:
                    files[os.path.relpath(path, folder)] = file.read().hex()
    with open(os.path.join(sys.argv[1], f"v{version}.json"), "w", encoding="utf-8") as golden:
        json.dump(files, golden, indent=0, sort_keys=True)
        golden.write("\n")


main()
