"""Where an operator comes from: its module and its Python line."""

from __future__ import annotations

import os
import sys
from types import CodeType, FrameType
from typing import Any, Iterable, Iterator, Optional

import torch
from torch.nn.modules import module as module_hooks

# Folders as Python imported them. Frames name their files in the same way, even if these are links to other folders.
_TORCH = os.path.dirname(torch.__file__) + os.sep
_CAPTURE = os.path.dirname(__file__) + os.sep
_OWN = os.path.dirname(os.path.dirname(__file__)) + os.sep

# The kinds of frames: whose code a frame runs. Some kinds tell to which part of the step the operators below a frame
# belong.
USER = 0
INSIDE = 1
ENGINE = 2
CHECKPOINT = 3
OPTIMIZER = 4
SCALER = 5
BACKWARD = 6
OWN = 7

_known: dict[CodeType, int] = {}


def kind_of(code: CodeType) -> int:
    """Tells the user's frames, autograd's engine, checkpointing and optimizers apart."""
    kind = _known.get(code)
    if kind is None:
        kind = _known[code] = _find_kind(code.co_filename, code.co_name)
    return kind


def is_inside_torch(file: str) -> bool:
    """Whether a source file is PyTorch's own."""
    return file.startswith(_TORCH)


def is_of_capture(file: str) -> bool:
    """Whether a source file belongs to the capture."""
    return file.startswith(_CAPTURE)


def is_in_guard() -> bool:
    """Whether Dynamo is finding out if compiled code may run."""
    frame: Optional[FrameType] = sys._getframe(2)
    for _ in range(3):
        if frame is None:
            return False
        if frame.f_code.co_name == "guard" and frame.f_code.co_filename == "<string>":
            return True
        frame = frame.f_back
    return False


def _find_kind(file: str, function: str) -> int:
    if is_inside_torch(file):
        inside = "/" + file[len(_TORCH):].replace("\\", "/")
        if function == "_engine_run_backward":
            return ENGINE
        if function == "_make_grads":
            return BACKWARD
        if inside == "/utils/checkpoint.py":
            return CHECKPOINT
        if inside.startswith("/optim/") or inside == "/nn/utils/clip_grad.py" or function == "_unscale_grads_":
            return OPTIMIZER
        return SCALER if inside == "/amp/grad_scaler.py" else INSIDE
    if file.startswith(_OWN):
        return OWN
    return INSIDE if file.startswith("<") and not file.startswith(("<stdin>", "<ipython")) else USER


class Frames:
    """The Python stack below an operator, read once."""

    def __init__(self, frame: Optional[FrameType], light: bool = False) -> None:
        self.line = ""
        self.from_engine = False
        self.checkpoint = False
        self.optimizer = False
        self.grad_scaler = False
        self.starts_backward = False
        self.create_graph = False
        if light:
            self.from_engine = frame is not None and _in_graph_task() and kind_of(frame.f_code) == ENGINE
        else:
            self._walk(frame)

    def _walk(self, frame: Optional[FrameType]) -> None:
        first = True
        in_backward = _in_graph_task()
        while frame is not None and (in_backward or not self.line):
            kind = kind_of(frame.f_code)
            if kind == ENGINE and in_backward:
                self.from_engine = first
                arguments = frame.f_locals.get("args", ())
                self.create_graph = len(arguments) > 2 and bool(arguments[2])
                in_backward = False
            elif kind == CHECKPOINT:
                self.checkpoint = self.checkpoint or in_backward
            elif kind == OPTIMIZER:
                self.optimizer = True
            elif kind == BACKWARD:
                self.starts_backward = True
            elif kind == SCALER:
                self.grad_scaler = True
            elif kind == USER and not self.line:
                code = frame.f_code
                self.line = f'File "{code.co_filename}", line {frame.f_lineno}, in {code.co_name}'
            first = False
            frame = frame.f_back


def _in_graph_task() -> bool:
    return bool(torch._C._current_graph_task_id() != -1)


class ModulePath:
    """The modules whose forward is running, by hooks on all modules."""

    def __init__(self, names: dict[int, str]) -> None:
        self._names = names
        # For each running module, the chain of modules down to it, and the backward pass in which it was entered, or
        # -1.
        self._stack: list[tuple[tuple[str, ...], int]] = []
        self._chains: dict[int, tuple[str, ...]] = {}
        self._handles: list[Any] = []

    def __enter__(self) -> "ModulePath":
        self._handles = [
            module_hooks.register_module_forward_pre_hook(self._enter),
            module_hooks.register_module_forward_hook(self._leave, always_call=True),
        ]
        return self

    def __exit__(self, *_: object) -> None:
        for handle in self._handles:
            handle.remove()

    @property
    def scopes(self) -> tuple[str, ...]:
        """The full paths of the running modules, from the root inwards."""
        return self._stack[-1][0] if self._stack else ("",)

    def hooks(self) -> Iterator[tuple[Any, int]]:
        """The tables that hold the hooks of this object, with the keys of the hooks."""
        for handle in self._handles:
            for table in (handle.hooks_dict_ref, *handle.extra_dict_ref):
                yield table(), handle.id

    @property
    def depth(self) -> int:
        """How many modules are running."""
        return len(self._stack)

    @property
    def entered_in_backward(self) -> bool:
        """Whether the innermost module was called by a backward pass."""
        return bool(self._stack) and self._stack[-1][1] != -1

    def _enter(self, module: torch.nn.Module, _: Any) -> None:
        name = self._names.get(id(module), type(module).__name__)
        known = self._chains.get(id(module))
        if self._stack:
            outer = self._stack[-1][0]
            chain = outer if name == "" else outer + (name,)
        else:
            chain = known or (("",) if name == "" else ("", name))
        self._chains.setdefault(id(module), chain)
        self._stack.append((chain, torch._C._current_graph_task_id()))

    def _leave(self, module: torch.nn.Module, *_: Any) -> None:
        if self._stack:
            self._stack.pop()


def names_of(roots: Iterable[tuple[str, torch.nn.Module]]) -> dict[int, str]:
    """The path of every module. With several roots each path begins with the root's name."""
    listed = list(roots)
    names: dict[int, str] = {}
    for prefix, root in listed:
        for path, module in root.named_modules():
            whole = path if len(listed) == 1 else ".".join(part for part in (prefix, path) if part)
            names.setdefault(id(module), as_uncompiled(whole))
    return names


def as_uncompiled(name: str) -> str:
    """The name without the parts that `torch.compile` puts in when it wraps a module."""
    return ".".join(part for part in name.split(".") if part != "_orig_mod")


def frames_from(depth: int, light: bool = False) -> Frames:
    """Reads the stack, beginning `depth` frames above the caller; `light`: only the innermost frame."""
    frame: Optional[FrameType] = sys._getframe(depth + 1)
    while frame is not None and kind_of(frame.f_code) == OWN:
        frame = frame.f_back
    return Frames(frame, light)
