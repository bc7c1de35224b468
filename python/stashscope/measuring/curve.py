"""From allocations by operator to bytes by operator."""

from __future__ import annotations

from dataclasses import dataclass

from .align import Found
from .events import Allocation
from .steps import Operators


@dataclass(frozen=True)
class Curve:
    """Measured bytes by operator, counted as the program counts predicted ones."""

    live: list[int]
    # Before each operator, and after the last one.
    idle: list[int]
    workspace: list[int]
    # The largest sum of tensors and workspace at one moment.
    together: int


def curve_of(operators: Operators, found: list[Found]) -> Curve:
    """The bytes that live while each operator runs. What the operator both allocates and frees counts as workspace."""
    return _Curve(operators).over(found)


class _Curve:
    def __init__(self, operators: Operators) -> None:
        self._operators = operators
        self._now = self._top = operators.existing
        self._live: list[int] = []
        self._idle: list[int] = []
        self._workspace: list[int] = []

    def over(self, found: list[Found]) -> Curve:
        count = len(self._operators.names)
        first = 0
        while first < count:
            last = self._end_of_group(first)
            following = found[self._end_of_group(last + 1)] if last + 1 < count else found[count]
            here = found[last] if self._operators.event(last) else Found(before=found[count].before)
            self._group(first, last, here, following)
            first = last + 1
        return Curve(self._live, [*self._idle, self._now], self._workspace, self._top)

    def _end_of_group(self, first: int) -> int:
        """The last node of the group that begins at `first`. Nodes that Python makes have no events of their own, so
        they form a group with the next operator."""
        last = first
        while last < len(self._operators.names) - 1 and not self._operators.event(last):
            last += 1
        return last

    def _group(self, first: int, last: int, here: Found, following: Found) -> None:
        made, _ = _settled(here.before)
        for index in range(first, last):
            size = _taken(made, self._operators.made[index])
            self._idle.append(self._now)
            self._now += size
            self._live.append(self._now)
            self._workspace.append(0)
        self._idle.append(self._now)
        self._now += sum(made.values())
        inside, freed = _settled(here.inside)
        numbers = _freed_after(made, following.before)
        live, top = self._now + sum(inside.values()) - numbers, self._now
        for one in here.inside:
            self._now += one.bytes
            top = max(top, self._now)
        self._live.append(live)
        self._workspace.append(max(top - live, 0))
        self._top = max(self._top, top, live)
        self._now = live + numbers + freed + _settled(following.before)[1]


def _settled(allocations: list[Allocation]) -> tuple[dict[int, int], int]:
    """The allocations that live on, by address, and the sum (negative) of freed bytes that were allocated earlier.

    What is both allocated and freed here counts in neither.
    """
    made: dict[int, int] = {}
    freed = 0
    for one in allocations:
        if one.bytes >= 0:
            made[one.address] = one.bytes
        elif made.pop(one.address, None) is None:
            freed += one.bytes
    return made, freed


def _freed_after(made: dict[int, int], following: list[Allocation]) -> int:
    """The bytes of numbers that PyTorch wraps into tensors for one operator.

    They count as workspace, as in a captured step.
    """
    freed = {one.address for one in following if one.bytes < 0}
    return sum(size for address, size in made.items() if address in freed)


def _taken(made: dict[int, int], wanted: int) -> int:
    """Takes out of `made` the first allocations that add up to the bytes of a node, if any. Returns the bytes taken."""
    total = 0
    for count, size in enumerate(made.values(), 1):
        total += size
        if total == wanted:
            for address in list(made)[:count]:
                del made[address]
            return total
    return 0
