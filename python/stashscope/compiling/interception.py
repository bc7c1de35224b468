"""Lets `torch.compile` compile for the capture while a step runs, and leaves no trace of it."""

from __future__ import annotations

import contextlib
import warnings
from types import CodeType
from typing import Any, Callable, ContextManager, Iterable, Iterator, Optional, Protocol

import torch
import torch._dynamo
from torch._dynamo import convert_frame, eval_frame
from torch._dynamo.types import ConvertFrameReturn, FrameAction, FrameExecStrategy
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from ..capturing.graph_places import GraphPlace
from ..capturing.places import is_of_capture
from ..errors import Error
from .backends import operators_of, warning_of
from .graphs import Piece

_WHERE = "torch.compile"


class Run(Protocol):
    """The run of a step that compiled code belongs to."""

    def arrive(self, place: Optional[GraphPlace]) -> None:
        """A node of a compiled graph is about to run; None: it has run."""

    def around(self) -> tuple[str, ...]:
        """The modules whose forward is running."""

    def module_name(self, address: int) -> str:
        """The name of a module of the user, or ''."""

    def constant(self, tensor: torch.Tensor) -> None:
        """A tensor that a compiled graph holds."""

    def warn(self, text: str) -> None:
        """Adds a warning for the user."""

    def compiling(self) -> ContextManager[None]:
        """The context in which each compilation runs."""

    def in_compiled_code(self, entered: bool) -> None:
        """Compiled code is entered or left."""


class Interception:
    """Compiles code that went through `torch.compile` into graphs that run operator by operator.

    PyTorch itself starts each compilation, with the user's options. Only the backend is replaced.
    """

    def __init__(self) -> None:
        # The code objects that are compiled for the capture, until `forget` is called with them.
        self.codes: set[CodeType] = set()
        self._run: Optional[Run] = None
        self._converting = False
        # `_inside`: whether compiled code runs now. `_entering`: whether PyTorch is about to enter code: compiled code,
        # or uncompiled code called by compiled code.
        self._inside = self._entering = False
        # `_inside` of each caller.
        self._outer: list[bool] = []
        self._callbacks: dict[int, tuple[Any, Any]] = {}
        self._ours: set[int] = set()
        self._sizes: dict[CodeType, dict[Any, Any]] = {}
        self._before: tuple[Any, Any] = (None, None)

    @contextlib.contextmanager
    def during(self, run: Run) -> Iterator[None]:
        """Stands between PyTorch and the user's backends."""
        if torch._dynamo.config.compiled_autograd or torch._dynamo.compiled_autograd.compiled_autograd_enabled:
            raise Error("The backward pass itself is compiled (compiled autograd), which is not captured", _WHERE,
                        "Switch torch._dynamo.config.compiled_autograd off.")
        self._run = run
        self._before = eval_frame._callback_from_stance, eval_frame._maybe_set_eval_frame
        eval_frame._callback_from_stance = self._callback
        eval_frame._maybe_set_eval_frame = self._set
        try:
            with guards_under_modes(), warnings.catch_warnings():
                # The hooks are those of the capture.
                warnings.filterwarnings("ignore", r"Using `torch\.compile\(module\)` when there are global hooks")
                yield
        finally:
            eval_frame._callback_from_stance, eval_frame._maybe_set_eval_frame = self._before
            run.in_compiled_code(False)
            self._inside, self._outer = False, []
            self._run = None

    @property
    def run(self) -> Run:
        """The run that is going on."""
        assert self._run is not None
        return self._run

    def _callback(self, callback: Any) -> Any:
        """PyTorch enters compiled code, or code inside it that is not compiled.

        Returns what PyTorch must use instead of `callback`.
        """
        self._entering = True
        return self._chosen(callback)

    def _chosen(self, callback: Any) -> Any:
        if id(callback) in self._ours:
            return callback
        chosen = self._before[0](callback)
        if not callable(chosen):
            if chosen is False and callable(callback):
                raise Error("torch.compiler.set_stance forbids to compile, so a compiled step cannot be captured",
                            _WHERE, "Capture under the stance 'default'.")
            return chosen
        if id(chosen) not in self._callbacks:
            self._callbacks[id(chosen)] = chosen, self._instead_of(chosen)
        return self._callbacks[id(chosen)][1]

    def _set(self, callback: Any) -> Any:
        """PyTorch sets `callback`, either when it enters code or, to restore the earlier callback, when it leaves
        code."""
        if self._entering:
            self._outer.append(self._inside)
            inside = id(callback) in self._ours
        else:
            inside = self._outer.pop() if self._outer else False
        self._entering = False
        self._inside = inside
        if not self._converting:
            self.run.in_compiled_code(inside)
        return self._before[1](callback)

    def _instead_of(self, callback: Any) -> Any:
        converting = getattr(callback, "_torchdynamo_orig_backend", None)
        if converting is None or not hasattr(converting, "_clone_with_backend"):
            raise Error("This way of torch.compile is not known", _WHERE, "Capture under the stance 'default'.")
        compiler = _innermost(converting)

        def backend(graph: torch.fx.GraphModule, inputs: list[Any]) -> Callable[..., Any]:
            warning = warning_of(compiler)
            if warning is not None:
                self.run.warn(warning)
            return operators_of(compiler, Piece(lambda: self.run).runs)(graph, inputs)
        wrapped = convert_frame.catch_errors_wrapper(converting._clone_with_backend(backend), callback.hooks)

        def convert(frame: Any, _: Any, __: Any) -> Any:
            """Compiles a frame without the code and the sizes that the user's compilations left."""
            if is_of_capture(frame.f_code.co_filename):
                return ConvertFrameReturn(frame_exec_strategy=FrameExecStrategy(FrameAction.SKIP, FrameAction.SKIP))
            self.codes.add(frame.f_code)
            outer, self._converting = self._converting, True
            try:
                with self.run.compiling():
                    return wrapped(frame, None, self._sizes.setdefault(frame.f_code, {}))
            finally:
                self._converting = outer
        convert._torchdynamo_orig_backend = wrapped  # type: ignore[attr-defined]
        self._ours.add(id(convert))
        return convert


