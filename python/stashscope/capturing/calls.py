"""The calls of torch functions that operators run under."""

from __future__ import annotations

from typing import Any, Callable, Optional

import torch
from torch.overrides import TorchFunctionMode

from .composites import AS_ON_REAL_TENSORS
from .numbers import UnknownInteger, UnknownNumber, refuse
from .places import frames_from
from .scalars import Scalars

_DECIDING = (torch.Tensor.__bool__, torch.Tensor.__index__, torch.Tensor.__contains__)
# Without a mode these add a bias or a mask to their own product in place.
_ADDING_IN_PLACE = (torch.nn.functional.linear, torch.nn.functional.scaled_dot_product_attention,
                    torch.nn.functional.multi_head_attention_forward)

# A user's own additions.
_ADDITIONS = (None, torch.add, torch.Tensor.add, torch.Tensor.__add__, torch.Tensor.__radd__)


class Calls(TorchFunctionMode):
    """Knows the running call, gives unknown numbers for `item()`, and refuses where a tensor's data decides."""

    def __init__(self, taken_unknown: Callable[[], bool], scalars: Scalars, fake: bool) -> None:
        super().__init__()
        self._taken_unknown = taken_unknown
        self._scalars = scalars
        self._fake = fake
        self._running: Optional[Any] = None
        # Whether the call runs in a transform of `torch.func`, which has nothing in place.
        self._transformed = False
        # The number of calls so far.
        self.number = 0

    @property
    def adds_in_place(self) -> bool:
        """Whether an addition now belongs to an operator that has it in place."""
        return self._running in _ADDING_IN_PLACE and not self._transformed

    def adds_bias(self, args: Any) -> bool:
        """Whether an addition now is the bias of a product inside a larger function, which adds it in place."""
        return (self._running not in _ADDITIONS and not self._transformed and len(args) == 2
                and isinstance(args[1], torch.Tensor) and args[0].dim() > 2 and args[1].dim() == 1)

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        outer, self._running = self._running, func
        self.number += 1
        called = AS_ON_REAL_TENSORS.get(func, func) if self._fake else func
        try:
            self._transformed = torch._C._functorch.peek_interpreter_stack() is not None
            if self._transformed:
                with self._scalars.of_whole_call(func, args):
                    result = called(*args, **(kwargs or {}))
            else:
                result = called(*args, **(kwargs or {}))
        finally:
            self._running = outer
        if isinstance(result, (bool, int, float)) and self._taken_unknown():
            return _number_for(func, result)
        return result


def _number_for(func: Any, result: Any) -> Any:
    if func in _DECIDING:
        raise refuse("The step decides by the data of a tensor, and fake tensors have none")
    if frames_from(0).grad_scaler:
        # No gradient was infinite: the step is a usual one.
        return 0.0
    if func is torch.Tensor.item:
        return UnknownNumber(result) if isinstance(result, float) else UnknownInteger()
    return result
