#!/usr/bin/env python3
"""Bad input: a clear error, and model, gradients, optimizer and random generators as they were."""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any, Callable

sys.path[:0] = [str(Path(__file__).resolve().parent.parent.parent / "python"), str(Path(__file__).resolve().parent)]

import numpy  # noqa: E402
import onnx  # noqa: E402
import torch  # noqa: E402
from torch import nn  # noqa: E402

import stashscope  # noqa: E402

try:
    import stashscope._engine  # noqa: E402,F401
    HAS_ENGINE = True
except ImportError:
    HAS_ENGINE = False

PROGRAM = os.environ.get("STASHSCOPE_PROGRAM", "")
HERE = Path(__file__).name


# What the program says of a file that it opens.
NOTES = "stashscope: note: "


class Throws(torch.autograd.Function):
    """An operator whose derivative fails."""

    @staticmethod
    def forward(ctx: Any, given: torch.Tensor) -> torch.Tensor:
        return given.clone()

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> torch.Tensor:
        raise ValueError("no derivative here")


class Training:
    """A model in the middle of its training: with gradients, optimizer state and running statistics."""

    def __init__(self) -> None:
        torch.manual_seed(1)
        self.model = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.Dropout(0.5), nn.Linear(16, 4))
        self.optimizer = torch.optim.AdamW(self.model.parameters())
        self.data = torch.randn(12, 8)
        self.step()

    def step(self, rows: int = 12, broken: Callable[[torch.Tensor], torch.Tensor] = torch.Tensor.tanh) -> None:
        self.optimizer.zero_grad()
        random.random(), numpy.random.random()
        broken(self.model(self.data[:rows])).sum().backward()
        self.optimizer.step()


def throws(_: torch.Tensor) -> torch.Tensor:
    raise ValueError("bad batch")


def facts(training: Training) -> dict[str, Any]:
    """All that the user could see a change of, copied."""
    model, optimizer = training.model, training.optimizer
    tensors = {**model.state_dict(), **{f"{name}.grad": one.grad for name, one in model.named_parameters()}}
    for number, parameter in enumerate(model.parameters()):
        tensors.update({f"{number}.{key}": state for key, state in optimizer.state[parameter].items()})
    return {
        "tensors": {name: (id(one) if name.endswith("grad") else 0, one.device.type, one.requires_grad,
                           None if one.is_meta else one.detach().numpy().tobytes()) for name, one in tensors.items()},
        "identities": [(id(one), one.untyped_storage()._cdata) for one in model.parameters()],
        "modules": [(sorted(vars(one)), one.training, one.forward.__func__) for one in model.modules()],
        "groups": [{key: value for key, value in group.items() if key != "params"} for group in optimizer.param_groups],
        "states": len(optimizer.state),
        "random": (random.getstate(), torch.get_rng_state().tolist(), str(numpy.random.get_state())),
        "modes": (torch.is_grad_enabled(), torch.is_inference_mode_enabled(), torch.is_autocast_enabled("cpu")),
    }


