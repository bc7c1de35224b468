#!/usr/bin/env python3
"""`python -m stashscope capture`: a script that is not changed gives the file that stashscope.capture writes."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent.parent.parent / "python"), str(Path(__file__).resolve().parent)]

import torch  # noqa: E402

import stashscope  # noqa: E402
from profiler_oracle import read  # noqa: E402

torch.set_num_threads(1)
SCRIPT = """
import sys, torch
model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.GELU(), torch.nn.Linear(16, 4))
optimizer = torch.optim.AdamW(model.parameters())
for number in range(int(sys.argv[1])):
    images = torch.randn(6, 8)
    optimizer.zero_grad()
    loss = model(images).square().mean()
    {extra}
    loss.backward()
    optimizer.step()
    print("step", number)
print("end")
"""


class Command(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.script, self.out = Path(folder.name) / "train.py", Path(folder.name) / "step.onnx"

    def run_it(self, *options: str, extra: str = "pass", arguments: str = "3") -> "subprocess.CompletedProcess[str]":
        self.script.write_text(SCRIPT.format(extra=extra))
        return subprocess.run([sys.executable, "-m", "stashscope", "capture", "--out", str(self.out), *options,
                               str(self.script), arguments], capture_output=True, text=True,
                              env={**os.environ, "PYTHONPATH": str(Path(stashscope.__file__).parent.parent)})

    def captured_by_hand(self) -> Path:
        model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.GELU(), torch.nn.Linear(16, 4))
        optimizer, images = torch.optim.AdamW(model.parameters()), torch.randn(6, 8)

        def step() -> None:
            optimizer.zero_grad()
            loss = model(images).square().mean()
            loss.backward()
            optimizer.step()
        path = self.out.with_name("hand.onnx")
        stashscope.capture(step, path)
        return path

    def test_the_first_step_is_that_of_capture(self) -> None:
        done = self.run_it()
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        mine, hand = read(self.out), read(self.captured_by_hand())
        self.assertEqual((mine.names, mine.peak, mine.baseline), (hand.names, hand.peak, hand.baseline))
        self.assertEqual(self.run_it("--empty").returncode, 0)
        self.assertEqual((read(self.out).names, read(self.out).peak), (hand.names, hand.peak))

    def test_a_later_step_and_the_rest_of_the_script(self) -> None:
        done = self.run_it("--step", "2", "--go-on")
        self.assertEqual(done.stdout, "step 0\nstep 1\nstep 2\nend\n", done.stderr)
        hand = read(self.captured_by_hand())
        self.assertGreater(read(self.out).baseline, hand.baseline)
        self.assertLess(len(read(self.out).names), len(hand.names))

    def refused(self, text: str, *options: str, **changes: str) -> None:
        done = self.run_it(*options, **changes)
        self.assertEqual(done.returncode, 1)
        self.assertIn(text, done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        self.assertFalse(self.out.exists())

    def test_refusals(self) -> None:
        self.refused("without a training step", arguments="0")
        self.refused("after 3 calls of optimizer.step()", "--step", "9")
        self.refused("ValueError: bad", extra="raise ValueError('bad')")
        self.refused("decides by the data", extra="assert loss > 0")


if __name__ == "__main__":
    unittest.main()
