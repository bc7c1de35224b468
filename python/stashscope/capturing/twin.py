"""A fake twin of the user's tensors.

The Python objects stay the same; for the time of a run each of them shows a fake tensor with the same shape and no
data. So every reference follows: attributes of modules, keys of the optimizer's state, lists in the step's closure.
Tensors that share a storage share one in the twin, too.
"""

from __future__ import annotations

import copyreg
from typing import Iterable, Optional

import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from ..errors import Error
from .constants import know
from .world import Known
from .wrappers import Geometry, filled, geometries_in, is_wrapper


class Twin:
    """Fake tensors in the place of the user's, from `__enter__` to `__exit__`."""

    def __init__(self, known: Iterable[Known], mode: FakeTensorMode) -> None:
        self._known = list(known)
        self._mode = mode
        self._bases: dict[int, torch.Tensor] = {}
        self._extents: dict[int, int] = {}
        self._swapped: list[tuple[torch.Tensor, torch.Tensor]] = []

    def __enter__(self) -> "Twin":
        shared = self._shared_addresses()
        fakes = [self._fake(known, shared) for known in self._known]
        self._free_resized()
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
        fake = filled(known.geometry, lambda geometry: self._made(geometry, shared))
        if isinstance(tensor, torch.nn.Parameter):
            with self._mode:
                fake = torch.nn.Parameter(fake, requires_grad=tensor.requires_grad)
        else:
            fake.requires_grad_(tensor.requires_grad)
            if not tensor.requires_grad and tensor.numel() == 1 and not tensor.is_meta:
                know(self._mode, fake, tensor.detach().clone())
        if known.gradient is not None:
            fake.grad = filled(known.gradient, lambda geometry: self._made(geometry, shared))
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
        extent = self._extents[geometry.address]
        if geometry.address not in self._bases:
            self._bases[geometry.address] = torch.empty(extent, dtype=torch.uint8, device=device)
        whole = extent // geometry.dtype.itemsize * geometry.dtype.itemsize
        return self._bases[geometry.address][:whole].view(geometry.dtype)

    def _shared_addresses(self) -> set[int]:
        """The addresses of storages that several tensors share. Also notes how far the tensors in each storage
        reach."""
        shared: set[int] = set()
        for one in self._known:
            for outline in (one.geometry, one.gradient):
                for geometry in geometries_in(outline) if outline is not None else ():
                    if geometry.address in self._extents:
                        shared.add(geometry.address)
                    reach = max(geometry.nbytes, geometry.offset * geometry.dtype.itemsize + geometry.extent)
                    self._extents[geometry.address] = max(self._extents.get(geometry.address, 0), reach)
        return shared

    def _free_resized(self) -> None:
        """Sharded training keeps tensors whose memory it freed by a resize, so their fake storages are resized, too."""
        sizes = {geometry.address: geometry.nbytes for one in self._known for geometry in geometries_in(one.geometry)}
        for address, base in self._bases.items():
            if sizes.get(address, self._extents[address]) < self._extents[address]:
                base.untyped_storage().resize_(sizes[address])


def _fills(geometry: Geometry) -> bool:
    if geometry.offset or 0 in geometry.shape:
        return geometry.nbytes == 0
    return geometry.extent == geometry.nbytes


def _swap(name: str, mine: torch.Tensor, other: torch.Tensor) -> None:
    """Lets two Python objects show each other's tensor, as `torch.utils.swap_tensors` does.

    That function refuses tensors with weak references. Here, weak references are allowed, because they must lead to the
    twin, too.
    """
    kinds = type(mine), type(other)
    attributes = mine.__dict__, other.__dict__
    try:
        mine.__class__, other.__class__ = kinds[1], kinds[0]
        torch._C._swap_tensor_impl(mine, other)
        for slot in copyreg._slotnames(kinds[0]) if is_wrapper(kinds[0]) else ():  # type: ignore[attr-defined]
            mine_held, its_held = getattr(mine, slot), getattr(other, slot)
            setattr(mine, slot, its_held)
            setattr(other, slot, mine_held)
    except (RuntimeError, TypeError) as error:
        mine.__class__, other.__class__ = kinds
        raise Error(f"Tensor '{name}' cannot be replaced by a fake one: {_first_line(error)}", "",
                    "Capture with fake=False, or before the model is compiled.") from None
    mine.__dict__, other.__dict__ = attributes[1], attributes[0]


def _first_line(error: BaseException) -> Optional[str]:
    return next(iter(str(error).splitlines()), type(error).__name__)
