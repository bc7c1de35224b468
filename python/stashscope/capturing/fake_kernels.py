"""Corrects fake kernels whose results differ from those of the CPU's kernels."""

from __future__ import annotations

from typing import Any, Optional

import torch
from torch._prims_common import suggest_memory_format
from torch.utils._python_dispatch import _disable_current_modes

from .constants import known_numbers
from .operators import tensors_in

aten = torch.ops.aten

# Normalizations whose input may be in half precision and whose parameters in float32: the position of a parameter, and
# the positions of the results that have the type of this parameter.
_TYPES = {
    aten.native_layer_norm.default: (2, (1, 2)),
    aten.native_layer_norm_backward.default: (5, (1, 2)),
    aten.native_batch_norm.default: (1, (1, 2)),
    aten.native_group_norm.default: (1, (1, 2)),
    aten.native_group_norm_backward.default: (1, (0,)),
}

# Operators whose results are contiguous on the CPU, but not from the fake kernel. With the wrong layout, later
# operators would make copies that they do not make on the CPU.
_CONTIGUOUS = {aten._log_softmax_backward_data.default, aten.mse_loss_backward.default, aten.glu_backward.default,
               aten.smooth_l1_loss_backward.default, aten.huber_loss_backward.default, aten.log_sigmoid_forward.default,
               aten._weight_norm_interface.default, aten.rrelu_with_noise.default}
# Operators whose result has the layout of a sum of two operands, with the positions of these operands.
_LIKE_A_SUM = {aten.hardswish_backward.default: (0, 1), aten.hardsigmoid_backward.default: (0, 1),
               aten.logit_backward.default: (0, 1), aten.hardtanh_backward.default: (0, 1),
               aten.native_dropout_backward.default: (0, 1), aten.elu_backward.default: (0, 5),
               aten.xlogy.Tensor: (0, 1), aten.binary_cross_entropy.default: (0, 0),
               aten.rrelu_with_noise_backward.default: (2, 0)}
# The position of the argument whose memory format, contiguous or channels last, the first result has.
_IN_FORMAT_OF = {aten.reflection_pad2d.default: 0, aten.reflection_pad2d_backward.default: 1,
                 aten.reflection_pad3d.default: 0, aten.replication_pad2d.default: 0,
                 aten.replication_pad2d_backward.default: 1, aten.replication_pad3d.default: 0,
                 aten.channel_shuffle.default: 0, aten.native_batch_norm.default: 0,
                 aten._native_batch_norm_legit.default: 0, aten._native_batch_norm_legit.no_stats: 0,
                 aten.native_batch_norm_backward.default: 1,
                 aten.native_group_norm_backward.default: 1, aten.roll.default: 0, aten.max_unpool2d.default: 0}

_sizes: dict[Any, int] = {}


def for_fake_kernel(func: Any, args: Any) -> Any:
    """The arguments of an operator as its fake kernel takes them.

    One fake kernel views its arguments, so they must be contiguous.
    """
    if func is not aten.native_group_norm_backward.default:
        return args
    return tuple(arg.contiguous() if isinstance(arg, torch.Tensor) else arg for arg in args)


def as_on_cpu(func: Any, args: Any, result: Any) -> Any:
    """The result of a fake kernel with the memory that the CPU's kernel gives it."""
    if func is aten.mkldnn_rnn_layer.default:
        return (*result[:3], _workspace(args, result[3].device))
    if func is aten.mkldnn_rnn_layer_backward.default:
        return _gradients_of_layer(args, result)
    if func is aten.native_layer_norm_backward.default and result[0] is not None and not result[0].is_contiguous():
        result = (torch.empty(result[0].shape, dtype=result[0].dtype, device=result[0].device), *result[1:])
    if func is aten.softplus_backward.default:
        return torch.empty_like(args[0])
    if func in _TYPES:
        result = _with_types(args, result, *_TYPES[func])
    return _with_layouts(func, args, result)


def _with_layouts(func: Any, args: Any, result: Any) -> Any:
    """The result, laid out as by the CPU's kernel. Of several results, only the first is changed; for operators in
    `_CONTIGUOUS`, all are."""
    if isinstance(result, tuple):
        count = len(result) if func in _CONTIGUOUS else 1
        return (*(_with_layouts(func, args, one) for one in result[:count]), *result[count:])
    if not isinstance(result, torch.Tensor):
        return result
    like = _layout(func, args, result)
    if like is None or like.shape != result.shape or like.stride() == result.stride():
        return result
    return torch.empty_strided(result.shape, like.stride(), dtype=result.dtype, device=result.device)


def _layout(func: Any, args: Any, result: torch.Tensor) -> Optional[torch.Tensor]:
    """A tensor with the strides that the CPU's kernel gives its result; None if the fake kernel gives the same."""
    if func in _CONTIGUOUS:
        return torch.empty_like(result, memory_format=torch.contiguous_format)
    if func in _LIKE_A_SUM:
        one, other = (args[position] for position in _LIKE_A_SUM[func])
        return torch.add(one, other)
    if func in _IN_FORMAT_OF:
        return torch.empty_like(result, memory_format=suggest_memory_format(args[_IN_FORMAT_OF[func]]))
    return None


def shaped_by_data(func: Any, args: Any) -> Any:
    """The results of a CTC loss, whose shapes depend on data. None if the data is not known, and for other
    operators."""
    if func not in (aten._ctc_loss.default, aten._ctc_loss.Tensor):
        return None
    log_probs, targets = args[0], known_numbers(args[3])
    if not targets:
        return None
    steps, batch = log_probs.shape[:2]
    return log_probs.new_empty(batch), log_probs.new_empty(batch, steps, 2 * max(targets) + 1)


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


def _gradients_of_layer(args: Any, result: Any) -> Any:
    """The kernel copies the gradient of one bias for the other, and gives all gradients in float32.

    A layer without biases gets its weights in the places of biases, and still returns gradients of biases.
    """
    made = list(result)
    for place, one in enumerate(result):
        shape = result[1].shape[:1] if place in (3, 4) else one.shape
        strides = one.stride() if shape == one.shape else (1,)
        if place == 4 or one.dtype != torch.float32 or shape != one.shape:
            made[place] = torch.empty_strided(shape, strides, dtype=torch.float32, device=one.device)
    return tuple(made)


def _workspace(args: Any, device: torch.device) -> Optional[torch.Tensor]:
    """The tensor that oneDNN keeps for the backward pass; None while gradients are disabled.

    oneDNN chooses the size by the processor, so the layer runs once with zeros to find the size.
    """
    if not torch.is_grad_enabled():
        return None
    key = tuple((tuple(arg.shape), arg.dtype) if isinstance(arg, torch.Tensor) else str(arg) for arg in args)
    if key not in _sizes:
        with _disable_current_modes(), torch.enable_grad():
            zeros = [torch.zeros(arg.shape, dtype=arg.dtype) if isinstance(arg, torch.Tensor) else arg for arg in args]
            results = list(tensors_in(aten.mkldnn_rnn_layer.default(*zeros)))
            _sizes[key] = results[3].untyped_storage().nbytes()
    return torch.empty(_sizes[key], dtype=torch.uint8, device=device)
