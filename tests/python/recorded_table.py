#!/usr/bin/env python3
"""Captures the steps behind recorded traces of GPUs, plays them through the allocator, and compares both at the peak.

usage: STASHSCOPE_PROGRAM=build/release/bin/stashscope recorded_table.py [--traces FOLDER] [--workspaces] [NAME...]

With --workspaces, the workspaces of cuBLAS count as tensors from before the step, and the table is of reserved memory.

Exit code 77 where the traces are absent (FOLDER is ../shared/cases/allocator). The settings of a trace are those of the
published scripts; what cannot be read there is said in docs/reserved_memory.md. Bytes are those that tensors asked for.
"""
from __future__ import annotations

import argparse
import json
import os
import pickle
import subprocess
import sys
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Callable, Type, Union

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parent.parent.parent

import stashscope  # noqa: E402
import torch  # noqa: E402
from plain_decoder import Decoder, KeptStatesAdamW, NewStatesAdamW, Sizes, loss_of  # noqa: E402
from recorded_trace import (CUBLAS, OTHER_DATA, Likeness, Trace, give_kinds, largest_distance, predicted,  # noqa: E402
                            recorded)

TRACES = ROOT.parent / "shared/cases/allocator"
KINDS = ("parameters", "gradients", "optimizer_states", "stashed", "activations", "constants")


@dataclass(frozen=True)
class Case:
    """A trace, and the settings of the script that recorded it."""

    name: str
    sizes: Sizes
    trains: bool = True
    autocast: bool = False
    # Steps before the recorded one that the capture runs: optimizers make their states in the first.
    warm_up: int = 1
    optimizer: Union[Type[KeptStatesAdamW], Type[NewStatesAdamW]] = NewStatesAdamW
    has_own_targets: bool = True
    zeroes_gradients: bool = True
    # Whether the script and its model are published, so that the order of the allocations can be compared.
    is_published: bool = True
    # Bytes of each workspace of cuBLAS; a thread that multiplies has one.
    workspace: int = 8_519_680


_K_128 = Case("K_memory_ctx128_fullstep", Sizes(width=2560, inner=10240, layers=32, heads=32, own_tables=True),
              warm_up=0, optimizer=KeptStatesAdamW, has_own_targets=False, zeroes_gradients=False, is_published=False,
              workspace=33_554_432)
CASES = {case.name: case for case in (
    Case("W_medium_128_training", Sizes(context=128)),
    Case("W_medium_1024_training", Sizes(context=1024), autocast=True),
    Case("W_medium_1024_inference", Sizes(context=1024), trains=False, warm_up=0),
    _K_128,
    replace(_K_128, name="K_memory_ctx256_fullstep", sizes=replace(_K_128.sizes, context=256)),
)}


def capture(case: Case, path: Path, workspaces: bool = False) -> None:
    """Writes the step of a case, without its memory. `workspaces`: with those of cuBLAS."""
    with torch.device("meta"):
        model = Decoder(case.sizes).train(case.trains)
        held = [torch.empty(case.workspace, dtype=torch.uint8) for _ in range(2 if case.trains else 1) if workspaces]
        tokens, targets = (torch.empty(1, case.sizes.batch, case.sizes.context, dtype=torch.int64) for _ in range(2))
    optimizer = case.optimizer(model.parameters())
    step = _training(case, model, optimizer, tokens, targets if case.has_own_targets else tokens) if case.trains else \
        _inference(model, tokens)
    for number, one in enumerate(held):
        model.register_buffer(f"workspace_{number}", one)
    stashscope.capture(_reading(held, step), path, model=model, optimizer=optimizer, kernels="cuda",
                       warm_up=case.warm_up)


def _reading(held: list[torch.Tensor], step: Callable[[], None]) -> Callable[[], None]:
    """The step, after views of these tensors: what a step does not touch does not count."""
    def both() -> None:
        for one in held:
            one.view(-1)
        step()
    return both


def _training(case: Case, model: Decoder, optimizer: torch.optim.Optimizer, tokens: torch.Tensor,
              targets: torch.Tensor) -> Callable[[], None]:
    def step() -> None:
        with torch.autocast("cpu", torch.bfloat16, enabled=case.autocast):
            output = model(tokens[0])
            loss = loss_of(output, targets[0])
        loss.backward()
        optimizer.step()
        if case.zeroes_gradients:
            optimizer.zero_grad()
    return step


def _inference(model: Decoder, tokens: torch.Tensor) -> Callable[[], None]:
    def step() -> None:
        with torch.inference_mode():
            model(tokens[0])
    return step


