"""The tensors that live at a moment."""

from __future__ import annotations

import gc
import sys
import sysconfig
import weakref
from typing import Any, Iterable, Optional

import torch

from .wrappers import is_wrapper

# Later collectors of CPython do not keep young objects apart.
_HAS_GENERATIONS = sys.version_info < (3, 14) and not sysconfig.get_config_var("Py_GIL_DISABLED")


class LiveTensors:
    """Finds tensors among the objects that Python's garbage collector knows.

    The first search goes through all objects, hundreds of thousands of them. A later one goes through those that are
    made since: with the collector off (collection.py) they stay in the young generations. If a collection ran
    nevertheless, the search goes through all objects again.
    """

    def __init__(self) -> None:
        self._found: list[weakref.ref[torch.Tensor]] = []
        self._collections: Optional[list[int]] = None

    def now(self) -> list[torch.Tensor]:
        """Every tensor that lives now and has a storage. Frees the reference cycles that nothing holds."""
        if _HAS_GENERATIONS and self._collections == _collections():
            self._found += _tensors(gc.get_objects(0)) + _tensors(gc.get_objects(1))
            gc.collect(1)
        else:
            gc.collect()
            self._found = _tensors(gc.get_objects())
        self._collections = _collections()
        self._found = [each for each in self._found if each() is not None]
        return [tensor for each in self._found if (tensor := each()) is not None and _has_storage(tensor)]


def _collections() -> list[int]:
    """How often objects were moved to the oldest generation."""
    return [generation["collections"] for generation in gc.get_stats()[1:]]


def _tensors(things: Iterable[Any]) -> list[weakref.ref[torch.Tensor]]:
    # There are far fewer types than objects. Types are told apart by identity: a user's may not be hashable.
    kinds = {id(kind): kind for kind in map(type, things)}
    tensors = {key for key, kind in kinds.items() if issubclass(kind, torch.Tensor)}
    return [weakref.ref(thing) for thing in things if id(type(thing)) in tensors]


def _has_storage(tensor: torch.Tensor) -> bool:
    if is_wrapper(type(tensor)):
        return False
    try:
        tensor.untyped_storage()
    except (NotImplementedError, RuntimeError, ReferenceError, ValueError):
        return False
    return True
