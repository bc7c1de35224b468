"""Outputs of a region that operators after the region save for backward. They are freed, and the region makes them
again."""

from __future__ import annotations

import weakref
from typing import Any, Callable, Optional

import torch
from torch.autograd.graph import saved_tensors_hooks
from torch.utils._pytree import tree_leaves, tree_map

from ..errors import Error
from .own_forward import OwnForward

# The attribute of an output's storage that says how the output is made again.
_MARK = "_stashscope_output"


class _Saving(torch.autograd.Function):
    """An identity that saves its tensor. The checkpoint around it holds no memory for the tensor and makes it again on
    demand."""

    @staticmethod
    def forward(ctx: Any, tensor: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(tensor)
        return tensor

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> torch.Tensor:
        return gradient


def saving_outputs(results: Any, arguments: Any, again: bool) -> Any:
    """The results of a region, which their checkpoint makes again when a hook of `HookedForward` asks for them."""
    given = {_storage(leaf) for leaf in tree_leaves(arguments) if isinstance(leaf, torch.Tensor)}

    def saved(leaf: Any) -> Any:
        if not isinstance(leaf, torch.Tensor) or not leaf.requires_grad or _storage(leaf) in given:
            return leaf
        output = _Saving.apply(leaf)
        if not again:
            setattr(output.untyped_storage(), _MARK, _Output(output))
        return output
    return tree_map(saved, results)


def _storage(tensor: torch.Tensor) -> int:
    return tensor.untyped_storage()._cdata


class _Output:
    """An output of one call of a region. It keeps neither the tensor nor the graph alive."""

    def __init__(self, tensor: torch.Tensor) -> None:
        self._node = weakref.ref(tensor.grad_fn)
        self._version = tensor._version
        self._dtype = tensor.dtype
        self._takers = 0
        self._left = 0
        self._value: Optional[torch.Tensor] = None

    def taker(self, tensor: torch.Tensor) -> Optional["_Taker"]:
        """An object that autograd holds in place of a tensor in the output's storage; None if autograd must hold the
        tensor."""
        node = self._node()
        if node is None or tensor._version != self._version or tensor.dtype != self._dtype:
            return None
        self._takers += 1
        return _Taker(self, node, tensor)

    def take(self, node: Any) -> torch.Tensor:
        """The output, made again for the first of its takers and held until the last."""
        if self._value is None:
            self._left = self._takers
            self._value, = node.saved_tensors
        value = self._value
        self._left -= 1
        if self._left == 0:
            self._value = None
        return value


class _Taker:
    """Stands for a tensor that autograd saves, until backward needs the tensor."""

    def __init__(self, output: _Output, node: Any, tensor: torch.Tensor) -> None:
        self._output = output
        self._node = node
        self._geometry = tensor.size(), tensor.stride(), tensor.storage_offset()

    def tensor(self) -> torch.Tensor:
        value = self._output.take(self._node)
        if (value.size(), value.stride(), value.storage_offset()) == self._geometry:
            return value
        return value.as_strided(*self._geometry)


class _Kept:
    """A tensor that autograd saves and that no region makes again."""

    def __init__(self, tensor: torch.Tensor) -> None:
        self._tensor = tensor
        self._version = tensor._version

    def tensor(self) -> torch.Tensor:
        # Under hooks, PyTorch does not look for changes in place.
        if self._tensor._version != self._version:
            raise Error("A tensor that backward needs was changed in place after it was saved", "stashscope.apply",
                        "Run the step without the plan: PyTorch's own error then names the operator.")
        return self._tensor


class HookedForward(OwnForward):
    """Stands in the place of the model's `forward`, and lets autograd take outputs from the regions that free them."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        forward = self._forward()
        is_refused = torch._C._autograd._saved_tensors_hooks_get_disabled_error_message() is not None
        if torch.compiler.is_compiling() or not torch.is_grad_enabled() or is_refused:
            return forward(*args, **kwargs)
        with saved_tensors_hooks(*_hooks(torch._C._autograd._top_saved_tensors_default_hooks(False))):
            return forward(*args, **kwargs)


def _hooks(outer: Optional[tuple[Callable[[Any], Any], Callable[[Any], Any]]]) -> tuple[Any, Any]:
    """Hooks on saved tensors. Tensors that no region makes again go to the `outer` hooks, if there are any."""
    def pack(tensor: torch.Tensor) -> Any:
        output = getattr(tensor.untyped_storage(), _MARK, None)
        taker = output.taker(tensor) if output is not None else None
        if taker is not None:
            return taker
        return outer[0](tensor) if outer is not None else _Kept(tensor)

    def unpack(packed: Any) -> Any:
        if isinstance(packed, (_Taker, _Kept)):
            return packed.tensor()
        return outer[1](packed) if outer is not None else packed
    return pack, unpack
