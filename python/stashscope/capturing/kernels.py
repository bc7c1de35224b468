"""Where PyTorch runs something else than a dispatch mode is shown."""

from __future__ import annotations

import contextlib
from typing import Any, Iterator

import torch
from torch._prims_common import is_non_overlapping_and_dense
from torch._subclasses.fake_tensor import FakeTensor
from torch.optim.optimizer import _foreach_supported_types as optimizer_types
from torch.utils._foreach_utils import _foreach_supported_types as list_types

# References to the sum that autograd's engine, the dispatcher's stack and the mode's arguments hold between them.
_REFERENCES_OF_ENGINE = 4


def adds_in_place(args: Any) -> bool:
    """Whether autograd's engine would add a gradient in place.

    It does so when it holds the last reference to a plain dense tensor and its storage (`InputBuffer::accumulate` in
    torch/csrc/autograd/input_buffer.cpp), but never while a dispatch mode is active, because a tensor could then be
    of any kind. So the mode gets an `add` that does not happen without it.
    """
    if torch.is_grad_enabled() or len(args) != 2 or not isinstance(args[1], torch.Tensor):
        return False
    held = args[0]
    storage = held.untyped_storage()._cdata
    return (held.layout == torch.strided and held.shape == args[1].shape and _is_dense(held)
            and held._use_count() <= _REFERENCES_OF_ENGINE
            and torch._C._storage_Use_Count(storage) == 1)


def _is_dense(tensor: torch.Tensor) -> bool:
    """Whether the elements fill their memory without gaps and overlaps."""
    return bool(is_non_overlapping_and_dense(tensor))


@contextlib.contextmanager
def fake_tensors_are_tensors() -> Iterator[None]:
    """Optimizers and `clip_grad_norm_` take their way through lists of tensors only for plain tensors."""
    lists = [optimizer_types, list_types]
    for kinds in lists:
        kinds.append(FakeTensor)
    try:
        yield
    finally:
        for kinds in lists:
            kinds.remove(FakeTensor)
