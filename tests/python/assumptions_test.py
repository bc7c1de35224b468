#!/usr/bin/env python3
"""Captures that take something for granted: a step before this one, and the operators of a GPU."""

from __future__ import annotations

import contextlib
import json
import re
import tempfile
import unittest
from pathlib import Path
from typing import Any, Callable, Iterator

# First of all, since it may have the engine, and the folder of sources has none.
import stashscope
from stashscope import Error, Plan

import hidden_objects  # noqa: F401 (before all that makes tensors)
import onnx
import torch
import torch.nn.functional as functional
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel

from small_models import curve_of, gpt2, language_loss_without_cache, llama, residual_net

try:
    import stashscope._engine  # noqa: F401
    HAS_ENGINE = True
except ImportError:
    HAS_ENGINE = False


def options_in(model: onnx.ModelProto) -> Any:
    return json.loads(next(one.value for one in model.metadata_props if one.key == "stashscope.capture_options"))


class Case(unittest.TestCase):
    def setUp(self) -> None:
        torch.manual_seed(0)
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = Path(self.folder.name) / "step.onnx"

    def captured(self, step: Callable[[], Any], **options: Any) -> onnx.ModelProto:
        stashscope.capture(step, self.path, **options)
        return onnx.load(self.path)


def warnings_in(model: onnx.ModelProto) -> str:
    return next(one.value for one in model.metadata_props if one.key == "stashscope.warnings")


def storages_in(model: onnx.ModelProto) -> Any:
    return json.loads(next(one.value for one in model.metadata_props if one.key == "stashscope.storages"))


def sizes_of(model: onnx.ModelProto) -> dict[str, int]:
    """The bytes of the storage of each value."""
    sizes = storages_in(model)["bytes"]
    inputs = json.loads(next(one.value for one in model.metadata_props if one.key == "stashscope.input_storages"))
    found = {value.name: sizes[storage] for value, storage in zip(model.graph.input, inputs)}
    for node in model.graph.node:
        of_node = next((one.ints for one in node.attribute if one.name == "storages"), ())
        found.update({name: sizes[storage] for name, storage in zip(node.output, of_node)})
    return found


def operators(model: onnx.ModelProto) -> list[str]:
    return [node.op_type for node in model.graph.node]


def training(model: nn.Module, loss: Callable[[nn.Module], torch.Tensor],
             optimizer: Callable[..., torch.optim.Optimizer], **settings: Any) -> Callable[[], None]:
    model.train()
    trained = optimizer(model.parameters(), lr=0.01, **settings)

    def step() -> None:
        trained.zero_grad()
        loss(model).backward()
        trained.step()
    step.optimizer = trained  # type: ignore[attr-defined]
    return step


def images_loss(model: nn.Module) -> torch.Tensor:
    return model(torch.ones(2, 3, 16, 16)).square().mean()


class ReplacingMomentum(torch.optim.Optimizer):
    """Makes new states in every step instead of changing the old ones."""

    def step(self) -> None:  # type: ignore[override]
        for parameter in self.param_groups[0]["params"]:
            state = self.state[parameter]
            state["mean"] = 0.9 * state.get("mean", torch.zeros_like(parameter)) + parameter.grad
            parameter.data -= 0.1 * state["mean"]


