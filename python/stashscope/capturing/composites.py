"""Functions of PyTorch that run other operators on fake tensors than on real ones, as they run on real ones."""

from __future__ import annotations

from typing import Any, Callable

import torch


def _one_hot(tensor: torch.Tensor, num_classes: int = -1) -> torch.Tensor:
    """`one_hot` of aten/src/ATen/native/Onehot.cpp for the CPU."""
    tensor.min().item()
    largest = tensor.max().item()
    if num_classes < 0:
        num_classes = int(largest) + 1
    result = torch.zeros((*tensor.shape, num_classes), dtype=tensor.dtype, device=tensor.device)
    return result.scatter_(-1, tensor.unsqueeze(-1), 1)


AS_ON_REAL_TENSORS: dict[Any, Callable[..., Any]] = {torch.nn.functional.one_hot: _one_hot}
