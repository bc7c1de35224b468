"""Fake kernels whose results are not those of the CPU's kernels, put right."""

from __future__ import annotations

from typing import Any

import torch
from torch.utils._python_dispatch import _disable_current_modes

from .operators import tensors_in

aten = torch.ops.aten

# Normalizations of half precision with parameters in float32: the argument with the type, and the results that have it.
_TYPES = {
    aten.native_layer_norm.default: (2, (1, 2)),
    aten.native_layer_norm_backward.default: (5, (1, 2)),
    aten.native_batch_norm.default: (1, (1, 2)),
    aten.native_group_norm.default: (1, (1, 2)),
    aten.native_group_norm_backward.default: (1, (0,)),
}

_sizes: dict[Any, int] = {}


def as_on_cpu(func: Any, args: Any, result: Any) -> Any:
    """The result of a fake kernel with the memory that the CPU's kernel gives it."""
    if func is aten.mkldnn_rnn_layer.default:
        size = _workspace(args)
        return (*result[:3], torch.empty(size, dtype=torch.uint8, device=result[3].device))
    if func is aten.mkldnn_rnn_layer_backward.default:
        # The kernel copies the gradient of one bias for the other.
        return (*result[:4], torch.empty_like(result[4]), *result[5:])
    if func is aten.native_layer_norm_backward.default and result[0] is not None and not result[0].is_contiguous():
        result = (torch.empty(result[0].shape, dtype=result[0].dtype, device=result[0].device), *result[1:])
    if func is aten.softplus_backward.default:
        return torch.empty_like(args[0])
    if func in _TYPES:
        return _with_types(args, result, *_TYPES[func])
    return result


def _with_types(args: Any, result: Any, source: int, positions: tuple[int, ...]) -> Any:
    given = args[source] if len(args) > source else None
    if not isinstance(given, torch.Tensor):
        return result
    made = list(result)
    for position in positions:
        one = made[position]
        if one is not None and one.dtype != given.dtype:
            made[position] = torch.empty_strided(one.shape, one.stride(), dtype=given.dtype, device=one.device)
    return tuple(made)


def _workspace(args: Any) -> int:
    """oneDNN chooses the size by the processor, so the layer runs once with zeros to find out."""
    key = tuple((tuple(arg.shape), arg.dtype) if isinstance(arg, torch.Tensor) else str(arg) for arg in args)
    if key not in _sizes:
        with _disable_current_modes(), torch.enable_grad():
            zeros = [torch.zeros(arg.shape, dtype=arg.dtype) if isinstance(arg, torch.Tensor) else arg for arg in args]
            results = list(tensors_in(aten.mkldnn_rnn_layer.default(*zeros)))
            _sizes[key] = results[3].untyped_storage().nbytes()
    return _sizes[key]
