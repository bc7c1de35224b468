#!/usr/bin/env python3
"""Captures of all kinds of models and steps, with and without data: what PyTorch's profiler sees, to the byte."""

from __future__ import annotations

import functools
import json
import sys
import tempfile
import unittest
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent.parent.parent / "python"), str(Path(__file__).resolve().parent)]

import hidden_objects  # noqa: E402, F401 (before all that makes tensors)
import onnx  # noqa: E402
import torch  # noqa: E402
from torch import nn  # noqa: E402

import models  # noqa: E402
import stashscope  # noqa: E402
from capture_table import seeded  # noqa: E402
from more_models import MORE_MODELS, OPTIONS  # noqa: E402
from profiler_oracle import judge  # noqa: E402

torch.set_num_threads(1)

# What each is there for: views changed in place, results that are saved and never asked for, complex numbers, strides
# of images, lengths of sequences, folds, foreign operators, checks for infinite values, lists of data, masks, losses of
# a scaler.
STEPS = ("views_in_place", "rwkv", "rotary_complex", "channels_last", "pvt", "convbert",
         "checkpoint_by_hand", "checkpoint", "grad_scaler", "with_asgd", "detr", "bidirectional_lstm", "ema",
         "lstm_without_biases", "evaluated_lstm",
         "padded_channels_last", "ctc_mean", "ctc_sum", "ctc_none", "distributions")
ROUTED = ("qwen3_moe", "granite_moe")


class Captures(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "step.onnx"

    def warnings(self) -> str:
        return next(one.value for one in onnx.load(str(self.path)).metadata_props if one.key == "stashscope.warnings")

    def check(self, make, **options) -> None:
        for fake in (True, False):
            with self.subTest(fake=fake):
                stashscope.capture(make(), self.path, fake=fake, **(options if fake else {}))
                found = judge(self.path, make)
                self.assertEqual(found.differences, [])
                self.assertLessEqual(found.peak, found.profiler_peak)

    def test_steps(self) -> None:
        for name in STEPS:
            with self.subTest(name):
                self.check(functools.partial(seeded, MORE_MODELS[name]))

    def test_operators_of_a_library(self) -> None:
        make = functools.partial(seeded, MORE_MODELS["faster_rcnn"])
        stashscope.capture(make(), self.path, fake=False)
        self.assertEqual(judge(self.path, make).differences, [])

    def test_lstm_under_autocast(self) -> None:
        self.check(functools.partial(models.training_step, "lstm", "sgd", True))

    def test_experts_with_even_routing(self) -> None:
        self.check(functools.partial(models.training_step, "mixtral", "adamw", False), **models.OPTIONS["mixtral"])
        for name in ROUTED:
            with self.subTest(name):
                self.check(functools.partial(seeded, MORE_MODELS[name]), **OPTIONS[name])

    def test_the_assumption_is_in_the_file(self) -> None:
        step = models.training_step("mixtral", "sgd", False)
        stashscope.capture(step, self.path, **models.OPTIONS["mixtral"])
        said = [one for one in json.loads(self.warnings()) if "even routing" in one]
        self.assertEqual(len(said), 1)
        self.assertIn("2 calls that pick 2 of 4 experts", said[0])

    def test_a_larger_mixture_needs_no_data(self) -> None:
        """The masks have their data; the tokens and the experts have none."""
        gate, expert = nn.Linear(64, 16, device="meta"), nn.Linear(64, 64, device="meta")

        def step() -> None:
            tokens = torch.randn(4096, 64)
            weights, picks = torch.topk(gate(tokens).softmax(-1), 4)
            mask = nn.functional.one_hot(picks, 16)
            rows, places = torch.where(mask[:, :, 5] > 0)
            (expert(tokens[rows]) * weights[rows, places, None]).sum().backward()
        stashscope.capture(step, self.path, model=[gate, expert], routing="even")
        shapes = [[one.dim_value for one in value.type.tensor_type.shape.dim]
                  for value in onnx.load(str(self.path)).graph.value_info if value.name.startswith("addmm")]
        self.assertIn([4096 * 4 // 16, 64], shapes)


class InferenceMode(unittest.TestCase):
    """PyTorch's modes see functions there whole, which run other operators."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "step.onnx"

    @staticmethod
    def attention():
        keys, last = torch.randn(2, 4, 6, 8), nn.Linear(32, 8)

        def step():
            with torch.inference_mode():
                heads = keys.add(1).permute(0, 2, 1, 3)
                weights = torch.einsum("bhqd,bhkd->bhqk", heads, heads).softmax(-1)
                result = torch.einsum("bhqk,bhkd->bhqd", weights, heads).permute(0, 2, 1, 3).reshape(2, 4, -1)
                nn.functional.dropout(last(result[..., :32].contiguous()), 0.1)
        return step

    def test_operators_inside_functions(self) -> None:
        for fake in (True, False):
            with self.subTest(fake=fake):
                stashscope.capture(self.attention(), self.path, fake=fake)
                self.assertEqual(judge(self.path, self.attention).differences, [])
                ran = [node.op_type for node in onnx.load(str(self.path)).graph.node]
                self.assertEqual([ran.count(name) for name in ("bmm", "addmm", "einsum", "linear", "dropout")],
                                 [2, 1, 0, 0, 0])


class Refusals(unittest.TestCase):
    def refused(self, text: str, step, **options) -> None:
        with tempfile.TemporaryDirectory() as folder, self.assertRaises(stashscope.Error) as caught:
            stashscope.capture(step, Path(folder) / "step.onnx", **options)
        self.assertIn(text, str(caught.exception))

    def test_experts_without_the_option(self) -> None:
        self.refused("routing='even'", models.training_step("mixtral", "sgd", False))

    def test_views_of_tensors_from_outside_of_inference_mode(self) -> None:
        outside = torch.randn(4, 6)

        def step() -> None:
            with torch.inference_mode():
                outside.view(-1).add(1)
        for fake in (True, False):
            self.refused("Use torch.no_grad()", step, fake=fake)

    def test_routing(self) -> None:
        step = models.training_step("lstm", "sgd", False)
        self.refused("'odd' is not known", step, routing="odd")
        self.refused("With fake=False the data decides", step, routing="even", fake=False)

    def test_data_that_a_kernel_reads(self) -> None:
        self.refused("reads the data of a tensor", seeded(MORE_MODELS["packed_lstm"]))


if __name__ == "__main__":
    unittest.main()
