"""Several runs of a step put together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..errors import Error
from .record import Record


@dataclass
class Captured:
    """The step as it is written: the runs of the step put together."""

    record: Record
    # The run that noted what autograd saves.
    watched: Record
    # For each storage of `record`, the last node during which Python holds it if autograd saves nothing.
    python_last: list[int]
    # `fake` or `real`.
    tensors: str


def combined(first: Record, watched: Record, forgotten: Record, tensors: str) -> Captured:
    """Joins the runs of a step.

    `first` gives the lifetimes. `watched`, which may be the same run, gives the saved tensors. `forgotten` gives how
    long Python alone holds each storage.
    """
    _same_operators(first, watched)
    _same_operators(first, forgotten)
    alone = dict(zip(forgotten.keys, forgotten.last))
    python_last = [min(alone.get(key, last), last) for key, last in zip(first.keys, first.last)]
    return Captured(first, watched, python_last, tensors)


def _same_operators(first: Record, other: Record) -> None:
    for index, (mine, its) in enumerate(zip(first.nodes, other.nodes)):
        if mine.signature != its.signature:
            raise _differs(index, mine.text(index), its.text(index))
    if len(first.nodes) != len(other.nodes):
        index = min(len(first.nodes), len(other.nodes))
        texts: list[Any] = [record.nodes[index].text(index) if index < len(record.nodes) else "nothing"
                            for record in (first, other)]
        raise _differs(index, texts[0], texts[1])


def _differs(index: int, mine: str, its: str) -> Error:
    return Error(f"The step does not repeat itself: it ran {mine}; called again, it ran {its}", f"operator {index}",
                 "Take what changes from call to call out of the step: data loading, counters, random choices.")
