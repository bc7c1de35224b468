"""Finds a training step in a running script."""

from __future__ import annotations

import gc
import sys
from collections.abc import Mapping
from types import FrameType
from typing import Any, Iterator, Optional

import torch
from torch.optim.optimizer import register_optimizer_step_post_hook

from ..capturing.places import USER, kind_of
from .forks import Forks

_MOST_PARTS = 64


class Captured(BaseException):
    """The step is captured, and the script shall end."""


class TrainingStep:
    """While active, waits for the step, and captures it.

    The step runs in forked processes with tensors that have no data, so that the script's own tensors stay as they are.
    """

    def __init__(self, forks: Forks, step: int, updates: int, go_on: bool) -> None:
        self._forks = forks
        self._before = (step - 1) * updates
        self._updates = updates
        self._go_on = go_on
        self._depth = 0
        self._counted = 0
        self.is_done = False

    def __enter__(self) -> "TrainingStep":
        self._own_call = torch.nn.Module.__call__
        waiting = self

        def call(module: torch.nn.Module, *args: Any, **kwargs: Any) -> Any:
            waiting._called(module)
            waiting._depth += 1
            try:
                return waiting._own_call(module, *args, **kwargs)
            finally:
                waiting._depth -= 1

        torch.nn.Module.__call__ = call  # type: ignore[method-assign]
        self._hook = register_optimizer_step_post_hook(self._updated)
        return self

    def __exit__(self, *_: object) -> None:
        torch.nn.Module.__call__ = self._own_call  # type: ignore[method-assign]
        self._hook.remove()

    def what_is_missing(self) -> str:
        """Why there is no captured step, after the script has ended."""
        if self._counted:
            return f"The script ended after {self._counted} calls of optimizer.step(), before the wanted step"
        return "The script ended without a training step"

    def end_child(self) -> None:
        """Ends a forked process in which the step did not come to its end."""
        self._forks.end_child(sys.exc_info()[1])

    def _called(self, module: torch.nn.Module) -> None:
        if self._depth or self.is_done or self._forks.is_child or self._counted < self._before:
            return
        if not torch.is_grad_enabled():
            return
        optimizers = [thing for thing in gc.get_objects() if issubclass(type(thing), torch.optim.Optimizer)]
        trained = {id(parameter) for one in optimizers for group in one.param_groups for parameter in group["params"]}
        if not any(id(parameter) in trained for parameter in module.parameters()):
            return
        self._counted = 0
        if self._forks.run(_variables(module, trained), optimizers):
            return
        self.is_done = True
        if not self._go_on:
            raise Captured

    def _updated(self, *_: Any) -> None:
        self._counted += 1
        if self._forks.is_child and self._counted == self._updates:
            self._forks.finish()


def _variables(module: torch.nn.Module, trained: set[int]) -> dict[str, Any]:
    """The variables of the script's running functions that may matter to the step, by name. Also `module`, if it is no
    part of them."""
    found: dict[str, Any] = {}
    for frame in _frames():
        spaces = (frame.f_locals, frame.f_globals) if frame.f_code.co_name != "<module>" else (frame.f_globals,)
        for space in spaces:
            for name, value in list(space.items()):
                if _matters(value, trained):
                    found.setdefault(name, value)
    if not any(module is part for value in found.values() if isinstance(value, torch.nn.Module)
               for part in value.modules()):
        found["model"] = module
    return found


def _frames() -> Iterator[FrameType]:
    frame: Optional[FrameType] = sys._getframe()
    while frame is not None:
        if kind_of(frame.f_code) == USER:
            yield frame
        frame = frame.f_back


def _matters(value: Any, trained: set[int]) -> bool:
    if isinstance(value, torch.nn.Module):
        return any(id(parameter) in trained for parameter in value.parameters())
    if isinstance(value, (torch.Tensor, torch.optim.lr_scheduler.LRScheduler, torch.amp.GradScaler)):
        return True
    parts = value.values() if isinstance(value, Mapping) else value if isinstance(value, (list, tuple)) else ()
    return 0 < len(parts) <= _MOST_PARTS and any(isinstance(part, torch.Tensor) for part in parts)
