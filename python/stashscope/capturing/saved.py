"""What autograd saves, seen by hooks on saved tensors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable

import torch

from .constants import know
from .record import Record, Saved
from .values import Values
from .wrappers import Geometry, Outline, filled, outline_of, parts_of


class Held:
    """Holds a tensor exactly as long as autograd does."""

    __slots__ = ("tensor", "rows", "_now")

    def __init__(self, tensor: torch.Tensor, rows: list[Saved], now: Callable[[], int]) -> None:
        self.tensor = tensor
        self.rows = rows
        self._now = now

    def __del__(self) -> None:
        for row in self.rows:
            row.released = self._now()


class Watching:
    """Keeps saved tensors alive as long as autograd would, and writes down each of them."""

    def __init__(self, values: Values, unseen: Callable[[], Any]) -> None:
        self._values = values
        self._unseen = unseen
        self._record: Record = values.record
        # True while PyTorch compiles. Autograd then saves tensors that it does not save in a step whose code is
        # compiled already.
        self.paused = False

    def pack(self, tensor: torch.Tensor) -> Any:
        """Autograd saves a tensor."""
        if self.paused:
            return tensor
        rows = []
        for part in parts_of(tensor):
            value = self._values.seen(part)
            rows.append(Saved(torch.autograd._get_sequence_nr() - 1, value.storage, value.name))
        self._record.saved.extend(rows)
        return Held(self._without_cycle(tensor), rows, lambda: len(self._record.nodes) - 1)

    def _without_cycle(self, tensor: torch.Tensor) -> torch.Tensor:
        """The tensor to hold: a detached one if the tensor is the result of the autograd node that saves it.

        A node that holds its own result with its history would hold itself, until it runs or forever.
        """
        maker = tensor.grad_fn
        if maker is None:
            return tensor
        if maker._sequence_nr() != torch.autograd._get_sequence_nr() - 1:  # type: ignore[attr-defined]
            return tensor
        with self._unseen():
            held = tensor.detach()
        for mine, its in zip(parts_of(tensor), parts_of(held)):
            self._values.same_memory(mine, its)
        return held

    def unpack(self, held: Held) -> torch.Tensor:
        """Returns a saved tensor when autograd asks for it."""
        if isinstance(held, torch.Tensor):
            return held
        for row in held.rows:
            if row.unpacked < 0:
                row.unpacked = len(self._record.nodes)
        return held.tensor


@dataclass
class _Known:
    """The outline and the known data of a fake tensor. The data of a mask decides how many elements it chooses."""

    outline: Outline
    mode: Any
    data: torch.Tensor


class Forgetting:
    """Keeps no tensor that the step makes. When autograd asks for such a tensor, it gets a new one without data.

    The operators that make the new one are not recorded.
    """

    def __init__(self, values: Values, unseen: Callable[[], Any]) -> None:
        self._values = values
        self._unseen = unseen
        self.paused = False

    def pack(self, tensor: torch.Tensor) -> Any:
        """Keeps the geometry only."""
        if self.paused or all(self._values.existed(part) for part in parts_of(tensor)):
            return tensor
        data = getattr(tensor, "constant", None)
        if data is None:
            return outline_of(tensor)
        return _Known(outline_of(tensor), tensor.fake_mode, data)  # type: ignore[attr-defined]

    def unpack(self, kept: Any) -> torch.Tensor:
        """Makes a tensor of that geometry."""
        if isinstance(kept, torch.Tensor):
            return kept
        outline = kept.outline if isinstance(kept, _Known) else kept
        with self._unseen():
            made = filled(outline, self._made)
        if isinstance(kept, _Known):
            know(kept.mode, made, kept.data)
        return made

    def _made(self, geometry: Geometry) -> torch.Tensor:
        tensor = torch.empty_strided(geometry.shape, geometry.stride, dtype=geometry.dtype, device=geometry.device)
        self._values.made_again(tensor)
        return tensor
