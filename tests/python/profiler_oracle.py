"""Judges a captured step by PyTorch's profiler.

The step runs for real, with no dispatch mode and no hook of ours: a mode changes what autograd does. The profiler's
events of the allocator are laid beside the operators of the captured file, which is read with the `onnx` package and
nothing of stashscope.
"""

from __future__ import annotations

import gc
import json
from collections import defaultdict
from dataclasses import dataclass, field

import onnx
import torch
from torch.profiler import ProfilerActivity, profile


# With a dispatch mode, `reshape` runs `view`. Without one, it runs an operator that differs only in its name.
SAME = {"aten::view": "aten::_reshape_alias"}


STEP = "the captured step"


@dataclass
class Captured:
    """What the judge needs of a captured step."""

    names: list[str]
    namespaces: list[str]
    live: list[int]      # bytes above the start after each operator
    during: list[int]    # bytes above the start while each operator runs
    workspace: list[int]
    bytes: list[int]
    baseline: int

    @property
    def peak(self) -> int:
        return max((bytes + extra for bytes, extra in zip(self.during, self.workspace)), default=0)


def read(path) -> Captured:
    model = onnx.load(str(path))
    properties = {entry.key: entry.value for entry in model.metadata_props}
    storages = json.loads(properties["stashscope.storages"])
    nodes = model.graph.node
    attributes = [{one.name: onnx.helper.get_attribute_value(one) for one in node.attribute} for node in nodes]
    first = {}
    for index, found in enumerate(attributes):
        for storage in found.get("storages", []):
            if storages["input"][storage] < 0:
                first.setdefault(storage, index)
    count = len(nodes)
    births, deaths = [0] * (count + 2), [0] * (count + 2)
    for storage, size in enumerate(storages["bytes"]):
        if storages["input"][storage] < 0:
            births[first[storage]] += size
        deaths[storages["last"][storage] + 1] += size
    live, during, now = [], [], -deaths[0]
    for index in range(count):
        now += births[index]
        during.append(now)
        now -= deaths[index + 1]
        live.append(now)
    baseline = sum(size for size, given in zip(storages["bytes"], storages["input"]) if given >= 0)
    return Captured([node.op_type for node in nodes], [node.domain.partition(".")[2] for node in nodes], live, during,
                    [found.get("workspace", 0) for found in attributes], storages["bytes"], baseline)


@dataclass
class Judgement:
    """Differences by operator, and both peaks."""

    nodes: int
    peak: int
    profiler_peak: int
    differences: list[str] = field(default_factory=list)
    workspace: dict[str, int] = field(default_factory=dict)


def profiled(make):
    """The events of one real run of the step that `make` gives. The sizes of what `make` allocates are known, too."""
    gc.collect()
    gc.disable()
    try:
        with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as found:
            step = make()
            gc.collect()
            with torch.profiler.record_function(STEP):
                step()
    finally:
        gc.enable()
    roots = found.profiler.kineto_results.experimental_event_tree()
    return next(event.children for event in roots if event.name == STEP)


class _Aligner:
    """Walks the profiler's tree and finds the captured operators in it, in order."""

    def __init__(self, captured: Captured) -> None:
        self.captured = captured
        self.position = 0
        self.before = [[] for _ in range(len(captured.names) + 1)]  # bytes between the operators
        self.inside = [[] for _ in captured.names]
        self.raw: list[int] = []

    def walk(self, events) -> None:
        for event in events:
            if event.tag == torch._C._profiler._EventType.Allocation:
                self.raw.append(event.extra_fields.alloc_size)
                self.before[self.position].append(event.extra_fields.alloc_size)
            elif self._is_next(event):
                self._match(event)
            else:
                start = self.position
                self.walk(event.children)
                if self.position > start and self._is_next(event) and not self._just_matched(event):
                    self._match_outer()

    def _match(self, event) -> None:
        """An operator. Hooks on saved tensors detach its results inside of its event."""
        mine = self.inside[self.position]
        self._next()
        for child in event.children:
            if self._is_next(child) and self.captured.names[self.position] == "detach":
                self._match(child)
            else:
                self._collect([child], mine)

    def _next(self) -> None:
        self.position += 1
        self._skip()

    def _just_matched(self, event) -> bool:
        return event.name.endswith(f"::{self.captured.names[self.position - 1]}")

    def _match_outer(self) -> None:
        """Autograd copies what an operator overwrites: the copy's event lies in that of the operator."""
        self.inside[self.position], self.before[self.position] = self.before[self.position], []
        self._next()

    def _skip(self) -> None:
        while self.position < len(self.captured.names) and self.captured.namespaces[self.position] == "python":
            self.position += 1

    def _is_next(self, event) -> bool:
        if self.position >= len(self.captured.names) or event.tag != torch._C._profiler._EventType.TorchOp:
            return False
        wanted = f"{self.captured.namespaces[self.position]}::{self.captured.names[self.position]}"
        return event.name == wanted or event.name == SAME.get(wanted)

    def _collect(self, events, found) -> None:
        for event in events:
            if event.tag == torch._C._profiler._EventType.Allocation:
                self.raw.append(event.extra_fields.alloc_size)
                found.append(event.extra_fields.alloc_size)
            self._collect(event.children, found)


def judge(path, make) -> Judgement:
    """Compares the captured file with a real run of the step that `make` gives."""
    captured = read(path)
    aligner = _Aligner(captured)
    aligner._skip()
    aligner.walk(profiled(make))
    now, profiler_peak = 0, 0
    for size in aligner.raw:
        now += size
        profiler_peak = max(profiler_peak, now)
    result = Judgement(len(captured.names), captured.peak, profiler_peak)
    if aligner.position < len(captured.names):
        place = aligner.position
        result.differences.append(f"operator {place} ({captured.names[place]}) was not run")
        return result
    _compare(captured, aligner, result)
    return result


def _leading(sizes: list[int]) -> int:
    """How many frees come before the first allocation. The others may be of what Python does in between."""
    return next((place for place, size in enumerate(sizes) if size > 0), len(sizes))


def _compare(captured: Captured, aligner: _Aligner, result: Judgement) -> None:
    count = len(captured.names)
    workspace = defaultdict(int)
    first = next((index for index, name in enumerate(captured.namespaces) if name != "python"), count)
    now, offset = sum(aligner.before[first][:_leading(aligner.before[first])]), 0
    index = 0
    while index < count:
        # Nodes that Python makes have no event: they and the next operator share what is allocated before it.
        last = index
        while last < count - 1 and captured.namespaces[last] == "python":
            last += 1
        top = top_inside = now
        for size in aligner.before[last][_leading(aligner.before[last]):] + aligner.inside[last]:
            top += size
            top_inside = max(top_inside, top)
        following = last + 1
        while following < count and captured.namespaces[following] == "python":
            following += 1
        now = top + sum(aligner.before[following][:_leading(aligner.before[following])])
        extra = top_inside - max(captured.during[index:last + 1]) - offset
        name = captured.names[last]
        if extra < 0:
            result.differences.append(f"operator {last} ({name}): {extra} B while it runs")
        workspace[name] = max(workspace[name], extra)
        if now - offset != captured.live[last]:
            result.differences.append(
                f"operator {last} ({name}): {now - offset - captured.live[last]:+d} B after it "
                f"(profiler {now - offset}, captured {captured.live[last]})")
            offset = now - captured.live[last]
        index = last + 1
    result.workspace = {name: size for name, size in workspace.items() if size}
