"""Cases in which PyTorch, without a dispatch mode, runs other operators than those that such a mode sees."""

from __future__ import annotations

import contextlib
import sys
from typing import Any, Callable, Iterator, Optional

import torch
from torch._prims_common import is_non_overlapping_and_dense
from torch._subclasses.fake_tensor import FakeTensor
from torch.optim.optimizer import _foreach_supported_types as optimizer_types
from torch.utils._foreach_utils import _foreach_supported_types as list_types
from torch.utils.checkpoint import _NoopSaveInputs

from .places import OWN, kind_of
from .record import Node

aten = torch.ops.aten

# The number of references to a sum of gradients that autograd's engine, the dispatcher's stack and the mode's arguments
# hold together.
_REFERENCES_OF_ENGINE = 4


def adds_in_place(args: Any) -> bool:
    """Whether autograd's engine would add a gradient in place.

    It does so when it holds the last reference to a plain dense tensor and its storage (`InputBuffer::accumulate` in
    torch/csrc/autograd/input_buffer.cpp), but never while a dispatch mode is active, because a tensor could then be of
    any kind. So the mode gets an `add` that would not run without the mode.
    """
    if torch.is_grad_enabled() or len(args) != 2 or not isinstance(args[1], torch.Tensor):
        return False
    held = args[0]
    storage = held.untyped_storage()._cdata
    return (held.layout == torch.strided and held.shape == args[1].shape and _is_dense(held)
            and held._use_count() <= _REFERENCES_OF_ENGINE
            and torch._C._storage_Use_Count(storage) == 1)


# For each autograd node, the operators that its formula runs in place when no mode is active.
_IN_PLACE: dict[str, dict[Any, Any]] = {
    "BinaryCrossEntropyWithLogitsBackward0": {aten.sub.Tensor: aten.sub_.Tensor, aten.mul.Tensor: aten.mul_.Tensor},
    "ClampBackward0": {aten.logical_and.default: aten.logical_and_.default,
                       aten.logical_or.default: aten.logical_or_.default},
}
# These nodes have another formula where a mode is active.
_OTHER_FORMULAS = (
    "Atan2Backward0", "CumprodBackward0", "LinalgCholeskyExBackward0", "LinalgMatrixExpBackward0", "LinalgPinvBackward0",
    "LinalgQrBackward0", "LogcumsumexpBackward0", "MaxBackward1", "MedianBackward0", "MinBackward1",
    "NanmedianBackward0", "ProdBackward0", "ProdBackward1", "TraceBackward0")


def derives_in_place(func: Any, made_here: bool) -> Optional[Any]:
    """The in-place operator, if the running autograd formula runs it when no mode is active.

    `made_here`: whether the formula made the tensor itself.
    """
    running = torch._C._current_autograd_node() if made_here else None
    return _IN_PLACE.get(running.name(), {}).get(func) if running is not None else None


def other_formula() -> str:
    """The name of the running autograd node if it runs other operators without a mode, or ''."""
    running = torch._C._current_autograd_node()
    return running.name() if running is not None and running.name() in _OTHER_FORMULAS else ""


# Autograd's formulas scatter a gradient into fresh zeros in place, unless a mode is active.
INTO_ZEROS = {
    aten.index_put.default: aten._index_put_impl_.default,
    aten.scatter.src: aten.scatter_.src,
    aten.scatter_add.default: aten.scatter_add_.default,
    aten.index_add.default: aten.index_add_.default,
    aten.index_fill.int_Scalar: aten.index_fill_.int_Scalar,
    aten.index_fill.int_Tensor: aten.index_fill_.int_Tensor,
    aten.put.default: aten.put_.default,
    aten.masked_scatter.default: aten.masked_scatter_.default,
}
_ZEROS = ("zeros", "new_zeros", "zeros_like")


def scatters_in_place(func: Any, args: Any, maker: Optional[Node], last: Optional[Node]) -> Optional[tuple[Any, Any]]:
    """The in-place operator and its arguments, if autograd runs it when no mode is active.

    `last` is the operator before; `maker` made the first argument.
    """
    if func not in INTO_ZEROS or last is None or maker is not last or last.operator not in _ZEROS:
        return None
    if func is aten.index_put.default:
        args = (*args, *(False,) * (4 - len(args)), True)
    return INTO_ZEROS[func], args


# These losses make their result as large as their input, and then show one element of it. By loss, the position of its
# argument `reduction`.
_LOSSES = {aten.mse_loss.default: 2, aten.smooth_l1_loss.default: 2, aten.soft_margin_loss.default: 2,
           aten.binary_cross_entropy.default: 3}

_FOLDS = {aten.col2im.default, aten.im2col.default}


