"""Tensors that wrap others, such as a DTensor around its rank's part. Only the tensors inside have memory."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Callable, Iterator, Union

import torch
from torch._subclasses.fake_tensor import FakeTensor


@dataclass(frozen=True)
class Geometry:
    """All of a tensor but its data."""

    dtype: torch.dtype
    device: torch.device
    shape: tuple[int, ...]
    stride: tuple[int, ...]
    offset: int
    address: int
    nbytes: int

    @staticmethod
    def of(tensor: torch.Tensor) -> "Geometry":
        """The geometry of a tensor."""
        storage = tensor.untyped_storage()
        return Geometry(tensor.dtype, tensor.device, tuple(tensor.shape), tuple(tensor.stride()),
                        tensor.storage_offset(), storage._cdata, storage.nbytes())  # type: ignore[arg-type]

    @property
    def extent(self) -> int:
        """Bytes from the first element to the end of the last one."""
        if 0 in self.shape:
            return 0
        return (1 + sum((size - 1) * stride for size, stride in zip(self.shape, self.stride))) * self.dtype.itemsize


@dataclass(frozen=True)
class Wrapping:
    """All of a wrapping tensor but the data inside."""

    kind: Any
    context: Any
    shape: torch.Size
    stride: tuple[int, ...]
    inside: dict[str, "Outline"]

    def filled(self, make: Callable[[Geometry], torch.Tensor]) -> torch.Tensor:
        """The same wrapping around other tensors."""
        parts = {name: filled(part, make) for name, part in self.inside.items()}
        return self.kind.__tensor_unflatten__(parts, self.context, self.shape, self.stride)


Outline = Union[Geometry, Wrapping]


def outline_of(tensor: torch.Tensor) -> Outline:
    """Geometry or wrapping of a tensor."""
    if not is_wrapper(type(tensor)):
        return Geometry.of(tensor)
    names, context = tensor.__tensor_flatten__()  # type: ignore[attr-defined]
    return Wrapping(type(tensor), context, tensor.shape, tuple(tensor.stride()),
                    {name: outline_of(getattr(tensor, name)) for name in names})


def filled(outline: Outline, make: Callable[[Geometry], torch.Tensor]) -> torch.Tensor:
    """A tensor of this outline; `make` makes the tensors that have memory."""
    return make(outline) if isinstance(outline, Geometry) else outline.filled(make)


def geometries_in(outline: Outline) -> Iterator[Geometry]:
    """The tensors that have memory."""
    if isinstance(outline, Geometry):
        yield outline
    else:
        for part in outline.inside.values():
            yield from geometries_in(part)


@lru_cache(maxsize=None)
def is_wrapper(kind: Any) -> bool:
    """Whether tensors of this type have no memory of their own."""
    return (issubclass(kind, torch.Tensor) and not issubclass(kind, FakeTensor)
            and hasattr(kind, "__tensor_flatten__") and hasattr(kind, "__tensor_unflatten__"))


def parts_of(tensor: torch.Tensor) -> Iterator[torch.Tensor]:
    """The tensors that have memory: the tensor itself, or those inside of it."""
    if not is_wrapper(type(tensor)):
        yield tensor
        return
    for name in tensor.__tensor_flatten__()[0]:  # type: ignore[attr-defined]
        yield from parts_of(getattr(tensor, name))
