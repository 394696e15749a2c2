"""compare.py finds answers that differ, whatever oracle there is."""

import datetime
import decimal
import sys
import unittest

sys.dont_write_bytecode = True
import compare


class Difference(unittest.TestCase):
    def test_equal_rows(self):
        nan = float("nan")
        rows = [[1, "a", None, True, 0.1 + 0.2, nan]]
        self.assertIsNone(compare.difference(rows, [[1, "a", None, True, 0.3, nan]]))

    def test_each_type_of_value(self):
        for ours, theirs in (
            (1, 2),
            (1, None),
            (1, 1.0),  # an integer that became a float has lost something elsewhere
            ("", None),
            ("é", "e"),
            (True, False),
            (0.5, 0.5001),
            (0.5, None),
            (float("nan"), 0.5),
            (0.5, float("nan")),
            (float("inf"), float("-inf")),
        ):
            with self.subTest(ours=ours, theirs=theirs):
                self.assertIn("row 0", compare.difference([[ours]], [[theirs]]))

    def test_names_the_first_row(self):
        self.assertIn("row 2\n", compare.difference([[1], [2], [3], [4]], [[1], [2], [5], [6]]))

    def test_order_and_number_of_rows(self):
        self.assertIn("row 0", compare.difference([[1], [2]], [[2], [1]]))
        self.assertEqual(
            compare.difference([[1], [2]], [[1]]), "Pappus has 2 rows, the oracle 1"
        )
        self.assertIn("row 0", compare.difference([[1, 2]], [[1]]))

    def test_dates_are_numbers(self):
        self.assertEqual(compare.cell(datetime.date(1970, 1, 3)), 2)
        self.assertEqual(compare.cell(datetime.datetime(1969, 12, 31, 23, 59, 59, 5)), -999_995)
        self.assertEqual(compare.cell(decimal.Decimal("0.5")), 0.5)


if __name__ == "__main__":
    unittest.main()
