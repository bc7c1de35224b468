"""The calls of modules in forward. A plan can make regions of the called modules."""

from __future__ import annotations

from typing import Any, Iterable, Iterator

import torch
from torch.utils._pytree import tree_leaves

from .record import Call
from .values import Values
from .wrappers import parts_of


class ModuleCalls:
    """While this context is active, writes down each call of a named module.

    Calls by a backward pass, calls in a transform of `torch.func` and calls without gradients do not count: no
    checkpoint works on them.
    """

    def __init__(self, names: dict[int, str], roots: Iterable[torch.nn.Module], values: Values) -> None:
        self._names = names
        self._modules = {id(module): module for root in roots for module in root.modules()}.values()
        self._values = values
        self._running: list[Call] = []
        self._handles: list[Any] = []

    def __enter__(self) -> "ModuleCalls":
        for module in self._modules:
            self._handles.append(module.register_forward_pre_hook(self._enter, with_kwargs=True))
            # A plan runs only `forward` again, without hooks, so the call ends before the module's other hooks.
            self._handles.append(module.register_forward_hook(self._leave, prepend=True, always_call=True))
        return self

    def __exit__(self, *_: object) -> None:
        for handle in self._handles:
            handle.remove()

    def hooks(self) -> Iterator[tuple[Any, int]]:
        """The tables that hold the hooks of this object, with the keys of the hooks."""
        for handle in self._handles:
            for table in (handle.hooks_dict_ref, *handle.extra_dict_ref):
                yield table(), handle.id

    def _enter(self, module: torch.nn.Module, args: Any, kwargs: Any) -> None:
        found = [self._values.storages.find(part.untyped_storage()) for leaf in tree_leaves((args, kwargs))
                 if isinstance(leaf, torch.Tensor) and leaf.layout == torch.strided
                 and not torch._C._functorch.is_functorch_wrapped_tensor(leaf) for part in parts_of(leaf)]
        storages = sorted({index for index in found if index is not None})
        self._running.append(Call(self._names[id(module)], len(self._values.record.nodes), storages))
        if _in_forward() and torch.is_grad_enabled():
            self._values.record.calls.append(self._running[-1])

    def _leave(self, *_: Any) -> None:
        if self._running:
            self._running.pop().end = len(self._values.record.nodes)


def _in_forward() -> bool:
    inside_transform = torch._C._functorch.peek_interpreter_stack() is not None
    return bool(torch._C._current_graph_task_id() == -1) and not inside_transform
