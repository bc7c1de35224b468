"""Plans and memory: the captured peak falls, and is that of checkpoints written by hand."""

from __future__ import annotations

import contextlib
import functools
import tempfile
import unittest
from pathlib import Path
from typing import Iterator

from small_models import (calls, curve_of, gpt2, image_loss, language_loss, language_loss_without_cache, llama,
                          phases_of, plan_of, residual_net, with_code)

import torch
import stashscope
from stashscope import Plan, Region
from torch import nn
from torch.utils.checkpoint import checkpoint, create_selective_checkpoint_contexts

GPT2_BLOCKS = ("transformer.h.0", "transformer.h.1")
LLAMA_BLOCKS = ("model.layers.0", "model.layers.1")


class ByHand(nn.Module):
    """What users write if they put checkpoints into their models themselves."""

    def __init__(self, module: nn.Module, operators: list[object]) -> None:
        super().__init__()
        self.module = module
        self.contexts = {}
        if operators:
            self.contexts["context_fn"] = lambda: create_selective_checkpoint_contexts(operators)

    def forward(self, *args, **kwargs):
        return checkpoint(self.module, *args, use_reentrant=False, **self.contexts, **kwargs)


def by_hand(names, *operators):
    def change(model: nn.Module) -> None:
        for name in names:
            outer, _, last = name.rpartition(".")
            model.get_submodule(outer)._modules[last] = ByHand(model.get_submodule(name), list(operators))
    return change


@contextlib.contextmanager
def captured(make, loss, *changes, autocast: bool = False, fake: bool = True) -> Iterator[Path]:
    """A step of forward and backward; an optimizer would hide what backward needs."""
    torch.manual_seed(0)
    model = make().train()
    for change in changes:
        change(model)

    def step() -> None:
        with torch.autocast("cpu", torch.bfloat16, enabled=autocast):
            result = loss(model)
        result.backward()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "step.onnx"
        stashscope.capture(step, path, model=model, fake=fake)
        yield path


def curve(make, loss, *changes, autocast: bool = False, fake: bool = True) -> list[int]:
    with captured(make, loss, *changes, autocast=autocast, fake=fake) as path:
        return curve_of(path)


def peak(make, loss, *changes, autocast: bool = False, fake: bool = True) -> int:
    return max(curve(make, loss, *changes, autocast=autocast, fake=fake))


@functools.lru_cache(maxsize=None)
def plain_peak(make, loss, autocast: bool = False) -> int:
    return peak(make, loss, autocast=autocast)


def applied(plan: Plan):
    return lambda model: stashscope.apply(model, plan)


class Peaks(unittest.TestCase):
    def check(self, make, loss, plan: Plan, *operators: object, autocast: bool = False,
              same_curve: bool = True) -> None:
        names = [region.module for region in plan.regions]
        ours = curve(make, loss, applied(plan), autocast=autocast)
        self.assertLess(max(ours), plain_peak(make, loss, autocast))
        hand = curve(make, loss, by_hand(names, *operators), autocast=autocast)
        pasted = curve(make, loss, with_code(plan), autocast=autocast)
        self.assertEqual(max(ours), max(hand))
        # The pasted code may keep one more state of the random generator.
        self.assertIn(max(pasted) - max(ours), (0, torch.get_rng_state().nbytes))
        if same_curve:
            self.assertEqual(ours, hand)
            self.assertEqual(ours, pasted)

    def test_gpt2(self) -> None:
        self.check(gpt2, language_loss_without_cache, plan_of(GPT2_BLOCKS))

    def test_gpt2_under_autocast(self) -> None:
        self.check(gpt2, language_loss_without_cache, plan_of(GPT2_BLOCKS), autocast=True)

    def test_gpt2_keeps_products(self) -> None:
        plan = plan_of(GPT2_BLOCKS, *calls("aten.addmm.default", 0, 1, 2, 3))
        self.check(gpt2, language_loss_without_cache, plan, torch.ops.aten.addmm.default)

    def test_llama_keeps_attention(self) -> None:
        # A kept operator that may draw random numbers keeps states of the generator.
        attention = "aten._scaled_dot_product_flash_attention_for_cpu.default"
        self.check(llama, language_loss_without_cache, plan_of(LLAMA_BLOCKS, *calls(attention, 0)),
                   torch.ops.aten._scaled_dot_product_flash_attention_for_cpu.default, same_curve=False)

    def test_residual_net(self) -> None:
        # With checkpoints by hand, a normalization counts each batch twice, which is one more operator.
        self.check(residual_net, image_loss, plan_of(("1", "2")), same_curve=False)

    def test_nested_regions(self) -> None:
        # Inner regions come first, so that the names still hold when checkpoints are written into the model.
        self.check(gpt2, language_loss_without_cache, plan_of(("transformer.h.0.mlp", "transformer.h.0")))

    def test_kept_operators_do_not_run_again(self) -> None:
        def again(*numbers: int) -> int:
            plan = Plan((Region(GPT2_BLOCKS[0], calls("aten.addmm.default", *numbers)), Region(GPT2_BLOCKS[1])))
            with captured(gpt2, language_loss_without_cache, applied(plan)) as path:
                return phases_of(path, "addmm").count("recompute")
        self.assertEqual([again(), again(1), again(0, 2), again(3)], [8, 7, 6, 7])

    def test_a_cache_of_the_model(self) -> None:
        self.assertLess(peak(gpt2, language_loss, applied(plan_of(GPT2_BLOCKS))), peak(gpt2, language_loss))

    def test_real_tensors_have_the_same_peak(self) -> None:
        plan = applied(plan_of(GPT2_BLOCKS, *calls("aten.addmm.default", 0)))
        self.assertEqual(peak(gpt2, language_loss_without_cache, plan, fake=False),
                         peak(gpt2, language_loss_without_cache, plan))

    def test_remove_restores_the_peak(self) -> None:
        self.assertEqual(peak(gpt2, language_loss_without_cache, applied(plan_of(GPT2_BLOCKS)), stashscope.remove),
                         plain_peak(gpt2, language_loss_without_cache))


if __name__ == "__main__":
    unittest.main()
