"""An assumption for mixtures of experts: every expert gets the same share of the tokens.

Which experts a router picks is data, and fake tensors have none. The picks are indices along the dimension of the
experts. With the assumption they get data: token 0 picks the experts 0, 1, ..., token 1 the next ones, and so on in a
circle. All that follows from the picks (masks, counts, lists of tokens) then has true data, and so true sizes.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.utils._mode_utils import no_dispatch

from .constants import know
from .record import Record

aten = torch.ops.aten

EVEN = "even"
HINT = ("For a mixture of experts give routing='even': every expert then gets the same number of tokens. Or capture with "
        "fake=False: then the step runs with real tensors and is captured as it went.")

# The operators with which routers pick experts: the position of the indices in the results, and of the dimension in the
# arguments.
_PICKS = {aten.topk.default: (1, 2), aten.argmax.default: (None, 1)}


class Routing:
    """Gives the picks of routers their data."""

    def __init__(self, mode: FakeTensorMode, record: Record) -> None:
        self._mode = mode
        self._record = record
        self._picks: dict[tuple[int, int], int] = {}

    def picked(self, func: Any, args: Any, kwargs: Any, result: Any) -> None:
        """If the operator picks experts, gives its result data. Called with each operator that has run."""
        if func not in _PICKS or not isinstance(args[0], FakeTensor) or args[0].constant is not None:
            return
        position, place = _PICKS[func]
        indices = result if position is None else result[position]
        dim = args[place] if len(args) > place else kwargs.get("dim", -1)
        if dim is None or args[0].dim() < 2 or not indices.numel():
            return
        shape, dims = list(indices.shape), args[0].dim()
        with no_dispatch():
            data = _circle(args[0].shape[dim], shape if len(shape) == dims else _with_one(shape, dim % dims), dim % dims)
            data = data.reshape(shape).contiguous()
        know(self._mode, indices, data)
        count = indices.shape[dim] if indices.dim() == args[0].dim() else 1
        self._assume(args[0].shape[dim], count)

    def _assume(self, experts: int, picks: int) -> None:
        key = (picks, experts)
        self._picks[key] = self._picks.get(key, 0) + 1
        begin = "Assumed even routing (routing='even'): "
        said = "; ".join(f"{count} {'calls that pick' if count > 1 else 'call that picks'} {mine} of {all_} experts "
                         "for a token" for (mine, all_), count in self._picks.items())
        text = f"{begin}every expert gets the same number of tokens. {said}"
        self._record.warnings[:] = [one for one in self._record.warnings if not one.startswith(begin)] + [text]


def _with_one(shape: list[int], dim: int) -> list[int]:
    return [*shape[:dim], 1, *shape[dim:]]


def _circle(experts: int, shape: list[int], dim: int) -> torch.Tensor:
    """0, 1, 2, ... around the experts: the picks of a token one after another, then those of the next token."""
    outer = shape[:dim] + shape[dim + 1:]
    numbers = torch.arange(math.prod(shape)) % experts
    return numbers.view(*outer, shape[dim]).movedim(-1, dim)
