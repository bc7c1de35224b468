#!/usr/bin/env python3
"""Plans reference models for budgets and prints docs/planner_figures.md.

usage: planner_table.py STASHSCOPE SHARED [--configs 200] [--seed 1] [--only PART] [--joint-seconds 27]
           > docs/planner_figures.md

PART is scale, configs, level, proven or joint; then only this part is printed, without a title.

Exit code 1 if a figure misses its goal: a plan by node does not meet its budget in time, a configuration beats the
planner, single nodes do not beat level 1, or a joint plan is slower than one by cluster, slower than the joint plan for
a smaller budget, or faster than its bound.
"""
import argparse
import datetime
import json
import platform
import random
import subprocess
import sys
import time
from pathlib import Path

MIB = 1 << 20
TEXT = {"input_ids_dim0": 8, "input_ids_dim1": 1024}
# Name, sizes, seconds to plan. The whole program has goals of 30 s and 3 s.
SCALE = [
    ("gpt2_124m", TEXT, 27),
    ("gpt2_xl_1.5b", TEXT, 27),
    ("llama_tinyllama_1.1b", TEXT, 27),
    ("bloom_560m", TEXT, 27),
    ("bert_base", {"input_ids_dim0": 8, "input_ids_dim1": 512}, 2.5),
    ("vit_b16", {"pixel_values_dim0": 64}, 2.5),
    ("densenet121", {"pixel_values_dim0": 64}, 2.5),
    ("resnet50", {"pixel_values_dim0": 64}, 2.5),
    ("unet_base64", {"pixel_values_dim0": 16}, 2.5),
]
# Name and sizes of the models with joint plans, each for these shares of the peak.
JOINT = [
    ("gpt2_124m", TEXT),
    ("llama_tinyllama_1.1b", TEXT),
    ("unet_base64", {"pixel_values_dim0": 16}),
    ("resnet50", {"pixel_values_dim0": 64}),
]
JOINT_SHARES = (80, 60, 40, 30)
ALONE_SECONDS = 9  # to plan by cluster, and by node
# A model whose plans by sequence are compared with their bounds.
PROVEN = ("mobilenet_v2", {"pixel_values_dim0": 32})
PROVEN_SHARES = (90, 80, 70, 60, 50, 45, 40, 35)
PROVEN_SECONDS = 10


class Planner:
    def __init__(self, program, shared):
        self.program = program
        self.folder = shared / "models" / "full"

    def report(self, name, sizes, *arguments):
        dims = [text for dim, size in sizes.items() for text in ("--dim", f"inputs_{dim}={size}")]
        run = subprocess.run([self.program, "--batch", self.folder / f"{name}_train_fwd.onnx", *dims, "--format",
                              "json", *arguments], capture_output=True, text=True)
        if run.returncode not in (0, 4):
            raise RuntimeError(run.stderr)
        return json.loads(run.stdout)

    def budget(self, name, sizes, bytes_, grain, seconds):
        start = time.monotonic()
        report = self.report(name, sizes, "--budget", str(int(bytes_)), "--grain", grain, "--time-limit",
                             str(seconds))
        return report["budget"], time.monotonic() - start


def peak_of(report, variant):
    return report["memory"][variant]["peak_bytes"]


def percent(part, whole):
    return f"{100 * part / whole:.2f}"


def scale(planner):
    """Budgets of 60 % of the baseline's peak. Returns the number of budgets that plans by node miss."""
    print("## 60 % of the peak\n")
    print("| model | nodes | peak before, MiB | grain | peak, MiB | extra time, % | lower bound, % | seconds |")
    print("|---|---|---|---|---|---|---|---|")
    missed = 0
    for name, sizes, seconds in SCALE:
        before = planner.report(name, sizes)
        peak = peak_of(before, "baseline")
        for grain in ("cluster", "node"):
            found, took = planner.budget(name, sizes, 0.6 * peak, grain, seconds)
            missed += not found["feasible"] and grain == "node"
            step = before["cost"]["baseline_seconds"]
            bound = percent(found["least_extra_seconds"], step) if "least_extra_seconds" in found else "-"
            print(f"| {name} | {before['cost']['nodes']} | {peak // MIB:,} | {grain} | "
                  f"{found['peak_bytes'] // MIB:,}{'' if found['feasible'] else ' (not met)'} | "
                  f"{percent(found['extra_seconds'], step)} | {bound} | {took:.1f} |", flush=True)
    print()
    return missed


