"""Data of small tensors under fake tensors.

Libraries read token ids and attention masks, for example to find out whether there is padding. They draw a random
number to decide whether to leave out a layer. These tensors are small, so their data is kept beside the fake tensors,
and such questions get true answers.
"""

from __future__ import annotations

import contextlib
from typing import Any, Iterator, Optional

import torch
import torch._subclasses.fake_tensor as fake_tensor
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.utils._mode_utils import no_dispatch
from torch.utils.weak import WeakTensorKeyDictionary

# Larger tensors keep no data. In elements.
_LIMIT = 1 << 16
# The limits if the capture routes tokens evenly. They are larger, because a tensor computed from the experts that a
# router picks can have tokens x experts elements. The second limit is for floating-point tensors.
_ROUTED_LIMIT = 1 << 26
_ROUTED_FLOAT_LIMIT = 1 << 22

aten = torch.ops.aten
# Operators that make tensors of known data out of nothing.
_MAKERS = {aten.ones.default, aten.zeros.default, aten.full.default, aten.scalar_tensor.default, aten.arange.default,
           aten.arange.start, aten.arange.start_step, aten.eye.default}
# Random integers are tokens. Other random tensors keep data only if they are single numbers, because no step decides by
# larger ones.
_DRAWS = {aten.rand.default, aten.randn.default, aten.randint.default, aten.randint.low}

# Operators whose result is a view with a flag, conjugate or negative. A fake tensor of known data loses this flag, so
# these functions set it again.
_BITS: Any = {aten._conj.default: torch._C._set_conj, aten._neg_view.default: torch._C._set_neg}


class Constants:
    """Gives small real tensors a fake twin that knows its data."""

    def __init__(self, mode: FakeTensorMode, routed: bool) -> None:
        self._mode = mode
        self._routed = routed
        self._twins: Any = WeakTensorKeyDictionary()

    def replace(self, arguments: Any) -> Any:
        """The arguments, with a fake twin in place of each small real tensor."""
        return type(arguments)(self._replaced(argument) for argument in arguments)

    def keep(self, func: Any, args: Any, kwargs: Any, result: Any) -> None:
        """Remembers the data of a small tensor made out of nothing, and the flag of a conjugate or negative view."""
        if func in _BITS and isinstance(result, FakeTensor) and result.constant is not None:
            _BITS[func](result, True)
        if not isinstance(result, FakeTensor) or func not in _MAKERS and func not in _DRAWS:
            return
        if result.numel() <= self._limit(func, result.dtype):
            with no_dispatch():
                data = func(*args, **kwargs)
            know(self._mode, result, data)

    def assume(self, result: Any, value: bool) -> None:
        """Gives a fake tensor one value as its data. In a large tensor, one stored element stands for all."""
        with no_dispatch():
            is_small = result.numel() <= _LIMIT
            data = torch.full(result.shape, value) if is_small else torch.tensor(value).expand(result.shape)
        know(self._mode, result, data)

    def before_writing(self, func: Any, args: Any) -> None:
        """If one stored element stands for all elements of a tensor, forgets its data when the tensor is about to be
        written to."""
        first = func._schema.arguments[0].alias_info if func._schema.arguments else None
        if first is None or not first.is_write or not args or not isinstance(args[0], FakeTensor):
            return
        data = args[0].constant
        if data is not None and data.numel() > 1 and 0 in data.stride():
            self._mode.fake_tensor_converter.invalidate_constant_aliases(data)

    def _limit(self, func: Any, dtype: torch.dtype) -> int:
        if func not in _MAKERS:
            return 1 if dtype.is_floating_point else _LIMIT
        if not self._routed:
            return _LIMIT
        return _ROUTED_FLOAT_LIMIT if dtype.is_floating_point else _ROUTED_LIMIT

    def in_place(self, func: Any, args: Any, result: Any) -> Any:
        """Called on a fake tensor with data, an operator that changes its first argument returns a new tensor.

        This method gives the new data to the first argument, and returns that argument.
        """
        changed = func._schema.arguments[0].alias_info if func._schema.arguments else None
        is_other = isinstance(result, FakeTensor) and args and isinstance(args[0], FakeTensor) and result is not args[0]
        if not is_other or changed is None or not changed.is_write:
            return result
        if result.constant is not None:
            know(self._mode, args[0], result.constant)
        return args[0]

    def _replaced(self, argument: Any) -> Any:
        if isinstance(argument, (list, tuple)):
            return type(argument)(self._replaced(part) for part in argument)
        if not isinstance(argument, torch.Tensor) or not _is_small_and_real(argument):
            return argument
        twin = self._twins.get(argument)
        if twin is None:
            twin = self._mode.from_tensor(argument)
            with no_dispatch():
                data = argument.detach().clone()
            know(self._mode, twin, data)
            self._twins[argument] = twin
        return twin


def know(mode: FakeTensorMode, fake: Any, data: torch.Tensor) -> None:
    """Gives a fake tensor data, which it loses when an operator with unknown data writes into it."""
    fake.constant = data
    mode.fake_tensor_converter.add_constant_storage_mapping(fake)


def known_numbers(numbers: Any) -> Optional[list[int]]:
    """The integers of a list or a tensor; None for a fake tensor without data."""
    data = numbers.constant if isinstance(numbers, FakeTensor) else numbers
    if isinstance(data, torch.Tensor):
        with no_dispatch():
            return [int(one) for one in data.flatten().tolist()]
    return data


def _is_small_and_real(tensor: torch.Tensor) -> bool:
    return (not isinstance(tensor, FakeTensor) and 0 < tensor.dim() and tensor.numel() <= _LIMIT
            and not tensor.dtype.is_complex and not tensor.is_meta and not tensor.requires_grad)


@contextlib.contextmanager
def known_data(routed: bool) -> Iterator[None]:
    """Lets the results of operators on small constants be constants, too. `routed`: also larger results from the picks
    of routers."""
    before = fake_tensor.CONSTANT_NUMEL_LIMIT
    fake_tensor.CONSTANT_NUMEL_LIMIT = _ROUTED_LIMIT if routed else _LIMIT
    try:
        yield
    finally:
        fake_tensor.CONSTANT_NUMEL_LIMIT = before