@dataclass
class Compared:
    """A recorded trace beside the prediction for its captured step."""

    case: Case
    recorded: Trace
    predicted: Trace
    likeness: Likeness
    memory: dict[str, Any]

    def recorded_kinds(self) -> dict[str, int]:
        return self.recorded.kinds_at(self.recorded.peak()[1])

    def predicted_kinds(self) -> dict[str, int]:
        return {kind: self.memory["peak_bands"][kind] for kind in (*KINDS, "workspace")}

    def named(self) -> int:
        """What lived at the recorded peak and is no tensor of the step."""
        kinds = self.recorded_kinds()
        return kinds.get(CUBLAS, 0) + kinds.get(OTHER_DATA, 0)


def compare(case: Case, traces: Path, program: str, workspaces: bool = False) -> Compared:
    with tempfile.TemporaryDirectory() as folder:
        step, snapshot = Path(folder) / "step.onnx", Path(folder) / "step.pickle"
        capture(case, step, workspaces)
        report = subprocess.run([program, "--batch", str(step), "--allocator", "pytorch", "--format", "json",
                                 "--export-snapshot", str(snapshot)], check=True, stdout=subprocess.PIPE).stdout
        ours = predicted(pickle.loads(snapshot.read_bytes()))
    trace = recorded(*(traces / f"{case.name}.{part}.gz" for part in ("events.csv", "segments.json")))
    return Compared(case, trace, ours, give_kinds(trace, ours), json.loads(report)["memory"]["baseline"])


def share(difference: int, whole: int) -> str:
    return f"{difference:+,} ({100 * difference / whole:+.2f} %)"


def total_row(found: Compared) -> str:
    peak, ours = found.recorded.peak()[0], found.memory["peak_bytes"]
    reserved, most = found.recorded.reserved, found.memory["reserved_bytes"]
    return (f"| {found.case.name} | {peak:,} | {ours:,} | {share(ours - peak, peak)} | "
            f"{ours + found.named() - peak:+,} | {reserved:,} | {most:,} | "
            f"{share(most - reserved, reserved)} |")


def reserved_row(found: Compared) -> str:
    reserved, most = found.recorded.reserved, found.memory["reserved_bytes"]
    return f"| {found.case.name} | {reserved:,} | {most:,} | {share(most - reserved, reserved)} |"


def kind_rows(found: Compared) -> list[str]:
    mine, ours = found.recorded_kinds(), found.predicted_kinds()
    rows = []
    for kind in [*KINDS, "workspace", *sorted(set(mine) - set(KINDS) - {"workspace"})]:
        left, right = mine.get(kind, 0), ours.get(kind, 0)
        if left or right:
            rows.append(f"| {found.case.name} | {kind.replace('_', ' ')} | {left:,} | {right:,} | {right - left:+,} |")
    return rows


def print_tables(all_found: list[Compared]) -> None:
    print("| trace | tensors at the peak, recorded | captured | difference | difference with workspaces and untouched "
          "data | reserved at the end, recorded | predicted | difference |\n|---|---:|---:|---:|---:|---:|---:|---:|")
    print(*map(total_row, all_found), sep="\n")
    told = [found for found in all_found if found.case.is_published]
    print("\n| trace | at the peak | recorded | captured | difference |\n|---|---|---:|---:|---:|")
    print(*(row for found in told for row in kind_rows(found)), sep="\n")
    print("\n| trace | allocations | the same, in order | only recorded | only captured | largest distance of the "
          "curves |\n|---|---:|---:|---|---|---:|")
    for found in told:
        print(f"| {found.case.name} | {len(found.recorded.new()):,} | {len(found.likeness.pairs):,} | "
              f"{_counted(found.likeness.only_recorded)} | {_counted(found.likeness.only_predicted)} | "
              f"{largest_distance(found.recorded, found.predicted, found.likeness):,} |")


def _counted(sizes: list[int]) -> str:
    return ", ".join(f"{sizes.count(size)} of {size:,}" for size in sorted(set(sizes))) or "none"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=list(CASES), metavar="NAME")
    parser.add_argument("--traces", type=Path, default=TRACES)
    parser.add_argument("--workspaces", action="store_true", help="count the workspaces of cuBLAS")
    options = parser.parse_args()
    program = os.environ.get("STASHSCOPE_PROGRAM", "build/release/bin/stashscope")
    if not options.traces.is_dir():
        print(f"Skipped: no recorded traces in {options.traces}")
        return 77
    found = [compare(CASES[name], options.traces, program, options.workspaces) for name in options.names]
    if options.workspaces:
        print("| trace | reserved at the end, recorded | predicted with workspaces | difference |\n"
              "|---|---:|---:|---:|")
        print(*map(reserved_row, found), sep="\n")
    else:
        print_tables(found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
