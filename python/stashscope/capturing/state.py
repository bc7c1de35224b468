"""The Python side of the user's objects, remembered and put back."""

from __future__ import annotations

import random
import sys
from typing import Any

import torch

from .reach import Reached

_MISSING = object()


class State:
    """Contents of modules, optimizers, containers, variables and random generators at one moment.

    Only references are kept, and no tensor is copied: the twin (twin.py) keeps the data of the tensors from changing.
    """

    def __init__(self, reached: Reached) -> None:
        self._dicts: list[tuple[dict[Any, Any], dict[Any, Any]]] = []
        self._lists: list[tuple[list[Any], list[Any]]] = []
        self._sets: list[tuple[set[Any], set[Any]]] = []
        self._cells: list[tuple[Any, Any]] = []
        self._globals: list[tuple[dict[str, Any], str, Any]] = []
        self._seen: set[int] = set()
        for _, module in reached.modules:
            for part in module.modules():
                self._keep_object(part)
        for optimizer in reached.optimizers:
            self._keep_optimizer(optimizer)
        for thing in reached.objects:
            self._keep_object(thing)
        for container in reached.containers:
            self._keep(container)
        self._keep_variables(reached)
        self._random = _random_state()

    def put_back(self) -> None:
        """Restores the saved state."""
        for kept_list, items in self._lists:
            kept_list[:] = items
        for kept_set, members in self._sets:
            kept_set.clear()
            kept_set.update(members)
        for kept_dict, entries in self._dicts:
            if kept_dict.keys() != entries.keys() or any(kept_dict[key] is not entries[key] for key in entries):
                kept_dict.clear()
                kept_dict.update(entries)
        for cell, content in self._cells:
            cell.cell_contents = content
        for space, name, value in self._globals:
            if value is _MISSING:
                space.pop(name, None)
            elif space.get(name, _MISSING) is not value:
                space[name] = value
        _set_random_state(self._random)

    def _keep(self, thing: Any) -> None:
        if id(thing) in self._seen:
            return
        if isinstance(thing, dict):
            self._dicts.append((thing, dict(thing)))
        elif isinstance(thing, list):
            self._lists.append((thing, list(thing)))
        elif isinstance(thing, set):
            self._sets.append((thing, set(thing)))
        else:
            return
        self._seen.add(id(thing))

    def _keep_object(self, thing: Any) -> None:
        self._keep(vars(thing))
        for held in vars(thing).values():
            self._keep(held)

    def _keep_optimizer(self, optimizer: torch.optim.Optimizer) -> None:
        self._keep_object(optimizer)
        for held in list(optimizer.state.values()):
            self._keep(held)
        for group in optimizer.param_groups:
            self._keep(group)
            self._keep(group["params"])

    def _keep_variables(self, reached: Reached) -> None:
        for cell in reached.cells:
            try:
                self._cells.append((cell, cell.cell_contents))
            except ValueError:
                continue
        for space, name in reached.globals:
            self._globals.append((space, name, space.get(name, _MISSING)))


def _random_state() -> dict[str, Any]:
    state: dict[str, Any] = {"python": random.getstate(), "torch": torch.get_rng_state()}
    if "numpy" in sys.modules:
        state["numpy"] = sys.modules["numpy"].random.get_state()
    return state


def _set_random_state(state: dict[str, Any]) -> None:
    random.setstate(state["python"])
    torch.set_rng_state(state["torch"])
    if "numpy" in state:
        sys.modules["numpy"].random.set_state(state["numpy"])
