#!/usr/bin/env python3
"""Captured steps in the program: the program's peak equals the peaks of the file and of PyTorch's profiler."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent.parent.parent / "python"), str(Path(__file__).resolve().parent)]

import onnx  # noqa: E402
import torch  # noqa: E402

import stashscope  # noqa: E402
from models import training_step  # noqa: E402
from profiler_oracle import judge, read  # noqa: E402

torch.set_num_threads(1)
PROGRAM = os.environ.get("STASHSCOPE_PROGRAM", "")


@unittest.skipUnless(PROGRAM, "STASHSCOPE_PROGRAM does not name the program")
class InTheProgram(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = Path(self.folder.name) / "step.onnx"

    def report(self, *options: str) -> dict:
        done = subprocess.run([PROGRAM, "--batch", str(self.path), "--format", "json", *options],
                              capture_output=True, text=True, check=True)
        return json.loads(done.stdout)

    def check(self, model: str, optimizer: str) -> None:
        stashscope.capture(training_step(model, optimizer, False), self.path)
        report = self.report()
        captured = read(self.path)
        for variant in ("baseline", "current"):
            self.assertEqual(report["memory"][variant]["peak_bytes"] - captured.baseline, captured.peak)
        self.assertEqual(report["model"]["nodes"], len(captured.names))
        texts = {entry.key: entry.value for entry in onnx.load(self.path).metadata_props}
        self.assertEqual(report["notes"], json.loads(texts["stashscope.warnings"]))
        judged = judge(self.path, lambda: training_step(model, optimizer, False))
        self.assertEqual(judged.differences, [])
        self.assertEqual(judged.peak, captured.peak)

    def test_gpt2(self) -> None:
        self.check("gpt2", "adamw")

    def test_llama(self) -> None:
        self.check("llama", "sgd")

    def test_resnet(self) -> None:
        self.check("resnet50", "sgd")

    def test_modules_and_bands(self) -> None:
        stashscope.capture(training_step("gpt2", "adamw", False), self.path)
        report = self.report()
        bands = report["memory"]["baseline"]["peak_bands"]
        self.assertGreater(bands["parameters"], 0)
        self.assertGreater(bands["stashed"] + bands["optimizer_states"], 0)
        self.assertEqual(report["captured"]["torch"], torch.__version__)
        modules = {row["module"] for row in report["module_memory"]}
        self.assertTrue(any(name.startswith("transformer.h.1") for name in modules), modules)

    def test_a_cut_file_is_refused(self) -> None:
        stashscope.capture(training_step("gpt2", "sgd", False), self.path)
        whole = self.path.read_bytes()
        self.path.write_bytes(whole[:len(whole) // 2])
        done = subprocess.run([PROGRAM, "--batch", str(self.path)], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("cut off or damaged", done.stderr)


if __name__ == "__main__":
    unittest.main()
