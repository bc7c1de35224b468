#!/usr/bin/env python3
"""Steps with `torch.compile`: captured by their graphs, and partitioned by a plan."""

from __future__ import annotations

import json
import tempfile
import unittest
from pathlib import Path

from small_models import (IDS, Twice, calls, gpt2, image_loss, language_loss_without_cache, llama, plan_of,
                          residual_net, twice_loss)

import onnx
import torch
import stashscope
from functorch.compile import default_partition, make_boxed_func, min_cut_rematerialization_partition
from models import MODELS, UNet
from profiler_oracle import judge
from stashscope import Error, Plan, Region
from torch import nn
from torch._dynamo.backends.common import aot_autograd
from torch.nn import functional

BACKEND = "aot_eager"
aten = torch.ops.aten
GPT2_BLOCKS = ("transformer.h.0", "transformer.h.1")
ADDMM = "aten.addmm.default"


def compiled(make, loss, backend=BACKEND, **options):
    """A model, the compiled model and a step of forward and backward."""
    torch._dynamo.reset()
    torch.manual_seed(0)
    model = make().train()
    other = torch.compile(model, backend=backend, **options)
    return model, other, lambda: loss(other).backward()


def unet_loss(model: nn.Module) -> torch.Tensor:
    images = torch.linspace(-1, 1, 2 * 3 * 32 * 32).reshape(2, 3, 32, 32)
    return functional.mse_loss(model(images), images)


def bert_loss(model: nn.Module) -> torch.Tensor:
    return model(input_ids=IDS, labels=IDS).loss


def bert() -> nn.Module:
    return MODELS["bert"]()[0]


def attribute(node, name, default=None):
    return next((onnx.helper.get_attribute_value(one) for one in node.attribute if one.name == name), default)


def masked() -> nn.Module:
    part = nn.Sequential(nn.Linear(16, 32), nn.Dropout(0.5), nn.Linear(32, 16), nn.Dropout(0.5))
    return nn.Sequential(part, nn.Linear(16, 4))


class Half(nn.Module):
    """A view of the left half."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x[:, :x.shape[1] // 2]


def half_masked() -> nn.Module:
    part = nn.Sequential(nn.Linear(16, 32), Half(), nn.Dropout(0.5), nn.Linear(16, 16))
    return nn.Sequential(part, nn.Linear(16, 4))


def line_loss(model: nn.Module) -> torch.Tensor:
    return model(torch.linspace(-1, 1, 128).reshape(8, 16)).square().mean()


class Block(nn.Module):
    """Half of it is compiled before the graph breaks, half after."""

    def __init__(self, breaks: bool = False) -> None:
        super().__init__()
        self.inner, self.outer, self.breaks = nn.Linear(16, 32), nn.Linear(32, 16), breaks

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        hidden = functional.gelu(self.inner(x))
        if self.breaks:
            torch._dynamo.graph_break()
        return x + self.outer(hidden)


def blocks(breaks: bool = False) -> nn.Module:
    return nn.Sequential(*(Block(breaks) for _ in range(2)), nn.Linear(16, 4))


class Branching(nn.Module):
    """Decides by data."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(16, 16), nn.Linear(16, 16)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.first(x)
        return self.first(x) if x.sum() > 1e9 else self.second(x)


class CompileTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "step.onnx"

    def capture(self, step, **options) -> list[onnx.NodeProto]:
        stashscope.capture(step, self.path, **options)
        return list(onnx.load(str(self.path)).graph.node)

    def property(self, name: str):
        texts = {one.key: one.value for one in onnx.load(str(self.path)).metadata_props}
        return json.loads(texts[f"stashscope.{name}"])

    def saved_bytes(self) -> int:
        """Bytes that the step makes and autograd saves."""
        storages, saved = self.property("storages"), self.property("saved")
        return sum(storages["bytes"][one] for one in set(saved["storage"]) if storages["input"][one] < 0)


