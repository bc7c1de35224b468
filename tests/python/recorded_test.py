#!/usr/bin/env python3
"""Steps of a published model, captured without a GPU, beside what GPUs recorded of them."""

from __future__ import annotations

import os
import unittest
from collections import Counter

from recorded_table import CASES, TRACES, Compared, compare
from recorded_trace import CUBLAS, INSIDE, OTHER_DATA, largest_distance

PROGRAM = os.environ.get("STASHSCOPE_PROGRAM", "")


@unittest.skipUnless(PROGRAM, "STASHSCOPE_PROGRAM does not name the program")
@unittest.skipUnless(TRACES.is_dir(), "no shared/cases/allocator")
class Recorded(unittest.TestCase):
    def compared(self, name: str) -> Compared:
        return compare(CASES[name], TRACES, PROGRAM)

    def check(self, found: Compared, same: int, inside: dict[int, int]) -> None:
        """`same`: allocations of the same size in the same order. `inside`: by size, how many operators of a GPU make
        and free inside."""
        self.assertEqual(len(found.likeness.pairs), same)
        self.assertEqual(Counter(found.likeness.only_recorded), inside)
        self.assertEqual(found.likeness.only_predicted, [])
        self.assertEqual(largest_distance(found.recorded, found.predicted, found.likeness), 0)
        most = found.recorded.peak()[0]
        self.assertLess(abs(found.memory["peak_bytes"] - most), most / 200)
        self.assertEqual(found.memory["peak_bytes"] + found.named(), most)
        self.assertLess(abs(found.memory["reserved_bytes"] - found.recorded.reserved), found.recorded.reserved / 100)
        for kind, size in found.recorded_kinds().items():
            if kind not in (CUBLAS, INSIDE, OTHER_DATA):
                self.assertEqual(found.predicted_kinds()[kind], size, kind)

    def test_training(self) -> None:
        self.check(self.compared("W_medium_128_training"), 6_520, {1: 1, 4_096: 5})

    def test_training_under_autocast(self) -> None:
        self.check(self.compared("W_medium_1024_training"), 7_487,
                   {32: 49, 32_768: 5, 72_191: 1, 33_554_432: 49})

    def test_inference(self) -> None:
        self.check(self.compared("W_medium_1024_inference"), 1_280, {})


if __name__ == "__main__":
    unittest.main()
