"""A plan: which modules are recomputed, and which outputs inside them are kept."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Union

import torch

from ..errors import Error

PathLike = Union[str, "os.PathLike[str]"]


@dataclass(frozen=True, order=True)
class SavedOperator:
    """One operator call, such as one whose outputs are kept for backward.

    `operator` has namespace and overload, as `aten.mm.default`. `occurrence` counts the calls of this operator within
    one call of the region; 0 is the first.
    """

    operator: str
    occurrence: int

    def __post_init__(self) -> None:
        if not isinstance(self.operator, str) or self.operator.count(".") != 2 or "" in self.operator.split("."):
            raise Error(f"'{self.operator}' is not the name of an operator", "save",
                        "Write namespace, name and overload, as in 'aten.mm.default'.")
        if type(self.occurrence) is not int or self.occurrence < 0:
            raise Error(f"{self.occurrence!r} is not an occurrence of '{self.operator}'", "save",
                        "Give a whole number; 0 is the operator's first call in the region.")


@dataclass(frozen=True)
class Region:
    """Every call of one module. Its inputs and the outputs in `save` are kept for backward, which recomputes the rest.

    With `free_outputs`, the module's own outputs are recomputed, too, where operators after the module save them for
    backward. The operators in `skip`, and those that read their results, do not run again: backward needs none of their
    results.
    """

    module: str
    save: tuple[SavedOperator, ...] = ()
    free_outputs: bool = False
    skip: tuple[SavedOperator, ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.module, str):
            raise Error(f"{self.module!r} is not the name of a module", "region",
                        "Give the qualified name, as model.named_modules() has it.")
        if type(self.free_outputs) is not bool:
            raise Error(f"'free_outputs' is {self.free_outputs!r}, not True or False", f"region '{self.module}'")
        for name in ("save", "skip"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
            self._check_calls(name)
        both = set(self.save) & set(self.skip)
        if both:
            raise Error(f"Occurrence {min(both).occurrence} of '{min(both).operator}' is both in 'save' and in 'skip'",
                        f"region '{self.module}'", "What is saved does not run again. Leave it out of 'skip'.")

    def _check_calls(self, name: str) -> None:
        calls = getattr(self, name)
        for call in calls:
            if not isinstance(call, SavedOperator):
                raise Error(f"{call!r} is not a SavedOperator", f"region '{self.module}'",
                            "Write SavedOperator('aten.mm.default', 0).")
        if len(set(calls)) != len(calls):
            twice = next(call for call in calls if calls.count(call) > 1)
            raise Error(f"Occurrence {twice.occurrence} of '{twice.operator}' is named twice",
                        f"region '{self.module}'", "Name it once.")

    def positions(self) -> dict[str, tuple[int, ...]]:
        """The kept occurrences of each operator, in rising order."""
        return _positions(self.save)

    def skipped_positions(self) -> dict[str, tuple[int, ...]]:
        """The occurrences of each operator that do not run again, in rising order."""
        return _positions(self.skip)


def _positions(calls: tuple[SavedOperator, ...]) -> dict[str, tuple[int, ...]]:
    found: dict[str, tuple[int, ...]] = {}
    for call in sorted(calls):
        found[call.operator] = found.get(call.operator, ()) + (call.occurrence,)
    return found


@dataclass(frozen=True)
class Plan:
    """Which modules are recomputed in backward. `stashscope.apply(model, plan)` carries it out."""

    regions: tuple[Region, ...] = ()
    # The version of PyTorch that the plan was made with. Other versions may run other operators.
    torch: str = field(default=str(torch.__version__), compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "regions", tuple(self.regions))
        seen: set[str] = set()
        for region in self.regions:
            if not isinstance(region, Region):
                raise Error(f"{region!r} is not a Region", "plan", "Write Region('name of a module', save=(...)).")
            if region.module in seen:
                raise Error(f"Module '{region.module}' is named by two regions", "plan",
                            "Put all that it saves into one region.")
            seen.add(region.module)

    @classmethod
    def load(cls, path: PathLike) -> "Plan":
        """Reads a plan from a file. Raises `Error`."""
        from .plan_file import load
        return load(path)

    def save(self, path: PathLike) -> None:
        """Writes the plan to a file. An existing file is replaced in one step, or stays as it is. Raises `Error`."""
        from .plan_file import save
        save(self, path)

    def code(self) -> str:
        """The plan as plain PyTorch to paste into a script, without this package."""
        from .code import plain_code
        return plain_code(self)
