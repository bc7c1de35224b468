#!/usr/bin/env python3
"""Captures steps of small models, compares each with PyTorch's profiler and prints a table.

usage: capture_table.py [--models gpt2,llama] [--optimizers sgd,adamw] [--autocast no,yes] [--real] [--differences 3]

Exit code 1 if anything differs. Peaks are bytes above what existed before the step.
"""
from __future__ import annotations

import argparse
import gc
import sys
import tempfile
import time
from pathlib import Path

sys.dont_write_bytecode = True
sys.path[:0] = [str(Path(__file__).resolve().parent.parent.parent / "python")]

import torch  # noqa: E402

import stashscope  # noqa: E402
from models import MODELS, OPTIMIZERS, training_step  # noqa: E402
from profiler_oracle import judge  # noqa: E402


def row(folder: Path, model: str, optimizer: str, autocast: bool, fake: bool, shown: int) -> bool:
    path = folder / "step.onnx"
    started = time.monotonic()
    try:
        stashscope.capture(training_step(model, optimizer, autocast), path, fake=fake)
        seconds = time.monotonic() - started
        found = judge(path, lambda: training_step(model, optimizer, autocast))
    except stashscope.Error as error:
        print(f"| {model} | {optimizer} | {'bf16' if autocast else ''} | {error} |", flush=True)
        return False
    workspace = ", ".join(f"{name} {size:,}" for name, size in sorted(found.workspace.items()))
    print(f"| {model} | {optimizer} | {'bf16' if autocast else ''} | {'fake' if fake else 'real'} | {found.nodes:,} | "
          f"{found.peak:,} | {found.profiler_peak:,} | {len(found.differences)} | {seconds:.1f} | {workspace} |",
          flush=True)
    for difference in found.differences[:shown]:
        print(f"    {difference}")
    return not found.differences


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", default=",".join(MODELS))
    parser.add_argument("--optimizers", default=",".join(OPTIMIZERS))
    parser.add_argument("--autocast", default="no,yes")
    parser.add_argument("--real", action="store_true", help="also with fake=False")
    parser.add_argument("--differences", type=int, default=3)
    options = parser.parse_args()
    torch.set_num_threads(1)
    print("| model | optimizer | autocast | tensors | nodes | peak B | profiler's peak B | differences | seconds | "
          "workspace B by operator |\n|---|---|---|---|---:|---:|---:|---:|---:|---|")
    good = True
    with tempfile.TemporaryDirectory() as folder:
        for model in options.models.split(","):
            for optimizer in options.optimizers.split(","):
                for autocast in options.autocast.split(","):
                    for fake in (True, False) if options.real else (True,):
                        good &= row(Path(folder), model, optimizer, autocast == "yes", fake, options.differences)
                        gc.collect()
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
