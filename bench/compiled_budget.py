"""Peaks of a compiled step under budgets of PyTorch's own partitioner, taken by capture.

`torch._functorch.config.activation_memory_budget` is a share from 0 to 1 of the bytes that the partitioner would save
by default beyond the inputs. It may save no more than this share.
"""

from __future__ import annotations

import json
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Iterable

sys.path[:0] = [str(Path(__file__).resolve().parent.parent / "python")]

import onnx  # noqa: E402
import torch  # noqa: E402
import torch._functorch.config  # noqa: E402
import stashscope  # noqa: E402


@dataclass(frozen=True)
class Row:
    """A budget, and the captured step under it."""

    budget: float
    peak: int          # bytes, with what lives before the step
    above_start: int   # bytes above what lives before the step
    nodes_again: int   # forward operators that run again
    flops_again: int   # their operations, by PyTorch's formulas


def captured_under(budget: float, step: Callable[[], Any], path: Path) -> Row:
    """Captures `step`, whose model went through torch.compile, with `activation_memory_budget = budget`."""
    with torch._functorch.config.patch(activation_memory_budget=budget):
        stashscope.capture(step, path)
    return _row(budget, onnx.load(str(path)))


def rows(step: Callable[[], Any], budgets: Iterable[float]) -> list[Row]:
    """One row for each budget between 0 and 1."""
    with tempfile.TemporaryDirectory() as folder:
        return [captured_under(budget, step, Path(folder) / "step.onnx") for budget in budgets]


def _row(budget: float, model: onnx.ModelProto) -> Row:
    storages = json.loads(next(one.value for one in model.metadata_props if one.key == "stashscope.storages"))
    nodes = [{one.name: onnx.helper.get_attribute_value(one) for one in node.attribute} for node in model.graph.node]
    first: dict[int, int] = {}
    for index, node in enumerate(nodes):
        for storage in node.get("storages", ()):
            first.setdefault(storage, index)
    change = [0] * (len(nodes) + 2)
    for storage, size in enumerate(storages["bytes"]):
        change[0 if storages["input"][storage] >= 0 else first[storage]] += size
        change[storages["last"][storage] + 1] -= size
    now, peak = 0, 0
    for index, node in enumerate(nodes):
        now += change[index]
        peak = max(peak, now + node.get("workspace", 0))
    start = sum(size for size, given in zip(storages["bytes"], storages["input"]) if given >= 0)
    again = [node for node in nodes if node["phase"] == b"recompute"]
    return Row(budget, peak, peak - start, len(again), sum(node.get("flops", 0) for node in again))


def main() -> None:
    """A small GPT-2, for three budgets."""
    from transformers import GPT2Config, GPT2LMHeadModel
    torch.manual_seed(0)
    model = GPT2LMHeadModel(GPT2Config(n_layer=2, n_embd=128, n_head=4, vocab_size=1000, n_positions=128))
    compiled = torch.compile(model, backend="aot_eager")
    ids = torch.randint(0, 1000, (4, 128))
    def step() -> None:
        compiled(input_ids=ids, labels=ids, use_cache=False).loss.backward()

    print("| budget | peak | above the start | operators again | operations again |\n|---|---|---|---|---|")
    for row in rows(step, (1.0, 0.5, 0.0)):
        print(f"| {row.budget} | {row.peak:,} B | {row.above_start:,} B | {row.nodes_again} | {row.flops_again:,} |")


if __name__ == "__main__":
    main()
