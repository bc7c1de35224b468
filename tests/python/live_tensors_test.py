#!/usr/bin/env python3
"""Which tensors a capture finds: those that live when it looks."""

from __future__ import annotations

import gc
import sys
import unittest
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent.parent.parent / "python")]

import torch  # noqa: E402
from torch import nn  # noqa: E402

from stashscope.capturing.live_tensors import LiveTensors  # noqa: E402


class Held:
    """Holds a tensor in a reference cycle."""

    def __init__(self, tensor: torch.Tensor) -> None:
        self.tensor, self.itself = tensor, self


class Search(unittest.TestCase):
    def setUp(self) -> None:
        self.live = LiveTensors()
        self.old = torch.ones(3)
        self.addCleanup(gc.enable)
        gc.disable()
        self.found(self.old)

    def found(self, *tensors: torch.Tensor) -> list[bool]:
        """Whether the next search finds the tensors."""
        now = {id(tensor) for tensor in self.live.now()}
        return [id(tensor) in now for tensor in tensors]

    def test_finds_old_and_new_tensors(self) -> None:
        new = torch.ones(4)
        self.assertEqual(self.found(self.old, new), [True, True])
        newer = torch.ones(5)
        self.assertEqual(self.found(self.old, new, newer), [True, True, True])

    def test_finds_what_a_collection_of_the_step_has_aged(self) -> None:
        new = torch.ones(4)
        gc.collect()
        self.assertEqual(self.found(self.old, new), [True, True])

    def test_lists_no_tensor_twice(self) -> None:
        new = torch.ones(4)
        for _ in range(3):
            now = [id(tensor) for tensor in self.live.now()]
        self.assertEqual((now.count(id(new)), now.count(id(self.old))), (1, 1))

    def test_lets_tensors_end(self) -> None:
        count = len(self.live.now())
        new, held = torch.ones(4), Held(torch.ones(5))
        self.assertEqual(len(self.live.now()), count + 2)
        del new
        self.assertEqual(len(self.live.now()), count + 1)
        del held
        gc.collect()
        self.assertEqual(len(self.live.now()), count)

    def test_frees_new_cycles(self) -> None:
        count = len(self.live.now())
        Held(torch.ones(4))
        self.assertEqual(len(self.live.now()), count)

    def test_finds_a_parameter_that_gets_its_storage_later(self) -> None:
        lazy = nn.LazyLinear(2)
        self.assertEqual(self.found(lazy.weight), [False])
        lazy(torch.ones(1, 3))
        self.assertEqual(self.found(lazy.weight), [True])


if __name__ == "__main__":
    unittest.main()
