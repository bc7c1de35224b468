"""A study: the memory of a training step, the plans that lower it, and what they cost."""

from __future__ import annotations

import json
import os
import warnings
from functools import cached_property
from typing import TYPE_CHECKING, Any, Mapping, Optional, Union

from ..errors import Error
from .arguments import amount, config_of, whole_number
from .records import BudgetAnswer, Fit, FitPoint, PlanRow, ReplannedFit, Slots, VariantFit

if TYPE_CHECKING:
    import numpy

    from .. import _engine as native
    from ..applying import Plan


class Study:
    """The memory, time and plans of one training step, as the engine predicts them.

    `stashscope.load` makes it. A study never changes: `tick` and `budget` return another one. Numbers are those of
    `stashscope --batch --format json` with the same choices. Sizes are bytes, times seconds.
    """

    path: str
    _engine: "native.Study"

    def __init__(self, engine: "native.Study", path: str) -> None:
        self.__dict__.update(_engine=engine, path=path)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"a study cannot be changed; '{name}' was not set")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a study cannot be changed; '{name}' was not deleted")

    def __repr__(self) -> str:
        rows = self.plans + self.extensions
        return (f"<stashscope.Study of {os.path.basename(self.path)}: peak {self.peak_bytes:,} B"
                f" ({self.baseline_peak_bytes:,} B without plans), {len(rows)} plans, {sum(row.on for row in rows)} on>")

    def _repr_html_(self) -> str:
        return self._engine.card()

    @property
    def peak_bytes(self) -> int:
        """The peak of the step with the plans that are on."""
        return self._engine.peak_bytes

    @property
    def baseline_peak_bytes(self) -> int:
        """The peak of the step without plans."""
        return self._engine.baseline_peak_bytes

    @property
    def reserved_bytes(self) -> int:
        """What PyTorch's allocator reserves for the step. The settings are those of `load` or the session, if any."""
        return self._engine.reserved_bytes

    @property
    def peak_slot(self) -> int:
        """The slot of the peak, from 0."""
        return self._engine.peak_slot

    @property
    def peak_symbolic(self) -> str:
        """The peak in the model's dimension names; empty if the expression is too large."""
        return self._engine.peak_symbolic

    @cached_property
    def curve(self) -> "numpy.ndarray[Any, numpy.dtype[numpy.int64]]":
        """Live bytes while each slot runs, read-only."""
        return self._engine.curve

    @cached_property
    def baseline_curve(self) -> "numpy.ndarray[Any, numpy.dtype[numpy.int64]]":
        """Live bytes of the step without plans, read-only."""
        return self._engine.baseline_curve

    @cached_property
    def bands(self) -> "Mapping[str, numpy.ndarray[Any, numpy.dtype[numpy.int64]]]":
        """The curve by use: parameters, gradients, stashed and so on, which add up to `curve`."""
        return self._engine.bands

    @cached_property
    def slots(self) -> Slots:
        """What runs in each slot: names, operators, modules and phases."""
        return Slots(self._engine.slots)

    @cached_property
    def plans(self) -> tuple[PlanRow, ...]:
        """The rows of the plan table."""
        return tuple(PlanRow(**row) for row in self._engine.plans)

    @cached_property
    def extensions(self) -> tuple[PlanRow, ...]:
        """Plans of types that the runtime of the model does not know, such as offload."""
        return tuple(PlanRow(**row) for row in self._engine.extensions)

    @property
    def config(self) -> str:
        """The plans that are on, as a config string."""
        return self._engine.config

    @property
    def is_captured(self) -> bool:
        """Whether this is a captured step of PyTorch, and not a model."""
        return self._engine.is_captured

    @property
    def dims(self) -> dict[str, int]:
        """The size of every dimension by name."""
        return self._engine.dims

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the engine noted about the file and the choices."""
        return tuple(self._engine.warnings)

    @property
    def flops(self) -> float:
        """Floating-point operations of the step without plans."""
        return self._engine.flops

    @property
    def extra_flops(self) -> float:
        """Floating-point operations that the plans add."""
        return self._engine.extra_flops

    @property
    def extra_percent(self) -> float:
        """`extra_flops` in per cent of `flops`."""
        return self._engine.extra_percent

    @property
    def seconds(self) -> float:
        """Predicted time of the step with the plans that are on."""
        return self._engine.seconds

    @property
    def extra_seconds(self) -> float:
        """Predicted time that the plans add."""
        return self._engine.extra_seconds

    @property
    def host_bytes(self) -> int:
        """The most bytes that offloaded tensors take on the host at once."""
        return self._engine.host_bytes

    def tick(self, config: Union[str, PlanRow], on: bool = True) -> "Study":
        """The study with a plan switched on or off.

        `config` is a row of `plans` or `extensions`, its config, or entries `cluster:type:count`. Plans that cannot be
        on together with this plan are switched off. Raises `Error` if `config` is no plan of this step.
        """
        if not isinstance(on, bool):
            raise Error(f"{on!r} is neither True nor False", "on", "Give one of them.")
        return Study(self._engine.tick(config_of(config), on), self.path)

    def budget(self, limit: Union[int, str], *, grain: str = "cluster", time_limit: Optional[float] = None,
               move_limit: int = 0, seed: int = 1, minimise: str = "time", allow_lossy: bool = False) -> "Study":
        """The study with the cheapest plans that the search finds for a peak within `limit`.

        limit: bytes, or a text: '12GiB', '60%' of the peak without plans, or '-4GiB' to save that much.
        grain: 'cluster', 'node' or 'sequence', the unit of a plan, as `--grain` takes it; or 'joint', which may also
            switch on what-ifs and passes. `to_json` has the reasons.
        minimise: 'time' (the added time, the default) or 'operations' (the added operations; captured steps only).
        allow_lossy: whether a joint search may also choose what changes the results of the step.
        time_limit: seconds to search (default 10). With `time_limit=0` and a `move_limit` the answer is reproducible.

        If no plan found fits, the study has the plans with the lowest peak and a UserWarning says so.
        The limit holds for the captured step; if later steps need more, a UserWarning says so, too. `budget_answer`
        has the details.
        """
        seconds, moves = _limit(time_limit, move_limit)
        text = amount(limit, "budget", "'12GiB', '60%' or '-4GiB'")
        found = Study(self._engine.budget(text, grain, seconds, moves, whole_number(seed, "seed"), minimise,
                                          bool(allow_lossy)), self.path)
        answer = found.budget_answer
        if answer is not None and not answer.feasible:
            warnings.warn(f"the budget of {answer.budget_bytes:,} B is not met; the lowest peak found is "
                          f"{answer.peak_bytes:,} B", stacklevel=2)
        elif answer is not None and answer.later_peak_bytes > answer.budget_bytes:
            warnings.warn(f"the captured step meets the budget of {answer.budget_bytes:,} B, but later steps "
                          f"have a peak of {answer.later_peak_bytes:,} B, because they hold the optimizer states that "
                          "the captured step makes", stacklevel=2)
        return found

    @cached_property
    def budget_answer(self) -> Optional[BudgetAnswer]:
        """What the search found; None if this study is not the result of `budget`."""
        text = self._engine.budget_answer
        return None if text is None else BudgetAnswer.of_report(json.loads(text))

    def fit(self, dim: Union[str, "tuple[str, ...]", "list[str]"],
            memory: Union[None, int, str] = None, *, replan: bool = False, grain: str = "cluster",
            time_limit: Optional[float] = None, move_limit: int = 0, seed: int = 1) -> Fit:
        """The largest value of a dimension with which the step fits into a memory.

        dim: a name, or several that get the same value. In a name, `*` stands for any text.
        memory: bytes, or a text such as '80GiB'; None is the memory of the device profile.
        replan: whether to search for a plan at each value, too; the other arguments are those of `budget`, for the
            search at each value.
        """
        names = dim if isinstance(dim, str) else ",".join(dim)
        text = "" if memory is None else amount(memory, "memory", "'80GiB'")
        seconds, moves = _limit(time_limit, move_limit)
        return _fit(json.loads(self._engine.fit(names, text, bool(replan), grain, seconds, moves,
                                                whole_number(seed, "seed"))))

    @property
    def plan(self) -> "Plan":
        """The plans that are on, for `stashscope.apply`. Only captured steps have one; needs PyTorch."""
        text = self._engine.plan
        try:
            from ..applying.plan_file import parse
        except ImportError as error:
            raise Error(f"A plan for PyTorch needs PyTorch: {error}", "Study.plan", "Install torch.") from error
        return parse(text.encode(), f"the plan of {self.path}")

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes a session: the path of the model and the choices. `load`, the window and the programs open it."""
        self._engine.save(os.fsencode(path))

    def to_json(self) -> str:
        """The text that `stashscope --batch --format json` prints for these choices."""
        return self._engine.report()


