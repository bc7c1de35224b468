#!/usr/bin/env python3
"""Polynomials through whole numbers: they are found exactly, and what is none is noticed."""

from __future__ import annotations

import itertools
import random
import sys
import unittest
from fractions import Fraction
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent.parent.parent / "python")]

from stashscope.capturing.interpolation import Interpolation, text_of  # noqa: E402

NAMES = ("batch", "sequence")


def through(function, columns):
    """An interpolation of one function on a full grid."""
    found = Interpolation(len(columns))
    wrong = []
    for point in itertools.product(*(range(len(column)) for column in columns)):
        sizes = [column[place] for column, place in zip(columns, point)]
        wrong.append(found.add(point, sizes, [function(*sizes)]))
    return found, wrong


class InterpolationTest(unittest.TestCase):
    def test_finds_what_the_numbers_were_made_from(self) -> None:
        draw = random.Random(1)
        for _ in range(20):
            # Binomials of sizes are whole numbers and have rational coefficients.
            factors = {powers: draw.randint(-9, 9) for powers in itertools.product(range(3), range(3))}

            def function(batch, sequence):
                powers = (1, batch, batch * (batch - 1) // 2), (1, sequence, sequence * (sequence + 1) // 2)
                return sum(factor * powers[0][first] * powers[1][second]
                           for (first, second), factor in factors.items())
            found, _ = through(function, [draw.sample(range(1, 60), 3), draw.sample(range(1, 60), 3)])
            for sizes in ((7, 19), (64, 3), (1, 1)):
                self.assertEqual(found.value(0, sizes), function(*sizes))
                names = dict(zip(NAMES, map(Fraction, sizes)))
                self.assertEqual(eval(text_of(found.polynomial(0), NAMES), {}, names), function(*sizes))
                self.assertIsNone(found.wrong(sizes, [function(*sizes)]))
                self.assertEqual(found.wrong(sizes, [function(*sizes) + 1]), 0)

    def test_says_which_points_a_polynomial_needs(self) -> None:
        _, wrong = through(lambda size: 3 * size ** 2 + 1, [[5, 9, 2, 14, 7]])
        self.assertEqual(wrong, [0, 0, 0, None, None])
        _, wrong = through(lambda size: -(-size // 8), [[8, 9, 10, 16]])
        self.assertNotIn(None, wrong)

    def test_numbers_are_apart(self) -> None:
        found = Interpolation(1)
        for place, size in enumerate((4, 2, 6)):
            found.add((place,), (size,), [size, 4 * size, 12, size * size])
        self.assertEqual([text_of(found.polynomial(number), ["n"]) for number in range(4)], ["n", "4*n", "12", "n**2"])

    def test_texts(self) -> None:
        texts = {
            "0": {}, "7": {(0, 0): Fraction(7)}, "1/2": {(0, 0): Fraction(1, 2)},
            "-batch": {(1, 0): Fraction(-1)},
            "3*batch*sequence**2/4 - 2": {(1, 2): Fraction(3, 4), (0, 0): Fraction(-2)},
        }
        for text, polynomial in texts.items():
            self.assertEqual(text_of(polynomial, NAMES), text)


if __name__ == "__main__":
    unittest.main()
