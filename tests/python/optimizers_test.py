#!/usr/bin/env python3
"""The states of optimizers: the program's bytes equal those of PyTorch's optimizers after one step."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import numpy
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper

torch.set_num_threads(1)
PROGRAM = os.environ.get("STASHSCOPE_PROGRAM", "")
SHAPES = ((1,), (4095,), (4096,), (5000,), (96, 160), (64, 3, 7, 7), (6, 5, 4))
EMBEDDING = (50, 96)


def step_of_sums() -> onnx.ModelProto:
    """The loss is the sum of all parameters, and of the rows that are looked up in the last one."""
    shapes = [*SHAPES, EMBEDDING]
    weights = [numpy_helper.from_array(numpy.zeros(shape, "float32"), f"w{at}") for at, shape in enumerate(shapes)]
    last = len(SHAPES)
    nodes = [helper.make_node("Gather", [f"w{last}", "ids"], ["rows"])]
    summed = [*(f"w{at}" for at in range(last)), "rows"]
    nodes += [helper.make_node("ReduceSum", [name], [f"s{at}"], keepdims=0) for at, name in enumerate(summed)]
    nodes.append(helper.make_node("Sum", [f"s{at}" for at in range(len(summed))], ["loss"]))
    graph = helper.make_graph(nodes, "sums", [helper.make_tensor_value_info("ids", TensorProto.INT64, [3])],
                              [helper.make_tensor_value_info("loss", TensorProto.FLOAT, [])], weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])


def parameters(shapes: list[tuple[int, ...]]) -> list[torch.nn.Parameter]:
    made = [torch.nn.Parameter(torch.ones(shape)) for shape in shapes]
    for each in made:
        each.grad = torch.ones_like(each)
    return made


def state_bytes(optimizer: torch.optim.Optimizer) -> int:
    """Without the counters of steps, which are single numbers on the host."""
    optimizer.step()
    return sum(tensor.untyped_storage().nbytes() for state in optimizer.state.values()
               for name, tensor in state.items() if name != "step")


def muon_bytes() -> int:
    """Muon for matrices of hidden layers, AdamW for everything else, as PyTorch's documentation says."""
    matrices = [shape for shape in SHAPES if len(shape) == 2]
    others = [shape for shape in SHAPES if len(shape) != 2] + [EMBEDDING]
    return (state_bytes(torch.optim.Muon(parameters(matrices)))
            + state_bytes(torch.optim.AdamW(parameters(others))))


@unittest.skipUnless(PROGRAM, "STASHSCOPE_PROGRAM does not name the program")
class OptimizerStates(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "sums.onnx"
        onnx.save(step_of_sums(), self.path)

    def bytes_of(self, optimizer: str) -> int:
        done = subprocess.run([PROGRAM, "--batch", str(self.path), "--format", "json", "--optimizer", optimizer],
                              capture_output=True, text=True, check=True)
        return json.loads(done.stdout)["memory"]["baseline"]["peak_bands"]["optimizer_states"]

    def test_adamw(self) -> None:
        made = torch.optim.AdamW(parameters([*SHAPES, EMBEDDING]))
        self.assertEqual(self.bytes_of("adamw"), state_bytes(made))

    def test_adafactor(self) -> None:
        made = torch.optim.Adafactor(parameters([*SHAPES, EMBEDDING]))
        self.assertEqual(self.bytes_of("adafactor"), state_bytes(made))

    def test_muon(self) -> None:
        self.assertEqual(self.bytes_of("muon"), muon_bytes())


if __name__ == "__main__":
    unittest.main()
