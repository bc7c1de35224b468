"""A callable that replaces the forward of a module."""

from __future__ import annotations

import functools
import inspect
import weakref
from typing import Any, Callable

import torch

from ..errors import Error


class OwnForward:
    """Knows the forward that it replaces. It does not keep the module alive."""

    __name__ = "forward"

    def __init__(self, module: torch.nn.Module, own: Any) -> None:
        # The `forward` that was an attribute of the module itself; None if the module used that of its class.
        self.own = own
        self._module = weakref.ref(module)

    def __reduce__(self) -> Any:
        return type(self), (self._module(), self.own)

    @property
    def __signature__(self) -> inspect.Signature:
        return inspect.signature(self._forward())

    def _forward(self) -> Callable[..., Any]:
        if self.own is not None:
            return self.own  # type: ignore[no-any-return]
        module = self._module()
        if module is None:
            raise Error("The module of this forward does not exist any more", "stashscope.apply")
        return functools.partial(type(module).forward, module)