def forget(codes: set[CodeType]) -> None:
    """Drops what was compiled for the capture. The user's functions are compiled again when they are called."""
    for code in codes:
        eval_frame.reset_code(code)


class _LettingThrough(TorchDispatchMode):
    """A mode that runs every operator unchanged. While it is active, tensors look to guards as they do under the modes
    of the capture."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return func(*args, **(kwargs or {}))


@contextlib.contextmanager
def guards_under_modes() -> Iterator[None]:
    """Makes compiled code valid for tensors as guards see them while the modes of the capture are active.

    PyTorch takes all modes off to compile, and would otherwise find each tensor changed in the next call.
    """
    before = convert_frame.CheckFunctionManager

    def made(*args: Any, **kwargs: Any) -> Any:
        with _LettingThrough():
            return before(*args, **kwargs)
    convert_frame.CheckFunctionManager = made  # type: ignore[assignment,misc]
    try:
        yield
    finally:
        convert_frame.CheckFunctionManager = before  # type: ignore[misc]


def _innermost(callback: Any) -> Any:
    while hasattr(callback, "_torchdynamo_orig_backend"):
        callback = callback._torchdynamo_orig_backend
    return callback


class SwitchedOff:
    """Takes a mode off while compiled code runs. Otherwise Dynamo would trace the mode, and compiled code would depend
    on it."""

    def __init__(self, mode: TorchFunctionMode) -> None:
        self._mode = mode
        self._place: Optional[int] = None

    def switch(self, off: bool) -> bool:
        """Takes the mode off, or puts it back in its place. Returns whether it is off."""
        if off == (self._place is not None):
            return off
        modes = list(torch.overrides._get_current_function_mode_stack())
        if off:
            self._place = next((index for index, mode in enumerate(modes) if mode is self._mode), None)
            if self._place is not None:
                del modes[self._place]
        else:
            modes.insert(min(self._place or 0, len(modes)), self._mode)
            self._place = None
        _set_modes(modes)
        return self._place is not None


def _set_modes(modes: list[TorchFunctionMode]) -> None:
    for _ in range(torch._C._len_torch_function_stack()):
        torch.overrides._pop_mode()
    for mode in modes:
        torch.overrides._push_mode(mode)


@contextlib.contextmanager
def hooks_away(tables: Iterable[tuple[Any, int]]) -> Iterator[None]:
    """Takes hooks out of their tables, so that Dynamo does not trace them."""
    taken = [(table, key, table.pop(key)) for table, key in tables if table is not None and key in table]
    try:
        yield
    finally:
        for table, key, hook in taken:
            table[key] = hook