def memory_of(node: torch.fx.Node) -> torch.fx.Node:
    """The node that made the memory that this one shows."""
    while node.op == "call_function" and (node.target is aten.detach.default or node.target.is_view):
        node = node.args[0]
    return node


class Captures(CompileTest):
    """The profiler of PyTorch sees the same with the backend `aot_eager`."""

    def exact(self, model: nn.Module, step, **options) -> list[onnx.NodeProto]:
        nodes = self.capture(step, **options)
        model.zero_grad()
        step()
        model.zero_grad()
        judgement = judge(self.path, lambda: step)
        self.assertEqual(judgement.differences, [])
        return nodes

    def test_models(self) -> None:
        for make, loss in ((gpt2, language_loss_without_cache), (llama, language_loss_without_cache),
                           (bert, bert_loss), (UNet, unet_loss)):
            with self.subTest(make.__name__):
                model, _, step = compiled(make, loss)
                nodes = self.exact(model, step)
                phases = {attribute(node, "phase") for node in nodes}
                self.assertLessEqual({b"forward", b"backward"}, phases)
                self.assertEqual(self.property("calls")["module"], [])
                self.assertEqual(self.property("warnings"), [])

    def test_statistics_of_a_residual_net_break_its_graph(self) -> None:
        model, _, step = compiled(residual_net, image_loss)
        self.exact(model, step, fake=False)

    def test_nodes_have_their_modules_lines_and_forward_nodes(self) -> None:
        model, _, step = compiled(blocks, line_loss)
        nodes = self.exact(model, step)
        gelus = [index for index, node in enumerate(nodes) if node.op_type == "gelu"]
        texts = {one.key: one.value for one in nodes[gelus[1]].metadata_props}
        self.assertIn("['', '1', ", texts["pkg.torch.onnx.name_scopes"])
        self.assertIn("compile_test.py", texts["pkg.torch.onnx.stack_trace"])
        backward = [node for node in nodes if node.op_type == "gelu_backward"]
        self.assertEqual([attribute(node, "forward_node") for node in backward], gelus[::-1])

    def test_what_the_partitioner_saves(self) -> None:
        for partition in (min_cut_rematerialization_partition, default_partition):
            backend = BACKEND if partition is min_cut_rematerialization_partition else "aot_eager_default_partitioner"
            model, _, step = compiled(blocks, line_loss, backend)
            self.exact(model, step)
            given: list[torch.fx.Node] = []

            def forward(graph, _):
                given.extend(graph.graph.find_nodes(op="output")[0].args[0][1:])
                return make_boxed_func(graph.forward)
            _, _, step = compiled(blocks, line_loss, aot_autograd(
                fw_compiler=forward, bw_compiler=lambda graph, _: make_boxed_func(graph.forward),
                partition_fn=partition))
            step()
            made = {root for node in given if (root := memory_of(node)).op == "call_function"}
            # The step makes the model's input, and the loss saves its output.
            self.assertEqual(self.saved_bytes() - 8 * (16 + 4) * 4, sum(one.meta["val"].nbytes for one in made),
                             backend)

    def test_graph_breaks_and_parts(self) -> None:
        model, _, step = compiled(lambda: blocks(True), line_loss)
        self.exact(model, step)
        model, _, _ = compiled(blocks, line_loss)
        model[1] = torch.compile(model[1], backend=BACKEND)
        self.exact(model, lambda: line_loss(model).backward())
        # Only what is not compiled can be a region.
        self.assertEqual(set(self.property("calls")["module"]), {"0", "0.inner", "0.outer", "2"})

    def test_in_place_compilation_and_functions(self) -> None:
        model, _, _ = compiled(blocks, line_loss)
        for block in model[:2]:
            block.compile(backend=BACKEND)
        self.exact(model, lambda: line_loss(model).backward())
        other, _, _ = compiled(blocks, line_loss)
        function = torch.compile(lambda: line_loss(other), backend=BACKEND)
        self.exact(other, lambda: function().backward())
        self.assertIn("0.inner.weight", [value.name for value in onnx.load(str(self.path)).graph.input])

    def test_two_batches_and_dynamic_sizes(self) -> None:
        for options in ({}, {"dynamic": True}):
            model, other, _ = compiled(blocks, line_loss, **options)

            def step() -> None:
                for size in (8, 4):
                    other(torch.ones(size, 16)).sum().backward()
            self.exact(model, step)

    def test_data_decides(self) -> None:
        model, _, step = compiled(Branching, line_loss)
        with self.assertRaisesRegex(Error, "Compiled code reads a number.*compile_test.py"):
            self.capture(step)
        self.exact(model, step, fake=False)

    def test_inductor_is_captured_by_its_graphs_with_a_warning(self) -> None:
        from torch._dynamo.backends.debugging import boxed_nop
        from torch._inductor.compile_fx import compile_fx
        model, _, step = compiled(blocks, line_loss, "inductor")
        self.capture(step)
        self.assertIn("'inductor' of torch.compile fuses", self.property("warnings")[0])

        def without_kernels(graph, inputs):
            return compile_fx(graph, inputs, inner_compile=lambda part, given, **_: boxed_nop(part, given),
                              config_patches={"force_disable_caches": True})
        model, _, step = compiled(blocks, line_loss, without_kernels)
        step()
        model.zero_grad()
        self.assertEqual(judge(self.path, lambda: step).differences, [])

    def test_other_backends_are_captured_with_a_warning(self) -> None:
        _, _, step = compiled(blocks, line_loss, lambda graph, inputs: graph.forward)
        self.capture(step)
        self.assertIn("is not known", self.property("warnings")[0])

    def test_the_model_stays(self) -> None:
        model, other, step = compiled(blocks, line_loss)
        step()
        before = {name: one.grad.clone() for name, one in model.named_parameters()}
        self.capture(step)
        for name, parameter in model.named_parameters():
            self.assertIs(type(parameter), nn.Parameter)
            self.assertTrue(torch.equal(parameter.grad, before[name]))
        model.zero_grad()
        step()
        self.assertTrue(all(torch.equal(one.grad, before[name]) for name, one in model.named_parameters()))

    def test_a_compiled_optimizer_is_refused(self) -> None:
        model, _, _ = compiled(blocks, line_loss)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        update = torch.compile(optimizer.step, backend=BACKEND)

        def step() -> None:
            line_loss(model).backward()
            update()
        with self.assertRaisesRegex(Error, "optimizer.step"):
            self.capture(step)


