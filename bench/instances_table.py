#!/usr/bin/env python3
"""Plans every row of shared/instances/README.md and prints the Markdown table of docs/planner.md.

usage: instances_table.py STASHSCOPE_PLAN SHARED [--time-limit S] [--seed N] [ROW...]

shared/tools/check_sequence.py checks each sequence independently. A row is reached if its answer is within 0.5 % of a
proven optimum, or at or below any other published answer. A row with a budget that is proven infeasible does not count
as missed, unless an answer was published for it.
"""
import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

GIB = 1 << 20  # the instances count KiB

# Name, arguments, best published answer, whether it is proven optimal, the figure that is compared.
ROWS = []


def zoo(name, answers, proven):
    for budget, answer in answers.items():
        ROWS.append((name, ["--budget", str(budget * GIB)], answer, budget in proven, "cost"))


zoo("zoo_resnet50_b184", {10: 108048, 9: 109042, 8: 110355, 7: 112154, 6: 113578, 5: 116358}, {10, 9})
zoo("zoo_unet_b11", {10: 192809, 9: 193700, 8: 194811, 7: 196567, 6: 199613, 5: 209265}, {10, 9, 8, 7, 6, 5})
zoo("zoo_vgg16_b176", {10: 250600, 9: 251383, 8: 255828}, {10, 9, 8})
for name, percents in {
    "layered_rl2_n250": (0, 0, 0.57),
    "layered_rl4_n1000": (0.08, 1.87, 7.4),
    "train_resnet50_b256": (0.12, 0.28, 0.62),
    "train_fcn8_b32": (0.03, 0.14, 0.92),
    "train_vgg16_b256": (None, None, None),
    "train_vgg_unet_b32": (None, None, None),
}.items():
    for share, increase in zip((90, 80, 70), percents):
        ROWS.append((name, ["--budget-percent", str(share)], increase, False, "increase"))
for name, peak in {"layered_rl1_n100": 36790, "layered_rl2_n250": 105170, "layered_rl4_n1000": 560869}.items():
    ROWS.append((name, ["--order-only"], peak, False, "peak"))


def checked(shared, instance, sequence, budget):
    """Whether the independent checker accepts a sequence, and its figures."""
    checker = shared / "tools" / "check_sequence.py"
    command = [sys.executable, str(checker), str(instance), str(sequence)]
    if budget is not None:
        command += ["--budget", str(budget)]
    run = subprocess.run(command, capture_output=True, text=True)
    numbers = dict(re.findall(r"(\w+) (\d+)", run.stdout))
    return run.returncode == 0, {key: int(value) for key, value in numbers.items()}


def budget_of(arguments, shared, instance):
    if arguments[0] == "--budget":
        return int(arguments[1])
    if arguments[0] != "--budget-percent":
        return None
    tokens = instance.read_text().split()
    count, fixed = int(tokens[0]), int(tokens[2])
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as given:
        given.write(" ".join(map(str, range(count))))
        given.flush()
        base = checked(shared, instance, given.name, None)[1]["base_peak"]
    return fixed + (base - fixed) * int(arguments[1]) // 100


def reached(kind, goal, proven, numbers):
    if goal is None:
        return "no published answer"
    value = {
        "cost": numbers["cost"],
        "peak": numbers["peak"],
        # The published figures are rounded to two digits.
        "increase": round(100 * (numbers["cost"] / numbers["base_cost"] - 1), 2),
    }[kind]
    return "yes" if value <= goal * (1.005 if proven else 1) else "no"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=Path)
    parser.add_argument("shared", type=Path)
    parser.add_argument("--time-limit", default="10")
    parser.add_argument("--seed", default="1")
    parser.add_argument("rows", nargs="*", help="only instances whose names contain one of these")
    options = parser.parse_args()
    print("| instance | options | published | Stashscope | peak | bound | gap % | seconds | checker | reached |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    missed = 0
    for name, arguments, goal, proven, kind in ROWS:
        if options.rows and not any(row in name for row in options.rows):
            continue
        instance = options.shared / "instances" / f"{name}.txt"
        with tempfile.TemporaryDirectory() as folder:
            sequence = Path(folder) / "sequence.txt"
            run = subprocess.run(
                [str(options.program), str(instance), *arguments, "--time-limit", options.time_limit,
                 "--seed", options.seed, "--out", str(sequence)], capture_output=True, text=True)
            said = dict(re.findall(r"(bound|gap|seconds) ([\d.]+)", run.stdout))
            fine, numbers = checked(options.shared, instance, sequence,
                                    budget_of(arguments, options.shared, instance))
        answer = reached(kind, goal, proven, numbers) if fine else "no"
        bound = re.search(r"proven infeasible: .* below (\d+)", run.stdout)
        if bound and goal is None:
            answer = f"proven infeasible: no peak below {bound[1]}"
        missed += answer == "no"
        increase = 100 * (numbers["cost"] / numbers["base_cost"] - 1)
        ours = f"{numbers['peak']}" if kind == "peak" else f"{numbers['cost']} (+{increase:.2f} %)"
        published = "-" if goal is None else f"{goal}{' %' if kind == 'increase' else ''}{' (proven)' if proven else ''}"
        print(f"| {name} | {' '.join(arguments).lstrip('-')} | {published} | {ours} | {numbers['peak']} | "
              f"{said.get('bound', '-')} | {said.get('gap', '-')} | {said.get('seconds', '-')} | "
              f"{'accepted' if fine else 'rejected'} | {answer} |", flush=True)
    print(f"\n{missed} rows not reached")
    return 0


if __name__ == "__main__":
    sys.exit(main())
