"""The figures of a study, as immutable objects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Iterator, Mapping, Optional, Sequence, overload


@dataclass(frozen=True)
class PlanRow:
    """A row of the plan table, with the numbers of `plans` and `extensions` in `--batch --format json`."""

    config: str  # what `Study.tick` takes
    strategy: str  # such as recompute, region or offload
    freq: int  # places where the plan can be carried out
    saving_bytes: int
    saving_symbolic: str  # in the model's dimension names
    bytes_at_peak: int  # the part of the saving that is alive at the peak without plans
    extra_flops: float
    transfer_bytes: int  # between device and host
    extra_seconds: float
    modules: tuple[str, ...]
    on: bool
    applied: int  # places where the plan is carried out


@dataclass(frozen=True)
class Slot:
    """One position in the order of execution, and the node that runs there."""

    name: str
    operator: str
    module: str  # empty outside of all modules
    phase: str  # forward, recompute, backward or optimizer
    file: str  # of the line that made the node; empty if unknown
    line: int  # in `file`, from 1


class Slots(Sequence[Slot]):
    """The slots of a step in execution order. `names`, `modules` and `phases` are columns of the same length."""

    def __init__(self, rows: Sequence[Mapping[str, Any]]) -> None:
        self._slots = tuple(Slot(**row) for row in rows)

    @overload
    def __getitem__(self, index: int) -> Slot: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Slot, ...]: ...

    def __getitem__(self, index: Any) -> Any:
        return self._slots[index]

    def __len__(self) -> int:
        return len(self._slots)

    def __iter__(self) -> Iterator[Slot]:
        return iter(self._slots)

    def __repr__(self) -> str:
        return f"<{len(self)} slots>"

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(slot.name for slot in self._slots)

    @property
    def operators(self) -> tuple[str, ...]:
        return tuple(slot.operator for slot in self._slots)

    @property
    def modules(self) -> tuple[str, ...]:
        return tuple(slot.module for slot in self._slots)

    @property
    def phases(self) -> tuple[str, ...]:
        return tuple(slot.phase for slot in self._slots)


@dataclass(frozen=True)
class BudgetAnswer:
    """What the search for a budget found, with the numbers of `budget` in `--batch --format json`."""

    budget_bytes: int
    feasible: bool  # whether the peak found is within the budget
    impossible: bool  # whether it is proven that no plan is within the budget
    peak_bytes: int
    extra_seconds: float
    floor_bytes: Optional[int]  # lower bound on the peak; None: not proven
    least_extra_seconds: Optional[float]  # lower bound on the time that a plan within the budget adds
    moves: int
    seconds: float  # duration of the search
    later_peak_bytes: int = 0  # peak of later steps, which hold the optimizer states that the captured step makes

    @classmethod
    def of_report(cls, answer: Mapping[str, Any]) -> "BudgetAnswer":
        floor = answer.get("floor")
        return cls(answer["budget_bytes"], answer["feasible"], answer["impossible"], answer["peak_bytes"],
                   answer["extra_seconds"], floor and floor["bytes"], answer.get("least_extra_seconds"),
                   answer["moves"], answer["seconds"], answer["later_peak_bytes"])


@dataclass(frozen=True)
class FitPoint:
    """The step with one value for the dimension."""

    value: int
    peak_bytes: Optional[int]  # None: the sizes are too large to count
    seconds: Optional[float]


@dataclass(frozen=True)
class VariantFit:
    """The largest value that fits for one variant of the step."""

    largest: Optional[FitPoint]  # None: no value fits
    next: Optional[FitPoint]  # the next value that the model accepts; it does not fit
    refusal: str  # why the model rejects the value after the largest; empty if it does not
    unlimited: bool  # no limit was found; `largest` is the largest value tried
    values_tried: int


@dataclass(frozen=True)
class ReplannedFit:
    """The largest value that fits with a plan made for each value."""

    value: Optional[int]  # None: no value fits
    at_least: bool  # a larger value may fit: the search did not decide it
    peak_bytes: Optional[int]
    seconds: Optional[float]  # time of the step
    extra_seconds: Optional[float]  # the part of it that the plans add
    config: str  # the plans, as a config string
    passes: tuple[str, ...]  # passes that are on with the plans and take no time

    @classmethod
    def of_report(cls, answer: Mapping[str, Any]) -> "ReplannedFit":
        largest = answer["largest"] or {}
        return cls(largest.get("value"), answer["at_least"], largest.get("peak_bytes"), largest.get("step_seconds"),
                   largest.get("extra_seconds"), largest.get("config", ""), tuple(largest.get("passes", ())))


@dataclass(frozen=True)
class Fit:
    """The largest value of a dimension that fits into a memory."""

    dims: tuple[str, ...]
    memory_bytes: int
    baseline: VariantFit  # without plans
    current: VariantFit  # with the plans that are on
    replanned: Optional[ReplannedFit] = None  # with a plan made for each value; None: not asked for

    @property
    def value(self) -> Optional[int]:
        """The largest value that fits with the plans that are on; None if no value fits."""
        return None if self.current.largest is None else self.current.largest.value
