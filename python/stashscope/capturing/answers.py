"""Results that depend on data: kept in a real run, given again in a fake one."""

from __future__ import annotations

from typing import Any, Optional

import torch
from torch._subclasses.fake_tensor import (DataDependentOutputException, DynamicOutputShapeException,
                                           FakeTensorMode, UnsupportedFakeTensorException)

from ..errors import Error
from .constants import Constants
from .fake_kernels import as_on_cpu
from .numbers import PLAUSIBLE, refuse
from .operators import tensors_in
from .places import frames_from
from .ranks import is_collective, without_network
from .record import Answer, Record

aten = torch.ops.aten


class Answers:
    """Calls operators, and stands in for data that a fake run does not have."""

    def __init__(self, record: Record, given: Optional[list[Answer]], mode: Optional[FakeTensorMode]) -> None:
        self._record = record
        self._given = None if given is None else list(reversed(given))
        self._fake = mode is not None
        self._constants = None if mode is None else Constants(mode)
        self._unknown = False
        # In compiled code nobody takes a number for unknown.
        self.in_compiled_code = False

    def taken_unknown(self) -> bool:
        """Whether the last number came without data; asked once."""
        unknown, self._unknown = self._unknown, False
        return unknown

    def call(self, func: Any, args: Any, kwargs: Any) -> Any:
        """The result of an operator."""
        if self._constants is not None:
            args = self._constants.replace(args)
        if self._fake and is_collective(func):
            return without_network(func, args)
        depends = _depends_on_data(func, args)
        if depends and self._fake and self._given is not None:
            return self._repeat(func, args, kwargs)
        try:
            result = func(*args, **kwargs)
        except DataDependentOutputException:
            return self._number(func, args)
        except DynamicOutputShapeException:
            raise refuse(f"The shape of the result of '{func._schema.name}' depends on data, "
                         "and fake tensors have none") from None
        except (UnsupportedFakeTensorException, NotImplementedError) as error:
            raise Error(f"'{func._schema.name}' cannot run on fake tensors: {error}", frames_from(0).line,
                        "Capture with fake=False.") from error
        if depends and not self._fake:
            self._keep(func, result)
        if self._constants is not None:
            result = self._constants.in_place(func, args, result)
            self._constants.keep(func, args, kwargs, result)
            result = as_on_cpu(func, args, result)
        return result

    def _number(self, func: Any, args: Any) -> Any:
        if self.in_compiled_code:
            raise refuse("Compiled code reads a number from a tensor, and fake tensors have none")
        if func is not aten._local_scalar_dense.default:
            raise refuse(f"'{func._schema.name}' decides by data, and fake tensors have none")
        self._unknown = True
        warning = f"A number was read from a tensor without data: {frames_from(0).line}"
        if warning not in self._record.warnings:
            self._record.warnings.append(warning)
        dtype = args[0].dtype
        if dtype == torch.bool:
            return bool(PLAUSIBLE)
        return PLAUSIBLE if dtype.is_floating_point else int(PLAUSIBLE)

    def _keep(self, func: Any, result: Any) -> None:
        shapes = tuple(tuple(tensor.shape) for tensor in tensors_in((result,)))
        number = None if shapes else result
        self._record.answers.append(Answer(func._schema.name, number, shapes))

    def _repeat(self, func: Any, args: Any, kwargs: Any) -> Any:
        answer = self._given.pop() if self._given else None
        if answer is None or answer.operator != func._schema.name:
            raise refuse(f"The step ran '{func._schema.name}' where it did not before")
        if not answer.shapes:
            return answer.number
        return _shaped(func, args, kwargs, answer.shapes)


def _depends_on_data(func: Any, args: Any) -> bool:
    if func is aten.index.Tensor:
        return any(index is not None and index.dtype in (torch.bool, torch.uint8) for index in args[1])
    return torch.Tag.data_dependent_output in func.tags or torch.Tag.dynamic_output_shape in func.tags


def _shaped(func: Any, args: Any, kwargs: Any, shapes: tuple[tuple[int, ...], ...]) -> Any:
    """Fake results of the shapes that the real run had."""
    first = args[0]
    name = func._schema.name.partition("::")[2]
    made = []
    for shape, result in zip(shapes, func._schema.returns):
        indices = name == "nonzero" or made
        dtype = torch.int64 if indices else first.dtype
        if name == "nonzero":
            # The kernel writes the indices of each dimension together.
            made.append(torch.empty((shape[1], shape[0]), dtype=dtype, device=first.device).t())
        else:
            made.append(torch.empty(shape, dtype=dtype, device=first.device))
    return made[0] if len(func._schema.returns) == 1 else tuple(made)
