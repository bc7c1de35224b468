"""States of the random generators that an operator may draw from."""

from __future__ import annotations

from typing import Any

import torch
from torch.utils._python_dispatch import _disable_current_modes
from torch.utils._pytree import tree_leaves

State = dict[torch.device, torch.Tensor]


def is_random(operator: Any) -> bool:
    """Whether the operator may draw random numbers."""
    return torch.Tag.nondeterministic_seeded in operator.tags


def draws(operator: Any, args: Any, kwargs: Any) -> bool:
    """Whether the call may draw random numbers. Attention draws only for a dropout."""
    if not is_random(operator):
        return False
    for place, argument in enumerate(operator._schema.arguments):
        if argument.name == "dropout_p":
            return bool((args[place] if place < len(args) else kwargs.get(argument.name, argument.default_value)) != 0)
    return True


def devices_of(*arguments: Any) -> set[torch.device]:
    """The devices of the tensors, and the CPU."""
    tensors = [leaf for leaf in tree_leaves(arguments) if isinstance(leaf, torch.Tensor)]
    return {torch.device("cpu")} | {tensor.device for tensor in tensors if tensor.device.type != "meta"}


def random_state(devices: set[torch.device]) -> State:
    """The state of each device's own generator."""
    with _disable_current_modes():
        return {device: _generator(device).get_rng_state(*_place(device)) for device in devices}


def same_state(one: State, other: State) -> bool:
    """Whether nothing was drawn in between."""
    with _disable_current_modes():
        return all(torch.equal(one[device], other[device]) for device in one)


def set_random_state(state: State) -> None:
    """Lets the generators go on from `state`."""
    with _disable_current_modes():
        for device, content in state.items():
            _generator(device).set_rng_state(content, *_place(device))


def _generator(device: torch.device) -> Any:
    return torch.random if device.type == "cpu" else torch.get_device_module(device)


def _place(device: torch.device) -> tuple[torch.device, ...]:
    return () if device.type == "cpu" else (device,)
