#!/usr/bin/env python3
"""Named dimensions in the program: its peak at other sizes is the peak of a capture made at these sizes."""

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
from sized_models import SIZED_STEPS  # noqa: E402

torch.set_num_threads(1)
PROGRAM = os.environ.get("STASHSCOPE_PROGRAM", "")


@unittest.skipUnless(PROGRAM, "STASHSCOPE_PROGRAM does not name the program")
class InTheProgram(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path, self.other = (Path(self.folder.name) / name for name in ("step.onnx", "other.onnx"))

    def run_program(self, path: Path, *options: str) -> subprocess.CompletedProcess:
        return subprocess.run([PROGRAM, "--batch", str(path), "--format", "json", *options], capture_output=True,
                              text=True)

    def report(self, path: Path, *options: str) -> dict:
        done = self.run_program(path, *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def peak(self, path: Path, *options: str) -> int:
        return self.report(path, *options)["memory"]["current"]["peak_bytes"]

    def check(self, name: str, dims, sizes, *plan: str) -> None:
        step = SIZED_STEPS[name]()
        stashscope.capture(step, self.path, dims=dims)
        stashscope.capture(lambda: step(**sizes), self.other)
        chosen = [text for one, size in sizes.items() for text in ("--dim", f"{one}={size}")]
        self.assertEqual(self.peak(self.path, *chosen, *plan), self.peak(self.other, *plan), (name, sizes))
        first = {one: values[0] if isinstance(values, list) else values for one, values in dims.items()}
        stashscope.capture(lambda: step(**first), self.other)
        self.assertEqual(self.peak(self.path), self.peak(self.other), name)

    def test_gpt2_with_a_plan(self) -> None:
        self.check("gpt2", {"batch": 4, "sequence": [32, 40, 48, 56]}, {"batch": 16, "sequence": 24},
                   "--plan", "transformer.h.*:5:-1")

    def test_llama(self) -> None:
        self.check("llama", {"batch": [4, 6, 8]}, {"batch": 16})

    def test_bert(self) -> None:
        self.check("bert", {"batch": [4, 6, 8]}, {"batch": 16})

    def test_unet(self) -> None:
        self.check("unet", {"image": [64, 96, 128, 160]}, {"image": 192})

    def test_lstm(self) -> None:
        self.check("lstm", {"batch": [64, 128, 192, 256]}, {"batch": 320})

    def test_sizes_between_are_refused_and_the_largest_batch_is_found(self) -> None:
        step = SIZED_STEPS["pyramid"]()
        stashscope.capture(step, self.path, dims={"batch": [4, 8, 12], "image": [64, 96, 128, 160]})
        done = self.run_program(self.path, "--dim", "image=97")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("image=97", done.stderr)
        largest = self.report(self.path, "--fit", "batch", "--memory", "4MiB")["fit"]["current"]["largest"]
        for batch, fits in ((largest["value"], True), (largest["value"] + 1, False)):
            stashscope.capture(lambda: step(batch=batch), self.other)
            self.assertEqual(self.peak(self.other) <= 4 << 20, fits)


if __name__ == "__main__":
    unittest.main()
