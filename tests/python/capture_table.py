#!/usr/bin/env python3
"""Captures steps of small models, compares each with PyTorch's profiler and prints a table.

usage: capture_table.py [--models gpt2,llama] [--optimizers sgd,adamw] [--autocast no,yes] [--real] [--differences 3]
       capture_table.py --more [--models whisper,rwkv] [--real]     further models and steps, each with its optimizer

Exit code 1 if anything differs. Peaks are bytes above what existed before the step.
"""
from __future__ import annotations

import argparse
import functools
import gc
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Callable

sys.dont_write_bytecode = True
sys.path[:0] = [str(Path(__file__).resolve().parent.parent.parent / "python")]

import torch  # noqa: E402

import stashscope  # noqa: E402
from models import MODELS, OPTIMIZERS, OPTIONS, training_step  # noqa: E402
from profiler_oracle import judge  # noqa: E402


def row(folder: Path, name: str, make: Callable[[], Any], fake: bool, shown: int, options: dict[str, Any]) -> bool:
    path = folder / "step.onnx"
    started = time.monotonic()
    try:
        stashscope.capture(make(), path, fake=fake, **(options if fake else {}))
        seconds = time.monotonic() - started
        found = judge(path, make)
    except stashscope.Error as error:
        print(f"| {name} | {'fake' if fake else 'real'} | {error} |", flush=True)
        return False
    workspace = ", ".join(f"{name} {size:,}" for name, size in sorted(found.workspace.items()))
    print(f"| {name} | {'fake' if fake else 'real'} | {found.nodes:,} | "
          f"{found.peak:,} | {found.profiler_peak:,} | {len(found.differences)} | {seconds:.1f} | {workspace} |",
          flush=True)
    for difference in found.differences[:shown]:
        print(f"    {difference}")
    return not found.differences


def table(folder: Path, options: argparse.Namespace) -> bool:
    good = True
    for model in (options.models or ",".join(MODELS)).split(","):
        for optimizer in options.optimizers.split(","):
            for autocast in options.autocast.split(","):
                for fake in (True, False) if options.real else (True,):
                    make = functools.partial(training_step, model, optimizer, autocast == "yes")
                    name = f"{model} | {optimizer} | {'bf16' if autocast == 'yes' else ''}"
                    good &= row(folder, name, make, fake, options.differences, OPTIONS.get(model, {}))
                    gc.collect()
    return good


def seeded(make: Callable[[], Any]) -> Any:
    torch.manual_seed(0)
    return make()


def more_table(folder: Path, options: argparse.Namespace) -> bool:
    import more_models
    good = True
    for name in options.models.split(",") if options.models else more_models.MORE_MODELS:
        for fake in (True, False) if options.real else (True,):
            if fake and name in more_models.REAL_ONLY:
                continue
            make = functools.partial(seeded, more_models.MORE_MODELS[name])
            good &= row(folder, f"{name} | |", make, fake, options.differences, more_models.OPTIONS.get(name, {}))
            gc.collect()
    return good


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", default="")
    parser.add_argument("--optimizers", default=",".join(OPTIMIZERS))
    parser.add_argument("--autocast", default="no,yes")
    parser.add_argument("--real", action="store_true", help="also with fake=False")
    parser.add_argument("--more", action="store_true", help="the further models")
    parser.add_argument("--differences", type=int, default=3)
    options = parser.parse_args()
    torch.set_num_threads(1)
    print("| model | optimizer | autocast | tensors | nodes | peak B | profiler's peak B | differences | seconds | "
          "workspace B by operator |\n|---|---|---|---|---:|---:|---:|---:|---:|---|")
    with tempfile.TemporaryDirectory() as folder:
        good = (more_table if options.more else table)(Path(folder), options)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