class StepRefusals(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "step.onnx"
        self.training = Training()

    def refused(self, step: Callable[..., Any], text: str, **options: Any) -> stashscope.Error:
        """`step` is refused with `text`; nothing changes, no file appears, and the training goes on."""
        before = facts(self.training)
        with self.assertRaises(stashscope.Error) as caught:
            stashscope.capture(step, self.path, **options)
        after = facts(self.training)
        for name, fact in before.items():
            self.assertEqual(after[name], fact, name)
        error = caught.exception
        self.assertRegex(error.what, text)
        self.assertTrue(error.hint.endswith("."), error)
        self.assertEqual(list(self.path.parent.iterdir()), [])
        return error

    def afterwards_it_works(self) -> None:
        stashscope.capture(self.training.step, self.path)
        self.assertTrue(onnx.load(str(self.path)).graph.node)

    def test_a_meta_model_with_real_optimizer_state(self) -> None:
        states = [self.training.optimizer.state[one] for one in self.training.model.parameters()]
        self.training.model.to("meta")
        self.training.optimizer = torch.optim.AdamW(self.training.model.parameters())
        self.training.optimizer.state.update(zip(self.training.model.parameters(), states))
        error = self.refused(self.training.step, "state 'exp_avg' is on cpu, its parameter is on meta")
        self.assertIn("AdamW", error.where)

    def test_a_step_that_throws_in_forward(self) -> None:
        for fake in (True, False):
            # With real tensors the random generators move on, as in the step itself.
            with self.subTest(fake=fake):
                step = (lambda: self.training.step(broken=throws)) if fake else (lambda: throws(self.training.data))
                error = self.refused(step, "ValueError: bad batch", fake=fake, model=self.training.model,
                                     optimizer=self.training.optimizer)
                self.assertRegex(error.where, HERE + '", line [0-9]+, in throws')
                self.assertIsInstance(error.__cause__, ValueError)
        self.afterwards_it_works()

    def test_a_step_that_throws_in_backward(self) -> None:
        error = self.refused(lambda: self.training.step(broken=Throws.apply), "ValueError: no derivative here")
        self.assertRegex(error.where, HERE + '", line [0-9]+, in backward')
        self.afterwards_it_works()

    def test_a_step_that_throws_after_the_optimizer(self) -> None:
        def step() -> None:
            self.training.step()
            self.training.model.eval()
            throws(self.training.data)
        self.refused(step, "ValueError: bad batch")
        self.afterwards_it_works()

    def test_a_step_of_which_nothing_ran(self) -> None:
        def generator() -> Any:
            self.training.step()
            yield

        async def coroutine() -> None:
            self.training.step()

        async def both() -> Any:
            self.training.step()
            yield

        options = {"model": self.training.model, "optimizer": self.training.optimizer}
        for step in (generator, coroutine, both):
            for fake in (True, False):
                with self.subTest(step.__name__, fake=fake):
                    self.refused(step, "generator or a coroutine", fake=fake, **options)
                    self.refused(lambda: step(), "returned a .*(generator|coroutine).* did not run", fake=fake,
                                 **options)
        self.afterwards_it_works()

    def test_a_step_without_operators(self) -> None:
        for step in (lambda: None, lambda: len(self.training.data), lambda: [self.training.model.train()]):
            for fake in (True, False):
                self.refused(step, "ran no operator", fake=fake)
        self.refused(lambda batch=4: None, "ran no operator", dims={"batch": 4})
        self.afterwards_it_works()

    def test_steps_of_different_shapes(self) -> None:
        for sizes in ((12, 10), (12, 6), (6, 12), (2, 3)):
            rows = iter(sizes * 2)
            error = self.refused(lambda: self.training.step(next(rows)), "does not repeat itself")
            self.assertRegex(error.what, HERE + ".*, line [0-9]+, in step; called again, it ran")
        self.afterwards_it_works()

    def test_steps_of_different_length(self) -> None:
        for counts in ((1, 2), (2, 1), (1, 0)):
            passes = iter(counts * 2)
            self.refused(lambda: [self.training.step() for _ in range(next(passes))],
                         "does not repeat itself|ran no operator")
        self.afterwards_it_works()


@unittest.skipUnless(HAS_ENGINE or PROGRAM, "neither the engine's module nor the program is there")
class FileRefusals(unittest.TestCase):
    """A captured file that is not what the capture wrote. The module and the program say the same."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = Path(cls.folder.name) / "step.onnx"
        stashscope.capture(Training().step, cls.path)
        cls.whole = cls.path.read_bytes()

    @classmethod
    def tearDownClass(cls) -> None:
        cls.folder.cleanup()

    def said(self, content: bytes) -> str:
        """What is said about a file with this content; empty where it opens."""
        path = self.path.with_name("other.onnx")
        path.write_bytes(content)
        answers = []
        if HAS_ENGINE:
            try:
                stashscope.load(path)
                answers.append("")
            except stashscope.Error as error:
                self.assertTrue(error.what and error.hint, error)
                answers.append(str(error))
        if PROGRAM:
            done = subprocess.run([PROGRAM, "--batch", str(path)], capture_output=True, text=True)
            self.assertIn(done.returncode, (0, 1, 2, 3), "it ended by itself")
            notes = [line for line in done.stderr.splitlines() if line.startswith(NOTES)]
            self.assertEqual(done.returncode == 0, notes == done.stderr.splitlines(), done.stderr)
            answers.append(done.stderr if done.returncode else "")
        self.assertEqual(len({bool(one) for one in answers}), 1, answers)
        return answers[0]

    def changed(self, key: str, text: Callable[[str], str]) -> bytes:
        model = onnx.load_from_string(self.whole)
        rows = [one for one in model.metadata_props if one.key == key]
        self.assertEqual(len(rows), 1, key)
        rows[0].value = text(rows[0].value)
        return model.SerializeToString()

    def test_the_file_itself_opens(self) -> None:
        self.assertEqual(self.said(self.whole), "")

    def test_cut(self) -> None:
        for part in (0, 1, 10, len(self.whole) // 3, len(self.whole) // 2, len(self.whole) - 1):
            with self.subTest(part):
                self.assertIn("other.onnx", self.said(self.whole[:part]))

    def test_from_a_newer_version(self) -> None:
        said = self.said(self.changed("stashscope.captured_step", lambda version: str(int(version) + 1)))
        self.assertRegex(said, "version")

    def test_altered(self) -> None:
        changes = {"cut": lambda old: old[:-1], "empty": lambda old: "", "list": lambda old: "[]",
                   "object": lambda old: "{}", "number": lambda old: re.sub("[0-9]+", "-7", old, count=1)}
        for key in ("stashscope.storages", "stashscope.saved"):
            for name, text in changes.items():
                if key.endswith("saved") and name in ("list", "object"):
                    continue  # A table without rows: autograd saved nothing.
                with self.subTest(key, change=name):
                    self.assertTrue(self.said(self.changed(key, text)))

    def test_bytes_turned_over(self) -> None:
        """Any answer but a crash."""
        dice = random.Random(3)
        for _ in range(12):
            content = bytearray(self.whole)
            content[dice.randrange(len(content))] ^= 1 << dice.randrange(8)
            self.said(bytes(content))


if __name__ == "__main__":
    torch.set_num_threads(1)
    unittest.main()
