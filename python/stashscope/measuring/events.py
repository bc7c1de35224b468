"""The events of PyTorch's profiler in a form of our own."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Iterable, Iterator, Optional

import torch

_ALLOCATION = torch._C._profiler._EventType.Allocation
_USER = torch._C._profiler.RecordScope.USER_SCOPE


@dataclass(frozen=True)
class Allocation:
    """Bytes that the allocator gave out at an address, or took back (negative)."""

    address: int
    bytes: int


@dataclass
class Event:
    """An operator with what happened inside it, or an event of the allocator."""

    name: str
    start: int = 0
    nanoseconds: int = 0
    # Kernels that the operator started itself, in nanoseconds on the device.
    device_nanoseconds: int = 0
    allocation: Optional[Allocation] = None
    children: list["Event"] = field(default_factory=list)
    is_annotation: bool = False

    @property
    def end(self) -> int:
        return self.start + self.nanoseconds


def read_events(results: Any, device: torch.device) -> list[Event]:
    """The events of all threads. Of the allocator's events, only those of `device`."""
    kernels = _kernels(results) if device.type != "cpu" else {}
    return list(_read(results.experimental_event_tree(), device, kernels))


def _read(events: Iterable[Any], device: torch.device, kernels: dict[int, int]) -> Iterator[Event]:
    for event in events:
        if event.tag != _ALLOCATION:
            yield Event(event.name, event.start_time_ns, event.duration_time_ns, kernels.get(event.correlation_id, 0),
                        None, list(_read(event.children, device, kernels)),
                        getattr(event.extra_fields, "scope", None) == _USER)
        elif _same(event.extra_fields.device, device):
            allocation = Allocation(event.extra_fields.ptr, event.extra_fields.alloc_size)
            yield Event(event.name, event.start_time_ns, allocation=allocation)


def _same(one: torch.device, other: torch.device) -> bool:
    return one.type == other.type and (one.type == "cpu" or (one.index or 0) == (other.index or 0))


def _kernels(results: Any) -> dict[int, int]:
    """The time on the device by the operator that started the work."""
    found: dict[int, int] = {}
    for event in results.events():
        if event.device_type() != torch._C._autograd.DeviceType.CPU and event.linked_correlation_id():
            key = event.linked_correlation_id()
            found[key] = found.get(key, 0) + event.duration_ns()
    return found


def runs_in(events: list[Event], mark: str) -> list[Event]:
    """The marked runs, each with the events of all threads in the order of their beginnings.

    Autograd runs a backward pass on a GPU in a thread of its own.
    """
    marked = sorted((event for event in events if event.name == mark), key=lambda event: event.start)
    others = [event for event in events if event.name != mark]
    for run in marked:
        inside = [event for event in others if run.start <= event.start <= run.end]
        run.children = sorted(_without_annotations(run.children + inside), key=lambda event: event.start)
    return marked


def _without_annotations(events: Iterable[Event]) -> Iterator[Event]:
    """Replaces annotations by the events inside them. An annotation lasts while other threads work, so it would not fit
    the order of events."""
    for event in events:
        if event.is_annotation:
            yield from _without_annotations(event.children)
        else:
            yield event


def allocations_in(events: Iterable[Event]) -> Iterator[Event]:
    """The allocator's events, in order."""
    for event in events:
        if event.allocation is not None:
            yield event
        yield from allocations_in(event.children)
