#!/usr/bin/env python3
"""Capturing steps: what is recorded, what stays untouched, and what is refused."""

from __future__ import annotations

import functools
import json
import sys
import tempfile
import unittest
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent.parent.parent / "python"), str(Path(__file__).resolve().parent)]

import numpy  # noqa: E402
import onnx  # noqa: E402
import torch  # noqa: E402
from torch import nn  # noqa: E402
from torch.nn import functional  # noqa: E402
from torch.utils.checkpoint import checkpoint  # noqa: E402

import stashscope  # noqa: E402
from profiler_oracle import judge, read  # noqa: E402
from stashscope.capturing.reach import reached_from  # noqa: E402
from stashscope.capturing.run import Stage  # noqa: E402
from stashscope.capturing.state import State  # noqa: E402
from stashscope.capturing.world import known_tensors  # noqa: E402

torch.set_num_threads(1)


class Perceptron(nn.Module):
    def __init__(self, again: bool = False) -> None:
        super().__init__()
        self.first, self.second, self.last = nn.Linear(8, 16), nn.Linear(16, 16), nn.Linear(16, 4)
        self.norm = nn.BatchNorm1d(16)
        self.again = again

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        hidden = self.norm(functional.gelu(self.first(images)))
        if self.again:
            hidden = checkpoint(self.second, hidden, use_reentrant=False)
        else:
            hidden = self.second(hidden)
        return self.last(functional.gelu(hidden) * 2 + hidden)


class Training:
    """A small model, its optimizer and a step."""

    def __init__(self, optimizer=torch.optim.AdamW, again: bool = False, device: str = "cpu") -> None:
        torch.manual_seed(0)
        with torch.device(device):
            self.model = Perceptron(again)
        self.optimizer = optimizer(self.model.parameters())
        self.images, self.labels = torch.randn(6, 8), torch.randint(0, 4, (6,))
        self.losses: list = []

    def step(self):
        self.optimizer.zero_grad()
        loss = functional.cross_entropy(self.model(self.images), self.labels)
        loss.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        self.losses.append(loss.item())


def properties(path):
    return {one.key: one.value for one in onnx.load(str(path)).metadata_props}


def attribute(node, name, default=None):
    return next((onnx.helper.get_attribute_value(one) for one in node.attribute if one.name == name), default)


class CaptureTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.path = self.folder / "step.onnx"

    def assert_exact(self, make, fake=True) -> None:
        stashscope.capture(make(), self.path, fake=fake)
        self.assertEqual(judge(self.path, make).differences, [])

    def test_is_what_the_profiler_sees(self) -> None:
        optimizers = {
            "SGD": lambda parameters: torch.optim.SGD(parameters, lr=0.1, momentum=0.9),
            "AdamW": torch.optim.AdamW,
            "foreach": functools.partial(torch.optim.AdamW, foreach=True),
            "fused": functools.partial(torch.optim.AdamW, fused=True),
        }
        for name, optimizer in optimizers.items():
            for fake in (True, False):
                with self.subTest(name, fake=fake):
                    self.assert_exact(lambda: Training(optimizer).step, fake)

    def test_checkpointing_is_exact_and_its_phase_is_recompute(self) -> None:
        self.assert_exact(lambda: Training(again=True).step)
        nodes = onnx.load(str(self.path)).graph.node
        again = [node for node in nodes if attribute(node, "phase") == b"recompute"]
        # Recomputation stops early: the product itself is not needed again.
        self.assertEqual([node.op_type for node in again], ["tensor", "t", "detach", "detach"])
        self.assertIn("'second'", again[1].metadata_props[0].value)

    def test_objects_of_types_without_a_hash_do_not_matter(self) -> None:
        class Compared(type):
            def __eq__(cls, other):
                raise AssertionError("a capture compares no types of others")
            __hash__ = None

        thing = Compared("Thing", (), {"__init__": lambda self: setattr(self, "itself", self)})()
        stashscope.capture(lambda: torch.ones(2, requires_grad=True).sum().backward(), self.path)
        self.assertIs(thing.itself, thing)

    def test_a_checkpoint_of_one_tensor_as_several_arguments(self) -> None:
        """Attention runs one product instead of three where query, key and value are one tensor."""
        attention, last = nn.MultiheadAttention(8, 2, batch_first=True), nn.Linear(8, 8)
        tokens = torch.randn(2, 5, 8)

        def step():
            hidden = last(tokens)
            last(checkpoint(attention, hidden, hidden, hidden, use_reentrant=False)[0]).sum().backward()
        ran = []
        for fake in (True, False):
            stashscope.capture(step, self.path, fake=fake)
            ran.append([(node.op_type, attribute(node, "phase")) for node in onnx.load(str(self.path)).graph.node])
        self.assertEqual(*ran)
        self.assertEqual(ran[0].count(("mm", b"recompute")), 1)

    def test_second_step_has_gradients_and_states_at_its_start(self) -> None:
        def make():
            training = Training()
            training.step()
            return training.step
        self.assert_exact(make)
        roles = json.loads(properties(self.path)["stashscope.storages"])
        given = {role for role, place in zip(roles["role"], roles["input"]) if place >= 0}
        self.assertEqual(given, {"parameter", "buffer", "gradient", "optimizer", "input"})

    def test_gradient_accumulation_and_zeroed_gradients(self) -> None:
        def make():
            training = Training()

            def step():
                training.optimizer.zero_grad(set_to_none=False)
                for _ in range(2):
                    functional.cross_entropy(training.model(training.images), training.labels).backward()
                training.optimizer.step()
            return step
        self.assert_exact(make)

    def test_fake_changes_nothing(self) -> None:
        training = Training()
        training.step()
        model = {name: tensor.clone() for name, tensor in training.model.state_dict().items()}
        gradients = [parameter.grad for parameter in training.model.parameters()]
        states = json.dumps(str(training.optimizer.state_dict()))
        random, objects = torch.get_rng_state(), [id(parameter) for parameter in training.model.parameters()]
        stashscope.capture(training.step, self.path)
        for name, tensor in training.model.state_dict().items():
            self.assertTrue(torch.equal(tensor, model[name]), name)
            self.assertIs(type(tensor), torch.Tensor)
        self.assertTrue(all(type(parameter) is nn.Parameter for parameter in training.model.parameters()))
        self.assertTrue(all(mine is parameter.grad for mine, parameter in zip(gradients, training.model.parameters())))
        self.assertEqual(json.dumps(str(training.optimizer.state_dict())), states)
        self.assertTrue(torch.equal(torch.get_rng_state(), random))
        self.assertEqual([id(parameter) for parameter in training.model.parameters()], objects)
        self.assertEqual(len(training.losses), 1)
        training.step()

    def test_real_moves_training_by_one_step(self) -> None:
        captured, plain = Training(), Training()
        stashscope.capture(captured.step, self.path, fake=False)
        plain.step()
        for mine, other in zip(captured.model.parameters(), plain.model.parameters()):
            self.assertTrue(torch.equal(mine, other))
        self.assertEqual(captured.losses, plain.losses)

    def test_meta_parameters_give_the_same_as_real_ones(self) -> None:
        stashscope.capture(Training().step, self.path)
        real = properties(self.path)["stashscope.storages"]
        stashscope.capture(Training(device="meta").step, self.path)
        self.assertEqual(properties(self.path)["stashscope.storages"], real)

    def test_backward_nodes_know_their_forward_nodes(self) -> None:
        stashscope.capture(Training().step, self.path)
        nodes = onnx.load(str(self.path)).graph.node
        pairs = {(node.op_type, nodes[attribute(node, "forward_node")].op_type) for node in nodes
                 if attribute(node, "forward_node") is not None}
        for backward, forward in (("gelu_backward", "gelu"), ("native_batch_norm_backward", "native_batch_norm"),
                                  ("nll_loss_backward", "nll_loss_forward"), ("mm", "addmm"), ("mul", "mul")):
            self.assertIn((backward, forward), pairs)
        self.assertNotIn(("gelu_backward", "addmm"), pairs)
        gelus = [index for index, node in enumerate(nodes) if node.op_type == "gelu"]
        backward = [attribute(node, "forward_node") for node in nodes if node.op_type == "gelu_backward"]
        self.assertEqual(backward, gelus[::-1])

    def test_every_value_is_made_once_and_before_it_is_read(self) -> None:
        stashscope.capture(Training().step, self.path)
        graph = onnx.load(str(self.path)).graph
        known = {value.name for value in graph.input}
        for node in graph.node:
            self.assertLessEqual(set(node.input), known)
            self.assertFalse(set(node.output) & known)
            known |= set(node.output)
        self.assertLessEqual({value.name for value in graph.output}, known)

    def test_a_run_without_hooks_has_the_same_lives(self) -> None:
        for again in (False, True):
            step = Training(again=again).step
            reached = reached_from(step, None, None)
            stage, before = Stage(step, reached, known_tensors(reached)), State(reached)
            plain = stage.fake("", first=True)
            before.put_back()
            watched = stage.fake("watch", first=True)
            before.put_back()
            self.assertEqual((plain.keys, plain.last, plain.bytes), (watched.keys, watched.last, watched.bytes))

    def test_python_holds_no_longer_than_both(self) -> None:
        stashscope.capture(Training().step, self.path)
        storages = json.loads(properties(self.path)["stashscope.storages"])
        saved = json.loads(properties(self.path)["stashscope.saved"])
        self.assertTrue(all(alone <= last for alone, last in zip(storages["python_last"], storages["last"])))
        held = list(storages["python_last"])
        for storage, released in zip(saved["storage"], saved["released"]):
            held[storage] = max(held[storage], released)
        self.assertEqual(held, storages["last"])

    def test_storages_that_python_resizes_are_followed(self) -> None:
        def step():
            held = torch.empty(1000)
            held.untyped_storage().resize_(0)
            other = torch.ones(10).exp()
            held.untyped_storage().resize_(4000)
            held.add_(other.sum())
        for fake in (True, False):
            stashscope.capture(step, self.path, fake=fake)
            live = read(self.path).live
            self.assertEqual(live, [4000, 0, 40, 40, 4040, 4044, 0], fake)

    def test_printing_a_number_is_no_decision(self) -> None:
        training = Training()
        stashscope.capture(training.step, self.path)
        self.assertIn("step", properties(self.path)["stashscope.warnings"])


