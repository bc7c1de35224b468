"""Prepares a model for the exporters, and restores it afterwards."""

from __future__ import annotations

import contextlib
import inspect
from typing import Any, Callable, Iterator, Optional

import torch
from torch.utils._pytree import tree_leaves

from ..capturing.reach import reached_from
from ..capturing.state import State
from ..errors import Error
from .inputs import WHERE, Inputs

Loss = Callable[[Any], torch.Tensor]


@contextlib.contextmanager
def prepared(model: torch.nn.Module, inputs: Inputs, loss: Optional[Loss]) -> Iterator[None]:
    """Sets training mode and eager attention, and switches caches and gradient checkpointing off.

    `forward` takes the tensors and returns the loss, or all tensors if there is no loss.

    A model that is in training mode keeps the modes of its parts: a frozen normalization stays frozen. Afterwards the
    model is as it was: attributes, configurations, buffers, modes and random generators.
    """
    state = State(reached_from(model, model, None))
    buffers = [(buffer, buffer.detach().clone()) for buffer in model.buffers()]
    configs = [(config, dict(vars(config))) for config in _configs(model)]
    modes = [(module, module.training) for module in model.modules()]
    try:
        if not model.training:
            model.train()
        for config, _ in configs:
            _set_eager(config)
        for module in model.modules():
            if module.__dict__.get("gradient_checkpointing") is True:
                module.__dict__["gradient_checkpointing"] = False
        model.__dict__["forward"] = _forward(model.forward, inputs, loss)
        yield
    finally:
        state.put_back()
        for config, held in configs:
            vars(config).clear()
            vars(config).update(held)
        for module, training in modes:
            module.training = training
        with torch.no_grad():
            for buffer, elements in buffers:
                buffer.copy_(elements)


def _configs(model: torch.nn.Module) -> list[Any]:
    """The configurations of Hugging Face models: they choose the attention and whether caches are filled."""
    found: dict[int, Any] = {}
    waiting = [module.__dict__.get("config") for module in model.modules()]
    while waiting:
        config = waiting.pop()
        if id(config) not in found and hasattr(config, "_attn_implementation") and hasattr(config, "__dict__"):
            found[id(config)] = config
            waiting.extend(vars(config).values())
    return list(found.values())


def _set_eager(config: Any) -> None:
    config._attn_implementation = "eager"
    if getattr(config, "use_cache", False):
        config.use_cache = False


def _forward(own: Callable[..., Any], inputs: Inputs, loss: Optional[Loss]) -> Callable[..., Any]:
    names = list(inputs.tensors)

    def forward(*args: Any, **kwargs: Any) -> Any:
        return _results(own(**dict(zip(names, args)), **kwargs, **inputs.others), loss)

    parameters = [inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD) for name in names]
    forward.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return forward


def _results(result: Any, loss: Optional[Loss]) -> Any:
    """The loss, if there is one; else all tensors."""
    if loss is not None:
        found = loss(result)
        if not isinstance(found, torch.Tensor):
            raise Error(f"The loss is of type '{type(found).__name__}', not a tensor", WHERE,
                        "Let `loss` return a tensor with one element.")
        return found
    own = getattr(result, "loss", None)
    if isinstance(own, torch.Tensor):
        return own
    if isinstance(result, torch.Tensor):
        return result
    values = list(result.values()) if hasattr(result, "values") else result
    tensors = tuple(leaf for leaf in tree_leaves(values) if isinstance(leaf, torch.Tensor))
    if not tensors:
        raise Error("The model returns no tensor", WHERE, "Give a `loss` that makes a tensor of what it returns.")
    return tensors
