"""The second run of a region leaves out operators whose results nothing needs then."""

from __future__ import annotations

from typing import Any, Callable

import torch
from torch.utils._python_dispatch import TorchDispatchMode, _disable_current_modes, is_traceable_wrapper_subclass
from torch.utils._pytree import tree_leaves, tree_map

from ..errors import Error
from .randomness import draws

_HINT = "The plan was made for another step or another version of PyTorch. Make it again from a capture of this step."


class StandIn(torch.Tensor):
    """A result that was not computed. It has the form of the result, and no memory."""

    form: torch.Tensor  # on `meta`

    @staticmethod
    def __new__(cls, form: torch.Tensor, device: torch.device) -> "StandIn":
        made = torch.Tensor._make_wrapper_subclass(  # type: ignore[attr-defined]
            cls, form.size(), strides=form.stride(), storage_offset=form.storage_offset(), dtype=form.dtype,
            device=device)
        made.form = form
        return made  # type: ignore[no-any-return]

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (),  # type: ignore[override]
                           kwargs: Any = None) -> Any:
        raise Error(f"Backward needs a result that the plan leaves out, for '{func}'", "recompute", _HINT)


class Skipping(TorchDispatchMode):
    """Returns stand-ins for the results of operators that are left out, and of operators that read stand-ins."""

    def __init__(self, module: str, is_skipped: Callable[[Any], bool]) -> None:
        super().__init__()
        self._where = f"recompute of module '{module}'"
        self._is_skipped = is_skipped

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        named = kwargs or {}
        tensors = [leaf for leaf in tree_leaves((args, named)) if isinstance(leaf, torch.Tensor)]
        reads = any(isinstance(tensor, StandIn) for tensor in tensors)
        if not reads and not (self._is_skipped(func) and _can_skip(func, args, named, tensors)):
            return func(*args, **named)
        if func is torch.ops.aten.empty_like.default:
            return _empty_as(args[0])
        if reads:
            self._check(func, args, named)
        if func._schema.is_mutable:
            return args[0] if func._schema.returns else None
        return _formed(func, args, named, tensors)

    def _check(self, func: Any, args: Any, kwargs: Any) -> None:
        """Raises an error if missing data would be written to a tensor, be returned as a number, or decide which random
        numbers are drawn."""
        changed = [leaf for leaf in tree_leaves(_written(func, args, kwargs)) if isinstance(leaf, torch.Tensor)]
        makes_tensors = all("Tensor" in str(result.type) for result in func._schema.returns)
        if draws(func, args, kwargs) or not makes_tensors or not all(isinstance(one, StandIn) for one in changed):
            raise Error(f"Operator '{func}' needs a result that the plan leaves out", self._where, _HINT)


def _can_skip(func: Any, args: Any, kwargs: Any, tensors: list[torch.Tensor]) -> bool:
    """Whether the operator only makes new tensors of PyTorch's own kinds, without random numbers."""
    return not (func._schema.is_mutable or draws(func, args, kwargs)
                or any(is_traceable_wrapper_subclass(tensor) for tensor in tensors))


def _written(func: Any, args: Any, kwargs: Any) -> list[Any]:
    """The arguments that the operator changes in place."""
    return [args[place] if place < len(args) else kwargs.get(argument.name)
            for place, argument in enumerate(func._schema.arguments)
            if argument.alias_info is not None and argument.alias_info.is_write]


def _empty_as(tensor: torch.Tensor) -> torch.Tensor:
    """The result of `empty_like` for a stand-in: a tensor with memory, because the operator reads no data."""
    with _disable_current_modes():
        form = torch.empty_like(tensor.form)  # type: ignore[attr-defined]
    return torch.empty_strided(form.size(), form.stride(), dtype=form.dtype, device=tensor.device)


def _formed(func: Any, args: Any, kwargs: Any, tensors: list[torch.Tensor]) -> Any:
    """The operator's results without data."""
    device = kwargs.get("device") or next((one.device for one in tensors if one.device.type != "cpu"), "cpu")
    named = {**kwargs, "device": "meta"} if "device" in kwargs else kwargs
    with _disable_current_modes():
        results = func(*tree_map(_form, args), **tree_map(_form, named))
    return tree_map(lambda one: StandIn(one, torch.device(device)) if isinstance(one, torch.Tensor) else one, results)


def _form(value: Any) -> Any:
    if isinstance(value, StandIn):
        return value.form
    if not isinstance(value, torch.Tensor):
        return value
    return torch.empty_strided(value.size(), value.stride(), dtype=value.dtype, device="meta")
