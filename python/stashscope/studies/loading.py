"""From a file to a study."""

from __future__ import annotations

import os
from typing import Iterable, Mapping, Optional, Union

from ..errors import Error
from .arguments import config_of, engine, whole_number
from .records import PlanRow
from .study import Study

PathLike = Union[str, "os.PathLike[str]"]


def load(path: PathLike, *, dims: Optional[Mapping[str, Union[int, str]]] = None,
         plans: Union[None, str, PlanRow, Iterable[Union[str, PlanRow]]] = None, level: int = 0,
         order: Optional[str] = None, allocator: Optional[str] = None,
         what_if: Optional[Mapping[str, Union[None, int, float, str]]] = None) -> Study:
    """The study of an ONNX model, a saved session or a captured step.

    dims: size by name of a dimension, or the name of another dimension to unify it with. In a name, `*` stands for any
        text.
    plans: config strings to switch on, or `@FILE`, as `--plan` takes them.
    level: 1 recomputes every transformer layer, 2 also with compromises. 0 is the level of the session, if any.
    order: name of an execution order, as `--order` takes it.
    allocator: settings of PyTorch's allocator, as in PYTORCH_CUDA_ALLOC_CONF; "" for the default ones. If left
        out, those of the session, if any.
    what_if: value by name of a what-if, such as {"attention": "flash"}, as `--what-if` takes them; None for a value
        means that the name stands alone.

    Raises `Error`. Ctrl+C ends a long computation.
    """
    if isinstance(plans, (str, PlanRow)):
        plans = [plans]
    if order is not None and not isinstance(order, str):
        raise Error(f"{order!r} is no name of an order", "order", "Give a text, such as 'file'.")
    if allocator is not None and not isinstance(allocator, str):
        raise Error(f"{allocator!r} is no text of settings", "allocator", "Write 'expandable_segments:True'.")
    found = engine().load(os.fsencode(path), _dims(dims or {}), [config_of(plan) for plan in plans or ()],
                          whole_number(level, "level"), order, allocator, _what_ifs(what_if or {}))
    return Study(found, os.fspath(path))


def _what_ifs(what_ifs: Mapping[str, Union[None, int, float, str]]) -> dict[str, str]:
    hint = "Write what_if={'attention': 'flash'}."
    if not isinstance(what_ifs, Mapping):
        raise Error(f"{what_ifs!r} is no mapping from names to values", "what_if", hint)
    for name, value in what_ifs.items():
        if not isinstance(name, str) or name == "":
            raise Error(f"{name!r} is no name of a what-if", "what_if", hint)
        if isinstance(value, bool) or not (value is None or isinstance(value, (int, float, str))):
            raise Error(f"{value!r} is no value of a what-if", f"what-if '{name}'", hint)
    return {name: "" if value is None else str(value) for name, value in what_ifs.items()}


def _dims(dims: Mapping[str, Union[int, str]]) -> dict[str, str]:
    hint = "Write dims={'batch': 8}."
    if not isinstance(dims, Mapping):
        raise Error(f"{dims!r} is no mapping from names to sizes", "dims", hint)
    for name, value in dims.items():
        if not isinstance(name, str) or name == "":
            raise Error(f"{name!r} is no name of a dimension", "dims", hint)
        if value == "":
            raise Error("An empty text is neither a size nor a name", f"dimension '{name}'", hint)
    return {name: value if isinstance(value, str) else str(whole_number(value, f"dimension '{name}'"))
            for name, value in dims.items()}
