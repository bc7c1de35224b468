"""The tensors of the user's model and optimizer, with names and roles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Iterator, Optional

import torch

from ..errors import Error
from .places import as_uncompiled
from .reach import Reached
from .wrappers import Outline, is_wrapper, outline_of, parts_of


# The role of tensors that PyTorch's own records of a rank hold: shards, and parameters whose memory is freed.
HELD = "held"


@dataclass(frozen=True)
class Known:
    """A tensor of the user with its name and role, and the outlines of it and of its gradient before the step."""

    name: str
    role: str
    tensor: torch.Tensor
    geometry: Outline
    gradient: Optional[Outline]


def known_tensors(reached: Reached) -> list[Known]:
    """Parameters, buffers, optimizer states, and other tensors that the twin must replace; each once."""
    found: list[Known] = []
    seen: set[int] = set()
    for name, role, tensor in _named(reached):
        if id(tensor) in seen or not _plain(name, tensor):
            continue
        seen.add(id(tensor))
        for part in parts_of(tensor) if is_wrapper(type(tensor)) else ():
            seen.add(id(part))
            found.append(Known(name, role, part, outline_of(part), None))
        gradient = tensor.grad if tensor.is_leaf else None
        found.append(Known(name, role, tensor, outline_of(tensor), None if gradient is None else outline_of(gradient)))
    _check_devices(reached)
    return found


def _named(reached: Reached) -> Iterator[tuple[str, str, torch.Tensor]]:
    roots = reached.roots
    names: dict[int, str] = {}
    for prefix, root in roots:
        before = f"{prefix}." if len(roots) > 1 else ""
        for path, parameter in root.named_parameters():
            names[id(parameter)] = as_uncompiled(before + path)
            yield names[id(parameter)], "parameter", parameter
        for path, buffer in root.named_buffers():
            yield as_uncompiled(before + path), "buffer", buffer
    for optimizer in reached.optimizers:
        for number, trained in enumerate(_parameters_of(optimizer)):
            name = names.setdefault(id(trained), f"parameter_{number}")
            yield name, "parameter", trained
            for key, state in optimizer.state.get(trained, {}).items():
                if isinstance(state, torch.Tensor):
                    yield f"{name}.{key}", "optimizer", state
    memory = {part.untyped_storage()._cdata for _, root in roots for parameter in root.parameters()
              for part in parts_of(parameter)}
    for name, tensor in reached.tensors:
        if tensor.is_leaf and tensor.requires_grad or tensor.is_meta:
            yield name, "parameter" if tensor.requires_grad else "input", tensor
    for tensor in reached.held:
        if not tensor.is_meta or tensor.untyped_storage()._cdata in memory:
            yield "", HELD, tensor


def _parameters_of(optimizer: torch.optim.Optimizer) -> Iterator[torch.Tensor]:
    for group in optimizer.param_groups:
        yield from group["params"]


def _plain(name: str, tensor: torch.Tensor) -> bool:
    if isinstance(tensor, torch.nn.parameter.UninitializedTensorMixin):  # type: ignore[attr-defined]
        raise Error(f"Parameter '{name}' has no shape yet", "", "Run the model once on an input before the capture.")
    if tensor.layout != torch.strided:
        raise Error(f"Tensor '{name}' is not dense ({tensor.layout})", "", "Capture knows dense tensors only.")
    return True


def _check_devices(reached: Reached) -> None:
    for optimizer in reached.optimizers:
        for parameter, states in optimizer.state.items():
            for key, state in states.items() if isinstance(states, dict) else ():
                if _clash(parameter, state):
                    raise Error(
                        f"The optimizer's state '{key}' is on {state.device}, its parameter is on {parameter.device}",
                        type(optimizer).__name__,
                        "Make the optimizer anew for the parameters that the step works on.")


def _clash(parameter: Any, state: Any) -> bool:
    return (isinstance(parameter, torch.Tensor) and isinstance(state, torch.Tensor) and state.numel() > 1
            and parameter.is_meta != state.is_meta)
