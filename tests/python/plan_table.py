#!/usr/bin/env python3
"""Plans small models with the program, captures each again with its plan applied, and prints both peaks.

usage: STASHSCOPE_PROGRAM=build/release/bin/stashscope plan_table.py [--models gpt2,llama] [--autocast no,yes]

Exit code 1 if a predicted peak differs from the captured one. Peaks are of forward and backward, in bytes.
"""
from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path[:0] = [str(Path(__file__).resolve().parent.parent.parent / "python")]

from engine_plans_test import captured, reported  # noqa: E402
from models import MODELS  # noqa: E402
from small_models import curve_of  # noqa: E402
from stashscope import Plan  # noqa: E402


def plans_of(report: dict) -> list[tuple[str, tuple[str, ...]]]:
    """The plan that saves most, the one of these modules that keeps most inside, and three budgets."""
    config = report["plans"][0]["config"]
    modules = config.split(":")[0]
    keeping = [row["config"] for row in report["plans"] if row["config"].startswith(f"{modules}[keep ")][-1:]
    budgets = [(f"budget {percent} %", ("--budget", f"{percent}%")) for percent in (80, 60, 45)]
    return [(f"`{each}`", ("--plan", each)) for each in [config, *keeping]] + budgets


def rows(folder: Path, model: str, autocast: bool) -> int:
    """Prints the rows of a model; returns how many differ."""
    step, planned, plan = folder / "step.onnx", folder / "planned.onnx", folder / "plan.json"
    captured(model, step, autocast=autocast)
    before = max(curve_of(step))
    wrong = 0
    for name, options in plans_of(reported(step, plan)):
        report = reported(step, plan, *options)
        predicted = report["memory"]["current"]["peak_bytes"]
        captured(model, planned, Plan.load(plan), autocast)
        peak = max(curve_of(planned))
        wrong += predicted != peak
        print(f"| {model}{', bfloat16' if autocast else ''} | {name} | {before:,} | {predicted:,} | {peak:,} | "
              f"{predicted - peak:,} | {len(Plan.load(plan).regions)} |", flush=True)
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", default=",".join(name for name in MODELS if name != "mixtral"))
    parser.add_argument("--autocast", default="no,yes")
    options = parser.parse_args()
    print("| model | plan | peak before | predicted peak | captured peak | difference | regions |\n"
          "|---|---|---:|---:|---:|---:|---:|")
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for model in options.models.split(","):
            for autocast in options.autocast.split(","):
                if model == "lstm" and autocast == "yes":
                    continue  # not on every processor
                wrong += rows(Path(folder), model, autocast == "yes")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
