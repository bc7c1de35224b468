#!/usr/bin/env python3
"""The planner beside PyTorch's own: activation_memory_budget and auto-SAC of torch.distributed._tools.

usage: STASHSCOPE_PROGRAM=build/ci/bin/stashscope pytorch_peers.py [--models 'gpt2;unet'] [--peers budget,sac]

Prints the section of docs/pytorch_figures.md. Auto-SAC needs the packages pulp and pwlf (pwlf brings scipy).
The peers' peaks are those of captured steps. Operations and times are the program's, summed over the captured step,
less those of the same step without recomputation: for a compiled step with aot_eager_default_partitioner. Ours is
planned for the peer's peak and for the peer's saving, each for the fewest operations and for the least time.
"""
from __future__ import annotations

import argparse
import contextlib
import copy
import datetime
import functools
import importlib.util
import io
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Iterator, Optional
from unittest import mock

sys.dont_write_bytecode = True
_ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(_ROOT / "python"), str(_ROOT / "tests" / "python"), str(_ROOT / "bench")]

import torch  # noqa: E402
import stashscope  # noqa: E402
from compiled_budget import captured_under  # noqa: E402
from models import MODELS  # noqa: E402
from stashscope import Plan  # noqa: E402

BUDGETS = (0.8, 0.6, 0.4, 0.2, 0.0)
FALLING = (90, 80, 70, 60, 50, 40)
# A limit in time would depend on the load of the machine.
SEARCH = ("--move-limit", "30000", "--time-limit", "0", "--seed", "1")
BUDGET_NOT_MET = 4
Saved = dict[str, set[tuple[Any, int]]]  # the checkpointed modules, and which call of which operator each saves
# The rates of the A100 that the program predicts for. PyTorch's estimator multiplies by 1e15 and gives milliseconds.
# The solver's tolerances need numbers near 1, so the device is slower by 1,000 and all times are in microseconds.
SLOWER = 1000
PETAFLOPS, GIGABYTES_PER_SECOND = 0.0195 / SLOWER, 2039 / SLOWER


def _wide_gpt2() -> tuple[torch.nn.Module, Callable[[], torch.Tensor]]:
    from transformers import GPT2Config, GPT2LMHeadModel
    model = GPT2LMHeadModel(GPT2Config(n_layer=4, n_embd=256, n_head=4, vocab_size=1000, n_positions=128))
    ids = torch.randint(0, 1000, (4, 128))
    return model, lambda: model(input_ids=ids, labels=ids).loss


STEPS = {"gpt2": MODELS["gpt2"], "gpt2, 4 layers of 256": _wide_gpt2, "llama": MODELS["llama"], "unet": MODELS["unet"]}


@dataclass(frozen=True)
class Cost:
    """The figures that the program reports for a captured step."""

    peak: int          # bytes
    operations: float
    seconds: float


def built(name: str) -> tuple[torch.nn.Module, Callable[[], torch.Tensor]]:
    """A fresh model and its loss; caches are off because they do not compile."""
    torch.manual_seed(0)
    model, loss = STEPS[name]()
    if hasattr(model, "config"):
        model.config.use_cache = False
    return model.train(), loss


def reported(path: Path, *options: str) -> dict[str, Any]:
    done = subprocess.run([os.environ["STASHSCOPE_PROGRAM"], "--batch", str(path), "--format", "json", *options],
                          capture_output=True, text=True)
    if done.returncode not in (0, BUDGET_NOT_MET):
        raise SystemExit(done.stderr)
    return json.loads(done.stdout)


def cost_of(path: Path) -> Cost:
    report = reported(path)
    return Cost(report["memory"]["current"]["peak_bytes"], report["cost"]["flops"], report["cost"]["current_seconds"])


