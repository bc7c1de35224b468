"""Finds the operators of a captured step among the events of a run."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..errors import Error
from .events import Allocation, Event
from .steps import Operators

# While a step is captured, `reshape` runs `view`. Outside of a capture, it runs an operator that differs only in its
# name.
_SAME = {"aten::view": "aten::_reshape_alias"}


@dataclass
class Found:
    """What was measured of one operator: allocations before it and inside it, and its time."""

    before: list[Allocation] = field(default_factory=list)
    inside: list[Allocation] = field(default_factory=list)
    nanoseconds: int = 0


class _Walk:
    def __init__(self, operators: Operators, on_device: bool) -> None:
        self.found = [Found() for _ in range(len(operators.names) + 1)]
        self.position = 0
        self._names = [operators.event(index) for index in range(len(operators.names))]
        self._on_device = on_device
        self._skip()

    def walk(self, events: list[Event]) -> None:
        for event in events:
            if event.allocation is not None:
                self.found[self.position].before.append(event.allocation)
            elif self._is_next(event):
                self._take(event)
            else:
                start = self.position
                self.walk(event.children)
                if self.position > start and self._is_next(event) and event.name != self._names[self.position - 1]:
                    self._take_outer(event, start)

    def _take(self, event: Event) -> None:
        found = self.found[self.position]
        found.nanoseconds = self._time_of(event)
        _collect(event.children, found.inside)
        self._advance()

    def _take_outer(self, event: Event, start: int) -> None:
        """Takes an operator whose event contains the events of the operators before it. For example, autograd copies a
        tensor that an operator overwrites, and the copy's event lies inside the operator's event."""
        found = self.found[self.position]
        found.inside, found.before = found.before, []
        inner = sum(self.found[index].nanoseconds for index in range(start, self.position))
        found.nanoseconds = max(self._time_of(event) - inner, 0)
        self._advance()

    def _advance(self) -> None:
        self.position += 1
        self._skip()

    def _skip(self) -> None:
        while self.position < len(self._names) and not self._names[self.position]:
            self.position += 1

    def _is_next(self, event: Event) -> bool:
        if self.position >= len(self._names):
            return False
        wanted = self._names[self.position]
        return event.name in (wanted, _SAME.get(wanted))

    def _time_of(self, event: Event) -> int:
        return _device_time(event) if self._on_device else event.nanoseconds


def _device_time(event: Event) -> int:
    return event.device_nanoseconds + sum(_device_time(child) for child in event.children)


def _collect(events: list[Event], found: list[Allocation]) -> None:
    for event in events:
        if event.allocation is not None:
            found.append(event.allocation)
        _collect(event.children, found)


def align(operators: Operators, run: Event, on_device: bool) -> list[Found]:
    """What was measured of each operator; the last entry has what came after all of them.

    Operators that Python makes without PyTorch's dispatcher have no event: their memory is in `before` of the next one.
    """
    walk = _Walk(operators, on_device)
    walk.walk(run.children)
    if walk.position < len(operators.names):
        index = walk.position
        raise Error(f"The step did not run '{operators.names[index]}' as it did when it was captured",
                    f"operator {index}, {operators.scopes[index]}",
                    "Take what changes from call to call out of the step; if data decides what runs, measure with "
                    "fake=False. Compiled modules cannot be measured.")
    return walk.found


def alignable(operators: Operators, run: Event) -> Operators:
    """The operators as they can be found in a run.

    Checkpoints detach what they save inside the events of operators, at other places than in the captured step. A
    detached tensor takes no memory. If these operators are not found, they are left out and count as no memory.
    """
    walk = _Walk(operators, False)
    walk.walk(run.children)
    return operators if walk.position == len(operators.names) else operators.without_detaches()
