"""Arguments of users, checked and written as the engine reads them."""

from __future__ import annotations

import operator
from types import ModuleType
from typing import Any, Union

from ..errors import Error
from .records import PlanRow


def engine() -> ModuleType:
    """The native module. Installations that only capture and apply lack it."""
    try:
        from .. import _engine
    except ImportError as error:
        raise Error(f"This installation of stashscope has no engine: {error}", "stashscope._engine",
                    "Install the wheel that packaging/wheel.sh builds. Capture and apply need no engine.") from error
    return _engine


def whole_number(value: Any, where: str) -> int:
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise Error(f"{value!r} is no whole number", where, "Give an int.")
    return operator.index(value)


def amount(value: Any, where: str, example: str) -> str:
    """A size in bytes, or a text such as 24GiB, as a text."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise Error(f"{value!r} is neither bytes nor a text", where, f"Give an int, or a text such as {example}.")
    return str(operator.index(value))


def config_of(plan: Union[str, PlanRow]) -> str:
    if isinstance(plan, PlanRow):
        return plan.config
    if not isinstance(plan, str):
        raise Error(f"{plan!r} is no plan", "plans", "Give the config of a plan, or a row of Study.plans.")
    return plan
