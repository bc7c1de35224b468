"""A plan as plain PyTorch."""

from __future__ import annotations

import textwrap
from typing import Any

import torch

from .operators import saved_operators
from .plan import Plan
from .randomness import is_random

_HEAD = '''\
# A plan for PyTorch {version}. Paste this and call checkpoint_regions(model) once, before the first step.
import contextlib
from collections import Counter

import torch
from torch.nn.modules.batchnorm import _BatchNorm
from torch.utils.checkpoint import CheckpointPolicy, checkpoint, create_selective_checkpoint_contexts

# Modules that are recomputed in backward, and for each operator the calls (0 is the first) whose outputs are kept.
'''

_BODY = '''\


def checkpoint_regions(model):
    for names, save in REGIONS:
        for name in names:
            checkpoint_module(model.get_submodule(name), save)


def checkpoint_module(module, save):
    forward = module.forward

    def checkpointed(*args, **kwargs):
        if not torch.is_grad_enabled():
            return forward(*args, **kwargs)
        places, names = len(args), list(kwargs)

        def run(*values):
            return forward(*values[:places], **dict(zip(names, values[places:])))
        return checkpoint(run, *args, *kwargs.values(), use_reentrant=False, context_fn=lambda: contexts(module, save))
    module.forward = checkpointed


def contexts(module, save):
    kept, counts{states} = dict(save), (Counter(), Counter()){no_states}

    def policy(context, operator, *args, **kwargs):
        name, count = str(operator), counts[context.is_recompute]
        number, count[name] = count[name], count[name] + 1
{random}        return CheckpointPolicy.MUST_SAVE if number in kept.get(name, ()) else CheckpointPolicy.PREFER_RECOMPUTE

    @contextlib.contextmanager
    def recompute():  # Batch normalizations count a batch once, and kept outputs are handed out once.
        norms = [(norm, norm.momentum, norm.num_batches_tracked) for norm in module.modules()
                 if isinstance(norm, _BatchNorm) and norm.training and norm.running_mean is not None]
        for norm, _, _ in norms:
            norm.momentum, norm.num_batches_tracked = 0.0, None
        try:
            with again:
                yield
        finally:
            kept.clear()
            for norm, momentum, batches in norms:
                norm.momentum, norm.num_batches_tracked = momentum, batches
    first, again = create_selective_checkpoint_contexts(policy) if save else (contextlib.nullcontext(),) * 2
    return first, recompute()
'''

# A kept operator does not draw when the region runs again. What draws after it starts from where it started in forward.
_RANDOM = '''\
        if torch.Tag.nondeterministic_seeded in operator.tags:  # Kept operators do not draw again.
            devices = {arg.device for arg in args if isinstance(arg, torch.Tensor) and arg.is_cuda}
            if context.is_recompute:
                for set_state, state in states[name, number]:
                    set_state(state)
            else:
                states[name, number] = [(torch.set_rng_state, torch.get_rng_state())] + [
                    (lambda state, device=device: torch.cuda.set_rng_state(state, device),
                     torch.cuda.get_rng_state(device)) for device in devices]
'''


def plain_code(plan: Plan) -> str:
    """The plan as plain PyTorch."""
    seeded = any(is_random(operator) for region in plan.regions for operator in saved_operators(region))
    body = (_BODY.replace("{states}", ", states" if seeded else "").replace("{no_states}", ", {}" if seeded else "")
            .replace("{random}", _RANDOM if seeded else ""))
    return _HEAD.replace("{version}", plan.torch) + _regions(plan) + body


def _regions(plan: Plan) -> str:
    """Modules that keep the same are written together."""
    groups: dict[str, list[str]] = {}
    for region in plan.regions:
        save = ", ".join(f'"{name}": {_tuple(positions)}' for name, positions in region.positions().items())
        groups.setdefault("{" + save + "}", []).append(region.module)
    lines = ["REGIONS = ["]
    for save, modules in groups.items():
        lines.append(_wrapped(f"    ([{', '.join(_quoted(module) for module in modules)}],", 6))
        lines.append(_wrapped(f"     {save}),", 6))
    return "\n".join([*lines, "]"]) + "\n"


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _tuple(positions: tuple[Any, ...]) -> str:
    return f"({positions[0]},)" if len(positions) == 1 else repr(positions)


def _wrapped(line: str, indent: int) -> str:
    return textwrap.fill(line, 118, subsequent_indent=" " * indent, break_long_words=False, break_on_hyphens=False)
