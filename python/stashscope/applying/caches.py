"""Caches of keys and values that transformers hand through their blocks."""

from __future__ import annotations

from typing import Any

import torch
from torch.utils._python_dispatch import _disable_current_modes


def holds_state(thing: Any) -> bool:
    """Whether the argument is a cache that a block changes in its forward."""
    return any(kind.__name__ == "Cache" and kind.__module__.startswith("transformers.") for kind in type(thing).__mro__)


def stand_in(cache: Any) -> Any:
    """A copy of the cache in its present state for the recompute, so that only forward fills the user's cache.

    In the copy, tensors on the device meta, which take no memory, replace the tensors that other blocks have put in.
    """
    with _disable_current_modes():
        return _copied(cache)


def _copied(thing: Any) -> Any:
    if isinstance(thing, torch.Tensor):
        return torch.empty(thing.shape, dtype=thing.dtype, device="meta")
    if type(thing) in (list, tuple, set):
        return type(thing)(_copied(part) for part in thing)
    if type(thing) is dict:
        return {key: _copied(part) for key, part in thing.items()}
    if not _is_part_of_cache(thing):
        return thing
    made = object.__new__(type(thing))
    for key, part in vars(thing).items():
        made.__dict__[key] = _copied(part)
    return made


def _is_part_of_cache(thing: Any) -> bool:
    return any(kind.__name__ in ("Cache", "CacheLayerMixin") and kind.__module__.startswith("transformers.")
               for kind in type(thing).__mro__)
