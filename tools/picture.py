#!/usr/bin/env python3
"""Draws an array of a .npy file as a PNG.

    picture.py ARRAY.npy PICTURE.png [--times N] [--between LEAST GREATEST]

Bytes of (y, x, 3) are pixels, red, green and blue. Floats of (y, x) become colours, from sand for
LEAST (0 if not said) to dark green for GREATEST (1), and white below; of records whose first field
is a float, that is drawn. Each element is drawn as N x N pixels. Python's standard library is all
it needs.
"""

import argparse
import ast
import struct
import sys
import zlib

SAND_TO_GREEN = ((232, 220, 190), (196, 190, 120), (110, 160, 70), (20, 90, 40))


def array_in(data):
    """Kind of elements, extents, and the elements one after another."""
    if data[:6] != b"\x93NUMPY":
        sys.exit("expected a .npy file")
    size, begin = (("<H", 10) if data[6] == 1 else ("<I", 12))
    (length,) = struct.unpack_from(size, data, 8)
    header = ast.literal_eval(data[begin : begin + length].decode("latin-1"))
    if header["fortran_order"]:
        sys.exit("expected rows one after another (C order)")
    elements, kind = data[begin + length :], header["descr"]
    if isinstance(kind, list):
        first, skipped = kind[0][1], sum(int(field[1][2:]) for field in kind[1:])
        if first == "<f4":
            kind, elements = first, [one for one, in struct.iter_unpack(f"<f{skipped}x", elements)]
    elif kind == "<f4":
        elements = struct.unpack(f"<{len(elements) // 4}f", elements)
    return kind, header["shape"], elements


def colour_of(share):
    """Of a share from 0 to 1; below, white."""
    if share < 0:
        return b"\xff\xff\xff"
    share, steps = min(share, 1), len(SAND_TO_GREEN) - 1
    step = min(int(share * steps), steps - 1)
    part = share * steps - step
    return bytes(round(a + (b - a) * part)
                 for a, b in zip(SAND_TO_GREEN[step], SAND_TO_GREEN[step + 1]))


def pixels_of(kind, shape, elements, least, greatest):
    """Rows of pixels, three bytes each."""
    if kind == "|u1" and len(shape) == 3 and shape[2] == 3:
        pixels = elements
    elif kind == "<f4" and len(shape) == 2:
        pixels = b"".join(colour_of((one - least) / (greatest - least)) for one in elements)
    else:
        sys.exit(f"expected bytes of (y, x, 3) or floats of (y, x), got {kind} of {shape}")
    across = 3 * shape[1]
    return [pixels[at : at + across] for at in range(0, len(pixels), across)]


def larger(rows, times):
    for row in rows:
        wide = b"".join(row[at : at + 3] * times for at in range(0, len(row), 3))
        yield from [wide] * times


def png(rows):
    """The fifth filter, Paeth's, of each row: smooth pictures become small by it."""
    rows = list(rows)
    before, filtered = bytes(len(rows[0])), []
    for row in rows:
        line = bytearray(b"\4")
        for at, here in enumerate(row):
            left, above, corner = (row[at - 3], before[at], before[at - 3]) if at >= 3 else (
                0, before[at], 0)
            near = left + above - corner
            line.append((here - min(left, above, corner, key=lambda one: abs(near - one))) & 255)
        filtered.append(bytes(line))
        before = row
    chunks = ((b"IHDR", struct.pack(">IIBBBBB", len(rows[0]) // 3, len(rows), 8, 2, 0, 0, 0)),
              (b"IDAT", zlib.compress(b"".join(filtered), 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        for name, data in chunks)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("array")
    parser.add_argument("picture")
    parser.add_argument("--times", type=int, default=1)
    parser.add_argument("--between", type=float, nargs=2, default=(0, 1))
    asked = parser.parse_args()
    with open(asked.array, "rb") as file:
        rows = pixels_of(*array_in(file.read()), *asked.between)
    with open(asked.picture, "wb") as file:
        file.write(png(larger(rows, asked.times)))


if __name__ == "__main__":
    main()
