"""A fake twin of the user's tensors.

The Python objects stay the same; for the time of a run each of them shows a fake tensor with the same shape and no
data. So every reference follows: attributes of modules, keys of the optimizer's state, lists in the step's closure.
Tensors that share a storage share one in the twin, too.
"""

from __future__ import annotations

from typing import Any, Iterable, Optional

import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from ..errors import Error
from .constants import know
from .world import Geometry, Known


class Twin:
    """Fake tensors in the place of the user's, from `__enter__` to `__exit__`."""

    def __init__(self, known: Iterable[Known], mode: FakeTensorMode) -> None:
        self._known = list(known)
        self._mode = mode
        self._bases: dict[tuple[int, torch.dtype], torch.Tensor] = {}
        self._swapped: list[tuple[torch.Tensor, torch.Tensor]] = []

    def __enter__(self) -> "Twin":
        shared = _shared_addresses(self._known)
        fakes = [self._fake(known, shared) for known in self._known]
        self._bases.clear()
        try:
            for known, fake in zip(self._known, fakes):
                _swap(known.name, known.tensor, fake)
                self._swapped.append((known.tensor, fake))
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        while self._swapped:
            _swap("", *self._swapped.pop())

    def _fake(self, known: Known, shared: set[int]) -> torch.Tensor:
        tensor = known.tensor
        fake = self._made(known.geometry, shared)
        if isinstance(tensor, torch.nn.Parameter):
            fake = torch.nn.Parameter(fake, requires_grad=tensor.requires_grad)
        else:
            fake.requires_grad_(tensor.requires_grad)
            if not tensor.requires_grad and tensor.numel() == 1 and not tensor.is_meta:
                know(self._mode, fake, tensor.detach().clone())
        if known.gradient is not None:
            fake.grad = self._made(known.gradient, shared)
        for key, value in vars(tensor).items():
            fake.__dict__.setdefault(key, value)
        for hook in (getattr(tensor, "_post_accumulate_grad_hooks", None) or {}).values():
            fake.register_post_accumulate_grad_hook(hook)
        for hook in (tensor._backward_hooks or {}).values():
            fake.register_hook(hook)
        return fake

    def _made(self, geometry: Geometry, shared: set[int]) -> torch.Tensor:
        device = torch.device("cpu") if geometry.device.type == "meta" else geometry.device
        with self._mode, torch.no_grad():
            if geometry.address not in shared and _fills(geometry):
                return torch.empty_strided(geometry.shape, geometry.stride, dtype=geometry.dtype, device=device)
            base = self._base(geometry, device)
            return torch.as_strided(base, geometry.shape, geometry.stride, geometry.offset).detach()

    def _base(self, geometry: Geometry, device: torch.device) -> torch.Tensor:
        key = (geometry.address, torch.uint8)
        if key not in self._bases:
            self._bases[key] = torch.empty(geometry.nbytes, dtype=torch.uint8, device=device)
        whole = geometry.nbytes // geometry.dtype.itemsize * geometry.dtype.itemsize
        return self._bases[key][:whole].view(geometry.dtype)


def _shared_addresses(known: Iterable[Known]) -> set[int]:
    seen: set[int] = set()
    shared: set[int] = set()
    for one in known:
        for geometry in (one.geometry, one.gradient):
            if geometry is not None:
                (shared if geometry.address in seen else seen).add(geometry.address)
    return shared


def _fills(geometry: Geometry) -> bool:
    if geometry.offset or 0 in geometry.shape:
        return geometry.nbytes == 0
    extent = 1 + sum((size - 1) * stride for size, stride in zip(geometry.shape, geometry.stride))
    return extent * geometry.dtype.itemsize == geometry.nbytes


def _swap(name: str, mine: torch.Tensor, other: torch.Tensor) -> None:
    """Lets two Python objects show each other's tensor, as `torch.utils.swap_tensors` does.

    That function refuses tensors with weak references. Here they are welcome: they shall see the twin.
    """
    kinds = type(mine), type(other)
    attributes = mine.__dict__, other.__dict__
    try:
        mine.__class__, other.__class__ = kinds[1], kinds[0]
        torch._C._swap_tensor_impl(mine, other)
    except (RuntimeError, TypeError) as error:
        mine.__class__, other.__class__ = kinds
        raise Error(f"Tensor '{name}' cannot be replaced by a fake one: {_first_line(error)}", "",
                    "Capture with fake=False, or before the model is compiled.") from None
    mine.__dict__, other.__dict__ = attributes[1], attributes[0]


def _first_line(error: BaseException) -> Optional[str]:
    return next(iter(str(error).splitlines()), type(error).__name__)
