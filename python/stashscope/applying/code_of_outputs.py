"""The part of a plan's plain PyTorch code that frees outputs of regions."""

from __future__ import annotations

import json

from .code_parts import with_part
from .plan import Plan

_LIST = '''
# Modules whose outputs are made again, too, where operators after the module save them for backward.
FREEING = {NAMES}
'''

_OUTPUTS = '''

class MadeAgain(torch.autograd.Function):  # Lets the checkpoint around it make the tensor again.
    @staticmethod
    def forward(ctx, tensor):
        ctx.save_for_backward(tensor)
        return tensor

    @staticmethod
    def backward(ctx, gradient):
        return gradient


class Output:
    def __init__(self, tensor):
        self.node, self.kind, self.takers, self.value = weakref.ref(tensor.grad_fn), self.kind_of(tensor), 0, None

    def kind_of(self, tensor):
        return tensor._version, tensor.dtype

    def take(self, node):  # Made again for the first taker, and held until the last.
        if self.value is None:
            self.left, (self.value,) = self.takers, node.saved_tensors
        value, self.left = self.value, self.left - 1
        if self.left == 0:
            self.value = None
        return value


def freeing_outputs(results, arguments):
    given = {leaf.untyped_storage()._cdata for leaf in tree_leaves(arguments) if isinstance(leaf, torch.Tensor)}

    def freed(leaf):
        if not isinstance(leaf, torch.Tensor) or not leaf.requires_grad or leaf.untyped_storage()._cdata in given:
            return leaf
        output = MadeAgain.apply(leaf)
        output.untyped_storage().made_again = Output(output)
        return output
    return tree_map(freed, results)


def pack(tensor):
    output = getattr(tensor.untyped_storage(), "made_again", None)
    node = output.node() if output is not None else None
    if node is None or output.kind_of(tensor) != output.kind:
        return tensor
    output.takers += 1
    return output, node, tensor.size(), tensor.stride(), tensor.storage_offset()


def unpack(packed):
    if isinstance(packed, torch.Tensor):
        return packed
    output, node, *geometry = packed
    return output.take(node).as_strided(*geometry)


def take_outputs(model):
    forward = model.forward

    def hooked(*args, **kwargs):
        with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
            return forward(*args, **kwargs)
    model.forward = hooked
'''

# When a checkpoint under hooks on saved tensors runs again, an argument that was given in two places arrives as two
# copies.
_RUN = '''\
        given = [*args, *kwargs.values()]
        once = list({id(one): one for one in given}.values())
        sources = [next(place for place, other in enumerate(once) if other is one) for one in given]

        def run(*once):
            values = [once[source] for source in sources]
            results = forward(*values[:places], **dict(zip(names, values[places:])))
            return freeing_outputs(results, values) if frees else results
'''


def frees_outputs(plan: Plan) -> bool:
    """Whether a region of the plan frees outputs."""
    return any(region.free_outputs for region in plan.regions)


def list_of_freeing(plan: Plan) -> str:
    """The names of the modules that free outputs."""
    names = [json.dumps(region.module) for region in plan.regions if region.free_outputs]
    return _LIST.replace("NAMES", ",\n           ".join(names))


def with_outputs(code: str) -> str:
    """The code of a plan with the part that frees outputs added."""
    code = with_part(code, "import contextlib\n", "import contextlib\nimport weakref\n")
    code = with_part(code, "import torch\n", "import torch\nfrom torch.utils._pytree import tree_leaves, tree_map\n")
    code = with_part(code, "            checkpoint_module(model.get_submodule(name), save)\n",
                     "            checkpoint_module(model.get_submodule(name), save, name in FREEING)\n"
                     "    take_outputs(model)\n")
    code = with_part(code, "def checkpoint_module(module, save):", "def checkpoint_module(module, save, frees):")
    code = with_part(code, "\n        def run(*values):\n"
                     "            return forward(*values[:places], **dict(zip(names, values[places:])))\n", _RUN)
    code = with_part(code, "checkpoint(run, *args, *kwargs.values(),", "checkpoint(run, *once,")
    return code + _OUTPUTS
