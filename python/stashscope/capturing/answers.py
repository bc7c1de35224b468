"""Results that depend on data: kept in a real run, given again in a fake one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Optional

import torch
from torch._subclasses.fake_tensor import (DataDependentOutputException, DynamicOutputShapeException,
                                           FakeTensor, FakeTensorMode, UnsupportedFakeTensorException)
from torch.utils._mode_utils import no_dispatch
from torch.utils._pytree import tree_map

from ..errors import Error
from .arrays import array_on
from .constants import Constants
from .fake_kernels import as_on_cpu, for_fake_kernel, shaped_by_data
from .numbers import HINT as NO_DATA_HINT, PLAUSIBLE, UnknownInteger, UnknownNumber, refuse
from .places import frames_from
from .ranks import is_collective, without_network
from .record import Answer, Record
from .routing import HINT as ROUTING_HINT, Routing

aten = torch.ops.aten
_OF_TORCH = ("aten", "prim", "prims", "c10d", "_c10d_functional", "fsdp", "profiler", "rngprims", "inductor",
             "higher_order", "quantized", "mkldnn", "symm_mem", "dtensor")
# Operators by which mixtures of experts find the tokens of an expert.
_ROUTES = {aten.nonzero.default, aten.index.Tensor, aten.masked_select.default, aten.unique_consecutive.default,
           aten._unique2.default, aten.bincount.default}


class Answers:
    """Calls operators. In a fake run, gives answers where an operator needs data that its tensors lack."""

    def __init__(self, record: Record, given: Optional[list[Answer]], mode: Optional[FakeTensorMode],
                 routing: Optional[str]) -> None:
        self._record = record
        self._given = None if given is None else list(reversed(given))
        self._fake = mode is not None
        self._constants = None if mode is None else Constants(mode, routing is not None)
        self._routing = None if mode is None or routing is None else Routing(mode, record)
        self._unknown = False
        # Compiled code would take an assumed number for a real one. So while compiled code runs, reading a number from
        # a tensor without data is refused.
        self.in_compiled_code = False

    def taken_unknown(self) -> bool:
        """Whether a number was read from a tensor without data since this was asked last."""
        unknown, self._unknown = self._unknown, False
        return unknown

    def call(self, func: Any, args: Any, kwargs: Any) -> Any:
        """The result of an operator."""
        if self._constants is not None:
            args = self._constants.replace(args)
            self._constants.before_writing(func, args)
        if self._fake and is_collective(func):
            return without_network(func, args)
        depends = _depends_on_data(func, args)
        if depends and self._fake and self._given is not None:
            return self._repeat(func)
        try:
            result = func(*(for_fake_kernel(func, args) if self._fake else args), **kwargs)
        except DataDependentOutputException:
            return self._number(func, args)
        except DynamicOutputShapeException:
            result = shaped_by_data(func, args)
            if result is None:
                raise refuse(f"The shape of the result of '{func._schema.name}' depends on data, "
                             "and fake tensors have none",
                             ROUTING_HINT if func in _ROUTES else NO_DATA_HINT) from None
        except (UnsupportedFakeTensorException, NotImplementedError) as error:
            raise Error(f"'{func._schema.name}' cannot run on fake tensors: {error}", frames_from(0).line,
                        "Capture with fake=False.") from error
        if depends and not self._fake:
            self._keep(func, result)
        if self._constants is not None:
            result = self._constants.in_place(func, args, result)
            self._constants.keep(func, args, kwargs, result)
            result = as_on_cpu(func, args, result)
        if self._routing is not None:
            self._routing.picked(func, args, kwargs, result)
        return result

    def listed(self, tensor: torch.Tensor) -> Any:
        """The data of a tensor as a list. This is no operator, so no dispatch mode sees it."""
        data = tensor.constant if isinstance(tensor, FakeTensor) else tensor
        if self._fake and self._given is not None:
            return self._answer("tolist").result
        if data is None:
            self._warn()
            return _unknown(list(tensor.shape), tensor.dtype)
        with no_dispatch():
            listed = data.tolist()
        if not self._fake:
            self._record.answers.append(Answer("tolist", listed))
        return listed

    def array(self, tensor: torch.Tensor, *, force: bool = False) -> Any:
        """The data of a tensor as an array of NumPy. This is no operator, so no dispatch mode sees it."""
        if self._fake and self._given is not None:
            return array_on(tensor, self._answer("numpy").result)
        data = tensor.constant if isinstance(tensor, FakeTensor) else tensor
        if data is None:
            raise refuse("The step makes an array of a tensor's data, and fake tensors have none")
        with no_dispatch():
            array = data.numpy(force=force)
        if not self._fake:
            self._record.answers.append(Answer("numpy", array.copy()))
        return array

    def converted(self, tensor: torch.Tensor, dtype: Any = None) -> Any:
        """The same for `numpy.asarray(tensor)`."""
        array = self.array(tensor)
        return array if dtype is None else array.astype(dtype, copy=False)

    def assume(self, result: FakeTensor, value: bool, what: str) -> None:
        """Gives every element of `result`, a fake tensor without data, this value.
        `result` is the answer of a check of a tensor, whose elements are all assumed to be `what`.
        """
        if self._given is not None or self._constants is None or result.constant is not None:
            return
        self._record.warn(f"Assumed that every value is {what}: {frames_from(0).line}")
        self._constants.assume(result, value)

    def _number(self, func: Any, args: Any) -> Any:
        if self.in_compiled_code:
            raise refuse("Compiled code reads a number from a tensor, and fake tensors have none")
        if func is not aten._local_scalar_dense.default:
            raise refuse(f"'{func._schema.name}' decides by data, and fake tensors have none")
        self._unknown = True
        self._warn()
        dtype = args[0].dtype
        if dtype == torch.bool:
            return bool(PLAUSIBLE)
        return PLAUSIBLE if dtype.is_floating_point else int(PLAUSIBLE)

    def _warn(self) -> None:
        self._record.warn(f"A number was read from a tensor without data: {frames_from(0).line}")

    def _keep(self, func: Any, result: Any) -> None:
        facts = tree_map(lambda one: _outline(one) if isinstance(one, torch.Tensor) else one, result)
        self._record.answers.append(Answer(func._schema.name, facts))

    def _repeat(self, func: Any) -> Any:
        facts = self._answer(func._schema.name).result
        return tree_map(lambda one: one.made() if isinstance(one, _Outline) else one, facts)

    def _answer(self, name: str) -> Answer:
        answer = self._given.pop() if self._given else None
        if answer is None or answer.operator != name:
            raise refuse(f"The step ran '{name}' where the run with real tensors did not",
                         "Make the step run the same operators whenever it is called.")
        return answer


def _unknown(shape: list[int], dtype: torch.dtype) -> Any:
    if shape:
        return [_unknown(shape[1:], dtype) for _ in range(shape[0])]
    if dtype == torch.bool:
        raise refuse("The step makes a list of a tensor's data, and fake tensors have none", ROUTING_HINT)
    return UnknownNumber(PLAUSIBLE) if dtype.is_floating_point else UnknownInteger()


def _depends_on_data(func: Any, args: Any) -> bool:
    if func is aten.index.Tensor:
        return any(index is not None and index.dtype in (torch.bool, torch.uint8) for index in args[1])
    tags = func.tags
    return torch.Tag.data_dependent_output in tags or torch.Tag.dynamic_output_shape in tags or _is_foreign(func)


def _is_foreign(func: Any) -> bool:
    """Whether the operator comes from another library and returns new tensors. Data may decide the shapes of these."""
    if func.namespace in _OF_TORCH or not func._schema.returns:
        return False
    return not any(one.alias_info for one in (*func._schema.arguments, *func._schema.returns))


@dataclass(frozen=True)
class _Outline:
    """The properties of a tensor of the real run that a fake run needs."""

    shape: tuple[int, ...]
    stride: tuple[int, ...]
    dtype: torch.dtype
    device: torch.device

    def made(self) -> torch.Tensor:
        return torch.empty_strided(self.shape, self.stride, dtype=self.dtype, device=self.device)


def _outline(tensor: torch.Tensor) -> _Outline:
    return _Outline(tuple(tensor.shape), tensor.stride(), tensor.dtype, tensor.device)
