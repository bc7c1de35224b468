"""Plans on models: results stay equal to the bit, and models stay what they are."""

from __future__ import annotations

import copy
import io
import pickle
import unittest

from small_models import (IDS, Trained, Twice, calls, gpt2, image_loss, language_loss, language_loss_without_cache,
                          llama, plan_of, residual_net, twice_loss, with_code)

import torch
import stashscope
from stashscope import Error, Plan, Region, SavedOperator
from torch import nn

GPT2_BLOCKS = ("transformer.h.0", "transformer.h.1")
LLAMA_BLOCKS = ("model.layers.0", "model.layers.1")
ADDMM, MM, CONVOLUTION = "aten.addmm.default", "aten.mm.default", "aten.convolution.default"
ATTENTION = "aten._scaled_dot_product_flash_attention_for_cpu.default"


class Results(unittest.TestCase):
    """One step with AdamW: loss, gradients, parameters, buffers and random numbers."""

    def check(self, make, loss, *plans: Plan, autocast: bool = False, code: bool = True) -> None:
        plain = Trained(make, loss, lambda model: None, autocast)
        for plan in plans:
            with self.subTest(plan=plan):
                applied = Trained(make, loss, lambda model: stashscope.apply(model, plan), autocast)
                self.assertEqual(applied.differences(plain), [])
                if code:
                    self.assertEqual(Trained(make, loss, with_code(plan), autocast).differences(plain), [])

    def test_gpt2_with_dropout(self) -> None:
        self.check(gpt2, language_loss_without_cache, plan_of(GPT2_BLOCKS), plan_of(GPT2_BLOCKS, *calls(ADDMM, 0, 2)))

    def test_gpt2_with_its_cache(self) -> None:
        self.check(gpt2, language_loss, plan_of(GPT2_BLOCKS), plan_of(GPT2_BLOCKS, *calls(ADDMM, 0)), code=False)

    def test_llama(self) -> None:
        self.check(llama, language_loss_without_cache, plan_of(LLAMA_BLOCKS),
                   plan_of(LLAMA_BLOCKS, *calls(MM, 0, 3, 6), *calls(ATTENTION, 0)))

    def test_llama_with_its_cache(self) -> None:
        self.check(llama, language_loss, plan_of(LLAMA_BLOCKS), code=False)

    def test_batch_normalizations_count_once(self) -> None:
        self.check(residual_net, image_loss, plan_of(("1", "2")), plan_of(("1", "2"), *calls(CONVOLUTION, 0, 1)))

    def test_a_module_called_twice(self) -> None:
        self.check(Twice, twice_loss, plan_of(["part"]), plan_of(["part"], *calls(ADDMM, 1)))

    def test_autocast(self) -> None:
        self.check(gpt2, language_loss_without_cache, plan_of(GPT2_BLOCKS), plan_of(GPT2_BLOCKS, *calls(ADDMM, 1)),
                   autocast=True)
        self.check(Twice, twice_loss, plan_of(["part"], *calls(ADDMM, 0)), autocast=True)

    def test_regions_that_free_outputs(self) -> None:
        def freeing(*modules: str, save=()) -> Plan:
            return Plan(tuple(Region(module, save, free_outputs=True) for module in modules))
        self.check(gpt2, language_loss_without_cache, freeing("transformer.h.0.mlp.act", "transformer.h.1.ln_1"),
                   freeing(*GPT2_BLOCKS, save=calls(ADDMM, 0, 2)))
        self.check(gpt2, language_loss, freeing("transformer.h.0.mlp.act", "transformer.h.1.ln_2"), code=False)
        self.check(llama, language_loss_without_cache,
                   freeing("model.layers.0.input_layernorm", "model.layers.1.mlp.act_fn", "model.norm"))
        self.check(residual_net, image_loss, freeing("1", "2"), freeing("1", save=calls(CONVOLUTION, 0)))
        self.check(Twice, twice_loss, freeing("part", "start"))
        self.check(gpt2, language_loss_without_cache, freeing("transformer.h.0.mlp.act"), autocast=True)

    def test_attention_of_one_tensor_beside_a_region_that_frees_outputs(self) -> None:
        """Query, key and value are one tensor in the second run, too; else other operators run."""
        plan = Plan((Region("1.self_attn"), Region("1.dropout", free_outputs=True)))
        self.check(lambda: nn.Sequential(nn.Linear(16, 16), nn.TransformerEncoderLayer(16, 4, 32, batch_first=True)),
                   lambda model: model(torch.linspace(-1, 1, 128).reshape(2, 4, 16)).square().mean(), plan)

    def test_nested_regions(self) -> None:
        inner = Region("transformer.h.0.mlp", calls(ADDMM, 0))
        self.check(gpt2, language_loss_without_cache,
                   Plan((Region("transformer.h.0"), Region("transformer.h.0.mlp"))),
                   Plan((Region("transformer.h.0", calls(ADDMM, 0, 3)), inner, Region("transformer.h.1.attn"))),
                   Plan((Region("transformer"), Region("transformer.h.0"), inner)))

    def test_the_whole_model_is_a_region(self) -> None:
        self.check(Twice, twice_loss, plan_of([""]), plan_of(["", "part"]))

    def test_a_saved_operator_draws_random_numbers(self) -> None:
        class Noise(nn.Module):
            def forward(self, x):
                first = x * torch.rand_like(x)
                return (first * torch.rand_like(x)).sin() * torch.rand_like(x)
        for numbers in ((0,), (1,), (0, 2), (0, 1, 2)):
            self.check(lambda: nn.Sequential(nn.Linear(16, 16), Noise()), twice_loss,
                       plan_of(["1"], *calls("aten.rand_like.default", *numbers)))

    def test_evaluation_with_gradients(self) -> None:
        self.check(lambda: Still(), twice_loss, plan_of(["part"], *calls(ADDMM, 0)))


