"""The history of PyTorch's allocator on a GPU.

The profiler tells in which operator memory was allocated, but rounds bytes up as the allocator does. The history has
the bytes that the tensors asked for, but tells time only in microseconds, and operators follow each other faster. Both
list the same allocations in the same order, so each supplies what the other lacks.
"""

from __future__ import annotations

import contextlib
from collections import defaultdict, deque
from dataclasses import replace
from typing import Any, Iterable, Iterator

import torch

from .events import Allocation, Event, allocations_in

_MOST_ENTRIES = 4_000_000


class History:
    """The allocator's history while it is recorded."""

    def __init__(self, device: torch.device) -> None:
        self._device = device
        self.trace: list[dict[str, Any]] = []

    @contextlib.contextmanager
    def recorded(self) -> Iterator[None]:
        """Records, without stacks. On the CPU there is no history."""
        if self._device.type != "cuda":
            yield
            return
        memory = torch.cuda.memory
        memory._record_memory_history(enabled="all", context=None, max_entries=_MOST_ENTRIES)
        try:
            yield
            traces = memory._snapshot(self._device)["device_traces"]
            self.trace = traces[self._device.index or 0]
        finally:
            memory._record_memory_history(enabled=None)


def with_requested_bytes(events: list[Event], trace: Iterable[dict[str, Any]]) -> int:
    """Gives the allocator's events the bytes that were asked for. Returns how many have no entry in the history."""
    requested: dict[int, deque[int]] = defaultdict(deque)
    for entry in trace:
        if entry["action"] == "alloc":
            requested[entry["addr"]].append(entry["size"])
    held: dict[int, tuple[int, int]] = {}
    unknown = 0
    for event in sorted(allocations_in(events), key=lambda event: event.start):
        old = event.allocation
        assert old is not None
        if old.bytes < 0:
            rounded, size = held.pop(old.address, (-old.bytes, -old.bytes))
            event.allocation = replace(old, bytes=-size if rounded == -old.bytes else old.bytes)
            continue
        size = requested[old.address].popleft() if requested[old.address] else -1
        if not 0 <= size <= old.bytes:
            size, unknown = old.bytes, unknown + 1
        held[old.address] = (old.bytes, size)
        event.allocation = Allocation(old.address, size)
    return unknown


def most_reserved(trace: Iterable[dict[str, Any]], at_end: int) -> int:
    """The most bytes that the allocator held during the history. `at_end`: the bytes that it holds at the end of the
    history."""
    now = most = at_end
    for entry in reversed(list(trace)):
        if entry["action"] in ("segment_alloc", "segment_map"):
            now -= entry["size"]
        elif entry["action"] in ("segment_free", "segment_unmap"):
            now += entry["size"]
        most = max(most, now)
    return most
