"""Captures with named dimensions: numbers become polynomials."""

from __future__ import annotations

import contextlib
import inspect
import io
import logging
from dataclasses import dataclass
from math import gcd
from typing import Any, Callable, Iterable, Iterator, Mapping, Optional, Union

from ..errors import Error
from .captured import Captured
from .interpolation import Interpolation, Point, text_of
from .sizes import (Place, arguments_of, difference, numbers_of, owner_of, put_texts, same_python_lives,
                    storage_keys)

Given = Union[int, Iterable[int]]
# Captures the step at the given sizes. If the flag is true, the step runs a second time to find out how long Python
# alone holds each tensor.
Run = Callable[[dict[str, int], bool], Captured]

_WHERE = "stashscope.capture with dims"
_HIGHEST_DEGREE = 4


@dataclass(frozen=True)
class Dimension:
    """A name, the default size in the file, and ways to choose further sizes."""

    name: str
    value: int
    ways: tuple["Way", ...]


@dataclass(frozen=True)
class Way:
    """Sizes of one dimension, to be captured in this order. They lie `step` or a multiple of it apart."""

    sizes: tuple[int, ...]
    step: int

    # How many of the sizes the user named.
    named: int = 1

    def fresh(self, used: int) -> int:
        """A size for the check that differs from the first `used` ones.

        It is far from them, because a polynomial through rounded numbers would be wrong there, but if possible no
        larger than the sizes that the user named.
        """
        if used < self.named:
            return self.sizes[self.named - 1]
        if used < len(self.sizes):
            return self.sizes[-1] if self.named == 1 else self.sizes[used]
        return self.size(used + 1)

    def size(self, place: int) -> int:
        """The size at a place. After the last size, sizes go on upwards."""
        if place < len(self.sizes):
            return self.sizes[place]
        return max(self.sizes) + self.step * (place - len(self.sizes) + 1)


@dataclass(frozen=True)
class Found:
    """A dimension of the file: polynomials hold for `value` plus multiples of `step`, from `least` on."""

    name: str
    value: int
    step: int
    least: int


def read_dimensions(step: Any, dims: Any) -> list[Dimension]:
    """Checks what the user gave. Raises `Error`."""
    if not isinstance(dims, Mapping) or not dims:
        raise Error("dims is no dictionary of names and sizes", _WHERE,
                    'Give for example dims={"batch": 8, "sequence": [128, 256, 512]}.')
    found = [_read(name, given) for name, given in dims.items()]
    try:
        inspect.signature(step).bind(**{one.name: one.value for one in found})
    except (TypeError, ValueError) as error:
        raise Error(f"The step cannot be called with the sizes: {error}", _WHERE,
                    "Write it as a function of them: "
                    f"def step({', '.join(f'{one.name}={one.value}' for one in found)}).") from None
    return found


def _read(name: Any, given: Any) -> Dimension:
    if not isinstance(name, str) or not name.isidentifier() or not name.isascii():
        raise Error(f"'{name}' is no name of a dimension", _WHERE, "Use letters, digits and underscores.")
    one = isinstance(given, int)
    try:
        sizes = (given,) if one else tuple(given)
    except TypeError:
        sizes = ()
    if not sizes or any(isinstance(size, bool) or not isinstance(size, int) or size < 1 for size in sizes):
        raise Error(f"The sizes of '{name}' are {given!r}", _WHERE, "Give a whole number above 0, or a list of them.")
    sizes = tuple(dict.fromkeys(sizes))
    return Dimension(name, sizes[0], tuple(_ways_from(sizes[0])) if len(sizes) == 1 else (_way_through(sizes),))


def _ways_from(value: int) -> Iterator[Way]:
    """The ways for a single given size. The first goes to smaller sizes, because a model may have a largest size. It is
    left out for a size that is too small. The second goes to larger sizes in steps of the largest power of 2 that
    divides the size, but at most 64."""
    last = _HIGHEST_DEGREE + 2
    down = next((step for step in (64, 32, 16, 8, 4, 2, 1) if value % step == 0 and value - last * step >= 2), None)
    if down is not None:
        yield Way(tuple(value - place * down for place in range(last + 1)), down)
    up = value & -value
    yield Way((value,), min(up, 64))


def _way_through(sizes: tuple[int, ...]) -> Way:
    step = 0
    for size in sizes:
        step = gcd(step, size - sizes[0])
    between = [size for size in range(min(sizes), max(sizes), step) if size not in sizes]
    # The middle first: a model may be special at the ends.
    between.sort(key=lambda size: abs(2 * size - min(sizes) - max(sizes)))
    return Way((*sizes, *between[:_HIGHEST_DEGREE + 2]), step, len(sizes))


