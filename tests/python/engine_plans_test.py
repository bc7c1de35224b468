#!/usr/bin/env python3
"""Plans of the program for captured steps: PyTorch, with the plan applied, has the predicted peak."""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Any, Callable, Optional

import hidden_objects  # noqa: F401 (before all that makes tensors)
from small_models import Trained, calls, curve_of, gpt2, language_loss_without_cache, with_code

import torch
import stashscope
from models import MODELS
from stashscope import Plan, Region
from torch import nn

PROGRAM = os.environ.get("STASHSCOPE_PROGRAM", "")
BUDGET_NOT_MET = 4
KEEPING = "[keep "


def captured(name: str, path: Path, plan: Optional[Plan] = None, autocast: bool = False) -> None:
    """Forward and backward; an optimizer would hide what backward needs."""
    torch.manual_seed(0)
    model, loss_of = {**MODELS, **OTHERS}[name]()
    model.train()
    if plan is not None:
        stashscope.apply(model, plan)

    def step() -> None:
        with torch.autocast("cpu", torch.bfloat16, enabled=autocast):
            loss = loss_of()
        loss.backward()
    stashscope.capture(step, path, model=model)


class PartlyTrained(nn.Module):
    """A part without gradients, one with, and one that changes its argument in place."""

    def __init__(self) -> None:
        super().__init__()
        self.frozen, self.head = nn.Sequential(nn.Linear(64, 64), nn.GELU()), nn.Sequential(
            nn.Linear(64, 256), nn.GELU(), nn.Linear(256, 64))
        self.in_place = nn.ReLU(inplace=True)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        with torch.no_grad():
            known = self.frozen(x)
        return self.in_place(self.head(known) + 1).square().mean() + self.head(x).mean()


def partly_trained():
    model = PartlyTrained()
    return model, lambda: model(torch.linspace(-1, 1, 2048).reshape(32, 64))


class ChangedOutput(torch.nn.Module):
    """Changes the output of one norm in place, and leaves that of the other."""

    def __init__(self) -> None:
        super().__init__()
        self.changed, self.left = torch.nn.LayerNorm(64), torch.nn.LayerNorm(64)
        self.middle, self.last = torch.nn.Linear(64, 64), torch.nn.Linear(64, 64)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.middle(self.left(x))
        y = self.changed(y)
        y += x
        return self.last(y).square().mean()


def changed_output():
    model = ChangedOutput()
    return model, lambda: model(torch.linspace(-1, 1, 2048).reshape(32, 64))


def accumulating():
    """Two passes, each with its own backward."""
    model = gpt2()

    def losses() -> torch.Tensor:
        language_loss_without_cache(model).backward()
        return language_loss_without_cache(model)
    return model, losses


def with_checkpoints():
    model = gpt2()
    model.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})
    return model, lambda: language_loss_without_cache(model)


OTHERS = {"partly_trained": partly_trained, "changed_output": changed_output, "accumulating": accumulating,
          "with_checkpoints": with_checkpoints}


def reported(step: Path, plan: Path, *options: str) -> dict:
    """The report of the program, which also writes its plan."""
    done = subprocess.run([PROGRAM, "--batch", str(step), "--format", "json", "--export-plan", str(plan), *options],
                          capture_output=True, text=True)
    if done.returncode not in (0, BUDGET_NOT_MET):
        raise AssertionError(done.stderr)
    return json.loads(done.stdout)


def trained(name: str, change: Callable[[nn.Module], Any], autocast: bool) -> Trained:
    held: dict[str, Callable[[], torch.Tensor]] = {}

    def make() -> nn.Module:
        model, held["loss"] = MODELS[name]()
        if hasattr(model, "config"):
            model.config.use_cache = False  # pasted code does not know caches
        return model
    return Trained(make, lambda model: held["loss"](), change, autocast)


def without_skips(plan: Plan) -> tuple[Region, ...]:
    return tuple(dataclasses.replace(region, skip=()) for region in plan.regions)


