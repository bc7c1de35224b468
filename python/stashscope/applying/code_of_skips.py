"""The part of a plan's plain PyTorch code that leaves out operators when a module runs again."""

from __future__ import annotations

from .code_parts import with_part
from .plan import Plan

_SKIPPING = '''

class StandIn(torch.Tensor):  # A result that was not computed. Its form is a tensor on the device meta.
    @staticmethod
    def __new__(cls, form, device):
        made = torch.Tensor._make_wrapper_subclass(cls, form.size(), strides=form.stride(), dtype=form.dtype,
                                                   storage_offset=form.storage_offset(), device=device)
        made.form = form
        return made

    @classmethod
    def __torch_dispatch__(cls, operator, types, args=(), kwargs=None):
        raise RuntimeError(f"{operator} needs a result that the plan leaves out: the plan is for another step")


class LeavingOut(TorchDispatchMode):  # Leaves out operators, and those that read their results.
    def __init__(self, skip, count, policy):
        super().__init__()
        self.skip, self.count, self.policy = skip, count, policy

    def __enter__(self):
        super().__enter__()
        return self.policy.__enter__()

    def __exit__(self, *error):
        self.policy.__exit__(*error)
        super().__exit__(*error)

    def __torch_dispatch__(self, operator, types, args=(), kwargs=None):
        kwargs, name, schema = kwargs or {}, str(operator), operator._schema
        tensors = [leaf for leaf in tree_leaves((args, kwargs)) if isinstance(leaf, torch.Tensor)]
        reads = any(isinstance(tensor, StandIn) for tensor in tensors)
        if not reads and self.count[name] - 1 not in self.skip.get(name, ()):
            return operator(*args, **kwargs)
        if name == "aten.empty_like.default":
            with _disable_current_modes():
                form = torch.empty_like(args[0].form)
            return torch.empty_strided(form.size(), form.stride(), dtype=form.dtype, device=args[0].device)
        if schema.is_mutable and isinstance(args[0], StandIn):
            return args[0]
        draws = torch.Tag.nondeterministic_seeded in operator.tags and "attention" not in name
        if draws or schema.is_mutable or not all("Tensor" in str(result.type) for result in schema.returns):
            raise RuntimeError(f"{operator} needs a result that the plan leaves out: the plan is for another step")
        device = kwargs.get("device") or next((one.device for one in tensors if one.device.type != "cpu"), "cpu")
        with _disable_current_modes():
            args, kwargs = tree_map(form_of, (args, {**kwargs, "device": "meta"} if "device" in kwargs else kwargs))
            results = operator(*args, **kwargs)
        return tree_map(lambda one: StandIn(one, device) if isinstance(one, torch.Tensor) else one, results)


def form_of(value):
    if isinstance(value, StandIn):
        return value.form
    if not isinstance(value, torch.Tensor):
        return value
    return torch.empty_strided(value.size(), value.stride(), dtype=value.dtype, device="meta")
'''

_PLAIN_END = '''\
    first, again = create_selective_checkpoint_contexts(policy) if save else (contextlib.nullcontext(),) * 2
    return first, RunningAgain(module, again, kept, counts[True])
'''

_END = '''\
    if not save and not skip:
        return contextlib.nullcontext(), RunningAgain(module, contextlib.nullcontext())
    first, again = create_selective_checkpoint_contexts(policy)
    again = LeavingOut(left_out, counts[True], again)
    return first if save else contextlib.nullcontext(), RunningAgain(module, again, kept, left_out, counts[True])
'''


def skips(plan: Plan) -> bool:
    """Whether a region of the plan leaves out operators."""
    return any(region.skip for region in plan.regions)


def with_skips(code: str) -> str:
    """The code of a plan with the part that leaves out operators added."""
    imports = "from torch.utils._python_dispatch import TorchDispatchMode, _disable_current_modes\n"
    tree = "from torch.utils._pytree import tree_leaves, tree_map\n"
    code = code.replace(tree, "", 1)  # `with_outputs` may have added this line already
    code = with_part(code, "from torch.utils.checkpoint", imports + tree + "from torch.utils.checkpoint")
    code = with_part(code, "    for names, save in REGIONS:", "    for names, save, skip in REGIONS:")
    code = with_part(code, "get_submodule(name), save", "get_submodule(name), save, skip")
    code = with_part(code, "def checkpoint_module(module, save", "def checkpoint_module(module, save, skip")
    code = with_part(code, "lambda: contexts(module, save))", "lambda: contexts(module, save, skip))")
    code = with_part(code, "def contexts(module, save):", "def contexts(module, save, skip):")
    code = with_part(code, "kept, counts = dict(save), ", "kept, left_out, counts = dict(save), dict(skip), ")
    code = with_part(code, _PLAIN_END, _END)
    return code + _SKIPPING
