"""Polynomials through whole numbers, exactly.

The numbers of a capture are known at points of a grid: for each dimension a list of sizes, and a point is one position
in each list. Newton's form in several variables works on any set of points that contains, with every point, also the
points below it. Its coefficient at a point is 0 if the polynomial through the points before is right there, so the set
grows only as far as a polynomial needs.
"""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Optional, Sequence

Point = tuple[int, ...]
# The coefficient of each product of powers.
Polynomial = dict[Point, Fraction]


class Interpolation:
    """Polynomials of many numbers at once. Numbers that are equal at every point so far share their work."""

    def __init__(self, dimensions: int) -> None:
        self._sizes: list[list[int]] = [[] for _ in range(dimensions)]
        self._points: list[Point] = []
        self._class_of: list[int] = []
        self._columns: list[tuple[int, ...]] = []
        self._coefficients: list[list[Fraction]] = []
        self._polynomials: dict[int, Polynomial] = {}

    def add(self, point: Point, sizes: Sequence[int], numbers: Sequence[int]) -> Optional[int]:
        """Adds the numbers at a point. The points below it must have been added before.

        `sizes`: the size of each dimension there. Returns the position of the first number that the polynomials so far
        do not give; None if all are right.
        """
        for known, place, size in zip(self._sizes, point, sizes):
            if place == len(known):
                known.append(size)
        self._points.append(point)
        self._polynomials.clear()
        self._split(numbers)
        weights = self._weights(point)
        for column, coefficients in zip(self._columns, self._coefficients):
            coefficients.append(sum((weight * column[position] for position, weight in weights), Fraction(0)))
        return next((number for number, kind in enumerate(self._class_of) if self._coefficients[kind][-1]), None)

    @property
    def used(self) -> list[int]:
        """How many sizes of each dimension were added."""
        return [len(sizes) for sizes in self._sizes]

    def value(self, number: int, sizes: Sequence[int]) -> Fraction:
        """The value that the polynomial of a number has at these sizes."""
        total = Fraction(0)
        for powers, coefficient in self.polynomial(number).items():
            for size, power in zip(sizes, powers):
                coefficient *= size ** power
            total += coefficient
        return total

    def wrong(self, sizes: Sequence[int], numbers: Sequence[int]) -> Optional[int]:
        """The position of the first number whose polynomial gives another value at these sizes; None if all are right."""
        values: dict[int, Fraction] = {}
        for number, (kind, wanted) in enumerate(zip(self._class_of, numbers)):
            if kind not in values:
                values[kind] = self.value(number, sizes)
            if values[kind] != wanted:
                return number
        return None

    def polynomial(self, number: int) -> Polynomial:
        """The polynomial of the number at this position."""
        kind = self._class_of[number]
        if kind not in self._polynomials:
            self._polynomials[kind] = self._expanded(kind)
        return self._polynomials[kind]

    def _split(self, numbers: Sequence[int]) -> None:
        if not self._class_of:
            self._class_of = [0] * len(numbers)
            self._columns, self._coefficients = [()], [[]]
        found: dict[tuple[int, int], int] = {}
        columns: list[tuple[int, ...]] = []
        coefficients: list[list[Fraction]] = []
        for position, number in enumerate(numbers):
            key = (self._class_of[position], number)
            if key not in found:
                found[key] = len(columns)
                columns.append((*self._columns[key[0]], number))
                coefficients.append(list(self._coefficients[key[0]]))
            self._class_of[position] = found[key]
        self._columns, self._coefficients = columns, coefficients

    def _weights(self, point: Point) -> list[tuple[int, Fraction]]:
        """The divided difference at a point is a weighted sum over the points below it. Returns their positions and
        weights."""
        weights = []
        for position, other in enumerate(self._points):
            if any(mine > its for mine, its in zip(other, point)):
                continue
            product = 1
            for sizes, mine, its in zip(self._sizes, other, point):
                for place in range(its + 1):
                    if place != mine:
                        product *= sizes[mine] - sizes[place]
            weights.append((position, Fraction(1, product)))
        return weights

    def _expanded(self, kind: int) -> Polynomial:
        total: Polynomial = {}
        for point, coefficient in zip(self._points, self._coefficients[kind]):
            if not coefficient:
                continue
            factors = [list(enumerate(_from_roots(sizes[:place]))) for sizes, place in zip(self._sizes, point)]
            for parts in itertools.product(*factors):
                powers = tuple(power for power, _ in parts)
                product = coefficient
                for _, factor in parts:
                    product *= factor
                total[powers] = total.get(powers, Fraction(0)) + product
        return {powers: coefficient for powers, coefficient in total.items() if coefficient}


def _from_roots(roots: Sequence[int]) -> list[int]:
    """Coefficients of the product of `x - root`, from the lowest power on."""
    coefficients = [1]
    for root in roots:
        shifted = [0, *coefficients]
        coefficients = [high - root * low for high, low in zip(shifted, [*coefficients, 0])]
    return coefficients


def text_of(polynomial: Polynomial, names: Sequence[str]) -> str:
    """A polynomial as text: `4*batch*sequence**2/3 + 12`."""
    if not polynomial:
        return "0"
    text = ""
    for powers, coefficient in sorted(polynomial.items(), reverse=True):
        sign = " - " if coefficient < 0 else " + "
        text += (sign if text else sign.strip(" +")) + _term(abs(coefficient), powers, names)
    return text


def _term(coefficient: Fraction, powers: Point, names: Sequence[str]) -> str:
    factors = [name if power == 1 else f"{name}**{power}" for name, power in zip(names, powers) if power]
    if coefficient.numerator != 1 or not factors:
        factors.insert(0, str(coefficient.numerator))
    return "*".join(factors) + (f"/{coefficient.denominator}" if coefficient.denominator > 1 else "")