def hand_picked(plans):
    """Configurations that users try first: the levels, each cluster alone, all clusters of an operator."""
    picked = [["--level", "1"], ["--level", "2"]]
    configs = [plan["config"] for plan in plans]
    picked += [["--plan", config] for config in configs]
    for operator in ("Gelu", "Dropout", "Softmax", "Tanh", "Add", "Mul", "Where", "Transpose"):
        some = [config for config in configs if operator in config]
        if some:
            picked.append(["--plan", ",".join(some)])
    return picked


def random_config(plans, numbers):
    """Some clusters, with some or all of their occurrences."""
    share = numbers.choice((0.2, 0.5, 0.8, 1.0))
    entries = []
    for plan in plans:
        if numbers.random() >= share:
            continue
        for entry in plan["config"].split(","):
            cluster, kind, _ = entry.rsplit(":", 2)
            count = -1 if numbers.random() < 0.5 else numbers.randint(1, max(1, plan["freq"]))
            entries.append(f"{cluster}:{kind}:{count}")
    return ["--plan", ",".join(entries)] if entries else []


def pareto_front(points):
    """The Pareto front by ascending peak: each point is cheaper than those before it."""
    best = []
    for peak, seconds in sorted(points):
        if not best or seconds < best[-1][1]:
            best.append((peak, seconds))
    return best


def configs(planner, count, seed):
    """Compares the planner with hand-picked and random configurations, at their peaks. Returns how often the planner
    loses."""
    name, sizes = "gpt2_124m", TEXT
    before = planner.report(name, sizes)
    plans = before["plans"]
    numbers = random.Random(seed)
    arguments = hand_picked(plans)
    arguments += [random_config(plans, numbers) for _ in range(count - len(arguments))]
    reports = [planner.report(name, sizes, *each) for each in arguments]
    points = [(peak_of(each, "current"), each["cost"]["extra_seconds"]) for each in reports]
    print(f"## Clusters of gpt2_124m, batch 8, sequence 1024, against {count} hand-picked and random configurations\n")
    print("The Pareto front of the configurations, and the planner's extra time at each peak:\n")
    print("| peak, MiB | extra time, ms | the planner's extra time, ms |")
    print("|---|---|---|")
    lost = 0
    for peak, seconds in pareto_front(points):
        found, _ = planner.budget(name, sizes, peak, "cluster", 10)
        lost += not found["feasible"] or found["extra_seconds"] > seconds * (1 + 1e-9)
        print(f"| {peak // MIB:,} | {1000 * seconds:.3f} | {1000 * found['extra_seconds']:.3f} |", flush=True)
    print()
    return lost


def against_level_1(planner):
    """Single nodes at a little below the peak of level 1."""
    name, sizes = "gpt2_124m", TEXT
    level = planner.report(name, sizes, "--level", "1")
    peak, seconds = peak_of(level, "current"), level["cost"]["extra_seconds"]
    found, _ = planner.budget(name, sizes, 0.97 * peak, "node", 30)
    print("## Single nodes of gpt2_124m, batch 8, sequence 1024, against level 1\n")
    print("| | peak, MiB | extra time, ms |")
    print("|---|---|---|")
    print(f"| without plans | {peak_of(level, 'baseline') // MIB:,} | 0 |")
    print(f"| `--level 1` | {peak // MIB:,} | {1000 * seconds:.3f} |")
    print(f"| `--budget` of 97 % of that, `--grain node` | {found['peak_bytes'] // MIB:,} | "
          f"{1000 * found['extra_seconds']:.3f} |\n")
    return not (found["peak_bytes"] < peak and found["extra_seconds"] < seconds)


def proven(planner):
    """Sequences beside the lower bound on the time of a step. Returns how often a bound is above the answer."""
    name, sizes = PROVEN
    before = planner.report(name, sizes)
    step = before["cost"]["baseline_seconds"]
    print(f"## Sequences of {name}, batch {sizes['pixel_values_dim0']}, beside their bounds, {PROVEN_SECONDS} s each\n")
    print("| budget, % | peak, MiB | step, ms | lower bound, ms | gap, % | seconds |")
    print("|---|---|---|---|---|---|")
    wrong = 0
    for share in PROVEN_SHARES:
        found, took = planner.budget(name, sizes, share / 100 * peak_of(before, "baseline"), "sequence", PROVEN_SECONDS)
        least = step + found["least_extra_seconds"]
        time_ = step + found["extra_seconds"]
        wrong += found["feasible"] and least > time_ * (1 + 1e-9)
        met = "" if found["feasible"] else " (impossible)" if found["impossible"] else " (not met)"
        print(f"| {share} | {found['peak_bytes'] // MIB:,}{met} | {1000 * time_:.3f} | {1000 * least:.3f} | "
              f"{percent(time_ - least, least) if found['feasible'] else '-'} | {took:.1f} |", flush=True)
    print()
    return wrong


