"""Finds the operators that a plan names."""

from __future__ import annotations

import difflib
from typing import Any

import torch
from torch.utils.checkpoint import SAC_IGNORED_OPS

from ..errors import Error
from .plan import Region


def saved_operators(region: Region) -> dict[Any, frozenset[int]]:
    """The kept occurrences by operator. Raises `Error` for operators whose outputs cannot be kept."""
    return {_operator(name, region.module): frozenset(positions) for name, positions in region.positions().items()}


def skipped_operators(region: Region) -> dict[Any, frozenset[int]]:
    """The occurrences by operator that do not run again. Raises `Error` for operators that must run again."""
    return {_operator(name, region.module, "left out"): frozenset(positions)
            for name, positions in region.skipped_positions().items()}


def _operator(name: str, module: str, what: str = "kept") -> Any:
    where = f"region '{module}'"
    namespace, base, overload = name.split(".")
    packet = getattr(getattr(torch.ops, namespace), base, None)
    operator = getattr(packet, overload, None) if packet is not None else None
    if not isinstance(operator, torch._ops.OpOverload):
        raise Error(f"Operator '{name}' is not known to PyTorch {torch.__version__}", where,
                    _advice(namespace, base, packet))
    advice = "Remove it from 'skip'." if what == "left out" else ""
    if operator in SAC_IGNORED_OPS:
        raise Error(f"Outputs of '{name}' cannot be {what}: checkpointing always runs it again", where,
                    advice or "Leave it out of the plan.")
    if operator._schema.is_mutable:
        raise Error(f"Outputs of '{name}' cannot be {what}: it changes a tensor in place and must run again", where,
                    advice or "Save the output of an operator before or after it.")
    return operator


def _advice(namespace: str, base: str, packet: Any) -> str:
    if packet is not None:
        known = [f"{namespace}.{base}.{overload}" for overload in packet.overloads()]
        return f"Known are: {', '.join(known[:8])}."
    near = difflib.get_close_matches(base, dir(getattr(torch.ops, namespace)), 3)
    if near:
        return f"Did you mean {', '.join(f'{namespace}.{one}' for one in near)}?"
    return "If a library brings the operator, import it first. Else make the plan again with this PyTorch."