def with_polynomials(captured: Captured, dimensions: list[Dimension], run: Run) -> list[Found]:
    """Captures the step at further sizes and gives the numbers of `captured` their polynomials. Raises `Error`."""
    survey = _Survey(captured, dimensions, run)
    ways = [survey.choose_way(position) for position in range(len(dimensions))]
    try:
        interpolation = survey.interpolate(ways)
    except Error:
        ways, finer = [one.ways[-1] for one in dimensions], ways
        if ways == finer:
            raise
        interpolation = survey.interpolate(ways)
    found = survey.reach(interpolation, ways)
    survey.put(interpolation)
    return found


class _Survey:
    """The captures so far, and their numbers, which are compared with those of the first capture."""

    def __init__(self, captured: Captured, dimensions: list[Dimension], run: Run) -> None:
        self._captured = captured
        self._dimensions = dimensions
        self._names = [one.name for one in dimensions]
        self._run = run
        self._order = list(storage_keys(captured.record))
        self._start = tuple(one.value for one in dimensions)
        listed = list(numbers_of(captured.record, self._order))
        self._places = [place for place, _ in listed]
        self._arguments = arguments_of(captured.record)
        # The numbers in texts of arguments whose polynomials proved right, as positions in the list of all numbers.
        self._fitting: list[int] = []
        self._numbers: dict[tuple[int, ...], list[int]] = {
            self._start: [number for _, number in listed] + [number for _, number in self._arguments]}

    def choose_way(self, position: int) -> Way:
        """The first way to choose sizes of a dimension along which every number is a polynomial."""
        first: Optional[Error] = None
        for way in self._dimensions[position].ways:
            try:
                self._walk(position, way)
                return way
            except Error as error:
                first = first or error
        assert first is not None
        raise first

    def _walk(self, position: int, way: Way) -> None:
        interpolation = Interpolation(1)
        for place in range(_HIGHEST_DEGREE + 2):
            sizes = self._start[:position] + (way.size(place),) + self._start[position + 1:]
            wrong = self._hard(interpolation.add((place,), (way.size(place),), self._at(sizes)))
            if wrong is None and place:
                return
        tried = (way.size(place) for place in range(_HIGHEST_DEGREE + 2))
        self._fail(wrong or 0, ", ".join(f"{self._names[position]}={size}" for size in tried))

    def interpolate(self, ways: list[Way]) -> Interpolation:
        """Adds points until no polynomial needs more of them, and checks the polynomials at fresh sizes."""
        interpolation = self._grow(ways)
        self._check(interpolation, ways)
        return interpolation

    def _grow(self, ways: list[Way]) -> Interpolation:
        count = len(ways)
        interpolation = Interpolation(count)
        origin: Point = (0,) * count
        interpolation.add(origin, self._start, self._at(self._start))
        known, open_points = {origin}, {origin}
        while True:
            candidates = [point for point in _next_points(open_points) if point not in known]
            if not candidates:
                return interpolation
            point = min(candidates, key=lambda one: (sum(one), one))
            sizes = tuple(way.size(place) for way, place in zip(ways, point))
            known.add(point)
            wrong = self._hard(interpolation.add(point, sizes, self._at(sizes)))
            if wrong is None:
                continue
            if max(point) > _HIGHEST_DEGREE:
                self._fail(wrong, self._text(sizes))
            open_points.add(point)

    def _hard(self, wrong: Optional[int]) -> Optional[int]:
        """`wrong`, the position of a number that its polynomial misses; None if it stands in the text of an argument.

        Such numbers are at the end of the list, and need no polynomial.
        """
        return wrong if wrong is not None and wrong < len(self._places) else None

    def _check(self, interpolation: Interpolation, ways: list[Way]) -> None:
        fresh = tuple(way.fresh(used) for way, used in zip(ways, interpolation.used))
        whole = self._captured_at(fresh, True)
        numbers = self._numbers_in(whole)
        wrong = self._hard(interpolation.wrong(fresh, numbers))
        if wrong is not None:
            self._fail(wrong, self._text(fresh))
        if not same_python_lives(self._captured, whole):
            raise Error(f"At {self._text(fresh)} Python holds tensors longer or shorter than at "
                        f"{self._text(self._start)}", _WHERE, "Capture each of these sizes on its own.")
        self._fitting = [number for number in range(len(self._places), len(numbers))
                      if interpolation.value(number, fresh) == numbers[number]]

    def reach(self, interpolation: Interpolation, ways: list[Way]) -> list[Found]:
        """Finds out for which sizes the polynomials hold."""
        steps = [way.step for way in ways]
        lowest = [min(way.sizes) for way in ways]
        if any(step > 1 for step in steps):
            ends = [[low + (at if step > 1 else 0) for low, step, at in zip(lowest, steps, places)]
                    for places in ([1] * len(steps), [step - 1 for step in steps])]
            if all(self._holds(interpolation, tuple(sizes)) for sizes in ends):
                steps = [1] * len(ways)
            else:
                steps = [self._step(interpolation, position, low, step)
                         for position, (low, step) in enumerate(zip(lowest, steps))]
        return [Found(one.name, one.value, step, self._least(interpolation, position, step))
                for position, (one, step) in enumerate(zip(self._dimensions, steps))]

    def _step(self, interpolation: Interpolation, position: int, lowest: int, step: int) -> int:
        for smaller in range(1, step):
            if step % smaller == 0 and all(self._holds(interpolation, self._with(position, size))
                                           for size in {lowest + smaller, lowest + step - smaller}):
                return smaller
        return step

    def _least(self, interpolation: Interpolation, position: int, step: int) -> int:
        """The smallest size for which the file may be opened. At size 1 PyTorch may run other operators, so this size
        is tried if `step` allows it."""
        if (self._start[position] - 1) % step != 0:
            return 1
        return 1 if self._holds(interpolation, self._with(position, 1)) else 2

    def _with(self, position: int, size: int) -> tuple[int, ...]:
        return self._start[:position] + (size,) + self._start[position + 1:]

    def _holds(self, interpolation: Interpolation, sizes: tuple[int, ...]) -> bool:
        try:
            return self._hard(interpolation.wrong(sizes, self._at(sizes))) is None
        except Error:
            return False

    def put(self, interpolation: Interpolation) -> None:
        """Writes the polynomials into the capture."""
        positions = {place: number for number, place in enumerate(self._places)}
        positions.update((self._arguments[number - len(self._places)][0], number) for number in self._fitting)
        texts: dict[int, str] = {}

        def text(place: Place) -> Optional[str]:
            number = positions.get(place)
            if number is None:
                return None
            polynomial = interpolation.polynomial(number)
            if all(not any(powers) for powers in polynomial):
                return None
            if id(polynomial) not in texts:
                texts[id(polynomial)] = text_of(polynomial, self._names)
            return texts[id(polynomial)]

        put_texts(self._captured.record, self._order, text)

    def _at(self, sizes: tuple[int, ...]) -> list[int]:
        if sizes not in self._numbers:
            self._numbers[sizes] = self._numbers_in(self._captured_at(sizes, False))
        return self._numbers[sizes]

    def _captured_at(self, sizes: tuple[int, ...], whole: bool) -> Captured:
        try:
            with _quiet():
                other = self._run(dict(zip(self._names, sizes)), whole)
        except Error as error:
            raise Error(f"At {self._text(sizes)}: {error.what}", error.where, error.hint) from error
        found = difference(self._captured, other)
        if found is not None:
            raise Error(f"The sizes change what the step does: at {self._text(self._start)} it has {found[0]}; "
                        f"at {self._text(sizes)} {found[1]}", _WHERE,
                        "Give sizes at which the step does the same, or capture each of them on its own.")
        return other

    def _numbers_in(self, captured: Captured) -> list[int]:
        numbers = [number for _, number in numbers_of(captured.record, self._order)]
        arguments = arguments_of(captured.record)
        if len(arguments) != len(self._arguments):
            arguments = self._arguments
        return numbers + [number for _, number in arguments]

    def _text(self, sizes: Iterable[int]) -> str:
        return ", ".join(f"{name}={size}" for name, size in zip(self._names, sizes))

    def _fail(self, number: int, tried: str) -> None:
        owner = owner_of(self._captured.record, self._order, self._places[number])
        raise Error(f"No polynomial in {' and '.join(self._names)} gives {owner}", _WHERE,
                    f"Sizes that were tried: {tried}. "
                    "The number may be rounded: give sizes that lie evenly apart, such as multiples of 32.")


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Hides what the step prints at further sizes, and errors that PyTorch logs at sizes that fail."""
    logger = logging.getLogger("torch._subclasses.fake_tensor")
    level = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            yield
    finally:
        logger.setLevel(level)


def _next_points(open_points: set[Point]) -> Iterator[Point]:
    """The points above the origin whose neighbours below are all open. Neighbours differ by one in one coordinate.

    A point is open if the polynomials through the earlier points were wrong there. The origin is always open.
    """
    for point in open_points:
        for position in range(len(point)):
            larger = point[:position] + (point[position] + 1,) + point[position + 1:]
            below = (larger[:place] + (larger[place] - 1,) + larger[place + 1:]
                     for place in range(len(larger)) if larger[place])
            if all(neighbour in open_points for neighbour in below):
                yield larger