class Eager:
    """A step without torch.compile, and the planner on it."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name, self.folder, self.path = name, folder, folder / "step.onnx"
        self._capture(lambda model: None, self.path)
        self.base = cost_of(self.path)
        self.captured = self.as_predicted = 0

    def _capture(self, change: Callable[[torch.nn.Module], Any], path: Path) -> None:
        model, loss = built(self.name)
        change(model)
        stashscope.capture(lambda: loss().backward(), path, model=model)

    def changed(self, change: Callable[[torch.nn.Module], Any]) -> Cost:
        """The step captured again with the changed model."""
        path = self.folder / "changed.onnx"
        self._capture(change, path)
        return cost_of(path)

    def planned(self, budget: str, aim: str = "time") -> Cost:
        """The predicted cost with the program's plan; if no plan meets the budget, with the plan that has the lowest
        peak."""
        report = reported(self.path, "--budget", budget, "--minimise", aim, "--export-plan",
                          str(self.folder / "plan.json"), *SEARCH)
        added = report["cost"]
        return Cost(report["memory"]["current"]["peak_bytes"], self.base.operations + added["extra_flops"],
                    self.base.seconds + added["extra_seconds"])

    def check(self, predicted: Cost) -> None:
        """Captures the step with the last plan and compares the peaks."""
        plan = Plan.load(self.folder / "plan.json")
        self.captured += 1
        self.as_predicted += self.changed(lambda model: stashscope.apply(model, plan)).peak == predicted.peak


@dataclass(frozen=True)
class Row:
    peer: str
    theirs: Cost
    base: Cost         # their step without recomputation


def compiled_cost(name: str, folder: Path, budget: float = 1.0, plan: Optional[Plan] = None,
                  backend: str = "aot_eager") -> Cost:
    """The cost of the compiled step, with a budget of PyTorch's partitioner or with a plan of ours."""
    torch._dynamo.reset()
    model, loss = built(name)
    if plan is not None:
        stashscope.apply(model, plan)
    model.compile(backend=backend)
    path = folder / "compiled.onnx"
    captured_under(budget, lambda: loss().backward(), path)
    return cost_of(path)


def base_cost(name: str, folder: Path) -> Cost:
    """The cost of the compiled step in which nothing runs again."""
    return compiled_cost(name, folder, backend="aot_eager_default_partitioner")


def compiled_rows(name: str, folder: Path) -> Iterator[Row]:
    """The compiled step under each budget of the partitioner."""
    base = base_cost(name, folder)
    for budget in BUDGETS:
        yield Row(f"budget {budget}", compiled_cost(name, folder, budget), base)


class AutoSac:
    """PyTorch's estimators and solvers on a step with fake tensors."""

    def __init__(self, name: str) -> None:
        from torch._subclasses.fake_tensor import FakeTensorMode
        from torch.distributed._tools import ilp_utils, runtime_estimator
        device = {"get_device_tflops": lambda kind: PETAFLOPS, "get_gpu_dram_gbps": lambda: GIGABYTES_PER_SECOND}
        with FakeTensorMode(), mock.patch.multiple(runtime_estimator, **device), \
                mock.patch("torch.cuda.is_available", lambda: True):  # a GPU is needed only for rates, given here
            self.model, self.loss = built(name)
            self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.0)
            memory, times, self.operators = self._memory(), self._times(), self._operators()
            info = ilp_utils.aggregate_stats(self.model, memory, times, self.operators, torch.device("cpu"))
        self.graph = ilp_utils.parse_module_info(info)
        self.peak = ilp_utils.get_peak_memory_runtime_baseline(self.graph)[0]

    def _step(self) -> None:
        self.loss().backward()
        self.optimizer.step()
        self.optimizer.zero_grad()

    def _memory(self) -> Any:
        from torch.distributed._tools.mem_tracker import MemTracker, _ModState
        tracker = MemTracker()
        tracker.track_external(self.model, self.optimizer)
        with tracker:
            self._step()
            tracker.reset_mod_stats()
            self.loss().backward()
            last = tracker.get_tracker_snapshot("current")
            self.optimizer.zero_grad()
        for stats in tracker.memory_tracking.values():
            # The tracker does not see the end of the backward pass of modules whose inputs need no gradient.
            stats.snapshots.setdefault(_ModState.POST_BW, [copy.deepcopy(last)])
        return tracker

    def _times(self) -> Any:
        from torch.distributed._tools.runtime_estimator import RuntimeEstimator
        estimator = RuntimeEstimator()
        with contextlib.redirect_stdout(io.StringIO()), estimator("operator-level-cost-model"):
            self._step()
        return estimator

    def _operators(self) -> Any:
        from torch.distributed._tools.sac_estimator import SACEstimator
        estimator = SACEstimator()
        with estimator("operator-level-cost-model"):
            loss = self.loss()
        loss.backward()
        return estimator

    def plan(self, part: float) -> Optional[Saved]:
        """The solvers' decision for this part of the peak that the estimators see; None if they find none."""
        from torch.distributed._tools.sac_ilp import sac_milp
        decisions, _, peak = sac_milp(copy.deepcopy(self.graph), part * self.peak / 2**30)
        if peak < 0:
            return None
        plan = {module.partition(".")[2]: self._saved(module, discarded) for module, discarded in decisions.items()}
        return None if None in plan.values() else plan

    def _saved(self, module: str, discarded: float) -> Optional[set[tuple[Any, int]]]:
        from torch.distributed._tools.sac_estimator import OPS_TO_ALWAYS_SKIP
        from torch.distributed._tools.sac_ilp import get_optimal_checkpointing_policy_per_module
        decided = get_optimal_checkpointing_policy_per_module(self.operators.sac_mod_stats[module], 1 - discarded)
        if not decided:
            return None
        kept = iter(decided)
        calls: Counter[Any] = Counter()
        saved = set()
        for one in self.operators._sac_mod_metadata[module].sac_metadata:
            if one.func not in OPS_TO_ALWAYS_SKIP and next(kept):
                saved.add((one.func, calls[one.func]))
            calls[one.func] += 1
        return saved


