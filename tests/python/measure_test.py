#!/usr/bin/env python3
"""Measured steps: the measured bytes are those of the captured step, which the program lays them over."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent.parent.parent / "python"), str(Path(__file__).resolve().parent)]

import torch  # noqa: E402

import stashscope  # noqa: E402
from models import training_step  # noqa: E402
from profiler_oracle import read  # noqa: E402
from stashscope.measuring.events import Allocation, Event  # noqa: E402
from stashscope.measuring.history import most_reserved, with_requested_bytes  # noqa: E402

torch.set_num_threads(1)
PROGRAM = os.environ.get("STASHSCOPE_PROGRAM", "")


class Measured(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.step, self.file = Path(folder.name) / "step.onnx", Path(folder.name) / "measured.json"

    def check(self, model: str, optimizer: str) -> None:
        stashscope.capture(training_step(model, optimizer, False), self.step)
        stashscope.measure(training_step(model, optimizer, False), self.file, repeats=2)
        captured, measured = read(self.step), json.loads(self.file.read_text())["current"]
        self.assertEqual([bytes - captured.baseline for bytes in measured["live_bytes"]], captured.during)
        self.assertEqual([bytes - captured.baseline for bytes in measured["idle_bytes"][1:]], captured.live)
        self.assertEqual(measured["repeat_difference"], 0)
        self.assertGreater(sum(measured["node_seconds"]), 0)
        self.assertGreater(measured["step_seconds"], sum(measured["node_seconds"]) / 2)

    def test_gpt2(self) -> None:
        self.check("gpt2", "adamw")

    def test_unet(self) -> None:
        self.check("unet", "sgd")

    def test_lstm(self) -> None:
        self.check("lstm", "adamw")

    def program(self, *options: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run([PROGRAM, "--batch", str(self.step), "--measurement", str(self.file), *options],
                              capture_output=True, text=True)

    @unittest.skipUnless(PROGRAM, "STASHSCOPE_PROGRAM does not name the program")
    def test_the_program_lays_it_over_the_prediction(self) -> None:
        self.check("gpt2", "sgd")
        report = json.loads(self.program("--format", "json").stdout)["measured"]
        self.assertEqual(report["max_abs_error_bytes"], 0)
        self.assertEqual(report["current"], report["baseline"])
        planned = self.program("--plan", "transformer.h.*:5:-1")
        self.assertEqual(planned.returncode, 1)
        self.assertIn("was measured without plans", planned.stderr)
        stashscope.capture(training_step("lstm", "sgd", False), self.step)
        self.assertIn("was measured on another step: operator 0", self.program().stderr)

    def test_a_step_with_a_plan_keeps_its_peak(self) -> None:
        torch.manual_seed(0)
        model = torch.nn.Sequential(*(torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.GELU()) for _ in range(4)))
        data = torch.randn(128, 64)

        def step() -> None:
            model.zero_grad()
            model(data).sum().backward()
        stashscope.apply(model, stashscope.Plan((stashscope.Region("1"), stashscope.Region("2"))))
        stashscope.capture(step, self.step)
        stashscope.measure(step, self.file, repeats=1)
        captured, measured = read(self.step), json.loads(self.file.read_text())["current"]
        self.assertEqual(measured["peak_bytes"] - captured.baseline, max(captured.during))

    def test_the_state_of_the_optimizer_is_that_of_a_first_step_in_each_run(self) -> None:
        torch.manual_seed(0)
        model = torch.nn.Linear(8, 8)
        optimizer = torch.optim.AdamW(model.parameters())
        calls = []

        def step() -> None:
            calls.append(len(optimizer.state))
            optimizer.zero_grad()
            model(torch.ones(2, 8)).sum().backward()
            optimizer.step()
        stashscope.measure(step, self.file, model=model, optimizer=optimizer, warm_up=1, repeats=2)
        self.assertEqual(set(calls), {0})

    def test_refusals_leave_the_file(self) -> None:
        def throws() -> None:
            raise ValueError("bad batch")
        meta = torch.nn.Linear(4, 4, device="meta")
        for step, options, text in ((throws, {}, "bad batch"), (lambda: meta(torch.ones(1, 4)), {}, "no data"),
                                    (lambda: None, {"repeats": 0}, "repeats is 0")):
            with self.assertRaises(stashscope.Error) as caught:
                stashscope.measure(step, self.file, **options)
            self.assertIn(text, str(caught.exception))
            self.assertFalse(self.file.exists())


class History(unittest.TestCase):
    """The shape in which PyTorch records the allocator of a GPU. No GPU takes part."""

    TRACE = [{"action": "segment_alloc", "addr": 0, "size": 2048}, {"action": "alloc", "addr": 512, "size": 100},
             {"action": "free_requested", "addr": 512, "size": 100},
             {"action": "free_completed", "addr": 512, "size": 100},
             {"action": "alloc", "addr": 512, "size": 40}, {"action": "segment_free", "addr": 0, "size": 2048}]

    def test_requested_bytes_replace_rounded_ones(self) -> None:
        events = [Event("[memory]", start, allocation=Allocation(address, size))
                  for start, (address, size) in enumerate([(512, 512), (512, -512), (512, 512), (1024, 512)])]
        self.assertEqual(with_requested_bytes([Event("run", children=events)], self.TRACE), 1)
        self.assertEqual([event.allocation.bytes for event in events], [100, -100, 40, 512])

    def test_the_most_that_was_reserved(self) -> None:
        self.assertEqual(most_reserved(self.TRACE, at_end=1000), 3048)


if __name__ == "__main__":
    unittest.main()
