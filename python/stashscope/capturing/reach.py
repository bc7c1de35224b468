"""What a step reaches: the modules, optimizers, tensors and containers that it works on."""

from __future__ import annotations

import functools
import os
import sysconfig
import types
from dataclasses import dataclass, field
from typing import Any, Callable, Iterator, Optional

import torch
from torch.optim.lr_scheduler import LRScheduler

from .ranks import is_rank_state

_LIBRARIES = tuple({sysconfig.get_paths()[name] + os.sep for name in ("stdlib", "purelib", "platlib")})
_STATEFUL = (torch.optim.Optimizer, LRScheduler, torch.amp.GradScaler)
_PLAIN = (str, bytes, int, float, complex, bool, type(None), type, types.ModuleType, torch.dtype, torch.device)
_DEPTH = 6


@dataclass
class Reached:
    """Everything found, each once; modules and tensors have the names they were found under."""

    modules: list[tuple[str, torch.nn.Module]] = field(default_factory=list)
    optimizers: list[torch.optim.Optimizer] = field(default_factory=list)
    tensors: list[tuple[str, torch.Tensor]] = field(default_factory=list)
    # Tensors in PyTorch's own records of a rank.
    held: list[torch.Tensor] = field(default_factory=list)
    containers: list[Any] = field(default_factory=list)
    objects: list[Any] = field(default_factory=list)
    cells: list[Any] = field(default_factory=list)
    globals: list[tuple[dict[str, Any], str]] = field(default_factory=list)

    @property
    def roots(self) -> list[tuple[str, torch.nn.Module]]:
        """The modules that are part of no other."""
        inner = {id(part) for _, module in self.modules for part in module.modules() if part is not module}
        return [(name, module) for name, module in self.modules if id(module) not in inner]


class _Search:
    def __init__(self) -> None:
        self.found = Reached()
        self._seen: set[int] = set()
        self._in_records = False

    def visit(self, name: str, thing: Any, depth: int = _DEPTH) -> None:
        """Searches one object and the objects that it holds."""
        if isinstance(thing, _PLAIN) or id(thing) in self._seen or depth < 0:
            return
        self._seen.add(id(thing))
        if isinstance(thing, torch.Tensor):
            if self._in_records:
                self.found.held.append(thing)
            else:
                self.found.tensors.append((name, thing))
        elif isinstance(thing, torch.nn.Module):
            self._module(name, thing, depth)
        elif isinstance(thing, _STATEFUL):
            self._stateful(name, thing, depth)
        elif isinstance(thing, functools.partial):
            for part in (thing.func, thing.args, thing.keywords):
                self.visit(name, part, depth)
        elif isinstance(thing, types.MethodType):
            self.visit("self", thing.__self__, depth)
            self.visit(name, thing.__func__, depth)
        elif isinstance(thing, types.FunctionType):
            self._function(thing, depth)
        elif isinstance(thing, (list, tuple, dict, set)):
            self._container(name, thing, depth)
        else:
            self._object(name, thing, depth)

    def _module(self, name: str, module: torch.nn.Module, depth: int) -> None:
        self._in_records = False
        self.found.modules.append((name, module))
        for part in module.modules():
            for key, held in vars(part).items():
                if key not in ("_parameters", "_buffers", "_modules"):
                    self.visit(key, held, depth - 2)

    def _stateful(self, name: str, thing: Any, depth: int) -> None:
        if isinstance(thing, torch.optim.Optimizer):
            self.found.optimizers.append(thing)
            for group in thing.param_groups:
                self._container("parameter", group["params"], depth)
        else:
            self.found.objects.append(thing)
            for key, held in vars(thing).items():
                self.visit(key, held, depth - 1)

    def _container(self, name: str, thing: Any, depth: int) -> None:
        if isinstance(thing, (list, dict, set)):
            self.found.containers.append(thing)
        parts = thing.items() if isinstance(thing, dict) else ((name, part) for part in thing)
        for key, part in list(parts):
            self.visit(key if isinstance(key, str) else name, part, depth - 1)

    def _function(self, function: types.FunctionType, depth: int) -> None:
        compiled = function.__dict__.get("_torchdynamo_orig_callable")
        if compiled is not None:
            self.visit("step", compiled, depth)
            return
        if function.__code__.co_filename.startswith(_LIBRARIES) and depth < _DEPTH:
            return
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
            self.found.cells.append(cell)
            try:
                self.visit(name, cell.cell_contents, depth)
            except ValueError:
                continue
        defaults = {str(number): value for number, value in enumerate(function.__defaults__ or ())}
        for name, value in {**defaults, **(function.__kwdefaults__ or {})}.items():
            self.visit(name, value, depth - 1)
        for name in _named_by(function.__code__):
            self.found.globals.append((function.__globals__, name))
            if name in function.__globals__:
                self.visit(name, function.__globals__[name], depth - 1)

    def _records(self, thing: Any) -> None:
        """Visits PyTorch's own records of a rank. They lie deep, but they are few."""
        self.found.objects.append(thing)
        for key, held in list(vars(thing).items()):
            self._in_records = True
            self.visit(key, held, _DEPTH)
        self._in_records = False

    def _object(self, name: str, thing: Any, depth: int) -> None:
        if is_rank_state(thing):
            self._records(thing)
            return
        home = (type(thing).__module__ or "").partition(".")[0]
        if home in ("torch", "builtins", "numpy", "threading", "logging"):
            return
        if callable(thing) and not hasattr(thing, "__dict__"):
            return
        held = getattr(thing, "__dict__", None)
        if isinstance(held, dict):
            self.found.objects.append(thing)
            for key, part in list(held.items()):
                self.visit(key, part, depth - 1)


def _named_by(code: types.CodeType) -> Iterator[str]:
    """The names that a function and the functions inside it may look up among the globals."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _named_by(constant)


def reached_from(step: Callable[..., Any], model: Any, optimizer: Any) -> Reached:
    """Searches what the caller names, then what the step itself refers to.

    `model`: a module, a dictionary of variables, or a list of these. `optimizer`: an optimizer or a list of them.
    """
    search = _Search()
    for name, given in (("model", model), ("optimizer", optimizer)):
        for part in given if isinstance(given, (list, tuple)) else (given,):
            search.visit(name, part)
    start: Any = step
    if not isinstance(start, (types.FunctionType, types.MethodType, functools.partial, torch.nn.Module)):
        search.visit("step", start)
        start = getattr(type(step), "__call__", None)
    search.visit("step", start)
    return search.found
