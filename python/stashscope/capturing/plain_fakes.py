"""Fake tensors that autograd takes for plain tensors.

Tensors of a subclass have the dispatch key `Python`. For a view with that key, autograd keeps the operator that made
it; for a plain view, only its geometry. After a change in place, backward makes the view again. If it makes the view
from the operator, it runs other operators and takes other memory than if it makes the view from the geometry. A
dispatch mode sees the operators of tensors without the key just as well.
"""

from __future__ import annotations

import contextlib
from typing import Any, Callable, Iterator

import torch
import torch._subclasses.fake_tensor as fake_tensor
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode

aten = torch.ops.aten
# The Python versions of these give dimensions of size 1 other strides than the C++ versions. Strides decide memory
# formats later.
_BETTER_IN_CPP = {aten.view.default, aten._unsafe_view.default}


class _WithoutKey(FakeTensor):
    """A fake tensor without the key: C++ gives the key only to classes whose `__torch_dispatch__` is enabled."""

    __torch_dispatch__ = torch._C._disabled_torch_dispatch_impl  # type: ignore[attr-defined, assignment]


@contextlib.contextmanager
def plain_fakes(mode: FakeTensorMode) -> Iterator[None]:
    """Makes the fake tensors of this mode without the key."""
    before, make = FakeTensor.__dict__["__new__"], FakeTensor.__new__
    listed = FakeTensor.tolist
    kernels = fake_tensor.op_implementations_checks

    def new(kind: Any, owner: Any, *args: Any, **kwargs: Any) -> Any:
        if owner is not mode:
            return make(kind, owner, *args, **kwargs)
        tensor = make(_WithoutKey, owner, *args, **kwargs)
        tensor.__class__ = kind
        return tensor

    def as_list(tensor: FakeTensor) -> Any:
        """Calls the `tolist` of plain tensors, because that of fake tensors bypasses modes for functions."""
        return torch.Tensor.tolist(tensor) if tensor.fake_mode is mode else listed(tensor)

    FakeTensor.__new__ = staticmethod(new)  # type: ignore[assignment]
    FakeTensor.tolist = as_list  # type: ignore[method-assign, assignment]
    fake_tensor.op_implementations_checks = [(check, _in_mode(kernel)) for check, kernel in kernels]
    # Usually, all modes share one cache of the results of fake kernels. While this context is active, this mode has a
    # cache of its own.
    results, FakeTensorMode.cache = FakeTensorMode.cache, {}
    try:
        yield
    finally:
        FakeTensor.__new__ = before  # type: ignore[method-assign]
        FakeTensor.tolist = listed  # type: ignore[method-assign]
        fake_tensor.op_implementations_checks = kernels
        FakeTensorMode.cache = results


def _in_mode(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """The fake kernel, run in its mode. Tensors without the key would not lead the kernel's operators to the mode."""
    def called(mode: FakeTensorMode, func: Any, *args: Any, **kwargs: Any) -> Any:
        if func in _BETTER_IN_CPP:
            return NotImplemented
        with mode:
            return kernel(mode, func, *args, **kwargs)
    return called