@unittest.skipUnless(PROGRAM, "STASHSCOPE_PROGRAM does not name the program")
class PredictedPeaks(unittest.TestCase):
    def setUp(self) -> None:
        held = tempfile.TemporaryDirectory()
        self.addCleanup(held.cleanup)
        self.folder = Path(held.name)
        self.plan = self.folder / "plan.json"

    def report(self, *options: str) -> dict:
        return reported(self.folder / "step.onnx", self.plan, *options)

    def check_plan(self, name: str, autocast: bool, *options: str) -> int:
        """Returns the number of regions. PyTorch's own curve of the step with the plan is the judge."""
        predicted = self.report(*options)["memory"]["current"]["peak_bytes"]
        plan = Plan.load(self.plan)
        captured(name, self.folder / "planned.onnx", plan, autocast)
        self.assertEqual(predicted, max(curve_of(self.folder / "planned.onnx")), (name, options, plan))
        return len(plan.regions)

    def check(self, name: str, autocast: bool = False) -> None:
        captured(name, self.folder / "step.onnx", autocast=autocast)
        plain = max(curve_of(self.folder / "step.onnx"))
        report = self.report()
        self.assertEqual(report["memory"]["current"]["peak_bytes"], plain)
        regions = 0
        keeping = [row["config"] for row in report["plans"] if KEEPING in row["config"]]
        for config in [row["config"] for row in report["plans"][:3]] + keeping[::max(1, len(keeping) // 3)][:3]:
            regions += self.check_plan(name, autocast, "--plan", config)
        for percent in (80, 60, 45):
            # Any plan is checked alike, so the search need not be long.
            regions += self.check_plan(name, autocast, "--budget", f"{percent}%", "--time-limit", "2")
        self.assertGreater(regions, 3)

    def test_gpt2(self) -> None:
        self.check("gpt2")

    def test_gpt2_under_autocast(self) -> None:
        self.check("gpt2", autocast=True)

    def test_llama(self) -> None:
        self.check("llama")

    def test_mistral_under_autocast(self) -> None:
        self.check("mistral", autocast=True)

    def test_bert(self) -> None:
        self.check("bert")

    def test_t5(self) -> None:
        self.check("t5")

    def test_vit(self) -> None:
        self.check("vit")

    def test_convnext(self) -> None:
        self.check("convnext")

    def test_unet(self) -> None:
        self.check("unet")

    def test_lstm(self) -> None:
        self.check("lstm")

    def configs(self, name: str, tried: int = 1) -> list[str]:
        """The clusters. PyTorch has the predicted peak with each `tried`-th of them."""
        captured(name, self.folder / "step.onnx")
        configs = [row["config"] for row in self.report()["plans"]]
        for config in configs[::tried]:
            self.check_plan(name, False, "--plan", config)
        return configs

    def test_parts_without_gradients_and_changes_in_place(self) -> None:
        configs = self.configs("partly_trained")
        self.assertIn("head:5:-1", configs)
        self.assertNotIn("frozen:5:-1", configs)
        self.assertNotIn("in_place:5:-1", configs)

    def test_accumulated_gradients(self) -> None:
        blocks = "transformer.h.*:5:-1"
        self.assertIn(blocks, self.configs("accumulating", tried=4))
        self.check_plan("accumulating", False, "--plan", blocks)

    def test_checkpoints_of_the_script(self) -> None:
        configs = self.configs("with_checkpoints")
        self.assertIn("transformer.drop:5:-1", configs)
        self.assertNotIn("transformer.h.*:5:-1", configs)

    def test_a_plan_of_the_program_is_a_plan_of_the_package(self) -> None:
        captured("gpt2", self.folder / "step.onnx")
        self.report("--plan", "transformer.h.*:5:1")
        self.assertEqual(without_skips(Plan.load(self.plan)), (Region("transformer.h.0"),))

    def check_config(self, name: str, autocast: bool, config: str, *regions: Region) -> None:
        captured(name, self.folder / "step.onnx", autocast=autocast)
        self.check_plan(name, autocast, "--plan", config)
        self.assertEqual(without_skips(Plan.load(self.plan)), regions)

    def test_products_kept_by_hand(self) -> None:
        save = calls("aten.addmm.default", 0, 1, 2, 3)
        self.check_config("gpt2", False, "transformer.h.*[keep addmm]:5:-1", Region("transformer.h.0", save),
                          Region("transformer.h.1", save))

    def test_single_outputs_kept_by_hand(self) -> None:
        save = calls("aten.addmm.default", 0, 2) + calls("aten.tanh.default", 0)
        self.check_config("gpt2", True, "transformer.h.1[keep addmm 0 2+tanh]:5:-1", Region("transformer.h.1", save))

    def test_attention_kept_by_hand(self) -> None:
        save = calls("aten._scaled_dot_product_flash_attention_for_cpu.default", 0)
        self.check_config("llama", True, "model.layers.*[keep _scaled_dot_product_flash_attention_for_cpu]:5:-1",
                          Region("model.layers.0", save), Region("model.layers.1", save))

    def check_outputs(self, name: str, autocast: bool = False) -> None:
        """Every second row that frees outputs."""
        captured(name, self.folder / "step.onnx", autocast=autocast)
        configs = [row["config"] for row in self.report()["plans"] if "[out]" in row["config"]]
        self.assertGreater(len(configs), 3)
        for config in configs[::2]:
            self.check_plan(name, autocast, "--plan", config)

    def test_outputs_of_gpt2(self) -> None:
        self.check_outputs("gpt2")

    def test_outputs_of_gpt2_under_autocast(self) -> None:
        self.check_outputs("gpt2", autocast=True)

    def test_outputs_of_llama_under_autocast(self) -> None:
        self.check_outputs("llama", autocast=True)

    def test_outputs_of_unet(self) -> None:
        self.check_outputs("unet")

    def test_outputs_of_vit(self) -> None:
        self.check_outputs("vit")

    def test_outputs_of_two_passes(self) -> None:
        self.check_outputs("accumulating")

    def test_an_output_that_is_changed_in_place_is_not_freed(self) -> None:
        configs = self.configs("changed_output")
        self.assertIn("left[out]:5:-1", configs)
        self.assertNotIn("changed[out]:5:-1", configs)

    def test_an_output_freed_by_hand(self) -> None:
        self.check_config("gpt2", False, "transformer.h.*.mlp.act[out]:5:-1",
                          Region("transformer.h.0.mlp.act", free_outputs=True),
                          Region("transformer.h.1.mlp.act", free_outputs=True))

    def check_chain(self, name: str, autocast: bool, *configs: str) -> None:
        """Regions that free outputs beside regions whose arguments these are: the peak, and every gradient."""
        captured(name, self.folder / "step.onnx", autocast=autocast)
        plain = trained(name, lambda model: None, autocast)
        regions = self.check_plan(name, autocast, "--plan", ",".join(configs))
        plan = Plan.load(self.plan)
        self.assertEqual(regions, 2 * len(configs), "none excludes another")
        for change in (lambda model: stashscope.apply(model, plan), with_code(plan)):
            self.assertEqual(trained(name, change, autocast).differences(plain), [], plan)

    def test_outputs_that_other_regions_of_llama_read(self) -> None:
        self.check_chain("llama", False, "model.layers.*.input_layernorm[out]:5:-1", "model.layers.*.self_attn:5:-1",
                         "model.layers.*.post_attention_layernorm[out]:5:-1", "model.layers.*.mlp[keep mm]:5:-1")

    def test_outputs_that_other_regions_of_gpt2_read(self) -> None:
        self.check_chain("gpt2", False, "transformer.h.*.ln_1[out]:5:-1", "transformer.h.*.attn:5:-1",
                         "transformer.h.*.ln_2[out]:5:-1", "transformer.h.*.mlp.c_fc[out]:5:-1",
                         "transformer.h.*.mlp.act[out]:5:-1")

    def test_outputs_that_other_regions_read_under_autocast(self) -> None:
        self.check_chain("gpt2", True, "transformer.h.*.mlp.c_fc[out]:5:-1", "transformer.h.*.mlp.act:5:-1")

    def check_results(self, name: str, autocast: bool = False) -> None:
        """Applied and pasted, plans that leave out operators change no bit of the gradients."""
        captured(name, self.folder / "step.onnx", autocast=autocast)
        plain = trained(name, lambda model: None, autocast)
        checked = 0
        for row in self.report()["plans"][::2]:
            self.report("--plan", row["config"])
            plan = Plan.load(self.plan)
            if checked == 4 or not any(region.skip for region in plan.regions):
                continue
            for change in (lambda model: stashscope.apply(model, plan), with_code(plan)):
                self.assertEqual(trained(name, change, autocast).differences(plain), [], plan)
            checked += 1
        self.assertGreater(checked, 1)

    def test_results_of_bert_with_dropout(self) -> None:
        self.check_results("bert")

    def test_results_of_bert_under_autocast(self) -> None:
        self.check_results("bert", autocast=True)

    def test_results_of_vit(self) -> None:
        self.check_results("vit")

    def test_results_of_unet(self) -> None:
        self.check_results("unet")

    def test_fewest_operations(self) -> None:
        captured("llama", self.folder / "step.onnx")
        fast = self.report("--budget", "75%")
        lean = self.report("--budget", "75%", "--minimise", "operations")
        self.assertLess(lean["cost"]["extra_flops"], fast["cost"]["extra_flops"])
        self.check_plan("llama", False, "--budget", "75%", "--minimise", "operations")

    def test_budgets_of_kept_outputs_cost_less(self) -> None:
        captured("llama", self.folder / "step.onnx")
        whole = self.report("--plan", "model.layers.*:5:-1")
        part = self.report("--budget", str(whole["memory"]["current"]["peak_bytes"]))
        self.assertLessEqual(part["memory"]["current"]["peak_bytes"], whole["memory"]["current"]["peak_bytes"])
        self.assertLess(part["cost"]["extra_seconds"], whole["cost"]["extra_seconds"])


class Refusals(unittest.TestCase):
    @unittest.skipUnless(PROGRAM, "STASHSCOPE_PROGRAM does not name the program")
    def test_single_nodes_are_no_plan_for_pytorch(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "step.onnx"
            captured("lstm", path)
            done = subprocess.run([PROGRAM, "--batch", str(path), "--budget", "60%", "--grain", "node"],
                                  capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("PyTorch runs only whole modules again", done.stderr)


if __name__ == "__main__":
    unittest.main()
