#!/usr/bin/env python3
"""Steps of a published model, captured without a GPU, beside what GPUs recorded of them."""

from __future__ import annotations

import os
import unittest

from recorded_table import CASES, TRACES, Compared, compare
from recorded_trace import CUBLAS, INSIDE, OTHER_DATA, largest_distance

PROGRAM = os.environ.get("STASHSCOPE_PROGRAM", "")
# The captured step holds a number of 8 bytes for each of 24 layers, which lies on the host of a GPU.
NUMBERS = 24 * 8


@unittest.skipUnless(PROGRAM, "STASHSCOPE_PROGRAM does not name the program")
@unittest.skipUnless(TRACES.is_dir(), "no shared/cases/allocator")
class Recorded(unittest.TestCase):
    def compared(self, name: str) -> Compared:
        return compare(CASES[name], TRACES, PROGRAM)

    def check(self, found: Compared, inside: set[int]) -> None:
        """`inside`: sizes of what operators of a GPU allocate and free inside."""
        self.assertEqual(set(found.likeness.only_recorded), inside)
        self.assertLessEqual(set(found.likeness.only_predicted), {8})
        self.assertLessEqual(largest_distance(found.recorded, found.predicted, found.likeness), NUMBERS)
        most = found.recorded.peak()[0]
        self.assertLess(abs(found.memory["peak_bytes"] - most), most / 200)
        self.assertLessEqual(abs(found.memory["peak_bytes"] + found.named() - most), NUMBERS)
        self.assertLess(abs(found.memory["reserved_bytes"] - found.recorded.reserved), found.recorded.reserved / 100)
        for kind, size in found.recorded_kinds().items():
            if kind not in (CUBLAS, INSIDE, OTHER_DATA):
                self.assertLessEqual(abs(found.predicted_kinds()[kind] - size), NUMBERS, kind)

    def test_training(self) -> None:
        self.check(self.compared("W_medium_128_training"), {1, 4096})

    def test_training_under_autocast(self) -> None:
        self.check(self.compared("W_medium_1024_training"), {32, 32_768, 72_191, 33_554_432})

    def test_inference(self) -> None:
        found = self.compared("W_medium_1024_inference")
        self.check(found, set())
        self.assertEqual(found.memory["peak_bytes"] + found.named(), found.recorded.peak()[0])


if __name__ == "__main__":
    unittest.main()
