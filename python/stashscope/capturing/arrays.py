"""Arrays of NumPy that share the memory of a tensor."""

from __future__ import annotations

from typing import Any

import torch


class _Memory:
    """Gives an array the data, and keeps the tensor alive as long as the array or a view of it lives."""

    def __init__(self, data: Any, tensor: torch.Tensor) -> None:
        self._data = data
        self._tensor = tensor
        self.__array_interface__ = data.__array_interface__


def array_on(tensor: torch.Tensor, data: Any) -> Any:
    """The array that `tensor.numpy()` gives if the tensor has this data."""
    import numpy
    return numpy.asarray(_Memory(data, tensor))
