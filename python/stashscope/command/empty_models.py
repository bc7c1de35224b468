"""Models whose parameters take no memory."""

from __future__ import annotations

import contextlib
from typing import Any, Callable, Iterator, Optional

import torch
from torch import nn


@contextlib.contextmanager
def empty_models() -> Iterator[None]:
    """While this context is active, parameters that modules get have no data. Moving a module changes only the type of
    these parameters.

    Buffers and all other tensors keep their data, so that a script can load and shuffle its data.
    """
    own_register, own_apply = nn.Module.register_parameter, nn.Module._apply

    def register_parameter(module: nn.Module, name: str, param: Optional[nn.Parameter]) -> None:
        own_register(module, name, _empty(param))

    def apply(module: nn.Module, fn: Callable[[torch.Tensor], torch.Tensor], *args: Any, **kwargs: Any) -> nn.Module:
        return own_apply(module, lambda tensor: _changed(tensor, fn), *args, **kwargs)

    nn.Module.register_parameter = register_parameter  # type: ignore[method-assign, assignment]
    nn.Module._apply = apply  # type: ignore[method-assign, assignment]
    try:
        yield
    finally:
        nn.Module.register_parameter, nn.Module._apply = own_register, own_apply  # type: ignore[method-assign]


def _empty(param: Optional[nn.Parameter]) -> Optional[nn.Parameter]:
    if param is None or param.is_meta:
        return param
    if isinstance(param, nn.parameter.UninitializedTensorMixin):  # type: ignore[attr-defined]
        return param
    empty = type(param)(param.detach().to("meta"), requires_grad=param.requires_grad)
    empty.__dict__.update(param.__dict__)
    return empty


def _changed(tensor: torch.Tensor, fn: Callable[[torch.Tensor], torch.Tensor]) -> torch.Tensor:
    if not tensor.is_meta:
        return fn(tensor)
    return tensor.to(fn(torch.empty(0, dtype=tensor.dtype)).dtype)
