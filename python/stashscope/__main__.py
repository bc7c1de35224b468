"""`python -m stashscope`: captures a step of an unchanged training script, and opens and plans captured steps."""

from __future__ import annotations

import argparse
import sys
import warnings
from typing import Optional, Sequence

from .errors import Error


#: The exit code of `stashscope --batch` if none of the plans found meets the budget.
BUDGET_NOT_MET = 4


def _capture(options: argparse.Namespace) -> int:
    from .capturing.run import Assumed
    from .command.script import capture_script
    capture_script(options.script, options.arguments, options.out, step=options.step,
                   updates=options.updates, empty=options.empty, go_on=options.go_on,
                   assumed=Assumed(options.routing, options.kernels))
    return 0


def _open(options: argparse.Namespace) -> int:
    from .studies import open as open_window
    open_window(options.file)
    return 0


def _plan(options: argparse.Namespace) -> int:
    from .studies import load
    with warnings.catch_warnings(record=True) as notes:
        warnings.simplefilter("always")
        planned = load(options.file).budget(options.budget)
    for note in notes:
        print(f"stashscope: {note.message}", file=sys.stderr)
    planned.plan.save(options.out)
    print(f"peak {planned.baseline_peak_bytes:,} B without the plan, {planned.peak_bytes:,} B with it, "
          f"{planned.extra_percent:.1f} % more operations; wrote {options.out}")
    answer = planned.budget_answer
    return 0 if answer is None or answer.feasible else BUDGET_NOT_MET


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m stashscope", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="command")

    capture = commands.add_parser("capture", help="run a training script up to its first step, and capture that step")
    capture.add_argument("--out", default="step.onnx", metavar="FILE", help="the captured step (default: step.onnx)")
    capture.add_argument("--step", type=int, default=1, metavar="N", help="the training step to capture (default: 1)")
    capture.add_argument("--updates", type=int, default=1, metavar="N",
                         help="the step ends with the N-th optimizer.step() (default: 1); for several optimizers")
    capture.add_argument("--empty", action="store_true",
                         help="give models parameters without data, for a model that does not fit into memory")
    capture.add_argument("--kernels", choices=["cuda"],
                         help="capture the operators that a GPU runs for attention, dropout, RMS norm and optimizers")
    capture.add_argument("--routing", choices=["even"],
                         help="assume that every expert of a mixture of experts gets the same number of tokens")
    capture.add_argument("--go-on", action="store_true", help="let the script run on after the capture")
    capture.add_argument("script", help="the script, followed by its own arguments")
    capture.add_argument("arguments", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    capture.set_defaults(run=_capture)

    shown = commands.add_parser("open", help="open a captured step, a model or a session in the window")
    shown.add_argument("file")
    shown.set_defaults(run=_open)

    plan = commands.add_parser("plan", help="write a plan for stashscope.apply that fits a captured step into a budget")
    plan.add_argument("file", help="the captured step")
    plan.add_argument("--budget", required=True, metavar="SIZE", help="such as 24GiB, or 60%% of the peak")
    plan.add_argument("--out", default="plan.json", metavar="FILE", help="the plan (default: plan.json)")
    plan.set_defaults(run=_plan)
    return parser


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Runs a command. Returns the exit code: 1 after an error, which is printed; 4 if a plan misses its budget."""
    options = _parser().parse_args(arguments)
    try:
        return options.run(options)
    except Error as error:
        print(f"stashscope: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
