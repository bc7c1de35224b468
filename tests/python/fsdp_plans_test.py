#!/usr/bin/env python3
"""Plans of the program for a rank under FSDP2: the step captured with the plan applied has the predicted peak."""

from __future__ import annotations

import unittest
from pathlib import Path
from typing import Any, Optional

import torch
import torch.nn.functional as functional
from engine_plans_test import KEEPING, PROGRAM, reported
from ranks_test import RANKS, Decoder, Ranks, bytes_of, shard
from small_models import curve_of
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard

import stashscope
from stashscope import Plan

MIXED = MixedPrecisionPolicy(torch.bfloat16, torch.float32)
MIXED_INSIDE = MixedPrecisionPolicy(torch.bfloat16, torch.float32, output_dtype=torch.float32)


class Wrapped(nn.Module):
    """A model in which one module has all blocks."""

    def __init__(self) -> None:
        super().__init__()
        self.body, self.head = Decoder(), nn.Linear(64, 64)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        return self.head(self.body(ids).relu())


def step_of(model: nn.Module, tokens: int, rounds: int) -> Any:
    """Forward and backward; an optimizer would hide what backward needs."""
    ids = torch.arange(4 * tokens).reshape(4, tokens) % 64

    def step() -> None:
        for _ in range(rounds):
            functional.cross_entropy(model(ids).float().flatten(0, 1), ids.flatten()).backward()
    return step


def sharded(**options: Any) -> nn.Module:
    torch.manual_seed(0)
    return shard(Decoder(), **options)


@unittest.skipUnless(PROGRAM, "STASHSCOPE_PROGRAM does not name the program")
class PredictedPeaks(Ranks):
    def setUp(self) -> None:
        super().setUp()
        self.as_rank(0, RANKS)

    def captured_with(self, plan: Optional[Plan], name: str, tokens: int, rounds: int = 1, warm_up: int = 0,
                      **options: Any) -> Path:
        model = sharded(**options)
        if plan is not None:
            stashscope.apply(model, plan)
        step = step_of(model, tokens, rounds)
        for _ in range(warm_up):
            step()
        return self.captured(step, name, model=model)

    def check(self, choices: list[str], **case: Any) -> set[str]:
        """Predicts and captures each plan, by its config string. Returns the configs in the plan table."""
        step, plan = self.captured_with(None, "step", **case), self.folder / "plan.json"
        report = reported(step, plan)
        self.assertEqual(report["memory"]["current"]["peak_bytes"], max(curve_of(step)))
        configs = [row["config"] for row in report["plans"]]
        keeping = [config for config in configs if KEEPING in config][:2]
        for config in [*choices, *keeping]:
            with self.subTest(config=config, **case):
                predicted = reported(step, plan, "--plan", config)["memory"]["current"]["peak_bytes"]
                planned = self.captured_with(Plan.load(plan), "planned", **case)
                self.assertEqual(predicted, max(curve_of(planned)))
                self.assertNotEqual(predicted, max(curve_of(step)))
        return set(configs)

    WHOLE = ["blocks.*:5:-1", "blocks.*:5:2", "blocks.*.norm:5:-1", "blocks.*.up[out]:5:-1"]
    BY_HAND = ["blocks.*[keep addmm 0]:5:-1", "blocks.*[keep addmm]:5:-1", "blocks.1[keep gelu]:5:-1"]

    def test_parameters_that_are_gathered_again(self) -> None:
        self.check(self.WHOLE[:1], tokens=16)
        configs = self.check(self.WHOLE + self.BY_HAND, tokens=128)
        # What comes behind a block asks for its output before the parameters of the block are there.
        self.assertNotIn("blocks.*[out]:5:-1", configs)

    def test_parameters_that_stay(self) -> None:
        configs = self.check(self.WHOLE + self.BY_HAND + ["blocks.*[out]:5:-1"], tokens=128,
                             reshard_after_forward=False)
        self.assertIn("blocks.*[out]:5:-1", configs)

    def test_mixed_precision(self) -> None:
        self.check(self.WHOLE[:1] + self.BY_HAND, tokens=128, mp_policy=MIXED)
        self.check(self.WHOLE[:1] + self.BY_HAND[:1], tokens=128, mp_policy=MIXED, reshard_after_forward=False)
        self.check(self.WHOLE[:1] + self.BY_HAND[:1], tokens=128, mp_policy=MIXED_INSIDE)

    def test_a_later_step_and_accumulation(self) -> None:
        self.check(self.WHOLE[:1] + self.BY_HAND[:1], tokens=128, warm_up=1)
        self.check(self.WHOLE[:1] + self.BY_HAND[:1], tokens=128, rounds=2)

    def test_a_module_that_has_sharded_modules_is_no_region(self) -> None:
        """It would gather their parameters once more, in an order that the capture does not show."""
        for reshard in (True, False):
            mesh = init_device_mesh("cpu", (RANKS,))
            model = Wrapped()
            for block in model.body.blocks:
                fully_shard(block, mesh=mesh, reshard_after_forward=reshard)
            fully_shard(model, mesh=mesh, reshard_after_forward=reshard)
            step = self.captured(step_of(model, 16, 1), model=model)
            configs = {row["config"] for row in reported(step, self.folder / "plan.json")["plans"]}
            self.assertIn("body.blocks.*:5:-1", configs)
            self.assertNotIn("body:5:-1", configs)


@unittest.skipUnless(PROGRAM, "STASHSCOPE_PROGRAM does not name the program")
class GatheredParameters(Ranks):
    def peak_bands(self, step: Any, model: nn.Module) -> dict:
        path = self.captured(step, model=model)
        return reported(path, self.folder / "plan.json")["memory"]["current"]["peak_bands"]

    def test_they_are_a_use_of_memory_of_their_own(self) -> None:
        """Where activations are small, the last gather is the peak: the buffers of two blocks and what is unsharded."""
        self.as_rank(0, RANKS)
        plain, ids = Decoder(), torch.zeros(1, 1, dtype=torch.int64)
        whole, block = bytes_of(plain), bytes_of(plain.blocks[0])
        for reshard in (True, False):
            model = sharded(reshard_after_forward=reshard)
            bands = self.peak_bands(lambda: model(ids), model)
            unsharded = whole - 2 * block if reshard else whole
            self.assertEqual(bands["gathered_parameters"], unsharded + 2 * block)
            self.assertEqual(bands["parameters"], whole // RANKS)
            self.assertLess(bands["stashed"] + bands["activations"], block // 8)


if __name__ == "__main__":
    unittest.main()