def _limit(time_limit: Optional[float], move_limit: int) -> tuple[float, int]:
    """Seconds and moves of a search."""
    moves = whole_number(move_limit, "move_limit")
    seconds = 10.0 if time_limit is None else _seconds(time_limit)
    if moves < 0:
        raise Error(f"move_limit is {moves}, below 0", "move_limit",
                    "Give 0 for no limit of moves, or a number above 0.")
    if moves == 0 and seconds == 0:
        raise Error("The search would never end: time_limit and move_limit are both 0", "move_limit",
                    "Give a time_limit or a move_limit above 0.")
    return seconds, moves


def _seconds(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1e6:
        raise Error(f"{value!r} is no number of seconds from 0 to 1,000,000", "time_limit", "Give seconds.")
    return float(value)


def _fit(report: Mapping[str, Any]) -> Fit:
    return Fit(tuple(report["dims"]), report["memory_bytes"], _variant(report["baseline"]),
               _variant(report["current"]),
               ReplannedFit.of_report(report["replanned"]) if "replanned" in report else None)


def _variant(report: Mapping[str, Any]) -> VariantFit:
    refused = report["refused"]
    return VariantFit(_point(report["largest"]), _point(report["next"]), refused["reason"] if refused else "",
                      report["unlimited"], report["values_tried"])


def _point(report: Optional[Mapping[str, Any]]) -> Optional[FitPoint]:
    if report is None:
        return None
    return FitPoint(report["value"], report.get("peak_bytes"), report.get("step_seconds"))