class Still(Twice):
    """Stays in evaluation."""

    def train(self, mode: bool = True) -> "Still":
        return super().train(False)


class Backward(unittest.TestCase):
    def test_a_second_backward_pass_computes_again(self) -> None:
        class Noise(nn.Linear):
            """Keeps the first and the third noise; recompute stops before the third."""

            def forward(self, x):
                noisy = super().forward(x * torch.rand_like(x)) * torch.rand_like(x)
                return noisy.sin() + torch.rand_like(x)
        torch.manual_seed(0)
        models = [nn.ModuleDict({"part": Noise(16, 16)}) for _ in range(3)]
        for model in models[1:]:
            model.load_state_dict(models[0].state_dict())
        plan = plan_of(["part"], *calls("aten.rand_like.default", 0, 2), *calls(ADDMM, 0))
        stashscope.apply(models[1], plan)
        with_code(plan)(models[2])
        for model in models:
            torch.manual_seed(3)
            loss = model["part"](torch.ones(8, 16, requires_grad=True)).square().sum()
            loss.backward(retain_graph=True)
            loss.backward()
        self.assertEqual(unequal(models[0], models[1]), [])
        self.assertEqual(unequal(models[0], models[2]), [])

    def test_outputs_are_made_again_for_every_backward_pass(self) -> None:
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(8, 8), nn.Tanh(), nn.Linear(8, 8))
        x = torch.randn(4, 8)
        model(x).square().sum().backward()
        model(x).square().sum().backward()
        plain = [parameter.grad.clone() for parameter in model.parameters()]
        model.zero_grad()
        stashscope.apply(model, Plan((Region("1", free_outputs=True),)))
        loss = model(x).square().sum()
        loss.backward(retain_graph=True)
        loss.backward()
        for parameter, gradient in zip(model.parameters(), plain):
            self.assertTrue(torch.equal(parameter.grad, gradient))

    def test_a_freed_output_that_is_changed_in_place_is_an_error(self) -> None:
        class Changed(nn.Module):
            def __init__(self) -> None:
                super().__init__()
                self.norm, self.last = nn.LayerNorm(8), nn.Linear(8, 8)

            def forward(self, x: torch.Tensor) -> torch.Tensor:
                y = self.norm(x)
                with torch.no_grad():
                    y.detach().mul_(2)
                return self.last(y)

        model = Changed()
        stashscope.apply(model, Plan((Region("norm", free_outputs=True),)))
        with self.assertRaisesRegex(RuntimeError, "modified inplace"):
            model(torch.randn(4, 8))

    def test_a_change_in_place_of_what_is_saved_stays_an_error(self) -> None:
        class Wrong(nn.Module):
            def __init__(self) -> None:
                super().__init__()
                self.part, self.norm = nn.Linear(8, 8), nn.LayerNorm(8)

            def forward(self, x: torch.Tensor) -> torch.Tensor:
                y = self.part(self.norm(x)).exp()
                z = y * 2
                y.add_(1)
                return z

        model = Wrong()
        stashscope.apply(model, Plan((Region("norm", free_outputs=True),)))
        with self.assertRaisesRegex(Error, "changed in place"):
            model(torch.randn(4, 8)).sum().backward()

    def test_hooks_around_the_model_see_what_is_not_freed(self) -> None:
        model, x = nn.Sequential(nn.Linear(8, 8), nn.Tanh(), nn.Linear(8, 8)), torch.randn(4, 8)
        stashscope.apply(model, Plan((Region("1", free_outputs=True),)))
        packed, unpacked = [], []
        with torch.autograd.graph.saved_tensors_hooks(lambda tensor: packed.append(tensor) or tensor,
                                                      lambda tensor: unpacked.append(tensor) or tensor):
            result = model(x)
        result.sum().backward()
        self.assertTrue(any(tensor is x or tensor.data_ptr() == x.data_ptr() for tensor in packed))
        self.assertGreater(len(unpacked), 0)

    def test_gradients_add_up_over_steps(self) -> None:
        plain, model = pair()
        stashscope.apply(model, plan_of(["part"]))
        for one in (plain, model):
            torch.manual_seed(3)
            first, second = twice_loss(one), twice_loss(one)
            first.backward()
            second.backward()
        self.assertEqual(unequal(plain, model), [])

    def test_without_gradients_nothing_is_checkpointed(self) -> None:
        _, model = pair()
        stashscope.apply(model, plan_of(["part"], *calls("aten.sin.default", 0)))
        for off in (torch.no_grad, torch.inference_mode):
            with off():
                twice_loss(model)
        with self.assertRaises(Error):
            twice_loss(model)

    def test_other_casts_again_are_an_error(self) -> None:
        """Autocast casts a parameter once in forward; the second call of the region finds it in the cache."""
        class Pair(nn.Module):
            def __init__(self) -> None:
                super().__init__()
                self.part = nn.Linear(16, 16)

            def forward(self, x):
                return self.part(self.part(x).float())
        model = Pair()
        stashscope.apply(model, plan_of(["part"], *calls("aten._to_copy.default", 0)))
        with torch.autocast("cpu", torch.bfloat16):
            loss = twice_loss(model)
        with self.assertRaisesRegex(Error, "same order.*'part'"):
            loss.backward()

    def test_a_cache_with_a_prefix_is_an_error(self) -> None:
        model = llama()
        with torch.no_grad():
            prefix = model(input_ids=IDS[:, :4], use_cache=True).past_key_values
        stashscope.apply(model, plan_of(LLAMA_BLOCKS))
        loss = model(input_ids=IDS[:, 4:], labels=IDS[:, 4:], past_key_values=prefix).loss
        with self.assertRaisesRegex(RuntimeError, "meta"):
            loss.backward()

    def test_a_kept_output_that_is_changed_is_an_error(self) -> None:
        model = residual_net()
        stashscope.apply(model, plan_of(["1"], *calls("aten.native_batch_norm.default", 0)))
        with self.assertRaisesRegex(RuntimeError, "mutated"):
            image_loss(model).backward()