def checkpointed(model: torch.nn.Module, plan: Saved) -> None:
    """Checkpoints these modules by PyTorch's own means. Outputs that the solver saves may be changed in place later."""
    from torch.utils.checkpoint import CheckpointPolicy, checkpoint, create_selective_checkpoint_contexts

    def contexts(saved: set[tuple[Any, int]]) -> Any:
        calls = {False: Counter(), True: Counter()}

        def policy(context: Any, operator: Any, *_: Any, **__: Any) -> CheckpointPolicy:
            seen = calls[context.is_recompute]
            seen[operator] += 1
            return CheckpointPolicy.MUST_SAVE if (operator, seen[operator] - 1) in saved \
                else CheckpointPolicy.PREFER_RECOMPUTE
        return create_selective_checkpoint_contexts(policy, allow_cache_entry_mutation=True)

    for name, saved in plan.items():
        module = model.get_submodule(name)
        module.forward = functools.partial(checkpoint, module.forward, use_reentrant=False,
                                           context_fn=functools.partial(contexts, saved))


def sac_rows(name: str, eager: Eager, notes: list[str]) -> Iterator[Row]:
    peer = AutoSac(name)
    for part in BUDGETS:
        plan = peer.plan(part)
        if plan is None:
            notes.append(f"{name}: auto-SAC finds no plan for {part} of the peak that it sees.")
        elif plan:
            yield Row(f"auto-SAC {part}", eager.changed(lambda model: checkpointed(model, plan)), eager.base)


def until_error(name: str, peer: str, rows: Iterator[Row], notes: list[str]) -> Iterator[Row]:
    """The rows up to the first error of the peer. The error becomes a note."""
    try:
        yield from rows
    except (stashscope.Error, ArithmeticError, AssertionError, LookupError, RuntimeError, TypeError, ValueError) as error:
        notes.append(f"{name}: {peer} ends in {type(error).__name__}: {' '.join(str(error).split())[:200]}")


def more(cost: Cost, base: Cost) -> tuple[float, float]:
    """Extra operations, and extra microseconds."""
    return cost.operations - base.operations, 1e6 * (cost.seconds - base.seconds)


def better_row(theirs: Row, rows: list[Row]) -> Optional[Row]:
    """A row in which the same peer does better on every count. A user would take that one."""
    return next((other for other in rows if other is not theirs and other.base == theirs.base
                 and other.theirs.peak <= theirs.theirs.peak and all(
                     one < two for one, two in zip(more(other.theirs, other.base), more(theirs.theirs, theirs.base)))),
                None)


class Ours:
    """Our plans of fewest operations and of least time for one budget."""

    def __init__(self, eager: Eager, budget: int) -> None:
        self.budget = budget
        self.costs = [eager.planned(str(budget), "operations")]
        eager.check(self.costs[0])
        self.costs.append(eager.planned(str(budget), "time"))
        self.more = [more(cost, eager.base) for cost in self.costs]

    def cells(self) -> str:
        (operations, their_time), (their_operations, time) = self.more
        return f"{operations:,.0f} ({their_time:,.1f}) | {time:,.1f} ({their_operations:,.0f})"

    def verdict(self, theirs: tuple[float, float]) -> str:
        return " / ".join("not met" if cost.peak > self.budget else "ours" if mine[at] < theirs[at]
                          else "equal" if mine[at] == theirs[at] else "theirs"
                          for at, (cost, mine) in enumerate(zip(self.costs, self.more)))


