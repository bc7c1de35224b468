#!/usr/bin/env python3
"""Our plans and activation_memory_budget, both carried out in the compiled step.

usage: STASHSCOPE_PROGRAM=build/ci/bin/stashscope compiled_plans.py [MODEL;MODEL]

Prints a table of docs/pytorch_figures.md. All peaks and costs are those of captured compiled steps, less those of the
step with aot_eager_default_partitioner. The program plans the step that is not compiled, so the first plan whose
compiled peak is at most theirs counts; for each further try the budget falls by what the last one had too much.
"""
from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Optional

from pytorch_peers import STEPS, Cost, Eager, built, cost_of, more  # also finds the package

import torch
import stashscope
from compiled_budget import captured_under
from stashscope import Plan

BUDGETS = (0.8, 0.6, 0.4)
TRIES = 5


class Compiled:
    """The compiled step of a model, with a budget of PyTorch's partitioner or with a plan of ours."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name, self.folder = name, folder
        self.base = self.captured(1.0, backend="aot_eager_default_partitioner")

    def captured(self, budget: float, plan: Optional[Plan] = None, backend: str = "aot_eager") -> Cost:
        torch._dynamo.reset()
        model, loss = built(self.name)
        if plan is not None:
            stashscope.apply(model, plan)
        model.compile(backend=backend)
        path = self.folder / "compiled.onnx"
        captured_under(budget, lambda: loss().backward(), path)
        return cost_of(path)

    def planned(self, eager: Eager, peak: int, aim: str) -> Optional[Cost]:
        """With the first plan that needs at most `peak`."""
        budget = peak
        for _ in range(TRIES):
            eager.planned(str(budget), aim)
            found = self.captured(1.0, Plan.load(self.folder / "plan.json"))
            if found.peak <= peak:
                return found
            budget -= found.peak - peak
        return None


def row(compiled: Compiled, eager: Eager, budget: float) -> str:
    theirs = compiled.captured(budget)
    cells = [f"{theirs.peak:,}", "{:,.0f} ({:,.1f})".format(*more(theirs, compiled.base))]
    for aim in ("operations", "time"):
        ours = compiled.planned(eager, theirs.peak, aim)
        cells += ["", "none found"] if ours is None else \
            [f"{ours.peak:,}", "{:,.0f} ({:,.1f})".format(*more(ours, compiled.base))]
    return f"| {compiled.name} | {budget} | " + " | ".join(cells) + " |"


def main() -> None:
    print("| step | budget | its peak | its operations (µs) | peak, fewest operations | operations (µs) | "
          "peak, least time | operations (µs) |\n|---|---:|---:|---:|---:|---:|---:|---:|")
    for name in sys.argv[1].split(";") if len(sys.argv) > 1 else STEPS:
        with tempfile.TemporaryDirectory() as held:
            eager, compiled = Eager(name, Path(held)), Compiled(name, Path(held))
            for budget in BUDGETS:
                print(row(compiled, eager, budget), flush=True)


if __name__ == "__main__":
    main()
