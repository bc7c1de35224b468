"""Numbers that nobody knows under fake tensors.

`loss.item()` in a step is mostly for a log, so it returns a stand-in that the step can print and calculate with. If the
step makes a decision by the stand-in, the capture is refused, and the error names the line.
"""

from __future__ import annotations

import operator
from typing import Any, Callable

import torch

from ..errors import Error
from .places import frames_from

HINT = "Capture with fake=False: then the step runs with real tensors and is captured as it went."
PLAUSIBLE = 1.0


def refuse(what: str, hint: str = HINT) -> Error:
    """The error for a decision by data, with the user's line."""
    return Error(what, frames_from(1).line, hint)


def _decision(_: Any, *__: Any) -> Any:
    raise refuse("The step decides by the data of a tensor, and fake tensors have none")


class UnknownNumber(float):
    """A stand-in for a number out of a tensor without data."""

    __slots__ = ()
    __lt__ = __le__ = __gt__ = __ge__ = __eq__ = __ne__ = _decision  # type: ignore[assignment]
    __bool__ = _decision
    __hash__ = float.__hash__

    def __format__(self, form: str) -> str:
        return format(int(self), form) if form.endswith(("d", "x", "b", "o", "n")) else float.__format__(self, form)


class UnknownInteger:
    """A stand-in for an integer out of a tensor without data. It is no `int`, so that a step cannot use it as a size
    unnoticed."""

    def __index__(self) -> int:
        raise refuse("The step uses the data of a tensor as a size, and fake tensors have none")

    def __float__(self) -> float:
        return PLAUSIBLE

    def __int__(self) -> int:
        return int(PLAUSIBLE)

    def __format__(self, form: str) -> str:
        return format(int(PLAUSIBLE), form)

    def __repr__(self) -> str:
        return str(int(PLAUSIBLE))

    __lt__ = __le__ = __gt__ = __ge__ = __eq__ = __ne__ = _decision  # type: ignore[assignment]
    __bool__ = _decision
    __hash__ = object.__hash__


def _arithmetic(name: str, kind: type, calculate: Callable[..., Any]) -> None:
    def method(self: Any, *others: Any) -> Any:
        try:
            result = calculate(float(self), *(float(other) if isinstance(other, UnknownInteger) else other
                                              for other in others))
        except (ZeroDivisionError, OverflowError):
            return UnknownNumber(PLAUSIBLE)
        return UnknownNumber(result) if isinstance(result, (int, float)) else result

    setattr(kind, name, method)


for _kind in (UnknownNumber, UnknownInteger):
    for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow"):
        _two = getattr(operator, _name)
        _arithmetic(f"__{_name}__", _kind, _two)
        _arithmetic(f"__r{_name}__", _kind, lambda mine, other, _two=_two: _two(other, mine))
    for _name in ("neg", "pos", "abs"):
        _arithmetic(f"__{_name}__", _kind, getattr(operator, _name))
