#!/usr/bin/env python3
"""Which tensors a capture finds before its step, and that the search leaves no traces."""

from __future__ import annotations

import sys
import tempfile
import unittest
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent.parent.parent / "python")]

import torch  # noqa: E402
from torch import nn  # noqa: E402

import stashscope  # noqa: E402
from stashscope.capturing.run import _existing_tensors  # noqa: E402


class Held:
    """Holds a tensor in a reference cycle."""

    def __init__(self, tensor: torch.Tensor) -> None:
        self.tensor, self.itself = tensor, self


def found(tensor: torch.Tensor) -> int:
    return [id(each) for each in _existing_tensors()].count(id(tensor))


class Search(unittest.TestCase):
    def test_finds_each_tensor_once(self) -> None:
        held = Held(torch.ones(3))
        self.assertEqual(found(held.tensor), 1)

    def test_lets_tensors_end(self) -> None:
        before = len(_existing_tensors())
        tensor = torch.ones(3)
        self.assertEqual(len(_existing_tensors()), before + 1)
        del tensor
        Held(torch.ones(4))
        self.assertEqual(len(_existing_tensors()), before)

    def test_finds_a_parameter_that_gets_its_storage_later(self) -> None:
        lazy = nn.LazyLinear(2)
        self.assertEqual(found(lazy.weight), 0)
        lazy(torch.ones(1, 3))
        self.assertEqual(found(lazy.weight), 1)

    def test_a_step_may_swap_tensors(self) -> None:
        """PyTorch refuses to swap tensors that have weak references."""
        model, first, second = nn.Linear(3, 3), torch.ones(3), torch.zeros(3)

        def step() -> None:
            torch.utils.swap_tensors(first, second)
            model(first).sum().backward()
        for fake in (True, False):
            with self.subTest(fake=fake), tempfile.TemporaryDirectory() as folder:
                stashscope.capture(step, Path(folder) / "step.onnx", fake=fake)


if __name__ == "__main__":
    unittest.main()
