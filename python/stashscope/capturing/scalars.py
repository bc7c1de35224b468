"""Numbers that PyTorch wraps into tensors.

`x * 2` makes a tensor of 8 bytes for the 2. It is gone after the operator, unless autograd saves it for the gradient of
`x`. Modes and hooks on saved tensors never see it, the allocator does.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import Any, Iterator

import torch

from .operators import Facts
from .record import Node, Record, Saved
from .values import Values

aten = torch.ops.aten

# Operators whose autograd node saves the second operand for the gradient of the first.
_SAVING = {aten.mul.Tensor, aten.mul_.Tensor, aten.div.Tensor, aten.div_.Tensor}
_ARITHMETIC = {f"{before}{name}{after}" for name in ("add", "sub", "mul", "div", "truediv", "rsub", "radd", "rmul")
               for before, after in (("", ""), ("", "_"), ("__", "__"), ("__i", "__"))}


@dataclass
class _SavedScalar:
    storage: int
    value: str
    position: int
    sequence: int


class Scalars:
    """Records the tensors that PyTorch makes of numbers."""

    def __init__(self, values: Values, forget: bool) -> None:
        self._values = values
        self._record: Record = values.record
        self._forget = forget
        self._saved: list[_SavedScalar] = []
        self._whole_call = False

    def before(self, func: Any, facts: Facts, named: dict[str, Any], creates_gradient: bool) -> tuple[int, list[str]]:
        """Called before the operator's node is recorded. Returns the bytes of numbers that live only while the operator
        runs, and the names of the values that autograd saves."""
        numbers = list(_numbers_for_tensors(facts, named))
        if not numbers or self._whole_call:
            return 0, []
        first = named[facts.names[0]]
        if func in _SAVING and creates_gradient and isinstance(first, torch.Tensor) and first.requires_grad:
            value = self._values.scalar(_bytes_of(numbers[0]), _type_of(numbers[0]))
            self._saved.append(_SavedScalar(value.storage, value.name, len(self._record.nodes),
                                            _sequence_of(facts, first)))
            return 0, [value.name]
        return 0 if self._values.on_cuda else sum(_bytes_of(number) for number in numbers), []

    @contextlib.contextmanager
    def of_whole_call(self, func: Any, args: Any) -> Iterator[None]:
        """Under `vmap` a call runs several operators, and its number lives during all of them."""
        number = next((one for one in args[1:2] if isinstance(one, (bool, int, float))), None)
        if number is None or self._whole_call or getattr(func, "__name__", "") not in _ARITHMETIC:
            yield
            return
        value = self._values.scalar(_bytes_of(number), _type_of(number))
        self._whole_call = True
        try:
            yield
        finally:
            self._whole_call = False
            self._values.storages.last[value.storage] = len(self._record.nodes) - 1

    def finish(self) -> None:
        """Finds out when autograd let go of each number."""
        released = _released(self._record.nodes)
        for scalar in self._saved:
            node = self._record.nodes[scalar.position]
            last = released.get(scalar.sequence)
            ran = last is not None
            if last is None:
                last = self._end_of(node, scalar.position)
            self._record.last[scalar.storage] = scalar.position if self._forget else last
            self._record.saved.append(Saved(scalar.sequence, scalar.storage, scalar.value,
                                            unpacked=_first(self._record.nodes, scalar.sequence) if ran else -1,
                                            released=last, number=True))

    def _end_of(self, node: Node, position: int) -> int:
        """For an autograd node that never runs: the last node of the record during which it lives. An autograd node
        that was made in a recompute is freed with the graph of the recompute."""
        if node.phase == "recompute":
            while position + 1 < len(self._record.nodes) and self._record.nodes[position + 1].phase == "recompute":
                position += 1
            return position
        return max((self._record.last[value.storage] for value in node.outputs), default=position)


def _sequence_of(facts: Facts, changed: torch.Tensor) -> int:
    """The sequence number of the autograd node that holds the number until it has run.

    This node is the newest one. If the operator changes a view in place, the next node holds the newest one and runs
    in its place.
    """
    newest = torch.autograd._get_sequence_nr() - 1
    return newest + 1 if facts.written and changed._is_view() else newest


def _released(nodes: list[Node]) -> dict[int, int]:
    """For each autograd node the last operator that it ran itself."""
    return {node.run_by: index for index, node in enumerate(nodes) if node.run_by >= 0 and not node.accumulates}


def _first(nodes: list[Node], sequence: int) -> int:
    return next(index for index, node in enumerate(nodes) if node.run_by == sequence)


def _numbers_for_tensors(facts: Facts, named: dict[str, Any]) -> Iterator[Any]:
    for name in facts.single_tensors:
        if isinstance(named.get(name), (bool, int, float, complex)):
            yield named[name]


def _bytes_of(number: Any) -> int:
    return int(_type_of(number).itemsize)


def _type_of(number: Any) -> torch.dtype:
    if isinstance(number, bool):
        return torch.bool
    if isinstance(number, int):
        return torch.int64
    return torch.float64 if isinstance(number, float) else torch.complex128
