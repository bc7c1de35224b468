#!/usr/bin/env python3
"""Named dimensions: the polynomials of one capture give another capture's bytes, and what is none is refused."""

from __future__ import annotations

import json
import sys
import tempfile
import unittest
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType

sys.path[:0] = [str(Path(__file__).resolve().parent.parent.parent / "python"), str(Path(__file__).resolve().parent)]

import hidden_objects  # noqa: E402, F401 (before all that makes tensors)
import onnx  # noqa: E402
import torch  # noqa: E402
from torch import nn  # noqa: E402
from torch.nn import functional  # noqa: E402

import stashscope  # noqa: E402
from sized_models import SIZED_STEPS  # noqa: E402

torch.set_num_threads(1)


def at(number, sizes):
    """A number of the file at some sizes; the text of a polynomial is Python, too."""
    if not isinstance(number, (str, bytes)):
        return number
    text = number if isinstance(number, str) else number.decode()
    return eval(text, {}, {name: Fraction(size) for name, size in sizes.items()})


class File:
    """What a captured step says at some sizes."""

    def __init__(self, path, sizes=None) -> None:
        model = onnx.load(str(path))
        properties = {one.key: one.value for one in model.metadata_props}
        storages = json.loads(properties["stashscope.storages"])
        self.dimensions = {one["name"]: one for one in json.loads(properties.get("stashscope.dimensions", "[]"))}
        self.storages = dict(storages, bytes=[at(number, sizes) for number in storages["bytes"]])
        self.operators = [node.op_type for node in model.graph.node]
        self.amounts = [{one.name: at(onnx.helper.get_attribute_value(one), sizes) for one in node.attribute
                         if one.name in ("flops", "workspace")} for node in model.graph.node]
        infos = [*model.graph.input, *model.graph.value_info, *model.graph.output]
        self.shapes = {info.name: [at(dim.dim_param or dim.dim_value, sizes)
                                   for dim in info.type.tensor_type.shape.dim] for info in infos}
        self.saved, self.calls = (json.loads(properties[f"stashscope.{name}"]) for name in ("saved", "calls"))
        self.texts = [onnx.helper.get_attribute_value(one).decode() for node in model.graph.node
                      for one in node.attribute if one.name == "arguments"]


class DimensionsTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path, self.other = Path(folder.name) / "step.onnx", Path(folder.name) / "other.onnx"

    def check(self, name: str, dims, *others) -> File:
        step = SIZED_STEPS[name]()
        stashscope.capture(step, self.path, dims=dims)
        for sizes in others:
            stashscope.capture(lambda: step(**sizes), self.other)
            found, wanted = File(self.path, sizes), File(self.other)
            for part in ("operators", "storages", "amounts", "shapes", "saved", "calls"):
                self.assertEqual(getattr(found, part), getattr(wanted, part), (name, sizes, part))
        return File(self.path, {one: values[0] if isinstance(values, list) else values for one, values in dims.items()})

    def test_decoder(self) -> None:
        file = self.check("gpt2", {"batch": 3, "sequence": 16}, {"batch": 16, "sequence": 24})
        self.assertEqual(file.dimensions["batch"], {"name": "batch", "value": 3, "step": 1, "least": 2})

    def test_image_sides_that_a_network_divides(self) -> None:
        file = self.check("pyramid", {"batch": [4, 8, 12], "image": 32}, {"batch": 7, "image": 48})
        self.assertEqual(file.dimensions["image"]["step"], 4)
        self.assertEqual(file.dimensions["batch"]["step"], 1)

    def test_memory_that_the_processor_rounds(self) -> None:
        file = self.check("lstm", {"batch": [64, 128, 192, 256], "sequence": [16, 32, 48, 64]},
                          {"batch": 128, "sequence": 80})
        self.assertGreater(file.dimensions["batch"]["step"], 1)

    def test_texts_of_arguments_follow(self) -> None:
        self.check("gpt2", {"sequence": [16, 24, 32]})
        self.assertTrue(any("sequence" in text for text in File(self.path, {"sequence": 16}).texts))

    def test_three_dimensions_and_real_tensors(self) -> None:
        weight = nn.Parameter(torch.randn(4, 4))

        def step(first=2, second=3, third=4):
            data = torch.ones(first, second, third, 4) @ weight
            torch.einsum("fstd,fsud->fstu", data, data).sum().backward()
        stashscope.capture(step, self.path, dims={"first": 2, "second": 3, "third": 4}, fake=False)
        kept = {entry.key: entry.value for entry in onnx.load(str(self.path)).metadata_props}
        texts = {one for one in json.loads(kept["stashscope.storages"])["bytes"] if isinstance(one, str)}
        self.assertIn("4*first*second*third**2", texts)
        self.assertIn("16*first*second*third", texts)


