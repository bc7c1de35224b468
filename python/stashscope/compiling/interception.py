"""Lets `torch.compile` compile for the capture while a step runs, and leaves no trace of it."""

from __future__ import annotations

import contextlib
import warnings
from types import CodeType
from typing import Any, Callable, Iterator, Optional

import torch
import torch._dynamo

from torch._dynamo import convert_frame, eval_frame
from torch._dynamo.types import ConvertFrameReturn, FrameAction, FrameExecStrategy
from torch.overrides import TorchFunctionMode

from ..capturing.places import is_of_capture
from ..errors import Error
from .backends import operators_of, warning_of
from .graphs import Graphs

_WHERE = "torch.compile"


class Interception:
    """While active, code that went through `torch.compile` is compiled into graphs that run operator by operator.

    PyTorch itself calls for the compilation, with the user's options. Only the backend is another one.
    """

    def __init__(self, graphs: Graphs, calls: "SwitchedOff", pausing: Callable[[], Any], warn: Callable[[str], None]) -> None:
        self._graphs = graphs
        self._calls = calls
        self._pausing = pausing
        self._warn = warn
        self._callbacks: dict[int, tuple[Any, Any]] = {}
        self._ours: set[int] = set()
        self._codes: set[CodeType] = set()
        self._converting = False
        self._warnings = warnings.catch_warnings()
        self._states: dict[CodeType, dict[Any, Any]] = {}

    def __enter__(self) -> "Interception":
        if torch._dynamo.config.compiled_autograd or torch._dynamo.compiled_autograd.compiled_autograd_enabled:
            raise Error("The backward pass itself is compiled (compiled autograd), which is not captured", _WHERE,
                        "Switch torch._dynamo.config.compiled_autograd off.")
        self._before = eval_frame._callback_from_stance, eval_frame._maybe_set_eval_frame
        eval_frame._callback_from_stance = self._callback
        eval_frame._maybe_set_eval_frame = self._set
        self._warnings.__enter__()
        # The hooks are those of the capture.
        warnings.filterwarnings("ignore", r"Using `torch\.compile\(module\)` when there are global hooks")
        return self

    def __exit__(self, *_: object) -> None:
        eval_frame._callback_from_stance, eval_frame._maybe_set_eval_frame = self._before
        self._warnings.__exit__(None, None, None)
        self._calls.switch(False)
        for code in self._codes:
            torch._dynamo.eval_frame.reset_code(code)

    def _callback(self, callback: Any) -> Any:
        """What PyTorch shall use instead of the user's callback."""
        chosen = self._before[0](callback)
        if not callable(chosen):
            if callable(callback) and chosen is False:
                raise Error("torch.compiler.set_stance forbids to compile, so a compiled step cannot be captured", _WHERE,
                            "Capture under the stance 'default'.")
            return chosen
        if id(chosen) in self._ours:
            return chosen
        if id(chosen) not in self._callbacks:
            self._callbacks[id(chosen)] = chosen, self._instead_of(chosen)
        return self._callbacks[id(chosen)][1]

    def _set(self, callback: Any) -> Any:
        """PyTorch enters or leaves compiled code."""
        if not self._converting:
            self._calls.switch(id(callback) in self._ours)
        return self._before[1](callback)

    def _instead_of(self, callback: Any) -> Any:
        converting = getattr(callback, "_torchdynamo_orig_backend", None)
        if not hasattr(converting, "_clone_with_backend"):
            raise Error("This way of torch.compile is not known", _WHERE, "Capture under the stance 'default'.")
        compiler = _innermost(converting)

        def backend(graph: torch.fx.GraphModule, inputs: list[Any]) -> Callable[..., Any]:
            warning = warning_of(compiler)
            if warning is not None:
                self._warn(warning)
            return operators_of(compiler, self._graphs.piece().runs)(graph, inputs)
        wrapped = convert_frame.catch_errors_wrapper(converting._clone_with_backend(backend), callback.hooks)

        def convert(frame: Any, _: Any, __: Any) -> Any:
            """Neither what the user's compilations left counts, nor what they learnt about sizes."""
            if is_of_capture(frame.f_code.co_filename):
                return ConvertFrameReturn(frame_exec_strategy=FrameExecStrategy(FrameAction.SKIP, FrameAction.SKIP))
            self._codes.add(frame.f_code)
            outer, self._converting = self._converting, True
            try:
                with self._pausing():
                    return wrapped(frame, None, self._states.setdefault(frame.f_code, {}))
            finally:
                self._converting = outer
        convert._torchdynamo_orig_backend = wrapped  # type: ignore[attr-defined]
        self._ours.add(id(convert))
        return convert


def _innermost(callback: Any) -> Any:
    while hasattr(callback, "_torchdynamo_orig_backend"):
        callback = callback._torchdynamo_orig_backend
    return callback


class SwitchedOff:
    """Takes a mode off while compiled code runs: it would be traced, and what is compiled would depend on it."""

    def __init__(self, mode: TorchFunctionMode, tell: Callable[[bool], None]) -> None:
        self._mode = mode
        self._tell = tell
        self._place: Optional[int] = None

    def switch(self, off: bool) -> None:
        """Takes it off or puts it back in its place."""
        if off == (self._place is not None):
            return
        modes = list(torch.overrides._get_current_function_mode_stack())
        if off:
            place = next((index for index, mode in enumerate(modes) if mode is self._mode), None)
            if place is None:
                return
            self._place = place
            del modes[place]
        else:
            modes.insert(min(self._place or 0, len(modes)), self._mode)
            self._place = None
        _set_modes(modes)
        self._tell(off)


def _set_modes(modes: list[TorchFunctionMode]) -> None:
    for _ in range(torch._C._len_torch_function_stack()):
        torch.overrides._pop_mode()
    for mode in modes:
        torch.overrides._push_mode(mode)


@contextlib.contextmanager
def hooks_away(tables: Iterator[Any]) -> Iterator[None]:
    """Takes entries out of tables of hooks, so that Dynamo does not trace them."""
    taken = [(table, key, table.pop(key)) for table, key in tables if key in table]
    try:
        yield
    finally:
        for table, key, hook in taken:
            table[key] = hook
