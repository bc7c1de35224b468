#!/usr/bin/env python3
"""Places every instance of a folder and prints the Markdown table of docs/arenas.md.

usage: arena_table.py STASHSCOPE_PLAN FOLDER... [--time-limit 10] [--seed 1] [--idealloc PROGRAM]

The folders hold CSV files in the format of google/minimalloc (its benchmarks/challenging; cappadokes/idealloc has more
in its benchmarks). A file named NAME.CAPACITY.csv is placed within that capacity, others at the lowest capacity that is
found. Each placement is checked here, by comparing all buffers that live at the same time. Exit code 1 if a capacity is
not reached or a placement is wrong.

With --idealloc, the program `idealloc` of cappadokes/idealloc has the same time on one thread, in seconds of the
processor, so that other programs take nothing from it. It runs with 1, 10, 100, ... lives (tries), but never with more
than are expected to fit into the rest of the time. It ends when no life fits, or when the asked capacity or the load
bound is reached. Its first run, of one life, may take longer. It prints no placement, so its capacity is told by
itself. Its seconds and lives are those of all runs.
"""
import argparse
import csv
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path


def read(path):
    with open(path, newline="", encoding="utf-8") as lines:
        return [{key: int(text) for key, text in row.items() if key != "id"} | {"id": row["id"]}
                for row in csv.DictReader(lines)]


def events(buffers):
    """Ends and starts in the order of time; ends come first."""
    return sorted([(each["upper"], 0, i) for i, each in enumerate(buffers)] +
                  [(each["lower"], 1, i) for i, each in enumerate(buffers)])


def load_bound(buffers):
    live, most = 0, 0
    for _, is_start, i in events(buffers):
        live += buffers[i]["size"] if is_start else -buffers[i]["size"]
        most = max(most, live)
    return most


def is_right(given, placed, capacity):
    """Whether these are the given buffers, within the capacity and apart while they live."""
    if [{**each, "offset": 0} for each in given] != [{**each, "offset": 0} for each in placed]:
        return False
    live = set()
    for _, is_start, i in events(placed):
        if not is_start:
            live.discard(i)
            continue
        low, high = placed[i]["offset"], placed[i]["offset"] + placed[i]["size"]
        if low < 0 or high > capacity:
            return False
        if any(placed[j]["offset"] < high and low < placed[j]["offset"] + placed[j]["size"] for j in live):
            return False
        live.add(i)
    return True


def asked_capacity(path):
    """The capacity in the name of the file, or None."""
    capacity = re.search(r"\.(\d+)\.csv$", path.name)
    return int(capacity[1]) if capacity else None


def place(program, path, options, out):
    capacity = asked_capacity(path)
    command = [program, str(path), "--arena", "--out", str(out), "--time-limit", str(options.time_limit), "--seed",
               str(options.seed)]
    if capacity:
        command += ["--capacity", str(capacity)]
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode not in (0, 4):
        raise RuntimeError(run.stderr)
    found = {key: float(value) for key, value in re.findall(r"(capacity|seconds) ([\d.]+)", run.stdout)}
    return run.returncode == 0, capacity or "lowest", int(found["capacity"]), found["seconds"]


def idealloc_capacity(program, path, lives, enough, bound):
    """The capacity that one run prints."""
    command = [program, "--input", str(path), "ex-csv", "--max-lives", str(lives), "--max-frag", str(enough / bound)]
    run = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "RAYON_NUM_THREADS": "1"})
    told = dict(re.findall(r"(Makespan|LOAD):\s+(\d+) bytes", run.stdout))
    if run.returncode != 0 or told.get("LOAD") != str(bound):
        raise RuntimeError(f"{path}: idealloc ended with {run.returncode} and told {told}: {run.stderr}")
    return int(told["Makespan"])


def seconds_of_children():
    times = os.times()
    return times.children_user + times.children_system


def place_by_idealloc(options, path, bound):
    """The best capacity of all runs, their seconds and their lives."""
    start, lives, all_lives, found = seconds_of_children(), 1, 0, []
    enough = max(asked_capacity(path) or bound, bound)
    while lives > 0 and (not found or min(found) > enough):
        begin = seconds_of_children()
        found.append(idealloc_capacity(options.idealloc, path, lives, enough, bound))
        all_lives += lives
        now = seconds_of_children()
        seconds_per_life = max(now - begin, 0.001) / lives
        lives = min(10 * lives, int((options.time_limit - (now - start)) / seconds_per_life))
    return min(found), seconds_of_children() - start, all_lives


def idealloc_columns(options, path, bound):
    if not options.idealloc:
        return ""
    capacity, seconds, lives = place_by_idealloc(options, path, bound)
    return f" {capacity} | {capacity / bound:.6f} | {seconds:.2f} | {lives} |"


def print_head(options):
    columns = ["instance", "buffers", "load bound", "asked", "capacity", "capacity / load bound", "seconds", "checked"]
    if options.idealloc:
        columns += ["idealloc (told by itself)", "idealloc / load bound", "its seconds", "its lives"]
    print("| " + " | ".join(columns) + " |\n|" + "---|" * len(columns))


def row(program, path, options, out):
    given = read(path)
    is_reached, asked, capacity, seconds = place(program, path, options, out)
    right = is_right(given, read(out), capacity)
    bound = load_bound(given)
    print(f"| {path.name.split('.csv')[0]} | {len(given)} | {bound} | {asked} | {capacity} | {capacity / bound:.6f} | "
          f"{seconds:.2f} | {'right' if right else 'WRONG'} |{idealloc_columns(options, path, bound)}", flush=True)
    return is_reached and right


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--time-limit", type=float, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--idealloc", metavar="PROGRAM")
    options = parser.parse_args()
    print_head(options)
    with tempfile.TemporaryDirectory() as folder:
        results = [row(options.program, path, options, Path(folder) / "placement.csv")
                   for each in options.folders for path in sorted(each.glob("*.csv"))]
    return 0 if results and all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
