#!/usr/bin/env python3
"""Plans the steps of the benchmarks for their budgets and saves the sessions beside the models of FOLDER.

usage: sessions.py STASHSCOPE FOLDER [--seconds 25] [--only MODEL,...]

The machine that runs the benchmarks has no planner. FOLDER is one that pack.sh made; --seconds limits each search.
With --only, only these small models are planned and none of full size.
"""
import argparse
import json
import pathlib
import subprocess
import sys

import cases

DONE, BUDGET_NOT_MET = 0, 4


class Planner:
    def __init__(self, program: pathlib.Path, seconds: float):
        self.program = program
        self.seconds = seconds

    def report(self, model: pathlib.Path, options: list[str]) -> dict:
        run = subprocess.run([self.program, "--batch", model, *options, "--format", "json"], capture_output=True,
                             text=True)
        if run.returncode not in (DONE, BUDGET_NOT_MET):
            raise RuntimeError(f"{model.name}: {run.stderr}")
        return json.loads(run.stdout)

    def peak(self, model: pathlib.Path, options: list[str]) -> int:
        return self.report(model, options)["memory"]["baseline"]["peak_bytes"]

    def plan(self, model: pathlib.Path, options: list[str], budget: int, seconds: float,
             session: pathlib.Path | None = None) -> dict:
        """The report's entry for the budget. Saves the best plan found, even if it exceeds the budget."""
        save = ["--save-session", str(session)] if session else []
        return self.report(model, [*options, "--budget", str(budget), "--grain", "node", "--time-limit", str(seconds),
                                   *save])["budget"]


def tell(name: str, before: int, budget: int, found: dict) -> None:
    met = "" if found["feasible"] else " (not met)"
    print(f"{name}: peak {before:,} B, budget {budget:,} B, planned {found['peak_bytes']:,} B{met}", flush=True)


def plan_share(planner: Planner, name: str, model: pathlib.Path, options: list[str], seconds: float,
               session: pathlib.Path) -> None:
    before = planner.peak(model, options)
    budget = int(cases.BUDGET * before)
    tell(name, before, budget, planner.plan(model, options, budget, seconds, session))


def largest_batch(planner: Planner, model: pathlib.Path) -> int:
    """The largest batch whose planned peak is at most PLANNED_BYTES; 0 if there is none."""
    def fits(batch: int) -> bool:
        options = [*cases.LIMITED.options(batch), *cases.OPTIMIZED]
        return planner.plan(model, options, cases.PLANNED_BYTES, planner.seconds / 5)["feasible"]

    fitting, failing = 0, 1
    while fits(failing):
        fitting, failing = failing, 2 * failing
    while failing - fitting > 1:
        middle = (fitting + failing) // 2
        fitting, failing = (middle, failing) if fits(middle) else (fitting, middle)
    return fitting


def plan_largest_batch(planner: Planner, folder: pathlib.Path) -> None:
    model = cases.full_model(folder, cases.LIMITED.model)
    batch = largest_batch(planner, model)
    if batch == 0:
        raise RuntimeError(f"{model.name}: no batch fits into {cases.PLANNED_BYTES:,} B")
    options = [*cases.LIMITED.options(batch), *cases.OPTIMIZED]
    found = planner.plan(model, options, cases.PLANNED_BYTES, planner.seconds, cases.largest_batch_session(folder))
    tell(f"{cases.LIMITED.name}, largest batch {batch}", planner.peak(model, options), cases.PLANNED_BYTES, found)
    cases.largest_batch_session(folder).with_suffix(".batch").write_text(f"{batch}\n")


def plan_full_models(planner: Planner, folder: pathlib.Path) -> None:
    for case in cases.CASES:
        plan_share(planner, case.name, cases.full_model(folder, case.model), [*case.options(), *cases.OPTIMIZED],
                   planner.seconds, cases.budget_session(folder, case))
    plan_largest_batch(planner, folder)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--seconds", type=float, default=25)
    parser.add_argument("--only", type=lambda text: tuple(text.split(",")), default=())
    options = parser.parse_args()
    planner, folder = Planner(options.program, options.seconds), options.folder
    for name in options.only or cases.ORACLES + cases.WITHOUT_ORACLE:
        plan_share(planner, name, cases.small_model(folder, name), [], min(1.0, options.seconds),
                   cases.small_session(folder, name))
    if not options.only:
        plan_full_models(planner, folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