class WarmUp(Case):
    """The oracle is the capture of the second step of a model that was trained for one."""

    def test_is_the_step_after_the_first(self) -> None:
        for build, loss, optimizer in ((gpt2, language_loss_without_cache, torch.optim.AdamW),
                                       (llama, language_loss_without_cache, torch.optim.Adam),
                                       (residual_net, images_loss, torch.optim.RMSprop)):
            with self.subTest(build.__name__):
                step = training(build(), loss, optimizer)
                self.captured(step, warm_up=1)
                warm, first = curve_of(self.path), operators(onnx.load(self.path))
                self.assertFalse(step.optimizer.state)
                step()
                second = self.captured(step)
                self.assertEqual(first, operators(second))
                self.assertEqual(warm, curve_of(self.path))

    def test_states_that_a_step_replaces_end_in_it(self) -> None:
        model = nn.Sequential(*(nn.Linear(16, 16, bias=False) for _ in range(4)))
        optimizer = ReplacingMomentum(model.parameters(), {})

        def step() -> None:
            model(torch.ones(1, 16)).sum().backward()
            optimizer.step()
            optimizer.zero_grad()
        warm = self.captured(step, warm_up=1)
        self.assertNotIn("warm_up", warnings_in(warm))
        self.assertFalse(optimizer.state)
        # Weights, gradients and states, of one parameter both states, and the product of the old one.
        weight = 16 * 16 * 4
        self.assertEqual(max(curve_of(self.path)) // weight, 3 * 4 + 2)
        step()
        self.assertRegex(warnings_in(self.captured(step)), "holds the old ones.*: capture with warm_up=1")
        self.assertEqual(warnings_in(warm), warnings_in(self.captured(step, warm_up=1)))
        self.assertRegex(warnings_in(self.captured(step, fake=False)), "holds the old ones.*fake=True and warm_up=1")

    def test_states_that_a_step_replaces_are_states(self) -> None:
        model = nn.Sequential(*(nn.Linear(16, 16, bias=False) for _ in range(4)))
        optimizer = ReplacingMomentum(model.parameters(), {})

        def step() -> None:
            model(torch.ones(1, 16)).sum().backward()
            optimizer.step()
            optimizer.zero_grad()
        captured = self.captured(step, warm_up=1)
        storages = storages_in(captured)
        ends = [(role, bytes, one) for role, bytes, last, one in zip(
            *(storages[name] for name in ("role", "bytes", "last", "replaces"))) if last == len(captured.graph.node)]
        weight = 16 * 16 * 4
        self.assertEqual(ends.count(("optimizer", weight, 1)), 4)
        self.assertEqual([role for role, _, one in ends if one], 4 * ["optimizer"])
        if HAS_ENGINE:
            memory = json.loads(stashscope.load(self.path).to_json())["memory"]["current"]
            self.assertEqual(memory["peak_bands"]["optimizer_states"] // weight, 5)
            self.assertEqual((memory["made_state_bytes"], memory["later_peak_bytes"]), (0, memory["peak_bytes"]))

    def test_states_that_a_first_step_makes_and_replaces_do_not_stay(self) -> None:
        model = nn.Sequential(*(nn.Linear(16, 16, bias=False) for _ in range(4)))
        optimizer = ReplacingMomentum(model.parameters(), {})

        def step() -> None:
            for _ in range(3):
                model(torch.ones(1, 16)).sum().backward()
                optimizer.step()
        captured = self.captured(step)
        weights = 4 * 16 * 16 * 4
        self.assertIn(f"makes {weights:,} bytes of states", warnings_in(captured))
        self.assertEqual({one.name for one in captured.graph.output if one.name.endswith("mean")},
                         {f"{number}.weight.mean" for number in range(4)})

    def test_momentum_is_there_after_one_step(self) -> None:
        step = training(residual_net(), images_loss, torch.optim.SGD, momentum=0.9)
        self.assertIn("warm_up=1", warnings_in(self.captured(step)))
        warm = self.captured(step, warm_up=1)
        self.assertNotIn("warm_up", warnings_in(warm))
        self.assertTrue(any(one.name.endswith("momentum_buffer") for one in warm.graph.input))

    def test_leaves_everything_as_it_was(self) -> None:
        model = gpt2()
        step = training(model, language_loss_without_cache, torch.optim.AdamW)
        weights = {name: one.clone() for name, one in model.state_dict().items()}
        random = torch.get_rng_state()
        self.captured(step, warm_up=2)
        self.assertTrue(all(torch.equal(weights[name], one) for name, one in model.state_dict().items()))
        self.assertTrue(all(one.grad is None for one in model.parameters()))
        self.assertTrue(torch.equal(random, torch.get_rng_state()))
        self.assertFalse(step.optimizer.state)


class Attention(nn.Module):
    def __init__(self, dropout: float = 0.1, heads: int = 4) -> None:
        super().__init__()
        self.inner = nn.Linear(32, 96)
        self.heads, self.dropout = heads, dropout

    def forward(self, x: torch.Tensor, mask: Any = None, causal: bool = True) -> torch.Tensor:
        parts = (one.unflatten(-1, (self.heads, -1)).transpose(1, 2) for one in self.inner(x).chunk(3, -1))
        return functional.scaled_dot_product_attention(*parts, attn_mask=mask, dropout_p=self.dropout,
                                                       is_causal=causal and mask is None)


class OfCuda(Case):
    """The rules are those of PyTorch's sources, see capturing/gpu_kernels.py; shapes and bytes are PyTorch's own."""

    def step_of(self, layer: nn.Module, *arguments: Any, dtype: torch.dtype = torch.float32) -> Callable[[], None]:
        layer.to(dtype).train()
        x = torch.ones(2, 32, 32, dtype=dtype)
        return lambda: layer(x, *arguments).sum().backward()

    def attention_of(self, step: Callable[[], None]) -> str:
        names = " ".join(operators(self.captured(step, kernels="cuda")))
        found = [kind for kind in ("flash", "efficient") if f"_scaled_dot_product_{kind}_attention" in names]
        return found[0] if found else "math" if "softmax" in names else "none"

    def test_attention_of_halves_without_mask_is_flash(self) -> None:
        self.assertEqual(self.attention_of(self.step_of(Attention(), dtype=torch.bfloat16)), "flash")
        self.assertEqual(self.attention_of(self.step_of(Attention(0.0), None, False, dtype=torch.float16)), "flash")

    def test_attention_with_a_mask_or_of_floats_is_efficient(self) -> None:
        mask = torch.ones(32, 32, dtype=torch.bool).tril()
        self.assertEqual(self.attention_of(self.step_of(Attention(), mask, dtype=torch.bfloat16)), "efficient")
        self.assertEqual(self.attention_of(self.step_of(Attention())), "efficient")

    def test_attention_that_no_kernel_takes_is_single_operators(self) -> None:
        self.assertEqual(self.attention_of(self.step_of(Attention(), dtype=torch.float64)), "math")
        self.assertEqual(self.attention_of(self.step_of(Attention(heads=16))), "math")  # heads of 2 elements

    def test_attention_is_what_the_script_chose(self) -> None:
        step = self.step_of(Attention(), dtype=torch.bfloat16)

        def chosen() -> None:
            with sdpa_kernel(SDPBackend.MATH):
                step()
        self.assertEqual(self.attention_of(chosen), "math")

    def test_attention_inside_a_layer_of_pytorch(self) -> None:
        self.assertEqual(self.attention_of(self.step_of(nn.TransformerEncoderLayer(32, 4, 64, batch_first=True))),
                         "efficient")

    def test_a_mask_of_dropout_has_a_byte_for_each_element(self) -> None:
        step = self.step_of(nn.Sequential(nn.Linear(32, 64), nn.Dropout(0.1)))
        model = self.captured(step, kernels="cuda")
        node = next(one for one in model.graph.node if one.op_type.startswith("native_dropout")
                    or one.op_type == "aten::native_dropout")
        types = {one.name: one.type.tensor_type.elem_type for one in model.graph.value_info}
        self.assertEqual(types[node.output[1]], onnx.TensorProto.BOOL)

    def test_optimizers_work_on_lists(self) -> None:
        step = training(residual_net(), images_loss, torch.optim.AdamW)
        captured = self.captured(step, kernels="cuda", warm_up=1)
        self.assertEqual(options_in(captured), {"kernels": "cuda", "warm_up": 1})
        self.assertEqual(options_in(self.captured(step)), {})
        names = operators(captured)
        self.assertTrue(any("_foreach_" in name for name in names))
        single = training(residual_net(), images_loss, torch.optim.AdamW, foreach=False)
        self.assertFalse(any("_foreach_" in name for name in operators(self.captured(single, kernels="cuda"))))

    def test_numbers_on_the_host_are_no_memory_of_the_device(self) -> None:
        model = Attention()
        optimizer = torch.optim.AdamW(model.parameters(), fused=False)

        def step() -> None:
            optimizer.zero_grad()
            ((model(torch.ones(2, 16, 32)) * 2.5).square().mean() * torch.tensor(3.0) + 1).backward()
            optimizer.step()
        for warm_up in (0, 1):
            with self.subTest(warm_up):
                on_device = sizes_of(self.captured(step, kernels="cuda", warm_up=warm_up))
                parameters = [name for name, _ in model.named_parameters()]
                self.assertEqual({on_device[f"{name}.step"] for name in parameters}, {0})
                self.assertEqual({size for name, size in on_device.items() if name.startswith("tensor_")}, {0})
                seeds = [on_device[name] for name in on_device if "efficient_attention" in name][2:4]
                self.assertEqual(seeds, [0, 0])
                # Sums and losses are numbers of the device.
                self.assertEqual([name for name, size in on_device.items()
                                  if re.fullmatch(r"(mean|mul|add)_\d+", name) and not size], [])
        on_cpu = sizes_of(self.captured(step, warm_up=1))
        self.assertEqual({on_cpu[f"{name}.step"] for name in parameters}, {4})
        self.assertTrue(all(size for size in on_cpu.values()))

    def test_counts_of_fused_optimizers_are_on_the_device(self) -> None:
        model = nn.Linear(8, 8)
        for optimizer in (torch.optim.AdamW(model.parameters(), fused=True), torch.optim.ASGD(model.parameters())):
            def step() -> None:
                optimizer.zero_grad()
                model(torch.ones(2, 8)).sum().backward()
                optimizer.step()
            with self.subTest(type(optimizer).__name__):
                sizes = sizes_of(self.captured(step, kernels="cuda", warm_up=1))
                self.assertEqual(sizes["weight.step"], 4)

    def test_says_what_it_assumes(self) -> None:
        step = self.step_of(Attention())
        self.assertIn("kernels='cuda'", warnings_in(self.captured(step)))
        self.assertIn("no GPU confirmed", warnings_in(self.captured(step, kernels="cuda")))
        self.assertNotIn("kernels", warnings_in(self.captured(self.step_of(nn.Linear(32, 8)))))

    def test_functions_are_those_of_the_cpu_again_afterwards(self) -> None:
        before = functional.scaled_dot_product_attention, torch._VF.dropout
        self.captured(self.step_of(Attention()), kernels="cuda")
        self.assertEqual(before, (functional.scaled_dot_product_attention, torch._VF.dropout))

    @unittest.skipUnless(HAS_ENGINE, "the engine was not built")
    def test_a_plan_has_the_predicted_peak(self) -> None:
        for budget in ("80%", "60%"):
            model = gpt2()
            step = training(model, language_loss_without_cache, torch.optim.SGD)
            self.captured(step, kernels="cuda")
            planned = stashscope.load(self.path).budget(budget, time_limit=2)
            with applied(model, planned.plan):
                self.captured(step, kernels="cuda")
            self.assertGreater(len(planned.plan.regions), 0)
            self.assertEqual(stashscope.load(self.path).peak_bytes, planned.peak_bytes, budget)


@contextlib.contextmanager
def applied(model: nn.Module, plan: Plan) -> Iterator[None]:
    stashscope.apply(model, plan)
    try:
        yield
    finally:
        stashscope.remove(model)


class Refused(Case):
    def test_what_cannot_be_assumed(self) -> None:
        step = training(residual_net(), images_loss, torch.optim.SGD)
        for options, words in (({"kernels": "hip"}, "kernels"), ({"warm_up": -1}, "warm-up"),
                               ({"warm_up": True}, "warm-up"), ({"warm_up": 1, "fake": False}, "fake=False"),
                               ({"kernels": "cuda", "fake": False}, "fake=False")):
            with self.subTest(options), self.assertRaisesRegex(Error, words):
                self.captured(step, **options)
            self.assertFalse(self.path.exists())


if __name__ == "__main__":
    unittest.main()
