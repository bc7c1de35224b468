"""Stashscope for PyTorch: captures a training step as PyTorch runs it, shows its memory and plans, and lets PyTorch
carry out a plan.

Each part is imported on first use. So `load` works without PyTorch, and everything else works without the engine.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .errors import Error

if TYPE_CHECKING:
    from .applying import Plan, Region, SavedOperator, apply, remove
    from .capturing import capture
    from .exporting import export
    from .measuring import measure
    from .studies import BudgetAnswer, Fit, PlanRow, Slot, Slots, Study, load, open as open

# For each public name, the module that defines it.
_PLACES = {
    "Plan": ".applying", "Region": ".applying", "SavedOperator": ".applying", "apply": ".applying",
    "remove": ".applying",
    "capture": ".capturing", "export": ".exporting", "measure": ".measuring",
    "BudgetAnswer": ".studies", "Fit": ".studies", "PlanRow": ".studies", "Slot": ".studies", "Slots": ".studies",
    "Study": ".studies", "load": ".studies", "open": ".studies",
}

# `open` is left out, because `from stashscope import *` would hide Python's own `open`.
__all__ = ["BudgetAnswer", "Error", "Fit", "Plan", "PlanRow", "Region", "SavedOperator", "Slot", "Slots", "Study",
           "apply", "capture", "export", "load", "measure", "remove"]


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        part = import_module(_PLACES[name], __name__)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] == __name__:
            raise
        raise Error(f"{name} needs the Python package {error.name}, which is not installed", f"stashscope.{name}",
                    f"Install it: pip install {error.name}") from error
    globals()[name] = getattr(part, name)
    return globals()[name]


def __dir__() -> list[str]:
    return sorted({*globals(), *_PLACES})