class AnyMappingTest(unittest.TestCase):
    def test_dims_need_not_be_a_dictionary(self) -> None:
        def step(batch=2):
            torch.ones(batch, 3).sum()
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "step.onnx"
            stashscope.capture(step, path, dims=MappingProxyType({"batch": 4}))
            self.assertEqual(File(path, {"batch": 4}).dimensions["batch"]["value"], 4)


class RefusalTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "step.onnx"

    def refused(self, step, dims) -> str:
        with self.assertRaises(stashscope.Error) as caught:
            stashscope.capture(step, self.path, dims=dims)
        self.assertFalse(self.path.exists())
        return str(caught.exception)

    def test_dims_that_cannot_be(self) -> None:
        def step(batch=2):
            torch.ones(batch)
        for dims, text in (({"batch": 0}, "sizes of 'batch'"), ({"batch": []}, "sizes of 'batch'"),
                           ({"batch": "8"}, "sizes of 'batch'"), ({"batch": [2, 2.5]}, "sizes of 'batch'"),
                           ({"batch": True}, "sizes of 'batch'"), ({"a b": 2}, "no name"), ([8], "no dictionary"),
                           ({}, "no dictionary"), ({"width": 2}, "'width'")):
            self.assertIn(text, self.refused(step, dims))

    def test_an_operator_that_only_some_sizes_have(self) -> None:
        model = nn.Sequential(nn.Linear(4, 4))

        def step(batch=8):
            result = model(torch.ones(batch, 4))
            if batch > 8:
                result = result.relu()
            result.sum().backward()
        message = self.refused(step, {"batch": [8, 16, 24]})
        self.assertIn("aten.sum", message)
        self.assertIn("aten.relu", message)
        self.assertIn("batch=16", message)
        self.assertIn("dimensions_test.py", message)

    def test_an_operator_inside_a_module(self) -> None:
        class Odd(nn.Module):
            def forward(self, data):
                return data.cos() if len(data) % 2 else data.sin()
        model = nn.Sequential(nn.Linear(4, 4), Odd())
        message = self.refused(lambda batch=8: model(torch.ones(batch, 4)).sum().backward(), {"batch": [8, 9, 10]})
        self.assertIn("in module '1'", message)

    def test_sizes_that_are_rounded(self) -> None:
        weight = nn.Parameter(torch.randn(4))

        def step(sequence=16):
            padded = torch.zeros(-(-sequence // 8) * 8, 4)
            (padded * weight).sum().backward()
        message = self.refused(step, {"sequence": [16, 17, 18, 19, 20, 24, 25]})
        self.assertIn("No polynomial in sequence", message)
        self.assertIn("tensor 'zeros_0'", message)
        stashscope.capture(step, self.path, dims={"sequence": 16})
        self.assertEqual(File(self.path, {"sequence": 16}).dimensions["sequence"]["step"], 8)

    def test_a_step_that_fails_at_a_size_says_at_which(self) -> None:
        table = nn.Parameter(torch.randn(20, 4))

        def step(sequence=8):
            (torch.ones(sequence, 4) * table[:20 if sequence > 20 else sequence]).sum().backward()
        message = self.refused(step, {"sequence": [8, 24, 40]})
        self.assertIn("At sequence=24", message)
        self.assertIsNone(table.grad)
        self.assertEqual(type(table), nn.Parameter)


if __name__ == "__main__":
    unittest.main()