def joint_words(found):
    """The what-ifs and passes of a joint answer, and what its plans are."""
    words = [f"{name}={value}" for name, value in found["what_ifs"].items()]
    if found["passes"]:
        words.append("passes")
    if found["repeated_nodes"]:
        words.append(f"{found['repeated_nodes']} nodes again")
    elif found["config"]:
        count = found["config"].count(",") + 1
        words.append(f"{count} plan{'s' if count > 1 else ''}")
    return ", ".join(words) or "-"


def joint_row(planner, name, sizes, before, share, seconds):
    """Plans by cluster, by node and joint for a share of the peak. Returns the row's text and the joint answer."""
    budget = share / 100 * peak_of(before, "baseline")
    step = before["cost"]["baseline_seconds"]
    alone = []
    for grain in ("cluster", "node"):
        plan, _ = planner.budget(name, sizes, budget, grain, ALONE_SECONDS)
        alone.append(step + plan["extra_seconds"] if plan["feasible"] else None)
    found, took = planner.budget(name, sizes, budget, "joint", seconds)
    texts = [f"{1000 * each:.1f}" if each is not None else "not met" for each in alone]
    texts.append(f"{1000 * found['step_seconds']:.1f}" + ("" if found["feasible"] else " (not met)"))
    least = found.get("least_step_seconds", 0)
    row = (f"| {name} | {share} | {' | '.join(texts)} | {1000 * least:.1f} | "
           f"{joint_words(found)} | {'yes' if found['complete'] else 'no'} | {took:.1f} |")
    by_cluster = alone[0]
    is_lost = by_cluster is not None and by_cluster < found["step_seconds"] * (1 - 1e-9)
    is_wrong = least > found["step_seconds"] * (1 + 1e-9)
    return row, found, is_lost + is_wrong


def joint(planner, seconds):
    """Joint plans beside plans alone. Returns how many figures miss their goal."""
    print(f"## Joint plans, at most {seconds:g} s each\n")
    print(f"Times of a step in ms, with plans alone ({ALONE_SECONDS} s each) and joint. \"Bound\" holds for every plan of "
          "every combination that was computed. \"Complete\" says that no limit of time ended a search.\n")
    print("| model | budget, % | clusters | nodes | joint | bound | chosen | complete | seconds |")
    print("|---|---|---|---|---|---|---|---|---|")
    missed = 0
    for name, sizes in JOINT:
        before = planner.report(name, sizes)
        last = 0.0
        for share in JOINT_SHARES:
            row, found, wrong = joint_row(planner, name, sizes, before, share, seconds)
            missed += wrong + (found["feasible"] and found["step_seconds"] < last)
            last = found["step_seconds"]
            print(row, flush=True)
    print()
    return missed


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=Path)
    parser.add_argument("shared", type=Path)
    parser.add_argument("--configs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--joint-seconds", type=float, default=27)
    parser.add_argument("--only", choices=("scale", "configs", "level", "proven", "joint"))
    options = parser.parse_args()
    planner = Planner(options.program, options.shared)
    parts = {"scale": lambda: scale(planner), "configs": lambda: configs(planner, options.configs, options.seed),
             "level": lambda: against_level_1(planner), "proven": lambda: proven(planner),
             "joint": lambda: joint(planner, options.joint_seconds)}
    if options.only:
        return 1 if parts[options.only]() else 0
    print("# The planner in figures\n")
    print("Written by `bench/planner_table.py build/release/bin/stashscope SHARED > docs/planner_figures.md` on "
          f"{datetime.date.today()} ({platform.machine()}, one core). Step times are predicted for the default "
          "profile. \"Lower bound\" holds for every plan of any granularity. Seconds are those of the whole program. "
          "`SHARED` is the folder with the reference models.\n")
    return 1 if sum([part() for part in parts.values()]) else 0


if __name__ == "__main__":
    sys.exit(main())