def printed(name: str, eager: Eager, row: Row, rows: list[Row]) -> None:
    theirs = more(row.theirs, row.base)
    start = (f"| {name} | {row.peer} | {row.base.peak:,} | {row.theirs.peak:,} | {theirs[0]:,.0f} | {theirs[1]:,.1f} | "
             f"{eager.base.peak:,} |")
    better = better_row(row, rows)
    if better is not None:
        print(f"{start} | | its {better.peer} does better | | | |", flush=True)
        return
    at_peak = Ours(eager, row.theirs.peak)
    saving = eager.base.peak - (row.base.peak - row.theirs.peak)
    of_saving = at_peak if saving == at_peak.budget else Ours(eager, saving)
    cells = [cell for ours in (at_peak, of_saving) for cell in (ours.cells(), ours.verdict(theirs))]
    print(start, " | ".join(cells), "|", flush=True)


def in_words(who: str, peaks: list[int]) -> str:
    rises = sum(later > earlier for earlier, later in zip(peaks, peaks[1:]))
    return f"{who}: {', '.join(f'{peak:,}' for peak in peaks)}; {rises} rises."


def falling(name: str, eager: Eager) -> str:
    """Our peaks for falling budgets."""
    budgets = [f"{percent}%" for percent in FALLING]
    peaks = [eager.planned(budget).peak for budget in budgets]
    return in_words(f"{name}: our peaks for {', '.join(budgets)}", peaks)


def missing() -> list[str]:
    return [package for package in ("pulp", "pwlf") if importlib.util.find_spec(package) is None]


def heading(peers: list[str]) -> None:
    print(f"""## Beside PyTorch's own planners

`bench/pytorch_peers.py`, forward and backward on the CPU, {datetime.date.today()}, PyTorch {torch.__version__}.

- **budget**: `activation_memory_budget` of `torch.compile`, with `aot_eager`. **auto-SAC**: the estimators and solvers
  of `torch.distributed._tools`, with the rates of an A100 given by hand because they ask for a GPU, for a part of the
  peak that they see; carried out by PyTorch's selective checkpoints.
- Ours are the program's plans with `{' '.join(SEARCH)}`, one with `--minimise operations` and one
  with `--minimise time`; in brackets what the same plan costs of the other. The peers' peaks and costs are those of
  captured steps, ours are predicted; the steps with our plans for operations are captured, too, to compare their peaks.
- Extra operations and µs are the program's for an A100, summed over the captured step, less those of the same step
  without recomputation: for auto-SAC and ours the step without `torch.compile`, for the budget the compiled step with
  `aot_eager_default_partitioner`. That step has another peak and other operators, so there are two comparisons:
  **at its peak**, where ours must save more or less than the peer does, and **at its saving**, where ours saves as many
  bytes of its own step as the peer saves of its own. For auto-SAC, with the same step, both are one.
- Operators count one by one; inductor would fuse many of those that the budget repeats. In steps this small, most of
  the time are launches of kernels. The budget's solver counts operations, auto-SAC's a time without launches.
- A verdict says who has less (operations / µs). A row in which the peer does worse on every count than in another of
  its rows gets none.
""")
    if "sac" in peers and missing():
        print(f"auto-SAC is left out: {' and '.join(missing())} not installed.\n")
    print("| step | peer | its peak without | its peak | its operations | its µs | our peak without "
          "| at its peak: our operations (µs) | our µs (operations) | less "
          "| at its saving: our operations (µs) | our µs (operations) | less |\n|---|---|"
          + "---:|" * 7 + "---|---:|---:|---|")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", default=";".join(STEPS), help="separated by semicolons")
    parser.add_argument("--peers", default="budget,sac")
    options = parser.parse_args()
    peers = options.peers.split(",")
    heading(peers)
    notes: list[str] = []
    with tempfile.TemporaryDirectory() as held:
        for name in options.models.split(";"):
            eager = Eager(name, Path(held))
            compiled = list(until_error(name, "the budget", compiled_rows(name, Path(held)), notes)) \
                if "budget" in peers else []
            sac = list(until_error(name, "auto-SAC", sac_rows(name, eager, notes), notes)) \
                if "sac" in peers and not missing() else []
            for row in compiled + sac:
                printed(name, eager, row, compiled + sac)
            notes += [in_words(f"{name}: peaks of the budgets of PyTorch", [row.theirs.peak for row in compiled]),
                      falling(name, eager),
                      f"{name}: {eager.as_predicted} of {eager.captured} plans for operations have the predicted peak "
                      "in a captured step."]
            print("\n".join(notes), file=sys.stderr, flush=True)
    print("\n" + "\n".join(f"- {note}" for note in notes))


if __name__ == "__main__":
    main()
