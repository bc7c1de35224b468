"""What PyTorch says about an operator: its schema, tags and floating-point operations."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Iterable, Iterator

import torch
from torch.utils.flop_counter import flop_registry

from .ranks import script_text

# Bookkeeping that computes nothing and makes no tensor.
IGNORED_NAMESPACES = ("prim", "profiler")

_ARGUMENT_LIMIT = 200


@dataclass(frozen=True)
class Facts:
    """The facts that are the same in every call of an operator."""

    namespace: str
    operator: str
    overload: str
    ignored: bool
    names: tuple[str, ...]
    defaults: tuple[Any, ...]
    # Arguments that are one tensor.
    single_tensors: tuple[str, ...]
    written: tuple[str, ...]
    # The argument whose memory the results share, or ''.
    aliased: str
    tags: tuple[str, ...]


@lru_cache(maxsize=None)
def facts_of(func: Any) -> Facts:
    """Reads the schema of an operator."""
    schema = func._schema
    namespace, _, operator = schema.name.partition("::")
    sets = {argument.name: argument.alias_info for argument in schema.arguments if argument.alias_info}
    return Facts(
        namespace=namespace,
        operator=operator,
        overload=schema.overload_name or "default",
        ignored=namespace in IGNORED_NAMESPACES,
        names=tuple(argument.name for argument in schema.arguments),
        defaults=tuple(argument.default_value if argument.has_default_value() else _REQUIRED
                       for argument in schema.arguments),
        single_tensors=tuple(argument.name for argument in schema.arguments
                             if str(argument.type) in ("Tensor", "Optional[Tensor]")),
        written=_written(namespace, operator, schema.arguments),
        aliased=next(iter(sets), "") if any(result.alias_info for result in schema.returns) else "",
        tags=_tags(func, sets, schema.returns),
    )


_REQUIRED = object()


def _written(namespace: str, operator: str, arguments: Any) -> tuple[str, ...]:
    if namespace == "c10d" and operator.endswith("_"):
        # The schemas of collectives do not say that they fill their first argument.
        return (arguments[0].name,)
    return tuple(argument.name for argument in arguments if argument.alias_info and argument.alias_info.is_write)


def _tags(func: Any, sets: dict[str, Any], returns: Any) -> tuple[str, ...]:
    found = []
    read_only = [name for name, alias in sets.items() if not alias.is_write]
    if read_only and any(result.alias_info for result in returns):
        found.append("view")
    if torch.Tag.pointwise in func.tags:
        found.append("pointwise")
    if torch.Tag.nondeterministic_seeded in func.tags:
        found.append("random")
    return tuple(found)


def tensors_in(things: Iterable[Any]) -> Iterator[torch.Tensor]:
    """The tensors in arguments or results, in order, through lists."""
    for thing in things:
        if isinstance(thing, torch.Tensor):
            yield thing
        elif isinstance(thing, (list, tuple)):
            yield from tensors_in(thing)


def named_arguments(facts: Facts, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a call by their names."""
    return {**dict(zip(facts.names, args)), **kwargs}


def readable_arguments(facts: Facts, named: dict[str, Any]) -> str:
    """The text of the arguments that are no tensors and differ from their defaults."""
    parts = []
    for name, default in zip(facts.names, facts.defaults):
        if name not in named:
            continue
        value = named[name]
        if next(tensors_in((value,)), None) is not None or (default is not _REQUIRED and value == default):
            continue
        parts.append(f"{name}={_readable(value)}")
    return ", ".join(parts)


def _readable(value: Any) -> str:
    if isinstance(value, torch.ScriptObject):
        return script_text(value)
    text = str(value).replace("torch.", "") if isinstance(value, (torch.dtype, torch.layout)) else str(value)
    return text if len(text) <= _ARGUMENT_LIMIT else text[:_ARGUMENT_LIMIT] + "..."


def flops_of(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> int:
    """Floating-point operations by PyTorch's own formulas; 0 for an operator without one."""
    name = func._schema.name.partition("::")[2]
    if name.startswith("_scaled_dot_product"):
        return _attention_flops(name, [argument for argument in args if isinstance(argument, torch.Tensor)])
    formula = flop_registry.get(func._overloadpacket)
    return 0 if formula is None else int(formula(*args, **kwargs, out_val=result))


def _attention_flops(name: str, tensors: list[torch.Tensor]) -> int:
    """The operations of an attention. PyTorch's formula knows neither the kernel for CPUs nor keys with fewer heads
    than queries."""
    backward = name.endswith("backward")
    query, key, value = (tensor.shape for tensor in tensors[1 if backward else 0:][:3])
    pairs = 2 * query[0] * query[1] * query[2] * key[2]
    if not backward:
        return int(pairs * (query[3] + value[3]))
    # Scores again, then the gradients of the weights, of the values, of the queries and of the keys.
    return int(pairs * (3 * query[3] + 2 * value[3]))