class Plans(CompileTest):
    def gradients(self, model: nn.Module, step) -> dict[str, torch.Tensor]:
        model.zero_grad()
        torch.manual_seed(1)
        step()
        return {name: one.grad.clone() for name, one in model.named_parameters()}

    def same(self, mine, others) -> None:
        self.assertEqual([name for name in mine if not torch.equal(mine[name], others[name])], [])

    def check(self, make, loss, plan, backend=BACKEND, uncompiled=True) -> tuple[int, list[str]]:
        """Gradients with the plan are those without. Gives what is saved, and the operators that run again."""
        model, other, step = compiled(make, loss, backend)
        plain = self.gradients(model, lambda: loss(model).backward()) if uncompiled else None
        without = self.gradients(model, step)
        if plain is not None:
            self.same(without, plain)
        stashscope.apply(other, plan)
        self.same(self.gradients(model, step), without)
        nodes = self.capture(step)
        return self.saved_bytes(), [node.op_type for node in nodes if attribute(node, "phase") == b"recompute"]

    def test_blocks_of_gpt2(self) -> None:
        saved, again = self.check(gpt2, language_loss_without_cache, plan_of(GPT2_BLOCKS))
        self.assertEqual(again.count("addmm"), 8)
        kept, fewer = self.check(gpt2, language_loss_without_cache, plan_of(GPT2_BLOCKS, *calls(ADDMM, 0, 2)))
        # The first product gives queries, keys and values, the third the middle of the perceptron.
        self.assertEqual(kept - saved, 2 * 2 * 32 * (3 + 4) * 32 * 4)
        self.assertEqual(fewer.count("addmm"), 4)

    def test_outputs_that_regions_free(self) -> None:
        names = [f"{block}.mlp.act" for block in GPT2_BLOCKS]
        without, _ = self.check(gpt2, language_loss_without_cache, plan_of(names))
        saved, again = self.check(gpt2, language_loss_without_cache,
                                  Plan(tuple(Region(name, free_outputs=True) for name in names)))
        self.assertEqual(without - saved, 2 * 2 * 32 * 4 * 32 * 4)
        self.assertNotIn("addmm", again)

    def test_before_and_after_compilation_and_removal(self) -> None:
        model, other, step = compiled(Twice, twice_loss)
        self.capture(step)
        without = self.saved_bytes()
        stashscope.apply(model, plan_of(["part"]))
        self.capture(step)
        planned = self.saved_bytes()
        self.assertNotEqual(planned, without)
        stashscope.remove(other)
        self.capture(step)
        self.assertEqual(self.saved_bytes(), without)
        stashscope.apply(other, plan_of(["part"]))
        self.capture(step)
        self.assertEqual(self.saved_bytes(), planned)

    def test_decomposed_operators_are_kept_as_a_whole(self) -> None:
        plan = plan_of(("0", "1"), *calls("aten.gelu.default", 0))
        self.check(blocks, line_loss, plan, "aot_eager_decomp_partition", uncompiled=False)
        model, _, step = compiled(blocks, line_loss, "aot_eager_decomp_partition")
        stashscope.apply(model, plan)
        self.capture(step)
        kept = self.saved_bytes()
        stashscope.remove(model)
        stashscope.apply(model, plan_of(("0", "1")))
        self.capture(step)
        self.assertEqual(kept - self.saved_bytes(), 2 * 8 * 32 * 4)

    def test_masks_of_what_a_plan_leaves_out(self) -> None:
        """In the graph, a dropout draws its mask and masks its input in one operator."""
        for save, skip, again in (((), (), 2), ((), calls(ADDMM, 1), 1), (calls("aten.mul.Tensor", 0), (), 1),
                                  (calls("aten.mul.Tensor", 0, 1), calls(ADDMM, 0, 1), 0)):
            with self.subTest(save=save, skip=skip):
                plan = Plan((Region("0", tuple(save), skip=tuple(skip)),))
                _, operators = self.check(masked, line_loss, plan, uncompiled=False)
                self.assertEqual(operators.count("addmm"), again)

    def test_masks_of_views_of_what_a_plan_leaves_out(self) -> None:
        _, operators = self.check(half_masked, line_loss, Plan((Region("0", (), skip=tuple(calls(ADDMM, 0, 1))),)),
                                  uncompiled=False)
        self.assertEqual(operators.count("addmm"), 0)

    def test_memory_without_contents_is_in_no_graph(self) -> None:
        self.check(blocks, line_loss, plan_of(("0", "1"), *calls("aten.empty.memory_format", 0)), uncompiled=False)

    def test_nested_regions_and_a_module_called_twice(self) -> None:
        self.check(Twice, twice_loss, plan_of(["", "part"]))
        self.check(Twice, twice_loss, plan_of(["part"], *calls(ADDMM, 1)))

    def test_a_region_with_a_graph_break_is_a_checkpoint(self) -> None:
        _, again = self.check(lambda: blocks(True), line_loss, plan_of(("0", "1")))
        self.assertEqual(again.count("gelu"), 2)

    def test_an_operator_that_does_not_run_so_often(self) -> None:
        model, _, step = compiled(Twice, twice_loss)
        stashscope.apply(model, plan_of(["part"], *calls(ADDMM, 7)))
        with self.assertRaisesRegex(Exception, "'aten.addmm.default' runs 2 times.*'part'.*occurrence 7"):
            step()
        with self.assertRaisesRegex(Error, "'aten.addmm.default' runs 2 times.*'part'.*occurrence 7"):
            self.capture(step)


if __name__ == "__main__":
    unittest.main()
