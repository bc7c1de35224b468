#!/usr/bin/env python3
"""`python -m stashscope`: a script that is not changed gives the file that stashscope.capture writes, and its plan."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import onnx
import torch

import stashscope
from profiler_oracle import read

torch.set_num_threads(1)
PACKAGES = Path(stashscope.__file__).parent.parent
ENGINE = importlib.util.find_spec("stashscope._engine") is not None
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

REPLACING_SCRIPT = """
import torch
class Replacing(torch.optim.Optimizer):
    def step(self):
        for parameter in self.param_groups[0]["params"]:
            state = self.state[parameter]
            state["mean"] = 0.9 * state.get("mean", torch.zeros_like(parameter)) + parameter.grad
            parameter.data -= 0.1 * state["mean"]
model = torch.nn.Linear(8, 4)
optimizer = Replacing(model.parameters(), {})
for number in range(2):
    model(torch.ones(2, 8)).sum().backward()
    optimizer.step()
"""


class Command(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.script, self.out = Path(folder.name) / "train.py", Path(folder.name) / "step.onnx"
        self.plan = Path(folder.name) / "plan.json"

    def command(self, *arguments: str, packages: Path = PACKAGES) -> "subprocess.CompletedProcess[str]":
        return subprocess.run([sys.executable, "-m", "stashscope", *arguments], capture_output=True, text=True,
                              env={**os.environ, "PYTHONPATH": str(packages)})

    def run_it(self, *options: str, extra: str = "pass", arguments: str = "3") -> "subprocess.CompletedProcess[str]":
        self.script.write_text(SCRIPT.format(extra=extra))
        return self.command("capture", "--out", str(self.out), *options, str(self.script), arguments)

    def test_tells_how_to_capture_for_a_gpu_and_a_later_step(self) -> None:
        dropped = "loss = loss + torch.nn.functional.dropout(model(images)).sum()"
        self.assertEqual(self.run_it(extra=dropped).returncode, 0)
        self.assertRegex(self.warnings(), "--step 2.*--kernels cuda")
        self.assertEqual(self.run_it("--step", "2", "--kernels", "cuda", extra=dropped).returncode, 0)
        self.assertNotIn("--step", self.warnings())
        self.assertIn("no GPU confirmed", self.warnings())
        self.assertIn("native_dropout", " ".join(node.op_type for node in onnx.load(self.out).graph.node))

    def test_tells_what_to_do_about_states_that_a_step_replaces(self) -> None:
        self.script.write_text(REPLACING_SCRIPT)
        done = self.command("capture", "--out", str(self.out), "--step", "2", str(self.script))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("use stashscope.capture with warm_up=1 in the script", self.warnings())

    def warnings(self) -> str:
        return next(one.value for one in onnx.load(self.out).metadata_props if one.key == "stashscope.warnings")

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

    def nodes(self) -> list[bytes]:
        return [node.SerializeToString() for node in onnx.load(self.out).graph.node]

    def test_packages_behind_links_are_known_as_such(self) -> None:
        links = self.out.with_name("links")
        links.mkdir()
        for package in (Path(torch.__file__).parent, Path(stashscope.__file__).parent):
            (links / package.name).symlink_to(package.resolve(), target_is_directory=True)
        self.assertEqual(self.run_it().returncode, 0)
        plain = self.nodes()
        done = self.command("capture", "--out", str(self.out), str(self.script), "3", packages=links)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.nodes(), plain)

    def test_a_later_step_and_the_rest_of_the_script(self) -> None:
        done = self.run_it("--step", "2", "--go-on")
        self.assertEqual(done.stdout, "step 0\nstep 1\nstep 2\nend\n", done.stderr)
        hand = read(self.captured_by_hand())
        self.assertGreater(read(self.out).baseline, hand.baseline)
        self.assertLess(len(read(self.out).names), len(hand.names))

    def planned(self, budget: str) -> "subprocess.CompletedProcess[str]":
        """The command `plan` for a step with four blocks, each of which can run again."""
        self.script.write_text(SCRIPT.format(extra="pass").replace("torch.randn(6, 8)", "torch.randn(600, 8)").replace(
            "torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.GELU(), torch.nn.Linear(16, 4))",
            "torch.nn.Sequential(*[torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.GELU(), torch.nn.Tanh())] * 4)"))
        done = self.command("capture", "--out", str(self.out), str(self.script), "1")
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.command("plan", str(self.out), "--budget", budget, "--out", str(self.plan))

    @unittest.skipUnless(ENGINE, "the engine's module is absent")
    def test_a_plan_of_the_step(self) -> None:
        done = self.planned("80%")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        before = stashscope.load(self.out).peak_bytes
        self.assertRegex(done.stdout, f"^peak {before:,} B without the plan, .* wrote {self.plan}\n$")
        self.assertTrue(stashscope.Plan.load(self.plan).regions)

    @unittest.skipUnless(ENGINE, "the engine's module is absent")
    def test_a_budget_that_is_not_met(self) -> None:
        done = self.planned("1KiB")
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertRegex(done.stderr, r"^stashscope: the budget of 1,024 B is not met; the lowest peak found is [\d,]+ B$")
        self.assertTrue(stashscope.Plan.load(self.plan).regions)
        self.assertEqual(self.command("plan", str(self.out), "--budget", "nonsense").returncode, 1)

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
