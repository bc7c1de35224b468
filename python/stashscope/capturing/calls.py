"""The calls of torch functions that operators run under."""

from __future__ import annotations

from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensor
from torch.overrides import TorchFunctionMode

from .answers import Answers
from .composites import AS_ON_REAL_TENSORS, AS_WITHOUT_MODES
from .gpu_kernels import AS_ON_CUDA
from .host_numbers import is_number_without_device
from .numbers import UnknownInteger, UnknownNumber, refuse
from .places import frames_from
from .scalars import Scalars

_DECIDING = (torch.Tensor.__bool__, torch.Tensor.__index__, torch.Tensor.__contains__)
# Outside of a capture, these functions add a bias or a mask in place to a product that they computed. In a capture,
# they call `add` instead.
_ADDING_IN_PLACE = (torch.nn.functional.linear, torch.nn.functional.scaled_dot_product_attention,
                    torch.nn.functional.multi_head_attention_forward)

# Models check for numbers that overflowed, and distributions check their arguments. In a usual step, all checks pass.
_CHECKS = {torch.isinf: (False, "finite"), torch.Tensor.isinf: (False, "finite"), torch.isnan: (False, "finite"),
           torch.Tensor.isnan: (False, "finite"), torch.isfinite: (True, "finite"),
           torch.Tensor.isfinite: (True, "finite"), torch._is_all_true: (True, "valid for its distribution")}
# The functions that run while the user's own code adds two tensors; None: no function runs. While any other function
# runs, an addition is a part of that function's work.
_ADDITIONS = (None, torch.add, torch.Tensor.add, torch.Tensor.__add__, torch.Tensor.__radd__)


class Calls(TorchFunctionMode):
    """Knows the running call, gives unknown numbers for `item()`, and refuses decisions by data."""

    def __init__(self, answers: Answers, scalars: Scalars, fake: bool, on_cuda: bool) -> None:
        super().__init__()
        self._answers = answers
        self._scalars = scalars
        self._fake = fake
        replaced = {**AS_ON_REAL_TENSORS, **AS_ON_CUDA} if on_cuda else AS_ON_REAL_TENSORS
        self._replaced = replaced if fake else AS_WITHOUT_MODES
        self._running: tuple[Any, Any] = (None, {})  # the function of the running call, and its keywords
        # Whether the call runs in a transform of `torch.func`, in which no operator runs in place.
        self._transformed = False
        # The number of calls so far.
        self.number = 0

    @property
    def adds_in_place(self) -> bool:
        """Whether an addition that runs now belongs to a function that adds in place outside of a capture."""
        return self._running[0] in _ADDING_IN_PLACE and not self._transformed

    def makes_number_on_host(self) -> bool:
        """Whether the running call makes a tensor that a script for a GPU has on the host."""
        return is_number_without_device(*self._running, frames_from(1).optimizer)

    def adds_bias(self, args: Any) -> bool:
        """Whether an addition that runs now looks like that of a bias inside a larger function of PyTorch. Outside of a
        capture, such a function adds the bias to its product in place."""
        return (self._running[0] not in _ADDITIONS and not self._transformed and len(args) == 2
                and isinstance(args[1], torch.Tensor) and args[0].dim() > 2 and args[1].dim() == 1)

    def _called(self, func: Any) -> Any:
        data = {torch.Tensor.tolist: self._answers.listed, torch.Tensor.numpy: self._answers.array,
                torch.Tensor.__array__: self._answers.converted}
        return data.get(func) or self._replaced.get(func, func)

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        outer, self._running = self._running, (func, kwargs or {})
        self.number += 1
        called = self._called(func)
        try:
            self._transformed = torch._C._functorch.peek_interpreter_stack() is not None
            if self._transformed:
                with self._scalars.of_whole_call(func, args):
                    result = called(*args, **(kwargs or {}))
            else:
                result = called(*args, **(kwargs or {}))
        finally:
            self._running = outer
        if self._fake and func in _CHECKS and isinstance(result, FakeTensor):
            self._answers.assume(result, *_CHECKS[func])
        if isinstance(result, (bool, int, float)) and self._answers.taken_unknown():
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