class Models(unittest.TestCase):
    """What users see of a model stays."""

    def test_names_classes_and_state_stay(self) -> None:
        model, applied = pair()
        stashscope.apply(applied, plan_of(["part"]))
        self.assertEqual(list(dict(model.named_parameters())), list(dict(applied.named_parameters())))
        self.assertEqual(list(model.state_dict()), list(applied.state_dict()))
        self.assertIs(type(applied.part), Twice.Part)
        self.assertEqual(repr(model), repr(applied))
        pickle.loads(pickle.dumps(applied.state_dict()))

    def test_remove_restores_forward(self) -> None:
        model = Twice()
        own = model.start.forward = lambda x: x
        before = [dict(part.__dict__) for part in model.modules()]
        stashscope.apply(model, plan_of(["start", "part", ""]))
        stashscope.remove(model)
        for part, attributes in zip(model.modules(), before):
            self.assertEqual(part.__dict__.keys(), attributes.keys())
            self.assertTrue(all(part.__dict__[key] is attributes[key] for key in attributes))
        self.assertIs(model.start.forward, own)
        stashscope.remove(model)

    def test_hooks_run_once_in_forward(self) -> None:
        _, model = pair()
        ran = []
        model.part.register_forward_hook(lambda *_: ran.append("after"))
        model.part.register_forward_pre_hook(lambda *_: ran.append("before"))
        model.start.register_full_backward_hook(lambda *_: ran.append("backward"))
        stashscope.apply(model, plan_of(["start", "part"]))
        loss = model(torch.ones(8, 16, requires_grad=True)).sum()
        self.assertEqual(ran, ["before", "after"] * 2)
        loss.backward()
        self.assertEqual(ran[4:], ["backward"])

    def test_copies_have_the_plan_and_their_own_parameters(self) -> None:
        _, model = pair()
        stashscope.apply(model, plan_of(["part"]))
        file = io.BytesIO()
        torch.save(model, file)
        file.seek(0)
        for other in (copy.deepcopy(model), torch.load(file, weights_only=False)):
            with torch.no_grad():
                other.part.inner.weight.zero_()
            twice_loss(other).backward()
            self.assertIsNone(model.part.inner.weight.grad)
            self.assertIsNotNone(other.part.inner.weight.grad)
            self.assertIs(other.part.forward.module(), other.part)
            stashscope.remove(other)
            self.assertNotIn("forward", other.part.__dict__)

    def test_a_model_with_a_plan_is_freed_at_once(self) -> None:
        import gc
        import weakref
        _, model = pair()
        stashscope.apply(model, plan_of(["part"]))
        gone = weakref.ref(model.part)
        gc.disable()
        try:
            del model
            self.assertIsNone(gone())
        finally:
            gc.enable()

    def test_the_signature_stays(self) -> None:
        import inspect
        model = Twice()
        before = inspect.signature(model.part.forward)
        stashscope.apply(model, plan_of(["part"]))
        self.assertEqual(inspect.signature(model.part.forward), before)

    def test_results_keep_their_type(self) -> None:
        model = llama()
        stashscope.apply(model, plan_of(["model"]))
        plain = type(llama()(input_ids=IDS))
        self.assertIs(type(model(input_ids=IDS)), plain)


