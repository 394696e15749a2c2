#!/usr/bin/env python3
"""tools/picture.py on small arrays, whose pictures are read back."""

import os
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib

SCRIPT = os.path.join(os.path.dirname(__file__), "..", "..", "tools", "picture.py")


def npy(kind, shape, elements):
    header = f"{{'descr': {kind!r}, 'fortran_order': False, 'shape': {shape}, }}".encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + elements


def pixels_of(png):
    """Rows of (red, green, blue) of a picture whose rows all have Paeth's filter."""
    at, data = 8, b""
    while at < len(png):
        length, name = struct.unpack_from(">I4s", png, at)
        part = png[at + 8 : at + 8 + length]
        if name == b"IHDR":
            width, height = struct.unpack_from(">II", part)
        data += part if name == b"IDAT" else b""
        at += length + 12
    data, rows, above = zlib.decompress(data), [], [0] * (3 * width + 3)
    for begin in range(0, len(data), 3 * width + 1):
        assert data[begin] == 4
        row = [0, 0, 0]
        for place, difference in enumerate(data[begin + 1 : begin + 1 + 3 * width]):
            a, b, c = row[place], above[place + 3], above[place]
            near = a + b - c
            guess = min((a, b, c), key=lambda one: abs(near - one))
            row.append((difference + guess) % 256)
        rows.append([tuple(row[place : place + 3]) for place in range(3, len(row), 3)])
        above = row
    assert len(rows) == height
    return rows


def drawn(array, *arguments):
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, name) for name in ("array.npy", "picture.png")]
        with open(paths[0], "wb") as file:
            file.write(array)
        done = subprocess.run([sys.executable, "-B", SCRIPT, *paths, *arguments],
                              capture_output=True, text=True)
        if done.returncode != 0:
            return done.stderr
        with open(paths[1], "rb") as file:
            return pixels_of(file.read())


class Picture(unittest.TestCase):
    def test_bytes_are_pixels(self):
        values = bytes((place * 89 + 7) % 256 for place in range(4 * 5 * 3))
        pixels = [tuple(values[at : at + 3]) for at in range(0, len(values), 3)]
        rows = [pixels[at : at + 5] for at in range(0, 20, 5)]
        self.assertEqual(drawn(npy("|u1", (4, 5, 3), values)), rows)
        twice = [[one for one in row for _ in "12"] for row in rows for _ in "12"]
        self.assertEqual(drawn(npy("|u1", (4, 5, 3), values), "--times", "2"), twice)

    def test_floats_are_colours(self):
        array = npy("<f4", (1, 4), struct.pack("<4f", -2, 1, 3, 7))
        white, sand, green = (255, 255, 255), (232, 220, 190), (20, 90, 40)
        self.assertEqual(drawn(array, "--between", "1", "3"), [[white, sand, green, green]])

    def test_the_first_field_of_records_is_drawn(self):
        array = npy([("value", "<f4"), ("day", "<i4"), ("flag", "|b1")], (1, 2),
                    struct.pack("<fi?fi?", 1, 9, True, 7, 8, False))
        sand, green = (232, 220, 190), (20, 90, 40)
        self.assertEqual(drawn(array, "--between", "1", "3"), [[sand, green]])

    def test_refuses_others(self):
        self.assertIn("expected a .npy file", drawn(b"x" * 80))
        self.assertIn("got <f8 of (2, 2)", drawn(npy("<f8", (2, 2), bytes(32))))


if __name__ == "__main__":
    unittest.main()