@torch.library.custom_op("stashscope_test::parts", mutates_args=())
def parts(x: torch.Tensor) -> list[torch.Tensor]:
    """Two results, of which the second is not contiguous."""
    return [x.clone(), x.t().contiguous().t()]


@parts.register_fake
def _(x: torch.Tensor) -> list[torch.Tensor]:
    return [torch.empty_like(x), x.t().contiguous().t()]


class KnownDataTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "step.onnx"
        self.layer = nn.Linear(4, 4)

    def operators(self, step, fake: bool) -> list[str]:
        stashscope.capture(step, self.path, model=self.layer, fake=fake)
        return [node.op_type for node in onnx.load(self.path).graph.node]

    def test_a_list_of_a_tensor_outside_the_step(self) -> None:
        lengths = torch.tensor([3, 2])

        def step():
            first, second = self.layer(torch.ones(5, 4)).split(lengths.tolist())
            (first.sum() + second.square().sum()).backward()
        self.assertEqual(self.operators(step, True), self.operators(step, False))

    def test_an_array_of_data(self) -> None:
        """Costs are read as an array, as for a matching, and the array keeps its tensor alive."""
        def step():
            self.layer.zero_grad()
            costs = self.layer(torch.linspace(-1, 1, 20).reshape(5, 4))
            rows = [numpy.asarray(row) for row in costs.detach() * 2]
            costs.select(1, int(rows[0].argmax())).sum().backward()
        with self.assertRaisesRegex(stashscope.Error, "makes an array of a tensor's data.*capture_test.py"):
            self.operators(step, True)
        operators = self.operators(step, False)
        self.assertEqual(operators.count("select_backward"), 1)
        # The profiler may know the size of a gradient from before it only by its address.
        self.layer.zero_grad()
        judgement = judge(self.path, lambda: step)
        self.assertEqual((judgement.differences, judgement.peak), ([], judgement.profiler_peak))

    def test_masks_of_finite_values_are_changed_in_place(self) -> None:
        for rows in (5, 20_000):  # the data of the larger one are one element
            def step():
                made = self.layer(torch.ones(rows, 4))
                bad = torch.isinf(made)
                bad |= torch.isnan(made)
                bad[:, 0] = False
                made.masked_fill(bad, 0).sum().backward()
            self.assertEqual(self.operators(step, True), self.operators(step, False), rows)

    def test_results_of_a_library_have_their_layout(self) -> None:
        def step():
            made = self.layer(torch.ones(5, 4))
            first, second = parts(made.detach())
            (made * first * second.t().view(-1).sum()).sum().backward()
        self.assertEqual(self.operators(step, True), self.operators(step, False))


