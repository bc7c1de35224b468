#!/usr/bin/env python3
"""The peak and the predicted time of a step with single what-ifs and with some together, as a table for the docs.

usage: what_if_table.py STASHSCOPE MODEL [OPTION...]      STASHSCOPE: the program; OPTION: options of --batch, such as --dim
"""

from __future__ import annotations

import json
import subprocess
import sys

CHOICES = [[], ["attention=recomputed"], ["attention=efficient"], ["attention=flash"], ["loss=pieces"], ["micro=2"],
           ["micro=4"], ["attention=flash", "loss=pieces"], ["attention=flash", "loss=pieces", "micro=4"],
           ["sparse=0.6"], ["attention=flash", "sparse=0.6"]]


def report(program: str, options: list[str], what_ifs: list[str]) -> dict:
    command = [program, "--batch", "--format", "json", *options]
    for each in what_ifs:
        command += ["--what-if", each]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def main() -> None:
    program, *options = sys.argv[1:]
    print("| what if | peak, GiB | stashed, GiB | predicted time, ms |")
    print("|---|---:|---:|---:|")
    for what_ifs in CHOICES:
        found = report(program, options, what_ifs)
        memory = found["memory"]
        seconds = found["cost"]["current_seconds"]
        print(f"| {', '.join(what_ifs) or 'as in the model'} | {memory['current']['peak_bytes'] / 2**30:.2f} "
              f"| {memory['stashed_bytes'] / 2**30:.2f} | {seconds * 1e3:.1f} |")


if __name__ == "__main__":
    main()