class Refusals(unittest.TestCase):
    """Every refusal leaves the model as it is."""

    def refused(self, pattern: str, model: nn.Module, plan: object) -> None:
        with self.assertRaisesRegex(Error, pattern):
            stashscope.apply(model, plan)
        self.assertFalse([name for name, part in model.named_modules() if "forward" in part.__dict__])

    def test_unknown_module(self) -> None:
        self.refused("'prat'.*Near names are: part", Twice(), plan_of(["start", "prat"]))
        self.refused("no modules inside", nn.Linear(2, 2), plan_of(["x"]))

    def test_unknown_operators(self) -> None:
        for name in ("aten.mmm.default", "aten.mm.other", "nowhere.mm.default"):
            self.refused(f"'{name}' is not known", Twice(), plan_of(["start", "part"], *calls(name, 0)))

    def test_operators_that_cannot_be_kept(self) -> None:
        self.refused("in place", Twice(), plan_of(["part"], *calls("aten.add_.Tensor", 0)))
        self.refused("always runs it again", Twice(), plan_of(["part"], *calls("aten.detach.default", 0)))

    def test_one_module_under_two_names(self) -> None:
        model = nn.ModuleDict({"one": nn.Linear(2, 2)})
        model["two"] = model["one"]
        self.refused("'one' and 'two' are the same", model, plan_of(["one", "two"]))

    def test_a_plan_on_a_plan(self) -> None:
        model = Twice()
        stashscope.apply(model, plan_of(["part"]))
        with self.assertRaisesRegex(Error, "plan already.*'part'.*remove"):
            stashscope.apply(model, plan_of(["start"]))
        self.assertNotIn("forward", model.start.__dict__)

    def test_a_forward_put_on_top_is_not_lost(self) -> None:
        model = Twice()
        stashscope.apply(model, plan_of(["start", "part"]))
        top = model.part.forward = lambda *args, **kwargs: None
        with self.assertRaisesRegex(Error, "replaced.*'part'"):
            stashscope.remove(model)
        self.assertIs(model.part.forward, top)
        self.assertIn("forward", model.start.__dict__)

    def test_a_region_around_regions_that_free_outputs(self) -> None:
        model = nn.Sequential(nn.Linear(8, 8), nn.Tanh())
        with self.assertRaisesRegex(Error, "model itself is a region"):
            stashscope.apply(model, Plan((Region(""), Region("1", free_outputs=True))))
        self.assertNotIn("forward", vars(model))

    def test_other_things_than_models(self) -> None:
        for function in (lambda: stashscope.apply(3, Plan()), lambda: stashscope.remove("x")):
            with self.assertRaisesRegex(Error, "not a torch.nn.Module"):
                function()
        with self.assertRaisesRegex(Error, "compiled by TorchScript"):
            stashscope.apply(nn.Sequential(torch.jit.script(nn.Linear(2, 2))), plan_of(["0"]))

    def test_an_operator_that_does_not_run_so_often(self) -> None:
        model = Twice()
        stashscope.apply(model, plan_of(["part"], *calls(ADDMM, 0, 2)))
        with self.assertRaisesRegex(Error, "'aten.addmm.default' runs 2 times.*'part'.*occurrence 2"):
            twice_loss(model)
        stashscope.remove(model)
        twice_loss(model).backward()

    def test_an_operator_that_ran_before_may_be_left_out_later(self) -> None:
        class Sometimes(nn.Linear):
            def forward(self, x, more=True):
                return super().forward(super().forward(x) if more else x).sin()
        model = nn.ModuleDict({"part": Sometimes(4, 4)})
        stashscope.apply(model, Plan([Region("part", [SavedOperator(ADDMM, 1)])]))
        for more in (True, False, True):
            model["part"](torch.ones(2, 4), more).sum().backward()


def pair() -> tuple[Twice, Twice]:
    torch.manual_seed(0)
    model = Twice()
    return model, copy.deepcopy(model)


def unequal(one: nn.Module, other: nn.Module) -> list[str]:
    return [name for (name, mine), theirs in zip(one.named_parameters(), other.parameters())
            if not torch.equal(mine.grad, theirs.grad)]


if __name__ == "__main__":
    unittest.main()
