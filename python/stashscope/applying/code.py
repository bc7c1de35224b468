"""A plan as plain PyTorch."""

from __future__ import annotations

import json
from typing import Any, Iterable

from .code_of_outputs import frees_outputs, list_of_freeing, with_outputs
from .code_of_skips import skips, with_skips
from .operators import saved_operators
from .plan import Plan
from .randomness import is_random

_WIDTH = 118

_HEAD = '''\
# A plan for PyTorch VERSION. Paste this and call checkpoint_regions(model) once, before the first step.
# Call transformers with use_cache=False: a cache must not be filled again in backward.
import contextlib
'''

_IMPORTS = '''
import torch
from torch.nn.modules.batchnorm import _BatchNorm
from torch.utils.checkpoint import checkpoint
'''

_IMPORTS_OF_POLICY = '''\
from collections import Counter

import torch
from torch.nn.modules.batchnorm import _BatchNorm
from torch.utils.checkpoint import CheckpointPolicy, checkpoint, create_selective_checkpoint_contexts
'''

_LIST = '''
# Modules that backward runs again, and for each operator the calls (0 is the first) whose outputs are kept.
'''

_LIST_WITH_SKIPS = '''
# Modules that backward runs again, and for each operator the calls (0 is the first) whose outputs are kept,
# and those that do not run again.
'''

_WRAP = '''

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


class RunningAgain:
    def __init__(self, module, mode, *handed_out_once):
        self.module, self.mode, self.handed_out_once = module, mode, handed_out_once

    def __enter__(self):
        self.norms = [(norm, norm.momentum, norm.num_batches_tracked) for norm in self.module.modules()
                      if isinstance(norm, _BatchNorm) and norm.training and norm.running_mean is not None]
        for norm, _, _ in self.norms:  # Batch normalizations count a batch once.
            norm.momentum, norm.num_batches_tracked = 0.0, None
        self.mode.__enter__()

    def __exit__(self, *error):
        self.mode.__exit__(*error)
        for norm, momentum, batches in self.norms:
            norm.momentum, norm.num_batches_tracked = momentum, batches
        for kept in self.handed_out_once:
            kept.clear()


def contexts(module, save):  # For forward, and for running it again.
'''

_PLAIN = '''\
    return contextlib.nullcontext(), RunningAgain(module, contextlib.nullcontext())
'''

_POLICY = '''\
    kept, counts = dict(save), (Counter(), Counter())

    def policy(context, operator, *args, **kwargs):
        name, count = str(operator), counts[context.is_recompute]
        number, count[name] = count[name], count[name] + 1
        return CheckpointPolicy.MUST_SAVE if number in kept.get(name, ()) else CheckpointPolicy.PREFER_RECOMPUTE

    first, again = create_selective_checkpoint_contexts(policy) if save else (contextlib.nullcontext(),) * 2
    return first, RunningAgain(module, again, kept, counts[True])
'''

_START = "    kept, counts = dict(save), (Counter(), Counter())\n"
_COUNTED = "        number, count[name] = count[name], count[name] + 1\n"

# A kept operator does not draw random numbers again, so operators that draw after it must start from the generator
# state that they had in forward.
_RANDOM = '''\
        if torch.Tag.nondeterministic_seeded in operator.tags:  # Kept operators do not draw numbers again.
            if context.is_recompute:
                for set_state, state in states[name, number]:
                    set_state(state)
            else:
                states[name, number] = [(torch.set_rng_state, torch.get_rng_state())]
                if torch.cuda.is_initialized():
                    states[name, number].append((torch.cuda.set_rng_state, torch.cuda.get_rng_state()))
'''


def plain_code(plan: Plan) -> str:
    """The plan as plain PyTorch. Parts of the code that the plan does not need are left out."""
    operators = {operator for region in plan.regions for operator in saved_operators(region)}
    has_policy = bool(operators) or skips(plan)
    contexts = _POLICY if has_policy else _PLAIN
    if any(is_random(operator) for operator in operators):
        contexts = contexts.replace(_COUNTED, _COUNTED + _RANDOM).replace(_START, _START + "    states = {}\n")
    head = _HEAD.replace("VERSION", plan.torch) + (_IMPORTS_OF_POLICY if has_policy else _IMPORTS)
    freeing = list_of_freeing(plan) if frees_outputs(plan) else ""
    code = head + (_LIST_WITH_SKIPS if skips(plan) else _LIST) + _regions(plan) + freeing + _WRAP + contexts
    if frees_outputs(plan):
        code = with_outputs(code)
    return with_skips(code) if skips(plan) else code


def _regions(plan: Plan) -> str:
    """The list of regions as code. Modules that keep and leave out the same calls share one entry."""
    groups: dict[tuple[Any, ...], list[str]] = {}
    for region in plan.regions:
        calls = [region.positions(), region.skipped_positions()] if skips(plan) else [region.positions()]
        groups.setdefault(tuple(tuple(each.items()) for each in calls), []).append(region.module)
    lines = ["REGIONS = ["]
    for rows, modules in groups.items():
        lines += _filled("    ([", (json.dumps(module) for module in modules), "],")
        for place, each in enumerate(rows):
            end = "})," if place + 1 == len(rows) else "},"
            lines += _filled("     {", (f"{json.dumps(name)}: {positions!r}" for name, positions in each), end)
    return "\n".join([*lines, "]"]) + "\n"


def _filled(start: str, items: Iterable[str], end: str) -> list[str]:
    """The items between `start` and `end`, as many on a line as fit."""
    lines = [start]
    listed = list(items)
    for index, item in enumerate(listed):
        text = item + (", " if index + 1 < len(listed) else end)
        if len(lines[-1] + text.rstrip()) > _WIDTH and lines[-1].strip():
            lines[-1] = lines[-1].rstrip()
            lines.append(" " * len(start))
        lines[-1] += text
    return lines if listed else [start + end]
