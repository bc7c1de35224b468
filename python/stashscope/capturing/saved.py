"""What autograd saves, seen by hooks on saved tensors."""

from __future__ import annotations

from typing import Any, Callable

import torch

from .record import Record, Saved
from .values import Values


class Held:
    """Holds a tensor exactly as long as autograd does."""

    __slots__ = ("tensor", "_row", "_now")

    def __init__(self, tensor: torch.Tensor, row: Saved, now: Callable[[], int]) -> None:
        self.tensor = tensor
        self._row = row
        self._now = now

    def __del__(self) -> None:
        self._row.released = self._now()


class Watching:
    """Lets saved tensors through and writes down each of them."""

    def __init__(self, values: Values) -> None:
        self._values = values
        self._record: Record = values.record
        # While PyTorch compiles, autograd saves what no step saves.
        self.paused = False

    def pack(self, tensor: torch.Tensor) -> Any:
        """Autograd saves a tensor."""
        if self.paused:
            return tensor
        value = self._values.seen(tensor)
        row = Saved(torch.autograd._get_sequence_nr() - 1, value.storage, value.name)
        self._record.saved.append(row)
        return Held(tensor, row, lambda: len(self._record.nodes) - 1)

    def unpack(self, held: Held) -> torch.Tensor:
        """Autograd asks for it."""
        if isinstance(held, torch.Tensor):
            return held
        row = held._row
        if row.unpacked < 0:
            row.unpacked = len(self._record.nodes)
        return held.tensor


class Forgetting:
    """Saves no tensor made in the step: when autograd asks for it, it gets one without data, which does not count."""

    def __init__(self, values: Values, pause: Callable[[bool], None]) -> None:
        self._values = values
        self._pause = pause
        self.paused = False

    def pack(self, tensor: torch.Tensor) -> Any:
        """Keeps the geometry only."""
        if self.paused or self._values.existed(tensor):
            return tensor
        return tensor.dtype, tuple(tensor.shape), tuple(tensor.stride()), tensor.device

    def unpack(self, kept: Any) -> torch.Tensor:
        """Makes a tensor of that geometry."""
        if isinstance(kept, torch.Tensor):
            return kept
        dtype, shape, stride, device = kept
        self._pause(True)
        try:
            tensor = torch.empty_strided(shape, stride, dtype=dtype, device=device)
            self._values.made_again(tensor)
        finally:
            self._pause(False)
        return tensor
