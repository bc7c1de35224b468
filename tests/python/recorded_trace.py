"""A recorded trace of PyTorch's allocator: what lived when, and what of it a captured step has, too."""

from __future__ import annotations

import collections
import csv
import gzip
import itertools
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Iterator, Optional

# By bytes. `:4096:2:16:8` on GPUs before sm90, and 32 MiB there.
CUBLAS_WORKSPACES = (8_519_680, 33_554_432)
CUBLAS, OTHER_DATA, INSIDE = "workspaces of cuBLAS", "data that the step does not touch", "inside operators"
# Allocations that must agree after a difference, so that both sides count as aligned again.
_RUN = 6
# Kernels on the CPU read a number as a tensor of 8 bytes; on a GPU it is an argument.
_NUMBER = 8


@dataclass
class Block:
    """One allocation: asked bytes, kind, and the positions in the trace at which it begins and ends."""

    size: int
    begin: int
    end: Optional[int] = None
    kind: str = ""
    is_new: bool = True


@dataclass
class Trace:
    """All allocations of a trace in their order; those from before it come first."""

    blocks: list[Block] = field(default_factory=list)
    length: int = 0
    reserved: int = 0

    def new(self) -> list[Block]:
        return [block for block in self.blocks if block.is_new]

    def existing(self) -> list[Block]:
        return [block for block in self.blocks if not block.is_new]

    def curve(self, without: tuple[str, ...] = ()) -> list[int]:
        """Asked bytes that live after each position, without some kinds."""
        changes = [0] * (self.length + 1)
        for block in self.blocks:
            if block.kind not in without:
                changes[block.begin] += block.size
                changes[self.length if block.end is None else block.end] -= block.size
        return list(itertools.accumulate(changes[:self.length]))

    def peak(self) -> tuple[int, int]:
        """The most asked bytes, and the position at which they are reached first."""
        curve = self.curve()
        return max(curve), curve.index(max(curve))

    def kinds_at(self, position: int) -> dict[str, int]:
        """Living bytes by kind."""
        found: dict[str, int] = collections.Counter()
        for block in self.blocks:
            if block.begin <= position and (block.end is None or block.end > position):
                found[block.kind] += block.size
        return dict(found)


class _Reader:
    """Follows addresses through the events. Position 0 is before the first event."""

    def __init__(self) -> None:
        self.trace = Trace()
        self._at: dict[int, Block] = {}

    def event(self, position: int, action: str, address: int, size: int, kind: str = "") -> None:
        if action == "alloc":
            self._at[address] = Block(size, position, kind=kind)
            self.trace.blocks.append(self._at[address])
        elif action == "free_completed":
            block = self._at.pop(address, None) or self._from_before(size, kind)
            block.end = position
        self.trace.length = position + 1

    def survivor(self, address: int, size: int, kind: str = "") -> None:
        """A block at the end of the trace."""
        if address not in self._at:
            self._from_before(size, kind)

    def _from_before(self, size: int, kind: str) -> Block:
        block = Block(size, 0, kind=kind, is_new=False)
        self.trace.blocks.append(block)
        return block


def recorded(events: Path, segments: Path) -> Trace:
    """A trace of shared/cases/allocator."""
    reader = _Reader()
    with gzip.open(events, "rt") as file:
        for position, event in enumerate(csv.DictReader(file), start=1):
            reader.event(position, event["action"], int(event["addr"] or 0), int(event["size"]))
    with gzip.open(segments, "rt") as file:
        state = json.load(file)["segments"]
    for address, _, asked, kind in (block for segment in state for block in segment["blocks"]):
        if kind.startswith("active"):
            reader.survivor(address, asked)
    reader.trace.reserved = sum(segment["total_size"] for segment in state)
    return reader.trace


def predicted(snapshot: dict[str, Any]) -> Trace:
    """What --export-snapshot wrote. States that the step replaces begin with the trace, not before it."""
    reader = _Reader()
    for position, event in enumerate(snapshot["device_traces"][0], start=1):
        reader.event(position, event["action"], event["addr"], event["size"], event["category"])
    for block in (block for segment in snapshot["segments"] for block in segment["blocks"]):
        if block["state"].startswith("active"):
            reader.survivor(block["address"], block["requested_size"], block["category"])
    made = [block for block in reader.trace.blocks if block.is_new and block.kind != "optimizer_states"]
    first = made[0].begin if made else 0
    for block in reader.trace.blocks:
        block.is_new = block.is_new and not (block.kind == "optimizer_states" and block.begin < first)
    reader.trace.reserved = sum(segment["total_size"] for segment in snapshot["segments"])
    return reader.trace


@dataclass
class Likeness:
    """How many new allocations are the same, in order and size, and the others."""

    pairs: list[tuple[Block, Block]] = field(default_factory=list)
    only_recorded: list[int] = field(default_factory=list)
    only_predicted: list[int] = field(default_factory=list)


def give_kinds(trace: Trace, ours: Trace) -> Likeness:
    """Gives blocks of a recorded trace the kinds of those of the prediction that they are."""
    _give_existing(trace.existing(), ours.existing())
    likeness = Likeness()
    mine = trace.new()
    others = [block for block in ours.new() if not (block.kind == "unknown" and block.size == _NUMBER)]
    for block, other in _aligned(mine, others):
        if block is not None and other is not None:
            block.kind = other.kind
            likeness.pairs.append((block, other))
        elif block is not None:
            is_workspace = block.end is None and block.size in CUBLAS_WORKSPACES
            block.kind = CUBLAS if is_workspace else INSIDE
            likeness.only_recorded.append(block.size)
        elif other is not None:
            likeness.only_predicted.append(other.size)
    return likeness


def largest_distance(trace: Trace, ours: Trace, likeness: Likeness) -> int:
    """Between both curves, after any allocation that is the same, without what is no tensor of the step."""
    curve, other = trace.curve((CUBLAS, OTHER_DATA, INSIDE)), ours.curve()
    return max(abs(curve[block.begin] - other[mine.begin]) for block, mine in likeness.pairs)


def _give_existing(blocks: list[Block], others: list[Block]) -> None:
    kinds: dict[int, list[str]] = collections.defaultdict(list)
    for other in others:
        kinds[other.size].append(other.kind)
    for block in blocks:
        if kinds[block.size]:
            block.kind = kinds[block.size].pop()
        else:
            block.kind = CUBLAS if block.size in CUBLAS_WORKSPACES else OTHER_DATA


def _aligned(mine: list[Block], others: list[Block]) -> Iterator[tuple[Optional[Block], Optional[Block]]]:
    first, second = 0, 0
    while first < len(mine) or second < len(others):
        skipped, left_out = _next_agreement(mine, others, first, second)
        for block in mine[first:first + skipped]:
            yield block, None
        for block in others[second:second + left_out]:
            yield None, block
        first, second = first + skipped, second + left_out
        if first < len(mine) and second < len(others):
            yield mine[first], others[second]
            first, second = first + 1, second + 1


def _next_agreement(mine: list[Block], others: list[Block], first: int, second: int) -> tuple[int, int]:
    """How many to skip on each side until the next sizes agree; the fewest together."""
    if first < len(mine) and second < len(others) and mine[first].size == others[second].size:
        return 0, 0
    for skips in range(1, 64):
        for skipped in range(skips, -1, -1):
            one, other = ([block.size for block in blocks[begin:begin + _RUN]]
                          for blocks, begin in ((mine, first + skipped), (others, second + skips - skipped)))
            if one and one == other:
                return skipped, skips - skipped
    return len(mine) - first, len(others) - second
