#!/usr/bin/env python3
"""Our plans and activation_memory_budget, both carried out in the compiled step.

usage: STASHSCOPE_PROGRAM=build/ci/bin/stashscope compiled_plans.py [MODEL;MODEL]

Prints a table of docs/pytorch_figures.md. All peaks and costs are those of captured compiled steps; from the costs,
those of the step with aot_eager_default_partitioner are subtracted. The program plans the step that is not compiled, so
a plan can miss the peer's peak when it is compiled. Each further try lowers the budget by as many bytes as the last
plan was above the peer's peak. The first plan that is not above it counts.
"""
from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Optional

from pytorch_peers import STEPS, Cost, Eager, base_cost, compiled_cost, more  # also finds the package

from stashscope import Plan

BUDGETS = (0.8, 0.6, 0.4)
TRIES = 5


def planned(eager: Eager, peak: int, aim: str) -> Optional[Cost]:
    """The cost of the compiled step with the first plan that needs at most `peak`; None if no try finds one."""
    budget = peak
    for _ in range(TRIES):
        eager.planned(str(budget), aim)
        found = compiled_cost(eager.name, eager.folder, plan=Plan.load(eager.folder / "plan.json"))
        if found.peak <= peak:
            return found
        budget -= found.peak - peak
    return None


def row(eager: Eager, base: Cost, budget: float) -> str:
    theirs = compiled_cost(eager.name, eager.folder, budget)
    cells = [f"{theirs.peak:,}", "{:,.0f} ({:,.1f})".format(*more(theirs, base))]
    for aim in ("operations", "time"):
        ours = planned(eager, theirs.peak, aim)
        cells += ["", "none found"] if ours is None else \
            [f"{ours.peak:,}", "{:,.0f} ({:,.1f})".format(*more(ours, base))]
    return f"| {eager.name} | {budget} | " + " | ".join(cells) + " |"


def main() -> None:
    print("| step | budget | its peak | its operations (µs) | peak, fewest operations | operations (µs) | "
          "peak, least time | operations (µs) |\n|---|---:|---:|---:|---:|---:|---:|---:|")
    for name in sys.argv[1].split(";") if len(sys.argv) > 1 else STEPS:
        with tempfile.TemporaryDirectory() as held:
            eager, base = Eager(name, Path(held)), base_cost(name, Path(held))
            for budget in BUDGETS:
                print(row(eager, base, budget), flush=True)


if __name__ == "__main__":
    main()
