"""Attention masks of Hugging Face models without `vmap`, which no exporter follows."""

from __future__ import annotations

import contextlib
import sys
from typing import Any, Callable, Iterator

import torch

from .inputs import Inputs

_MODULE = "transformers.masking_utils"


@contextlib.contextmanager
def masks_by_broadcasting(inputs: Inputs) -> Iterator[None]:
    """Masks are functions of four indices. Broadcasting gives the same elements as `vmap` over each of them."""
    module = sys.modules.get(_MODULE)
    # The mode TransformGetItemToIndex is needed with `vmap` only. No exporter can follow it.
    ours: dict[str, Any] = {"_vmap_for_bhqkv": _broadcast, "TransformGetItemToIndex": contextlib.nullcontext}
    if "position_ids" not in inputs.tensors:
        # The model then numbers the positions itself, so no two sequences are packed into one.
        ours["find_packed_sequence_indices"] = _not_packed
    own = {name: getattr(module, name) for name in ours if hasattr(module, name)}
    for name in own:
        setattr(module, name, ours[name])
    try:
        yield
    finally:
        for name, function in own.items():
            setattr(module, name, function)


def _not_packed(*_: Any, **__: Any) -> None:
    return None


def _broadcast(mask_function: Callable[..., torch.Tensor], bh_indices: bool = True) -> Callable[..., torch.Tensor]:
    def over(batch: Any, head: Any, query: torch.Tensor, key: torch.Tensor) -> torch.Tensor:
        if not bh_indices:
            return mask_function(batch, head, query[:, None], key[None, :]).expand(query.shape[0], key.shape[0])
        mask = mask_function(batch[:, None, None, None], head[None, :, None, None], query[None, None, :, None],
                             key[None, None, None, :])
        return mask.expand(batch.shape[0], head.shape[0], query.shape[0], key.shape[0])
    return over