class BesideTest(unittest.TestCase):
    def test_a_module_without_shapes_may_live_beside_the_step(self) -> None:
        beside = nn.LazyLinear(2)
        with tempfile.TemporaryDirectory() as folder:
            stashscope.capture(Training().step, Path(folder) / "step.onnx")
        self.assertIsInstance(beside.weight, nn.UninitializedParameter)


class RefusalTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "step.onnx"
        self.path.write_bytes(b"older")

    def refused(self, step, text: str, **options) -> stashscope.Error:
        with self.assertRaises(stashscope.Error) as caught:
            stashscope.capture(step, options.pop("path", self.path), **options)
        self.assertIn(text, str(caught.exception))
        self.assertEqual(self.path.read_bytes(), b"older")
        self.assertEqual([file.name for file in self.path.parent.iterdir()], ["step.onnx"])
        return caught.exception

    def test_not_callable(self) -> None:
        self.refused(3, "cannot be called")

    def test_generator(self) -> None:
        def step():
            yield 1
        self.refused(step, "generator")

    def test_folder_that_does_not_exist(self) -> None:
        self.refused(Training().step, "does not exist", path=self.path.parent / "none" / "step.onnx")

    def test_step_that_throws_leaves_the_model(self) -> None:
        training = Training()
        before = [parameter.clone() for parameter in training.model.parameters()]

        def step():
            training.step()
            raise ValueError("bad batch")
        error = self.refused(step, "ValueError: bad batch")
        self.assertIn("capture_test.py", error.where)
        for parameter, old in zip(training.model.parameters(), before):
            self.assertTrue(torch.equal(parameter, old))
            self.assertIsNone(parameter.grad)
        self.assertEqual(len(training.optimizer.state), 0)
        training.step()

    def test_meta_model_with_real_state(self) -> None:
        training, other = Training(device="meta"), Training()
        other.step()
        for mine, its in zip(training.model.parameters(), other.model.parameters()):
            training.optimizer.state[mine] = other.optimizer.state[its]
        self.refused(training.step, "its parameter is on meta")

    def test_decision_by_data(self) -> None:
        training = Training()

        def step():
            loss = training.model(training.images).sum()
            if loss > 0:
                loss.backward()
        error = self.refused(step, "decides by the data")
        self.assertIn("capture_test.py", error.where)

        def compares():
            if training.model(training.images).sum().item() > 0:
                pass
        self.refused(compares, "decides by the data")

    def test_two_steps_of_different_shapes(self) -> None:
        training = Training()
        sizes = iter([6, 5, 4, 3])

        def step():
            training.model(training.images[:next(sizes)]).sum().backward()
        self.refused(step, "does not repeat itself")

    def test_real_capture_of_a_meta_model(self) -> None:
        self.refused(Training(device="meta").step, "has no data", fake=False)


if __name__ == "__main__":
    unittest.main()