def result_bytes(func: Any, args: Any, kwargs: Any, number: int, result: torch.Tensor) -> Optional[int]:
    """Bytes that the CPU's kernel allocates for one of its results, where a fake tensor shows fewer."""
    if func in _LOSSES:
        position = _LOSSES[func]
        reduction = args[position] if len(args) > position else kwargs.get("reduction", 1)
        elements = torch.broadcast_shapes(args[0].shape, args[1].shape).numel() if reduction else result.numel()
        return int(elements) * result.element_size()
    if func in _FOLDS:
        # The kernel makes its result as large as its input, and then resizes it to the right size.
        return max(int(args[0].numel()), result.numel()) * result.element_size()
    if func is aten._embedding_bag.default and number == 1 and result.numel():
        return (result.numel() + 1) * result.element_size()
    return None


def _is_dense(tensor: torch.Tensor) -> bool:
    """Whether the elements fill their memory without gaps and overlaps."""
    return bool(is_non_overlapping_and_dense(tensor))


@contextlib.contextmanager
def fake_tensors_are_tensors() -> Iterator[None]:
    """Lets optimizers and `clip_grad_norm_` use operators on lists of tensors for fake tensors, as for plain
    tensors."""
    lists: list[list[Any]] = [optimizer_types, list_types]
    for kinds in lists:
        kinds.append(FakeTensor)
    try:
        yield
    finally:
        for kinds in lists:
            kinds.remove(FakeTensor)


def makes_parameter() -> bool:
    """Whether `nn.Parameter` is the caller: it detaches a fake tensor by an operator, but a real tensor without one."""
    frame = sys._getframe(2)
    while frame is not None and kind_of(frame.f_code) == OWN:
        frame = frame.f_back  # type: ignore[assignment]
    return frame is not None and frame.f_code is torch.nn.Parameter.__new__.__code__


@contextlib.contextmanager
def hooks_beside_transforms() -> Iterator[None]:
    """The transforms of `torch.func` refuse to run under hooks on saved tensors. Here they run without these hooks."""
    before = torch.autograd.graph.disable_saved_tensors_hooks

    @contextlib.contextmanager
    def disable(message: str) -> Iterator[None]:
        earlier = torch._C._autograd._saved_tensors_hooks_get_disabled_error_message()
        torch._C._autograd._saved_tensors_hooks_disable(message, False)
        try:
            yield
        finally:
            if earlier is None:
                torch._C._autograd._saved_tensors_hooks_enable()
            else:
                torch._C._autograd._saved_tensors_hooks_disable(earlier, False)

    torch.autograd.graph.disable_saved_tensors_hooks = disable  # type: ignore[assignment]
    try:
        yield
    finally:
        torch.autograd.graph.disable_saved_tensors_hooks = before


@contextlib.contextmanager
def same_arguments_again(hooks: object) -> Iterator[None]:
    """Lets a checkpoint that got one tensor as several arguments pass one tensor again when it runs again.

    Under hooks on saved tensors, PyTorch passes copies. Modules such as `MultiheadAttention` run other operators if
    query, key and value are one tensor. `hooks`: those of the capture. Under hooks of the user, PyTorch makes copies
    without a capture, too.
    """
    before = _NoopSaveInputs.setup_context

    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        before(ctx, inputs, output)
        top = torch._C._autograd._top_saved_tensors_default_hooks(True)
        if top is None or getattr(top[0], "__self__", None) is not hooks:
            return
        firsts: dict[int, int] = {}
        # The first input is PyTorch's own.
        sources = [firsts.setdefault(id(one), position) for position, one in enumerate(inputs[1:])]
        get_args = ctx.get_args

        def get_same_args(saved: Any) -> list[Any]:
            args = get_args(saved)
            return [args[source] for source in sources]

        ctx.get_args = get_same_args

    _NoopSaveInputs.setup_context = staticmethod(setup_context)  # type: ignore[method-assign]
    try:
        yield
    finally:
        _NoopSaveInputs.setup_context = staticmethod(before)  # type: ignore[method-assign]


@contextlib.contextmanager
def random_states_seen(made: Callable[[torch.Tensor], None]) -> Iterator[None]:
    """Calls `made` with each state of the random generator that is read, such as by checkpointing. Such a state is a
    tensor that no operator makes."""
    before = torch.random.get_rng_state

    def get_rng_state() -> torch.Tensor:
        state = before()
        made(state)
        return state

    torch.get_rng_state = torch.random.get_rng_state = get_rng_state
    try:
        yield
    finally:
        torch.get_rng_state = torch.random.get_rng_state = before


@contextlib.contextmanager
def resizes_seen(resized: Callable[[torch.UntypedStorage], None]) -> Iterator[None]:
    """Calls `resized` with each storage that is resized. Sharded training frees parameters by resizing their storages,
    without an operator."""
    before = torch.UntypedStorage.resize_

    def resize_(storage: torch.UntypedStorage, *args: Any) -> Any:
        size = storage.nbytes()
        result = before(storage, *args)
        if storage.nbytes() != size:
            resized(storage)
        return result

    torch.UntypedStorage.resize_ = resize_  # type: ignore[method-assign, assignment]
    try:
        yield
    finally:
        torch.UntypedStorage.resize_ = before  # type: ignore[method-assign]
