"""What a measurement needs of a captured step."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path

import onnx

PYTHON = "python"


@dataclass(frozen=True)
class Operators:
    """The nodes of a captured step, in order."""

    # With namespace and overload, as 'aten.mm.default'.
    names: list[str]
    scopes: list[str]
    # Bytes of the storages that each node allocates.
    made: list[int]
    # Bytes of the storages that live while each node runs, without its workspace.
    live: list[int]
    # Bytes of what existed before the step.
    existing: int
    # Operators, as the profiler names them, that are not looked for.
    left_out: frozenset[str] = frozenset()

    @property
    def peak(self) -> int:
        return max(self.live, default=0)

    def event(self, index: int) -> str:
        """The profiler's name of an operator; '' for what Python makes without one, and for operators in `left_out`."""
        space, operator, _ = self.names[index].split(".", 2)
        event = f"{space}::{operator}"
        return "" if space == PYTHON or event in self.left_out else event

    def without_detaches(self) -> "Operators":
        """The same operators, of which those that detach are not looked for."""
        return replace(self, left_out=frozenset({"aten::detach"}))


def operators_in(path: Path) -> Operators:
    """Reads a captured step that was just written."""
    model = onnx.load(str(path))
    properties = {entry.key: entry.value for entry in model.metadata_props}
    storages = json.loads(properties["stashscope.storages"])
    nodes = model.graph.node
    names, scopes = [], []
    first: dict[int, int] = {}
    for index, node in enumerate(nodes):
        attributes = {one.name: onnx.helper.get_attribute_value(one) for one in node.attribute}
        names.append(f"{node.domain.partition('.')[2]}.{node.op_type}.{attributes['overload'].decode()}")
        scopes.append(next((entry.value for entry in node.metadata_props
                            if entry.key == "pkg.torch.onnx.name_scopes"), ""))
        for storage in attributes.get("storages", ()):
            first.setdefault(storage, index)
    return Operators(names, scopes, *_memory(storages, first, len(nodes)))


def _memory(storages: dict[str, list[int]], first: dict[int, int], count: int) -> tuple[list[int], list[int], int]:
    made, freed, existing = [0] * count, [0] * (count + 2), 0
    for storage, size in enumerate(storages["bytes"]):
        if storages["input"][storage] < 0:
            made[first[storage]] += size
        else:
            existing += size
        freed[storages["last"][storage] + 1] += size
    live, now = [], existing
    for index in range(count):
        now += made[index] - freed[index]
        live.append(now)
    return made, live, existing
