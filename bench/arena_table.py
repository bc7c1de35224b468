#!/usr/bin/env python3
"""Places every instance of a folder and prints the Markdown table of docs/arenas.md.

usage: arena_table.py STASHSCOPE_PLAN FOLDER... [--time-limit 10] [--seed 1]

The folders hold CSV files in the format of google/minimalloc (its benchmarks/challenging; cappadokes/idealloc has more
in its benchmarks). A file named NAME.CAPACITY.csv is placed within that capacity, others at the lowest capacity that is
found. Each placement is checked here, by comparing all buffers that live at the same time. Exit code 1 if a capacity is
not reached or a placement is wrong.
"""
import argparse
import csv
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


def place(program, path, options, out):
    capacity = re.search(r"\.(\d+)\.csv$", path.name)
    command = [program, str(path), "--arena", "--out", str(out), "--time-limit", str(options.time_limit), "--seed",
               str(options.seed)]
    if capacity:
        command += ["--capacity", capacity[1]]
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode not in (0, 4):
        raise RuntimeError(run.stderr)
    found = {key: float(value) for key, value in re.findall(r"(capacity|seconds) ([\d.]+)", run.stdout)}
    return run.returncode == 0, capacity[1] if capacity else "lowest", int(found["capacity"]), found["seconds"]


def row(program, path, options, out):
    given = read(path)
    is_reached, asked, capacity, seconds = place(program, path, options, out)
    right = is_right(given, read(out), capacity)
    bound = load_bound(given)
    print(f"| {path.name.split('.csv')[0]} | {len(given)} | {bound} | {asked} | {capacity} | {capacity / bound:.6f} | "
          f"{seconds:.2f} | {'right' if right else 'WRONG'} |", flush=True)
    return is_reached and right


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--time-limit", type=float, default=10)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print("| instance | buffers | load bound | asked | capacity | capacity / load bound | seconds | checked |")
    print("|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        results = [row(options.program, path, options, Path(folder) / "placement.csv")
                   for each in options.folders for path in sorted(each.glob("*.csv"))]
    return 0 if results and all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
