"""The kernels that PyTorch chooses on a GPU, for a capture on a machine that has none.

Fake tensors have no data, so an operator needs no kernel, and the operators of CUDA run on fake tensors of the CPU.
It matters only which operator PyTorch calls. The rules are those of an A100 in PyTorch 2.9, in aten/src/ATen/native:
Dropout.cpp, layer_norm.cpp, transformers/attention.cpp and transformers/cuda/sdp_utils.cpp, and in
torch/utils/_foreach_utils.py.
"""

from __future__ import annotations

import contextlib
import math
from importlib import import_module
from typing import Any, Iterator, Optional
from unittest import mock

import torch
from torch.nn import functional
from torch.utils import _foreach_utils

aten = torch.ops.aten

CUDA = "cuda"
SAID = "Attention, dropout, RMS norm and optimizers are as on an A100 (kernels='cuda'); no GPU confirmed this"

_HALVES = (torch.float16, torch.bfloat16)
_attention_of_the_cpu = functional.scaled_dot_product_attention
_dropout_of_the_cpu = torch.dropout
_rms_norm_of_the_cpu = torch.rms_norm


def _dropout(input: torch.Tensor, p: float, train: bool) -> torch.Tensor:
    if not train or not 0 < p < 1 or input.numel() == 0:
        return _dropout_of_the_cpu(input, p, train)
    return aten.native_dropout(input, p, True)[0]


def _rms_norm(input: torch.Tensor, normalized_shape: Any, weight: Optional[torch.Tensor] = None,
              eps: Optional[float] = None) -> torch.Tensor:
    if weight is not None and weight.dtype != input.dtype:
        return _rms_norm_of_the_cpu(input, normalized_shape, weight, eps)
    return aten._fused_rms_norm(input, list(normalized_shape), weight, eps)[0]


def _attention(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, attn_mask: Optional[torch.Tensor] = None,
               dropout_p: float = 0.0, is_causal: bool = False, scale: Optional[float] = None,
               enable_gqa: bool = False) -> torch.Tensor:
    dense = query.dim() == key.dim() == value.dim() == 4 and 0 not in (*query.shape, *key.shape)
    if dense and _takes_flash(query, key, value, attn_mask, is_causal):
        return _flash(query, key, value, dropout_p, is_causal, scale)
    if dense and not enable_gqa and _takes_efficient(query, key, value, attn_mask, is_causal):
        return _efficient(query, key, value, attn_mask, dropout_p, is_causal, scale)
    return _by_single_operators(query, key, value, attn_mask, dropout_p, is_causal, scale, enable_gqa)


def _takes_flash(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, mask: Optional[torch.Tensor],
                 is_causal: bool) -> bool:
    return (torch.backends.cuda.flash_sdp_enabled() and mask is None and query.dtype in _HALVES
            and query.shape[-1] == key.shape[-1] == value.shape[-1] <= 256
            and query.shape[1] % key.shape[1] == 0 and not (is_causal and query.shape[-2] != key.shape[-2])
            and _last_stride_is_1(query, key, value))


def _takes_efficient(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, mask: Optional[torch.Tensor],
                     is_causal: bool) -> bool:
    alignment = 8 if query.dtype in _HALVES else 4
    return (torch.backends.cuda.mem_efficient_sdp_enabled() and query.dtype in (*_HALVES, torch.float32)
            and query.shape[:2] == key.shape[:2] == value.shape[:2] and query.shape[-1] == key.shape[-1]
            and query.shape[-1] % alignment == 0 and value.shape[-1] % alignment == 0
            and not (mask is not None and is_causal) and _last_stride_is_1(query, key, value))


def _last_stride_is_1(*tensors: torch.Tensor) -> bool:
    return all(tensor.stride(-1) == 1 for tensor in tensors)


def _flash(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, dropout_p: float, is_causal: bool,
           scale: Optional[float]) -> torch.Tensor:
    width = query.shape[-1]
    scale = 1 / math.sqrt(width) if scale is None else scale
    if width % 8:
        query, key, value = (functional.pad(each, (0, 8 - width % 8)) for each in (query, key, value))
    result = aten._scaled_dot_product_flash_attention(query, key, value, dropout_p, is_causal, False, scale=scale)[0]
    return result[..., :width] if width % 8 else result


def _efficient(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, mask: Optional[torch.Tensor],
               dropout_p: float, is_causal: bool, scale: Optional[float]) -> torch.Tensor:
    needs_sums = torch.is_grad_enabled() and any(each.requires_grad for each in (query, key, value))
    bias = None if mask is None else _aligned(_as_bias(mask, query.dtype), query, key)
    return aten._scaled_dot_product_efficient_attention(query, key, value, bias, needs_sums, dropout_p, is_causal,
                                                        scale=scale)[0]


def _as_bias(mask: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    if mask.dtype != torch.bool:
        return mask
    return torch.zeros_like(mask, dtype=dtype).masked_fill_(mask.logical_not(), -math.inf)


def _aligned(bias: torch.Tensor, query: torch.Tensor, key: torch.Tensor) -> torch.Tensor:
    """The bias with rows that begin at multiples of 16 elements, as the kernel reads them."""
    bias = bias.expand(query.shape[0], query.shape[1], query.shape[2], key.shape[2])
    if bias.shape[-1] % 16:
        return functional.pad(bias, (0, 16 - bias.shape[-1] % 16))[..., :bias.shape[-1]]
    return bias.contiguous() if any(bias.stride(dim) % 16 for dim in range(3)) else bias


def _by_single_operators(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, mask: Optional[torch.Tensor],
                         dropout_p: float, is_causal: bool, scale: Optional[float], enable_gqa: bool) -> torch.Tensor:
    """The attention of tensors that neither kernel takes. PyTorch then runs the products and the softmax one by one."""
    return aten._scaled_dot_product_attention_math(query, key, value, mask, dropout_p, is_causal, scale=scale,
                                                   enable_gqa=enable_gqa)[0]


# The replacement of each function. A capture uses it under whatever name a script calls the function.
AS_ON_CUDA = {_attention_of_the_cpu: _attention, _dropout_of_the_cpu: _dropout, _rms_norm_of_the_cpu: _rms_norm}


@contextlib.contextmanager
def as_on_cuda(warnings: list[str]) -> Iterator[None]:
    """Lets functions inside PyTorch call the replacements, too, and lets optimizers work on lists of tensors."""
    warnings.append(SAID)
    devices = _foreach_utils._get_foreach_kernels_supported_devices
    with contextlib.ExitStack() as stack:
        for place in (_foreach_utils, import_module("torch.optim.optimizer")):
            stack.enter_context(mock.patch.object(place, devices.__name__, lambda: [*devices(), "cpu"]))
        stack.enter_context(mock.patch.object(functional, "scaled_dot_product_attention", _attention))
        stack.enter_context(mock.patch.object(torch._VF, "dropout", _dropout, create=True))
        yield
