#!/usr/bin/env python3
"""Operators that do not run again: fewer operators, and gradients to the bit."""

from __future__ import annotations

import copy
import unittest
from collections import Counter
from typing import Any, Callable

from small_models import Trained, calls, gpt2, image_loss, language_loss_without_cache, with_code

import torch
import stashscope
import torch.nn.functional as functional
from stashscope import Error, Plan, Region
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode

ADDMM, MUL = "aten.addmm.default", "aten.mul.Tensor"


class Counting(TorchDispatchMode):
    """Counts what runs on tensors with memory."""

    def __init__(self) -> None:
        super().__init__()
        self.counts: Counter[str] = Counter()

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.counts[str(func)] += 1
        return func(*args, **(kwargs or {}))


class Mlp(nn.Module):
    """Autograd saves nothing of the last product but its inputs, and of the dropout only the noise."""

    def __init__(self) -> None:
        super().__init__()
        self.inner, self.outer, self.drop = nn.Linear(16, 32), nn.Linear(32, 16), nn.Dropout(0.3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.drop(self.outer(functional.gelu(self.inner(x))))


class Chain(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.start, self.first, self.second = nn.Linear(16, 16), Mlp(), Mlp()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.second(self.first(self.start(x)))


def chain_loss(model: nn.Module) -> torch.Tensor:
    return model(torch.linspace(-1, 1, 128).reshape(8, 16)).square().mean()


def applied(plan: Plan) -> Callable[[nn.Module], Any]:
    return lambda model: stashscope.apply(model, plan)


def backward_counts(make: Any, loss: Any, change: Callable[[nn.Module], Any]) -> Counter[str]:
    torch.manual_seed(0)
    model = make().train()
    change(model)
    result = loss(model)
    with Counting() as counting:
        result.backward()
    return counting.counts


def both(*regions: Region) -> tuple[Plan, Plan]:
    """The plan, and the plan without what it leaves out."""
    return Plan(regions), Plan(tuple(Region(region.module, region.save, region.free_outputs) for region in regions))


class Skips(unittest.TestCase):
    def check(self, make: Any, loss: Any, plan: Plan, autocast: bool = False) -> None:
        """Applied and pasted, the gradients are those without a plan."""
        plain = Trained(make, loss, lambda model: None, autocast)
        for change in (applied(plan), with_code(plan)):
            self.assertEqual(Trained(make, loss, change, autocast).differences(plain), [])

    def test_the_last_product_does_not_run_again(self) -> None:
        plan, whole = both(*(Region(name, skip=calls(ADDMM, 1)) for name in ("first", "second")))
        for put in (applied, with_code):
            less = backward_counts(Chain, chain_loss, put(plan))
            more = backward_counts(Chain, chain_loss, put(whole))
            self.assertEqual(more[ADDMM] - less[ADDMM], 2)
            self.assertEqual(more["aten.bernoulli_.float"], less["aten.bernoulli_.float"])
        self.check(Chain, chain_loss, plan)

    def test_a_kept_output_makes_what_leads_to_it_needless(self) -> None:
        plan, whole = both(Region("first", calls("aten.gelu.default", 0), skip=calls(ADDMM, 1)))
        less, more = (backward_counts(Chain, chain_loss, applied(each)) for each in (plan, whole))
        self.assertEqual(more[ADDMM] - less[ADDMM], 1)
        self.check(Chain, chain_loss, plan)

    def test_blocks_of_gpt2_with_dropout(self) -> None:
        save = calls("aten._safe_softmax.default", 0)
        skip = calls("aten.addmm.default", 3) + calls("aten.bmm.default", 0)
        plan, whole = both(*(Region(f"transformer.h.{number}", save, skip=skip) for number in (0, 1)))
        less, more = (backward_counts(gpt2, language_loss_without_cache, applied(each)) for each in (plan, whole))
        self.assertEqual([more[name] - less[name] for name in (ADDMM, "aten.bmm.default")], [2, 2])
        # Under a mode, PyTorch adds the mask to the scores, which nobody needs, by `add`.
        self.assertEqual(more["aten.add.Tensor"] - less["aten.add.Tensor"], 2)
        self.check(gpt2, language_loss_without_cache, plan)
        self.check(gpt2, language_loss_without_cache, Plan((Region("transformer.h.0", skip=calls(ADDMM, 3)),)), True)

    def test_outputs_that_are_freed(self) -> None:
        plan = Plan((Region("transformer.h.0.mlp.act", calls("aten.tanh.default", 0), True, calls(
            "aten.pow.Tensor_Scalar", 0)),))
        self.check(gpt2, language_loss_without_cache, plan)

    def test_regions_inside_each_other(self) -> None:
        plan = Plan((Region("transformer.h.0", skip=calls(ADDMM, 3)),
                     Region("transformer.h.0.mlp", skip=calls(ADDMM, 1))))
        self.check(gpt2, language_loss_without_cache, plan)

    def test_normalizations_count_a_batch_once(self) -> None:
        def net() -> nn.Module:
            part = nn.Sequential(nn.BatchNorm2d(8), nn.Conv2d(8, 8, 3), nn.Dropout(0.5))
            return nn.Sequential(nn.Conv2d(3, 8, 3), part, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 10))
        plan, whole = both(Region("1", skip=calls("aten.convolution.default", 0)))
        less, more = (backward_counts(net, image_loss, applied(each)) for each in (plan, whole))
        self.assertEqual(more["aten.convolution.default"] - less["aten.convolution.default"], 1)
        self.check(net, image_loss, plan)

    def test_a_second_backward_pass_computes_everything(self) -> None:
        plan, _ = both(Region("first", calls("aten.gelu.default", 0), skip=calls(ADDMM, 1)))
        for put in (lambda model: None, applied(plan), with_code(plan)):
            torch.manual_seed(0)
            model = Chain().train()
            put(model)
            loss = chain_loss(model)
            loss.backward(retain_graph=True)
            once = [one.grad.clone() for one in model.parameters()]
            loss.backward()
            for before, parameter in zip(once, model.parameters()):
                self.assertTrue(torch.equal(before * 2, parameter.grad))

    def test_copies_of_the_model_leave_out_the_same(self) -> None:
        plan, whole = both(Region("first", skip=calls(ADDMM, 1)))

        def copied(each: Plan) -> Counter[str]:
            model = Chain().train()
            stashscope.apply(model, each)
            loss = chain_loss(copy.deepcopy(model))
            with Counting() as counting:
                loss.backward()
            return counting.counts
        self.assertEqual(copied(whole)[ADDMM] - copied(plan)[ADDMM], 1)


class DrawsBetween(nn.Module):
    """Draws with a mask that nothing needs, then with one that backward needs."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Linear(16, 16)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.inner(x)
        noise = torch.bernoulli(torch.full_like(y, 0.5))
        self.seen = (y.detach() * noise).sum()
        return functional.dropout(y, 0.5).sin()


class Refusals(unittest.TestCase):
    def test_random_numbers_are_drawn_again_although_nothing_needs_them(self) -> None:
        def net() -> nn.Module:
            return nn.Sequential(nn.Linear(16, 16), DrawsBetween())
        plan = Plan((Region("1", skip=calls("aten.bernoulli.default", 0) + calls(MUL, 0)),))
        plain = Trained(net, chain_loss, lambda model: None)
        self.assertEqual(Trained(net, chain_loss, applied(plan)).differences(plain), [])

    def said(self, make: Any, loss: Any, plan: Plan, put: Any = applied, kind: Any = Error) -> str:
        torch.manual_seed(0)
        model = make().train()
        put(plan)(model)
        result = loss(model)
        with self.assertRaises(kind) as caught:
            result.backward()
        return str(caught.exception)

    def test_a_result_that_backward_needs(self) -> None:
        plan = Plan((Region("first", skip=calls(ADDMM, 0)),))
        self.assertIn("that the plan leaves out", self.said(Chain, chain_loss, plan))
        self.assertIn("that the plan leaves out", self.said(Chain, chain_loss, plan, with_code, RuntimeError))

    def test_a_change_of_a_tensor_that_is_there(self) -> None:
        class InPlace(nn.Module):
            def __init__(self) -> None:
                super().__init__()
                self.one, self.other = nn.Linear(16, 16), nn.Linear(16, 16)

            def forward(self, x: torch.Tensor) -> torch.Tensor:
                y = self.one(x)
                y += self.other(x)
                return y.sin()
        plan = Plan((Region("1", skip=calls(ADDMM, 1)),))

        def net() -> nn.Module:
            return nn.Sequential(nn.Linear(16, 16), InPlace())
        self.assertIn("'aten.add_.Tensor' needs a result that the plan leaves out", self.said(net, chain_loss, plan))
        self.assertIn("aten.add_.Tensor needs", self.said(net, chain_loss, plan, with_code, RuntimeError))

    def test_a_number_out_of_a_tensor(self) -> None:
        class Asking(nn.Module):
            def __init__(self) -> None:
                super().__init__()
                self.inner = nn.Linear(16, 16)

            def forward(self, x: torch.Tensor) -> torch.Tensor:
                y = self.inner(x)
                return y.sin() if y.detach().exp().sum().item() > 0 else y
        plan = Plan((Region("1", skip=calls("aten.exp.default", 0)),))
        self.assertIn("'aten._local_scalar_dense.default' needs a result",
                      self.said(lambda: nn.Sequential(nn.Linear(16, 16), Asking()), chain_loss, plan))

    def test_operators_in_place_cannot_be_left_out(self) -> None:
        model = Chain()
        with self.assertRaisesRegex(Error, "cannot be left out: it changes a tensor in place"):
            stashscope.apply(model, Plan((Region("first", skip=calls("aten.add_.Tensor", 0)),)))
        self.assertNotIn("forward", model.first.__dict__)


if __name__ == "__main__":
    unittest.main()
