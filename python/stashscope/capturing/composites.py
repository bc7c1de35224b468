"""Replaces functions of PyTorch that run other operators on fake tensors or under a mode. The replacements run the
usual operators."""

from __future__ import annotations

import math
from typing import Any, Callable, Union

import torch
from torch._subclasses.fake_tensor import FakeTensor
from torch.nn._reduction import get_enum
from torch.utils._mode_utils import no_dispatch

from .constants import known_numbers


def _one_hot(tensor: torch.Tensor, num_classes: int = -1) -> torch.Tensor:
    """`one_hot` of aten/src/ATen/native/Onehot.cpp for the CPU."""
    tensor.min().item()
    largest = tensor.max().item()
    if num_classes < 0:
        num_classes = int(largest) + 1
    result = torch.zeros((*tensor.shape, num_classes), dtype=tensor.dtype, device=tensor.device)
    return result.scatter_(-1, tensor.unsqueeze(-1), 1)


def _ctc_loss(log_probs: torch.Tensor, targets: torch.Tensor, input_lengths: Any, target_lengths: Any, blank: int = 0,
              reduction: Union[int, str] = 1, zero_infinity: bool = False) -> torch.Tensor:
    """`ctc_loss` of aten/src/ATen/native/LossCTC.cpp for the CPU, which reads the lengths and goes on with lists."""
    if isinstance(reduction, str):
        reduction = get_enum(reduction)
    # The tensors live until the end, as in C++.
    integers = [one.to(torch.long).contiguous() if isinstance(one, torch.Tensor) else one
                for one in (input_lengths, target_lengths)]
    inputs, labels = (known_numbers(one) for one in integers)
    if inputs is None or labels is None:
        return torch.ctc_loss(log_probs, targets, input_lengths, target_lengths, blank, reduction, zero_infinity)
    batch = log_probs if log_probs.dim() == 3 else log_probs.unsqueeze(1)
    result = torch._ctc_loss(batch, targets.to(torch.long), inputs, labels, blank, zero_infinity)[0]
    if zero_infinity:
        zero = torch.zeros((), dtype=result.dtype)
        result = torch.where(result == math.inf, zero, result)
        del zero
    if reduction == get_enum("mean"):
        return (result / _filled(torch.empty(len(labels), dtype=result.dtype), labels).clamp_min(1)).mean()
    if reduction == get_enum("sum"):
        return result.sum()
    return result if batch is log_probs else result.squeeze(0)


def _filled(tensor: torch.Tensor, numbers: list[int]) -> torch.Tensor:
    """Writes the numbers without an operator, as PyTorch does. A fake tensor has no memory for them and stays as it
    is."""
    if not isinstance(tensor, FakeTensor):
        with no_dispatch():
            tensor.copy_(torch.tensor(numbers))
    return tensor


# Replacements under any mode.
AS_WITHOUT_MODES: dict[Any, Callable[..., Any]] = {torch.ctc_loss: _ctc_loss, torch.nn.functional.ctc_loss: _ctc_loss}
# Replacements on fake tensors.
AS_ON_REAL_TENSORS: dict[Any, Callable[..., Any]] = {torch.nn.functional.one_hot: _one_hot, **AS_WITHOUT_MODES}
