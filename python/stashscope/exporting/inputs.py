"""One batch of inputs, by the names of the model's arguments."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch

from ..errors import Error

WHERE = "stashscope.export"


@dataclass(frozen=True)
class Inputs:
    """Tensors become inputs of the file; other arguments stay as they are."""

    tensors: dict[str, torch.Tensor]
    others: dict[str, Any]
    # Name by axis, for each tensor that has named dimensions.
    dims: dict[str, dict[int, str]]


def inputs_of(model: torch.nn.Module, given: Any, dims: Any) -> Inputs:
    """`given` is a tensor, a tuple of positional arguments or a mapping of names to arguments."""
    named = _named(model, given)
    tensors = {name: value for name, value in named.items() if isinstance(value, torch.Tensor)}
    others = {name: value for name, value in named.items() if name not in tensors}
    for name, value in others.items():
        if value is not None and not isinstance(value, (bool, int, float, str)):
            raise Error(f"Input '{name}' is of type '{type(value).__name__}'", WHERE,
                        "Inputs are tensors, numbers and texts. Wrap the model in a module that takes such inputs.")
    if not tensors:
        raise Error("There is no tensor among the inputs", WHERE, "Give one batch as the model takes it.")
    return Inputs(_apart(tensors), others, _dims(tensors, dims))


def _apart(tensors: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """Exporters make one input of a tensor that is given twice, as ids and as labels, so the second becomes a copy."""
    seen: set[int] = set()
    found = {}
    for name, tensor in tensors.items():
        found[name] = tensor.detach().clone() if id(tensor) in seen else tensor
        seen.add(id(tensor))
    return found


def _named(model: torch.nn.Module, given: Any) -> dict[str, Any]:
    if isinstance(given, Mapping):
        return {str(name): value for name, value in given.items()}
    positional = tuple(given) if isinstance(given, (tuple, list)) else (given,)
    try:
        bound = inspect.signature(model.forward).bind(*positional)
    except (TypeError, ValueError) as error:
        raise Error(f"The inputs do not fit the model's forward: {error}", WHERE,
                    "Give a tuple with one batch, or a dictionary of named arguments.") from None
    named: dict[str, Any] = {}
    for name, value in bound.arguments.items():
        if bound.signature.parameters[name].kind == inspect.Parameter.VAR_POSITIONAL:
            raise Error(f"The model's forward takes its inputs as '*{name}'", WHERE,
                        "Wrap the model in a module whose forward names its arguments.")
        named[name] = value
    return named


def _dims(tensors: dict[str, torch.Tensor], dims: Any) -> dict[str, dict[int, str]]:
    if dims is None:
        return {}
    if not isinstance(dims, Mapping):
        raise _bad_dims(f"dims is of type '{type(dims).__name__}'")
    if all(isinstance(key, int) for key in dims):
        dims = {name: {axis: label for axis, label in dims.items() if axis < tensor.dim()}
                for name, tensor in tensors.items()}
    found: dict[str, dict[int, str]] = {}
    sizes: dict[str, tuple[int, str]] = {}
    for name, axes in dims.items():
        if name not in tensors:
            raise _bad_dims(f"dims names '{name}', which is no tensor among the inputs ({', '.join(tensors)})")
        found[name] = dict(_axes(name, tensors[name], axes, sizes))
    return {name: axes for name, axes in found.items() if axes}


def _axes(name: str, tensor: torch.Tensor, axes: Any, sizes: dict[str, tuple[int, str]]) -> Any:
    if not isinstance(axes, Mapping):
        raise _bad_dims(f"dims of '{name}' is of type '{type(axes).__name__}'")
    for axis, label in axes.items():
        if not isinstance(axis, int) or not 0 <= axis < tensor.dim():
            raise _bad_dims(f"'{name}' has no axis {axis!r}")
        if not isinstance(label, str) or not label.isidentifier():
            raise _bad_dims(f"{label!r} is not a name for axis {axis} of '{name}'")
        size, other = sizes.setdefault(label, (tensor.shape[axis], name))
        if size != tensor.shape[axis]:
            raise _bad_dims(f"'{label}' is {size} in '{other}' and {tensor.shape[axis]} in '{name}'")
        yield axis, label


def _bad_dims(what: str) -> Error:
    return Error(what, WHERE, "Write {0: 'batch', 1: 'sequence'} for all inputs, or {'input_ids': {0: 'batch'}}.")
