"""Measures a training step."""

from __future__ import annotations

import gc
import tempfile
from pathlib import Path
from typing import Any, Callable, Optional

import torch
from torch.profiler import ProfilerActivity, profile, record_function

from ..capturing import capture
from ..capturing.reach import reached_from
from ..capturing.state import State
from ..capturing.world import Known, known_tensors
from ..collection import no_collection
from ..errors import Error
from ..files import PathLike, replace_file
from .align import align, alignable
from .curve import curve_of
from .events import Event, read_events, runs_in
from .history import History, most_reserved, with_requested_bytes
from .measurement import measurement_text
from .steps import Operators, operators_in

_RUN = "a measured step of stashscope"
_WHERE = "stashscope.measure"


def measure(step: Callable[[], Any], path: PathLike, *, model: Any = None, optimizer: Any = None, warm_up: int = 1,
            repeats: int = 3, fake: bool = True) -> None:
    """Runs the step for real, and writes how many bytes and how much time each operator took.

    The window and the program lay the measurement over the captured step of the same script. Captures the step first,
    to know its operators; `model`, `optimizer` and `fake` are as in `capture`. Then runs it `warm_up + repeats` times,
    each time from the same state of Python's objects, so that a first step is measured as a first step. Parameters
    move on by these steps. Bytes come from the allocator's events of PyTorch's profiler on the CPU, and from the
    allocator's history on a GPU. Raises `Error`.
    """
    _check_counts(warm_up, repeats)
    reached = reached_from(step, model, optimizer)
    known = known_tensors(reached)
    device = _device_of(known)
    start = _Start(State(reached), known)
    operators = _captured(step, model, optimizer, fake)
    runs, history = _profiled(step, start, device, warm_up + repeats)
    unknown = with_requested_bytes(runs, history.trace) if history.trace else 0
    measured = runs[warm_up:]
    operators = alignable(operators, measured[0])
    found = [align(operators, run, device.type != "cpu") for run in measured]
    curves = [curve_of(operators, one) for one in found]
    reserved = most_reserved(history.trace, torch.cuda.memory_reserved(device)) if history.trace else 0
    text = measurement_text(operators, device, curves, found, [run.nanoseconds / 1e9 for run in measured], reserved,
                            _remarks(device, unknown))
    try:
        replace_file(path, text.encode())
    except OSError as error:
        raise Error(f"The file cannot be written: {error.strerror or error}", str(path),
                    "Give another path.") from error


def _captured(step: Callable[[], Any], model: Any, optimizer: Any, fake: bool) -> Operators:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "step.onnx"
        capture(step, path, model=model, optimizer=optimizer, fake=fake)
        return operators_in(path)


class _Start:
    """The state in which each run begins. It keeps no gradient alive, because the step may free it."""

    def __init__(self, state: State, known: list[Known]) -> None:
        self._state = state
        self._without_gradient = [one.tensor for one in known if one.tensor.is_leaf and one.tensor.grad is None]

    def put_back(self) -> None:
        self._state.put_back()
        for tensor in self._without_gradient:
            tensor.grad = None
        gc.collect()


def _profiled(step: Callable[[], Any], start: _Start, device: torch.device,
              count: int) -> tuple[list[Event], History]:
    """The runs and the history. All runs lie in one profile, because a profile knows only memory that was allocated
    during it."""
    activities = [ProfilerActivity.CPU] + ([ProfilerActivity.CUDA] if device.type == "cuda" else [])
    history = History(device)
    gc.collect()
    with no_collection(), history.recorded(), profile(activities=activities, profile_memory=True) as found:
        for _ in range(count):
            start.put_back()
            _run(step, device)
    return runs_in(read_events(found.profiler.kineto_results, device), _RUN), history


def _run(step: Callable[[], Any], device: torch.device) -> None:
    try:
        with record_function(_RUN):
            step()
            if device.type == "cuda":
                torch.cuda.synchronize(device)
    except Exception as error:
        raise Error(f"The step failed: {type(error).__name__}: {error}", _WHERE,
                    "Run the step without the measurement first.") from error


def _check_counts(warm_up: int, repeats: int) -> None:
    for name, value, least in (("warm_up", warm_up, 1), ("repeats", repeats, 1)):
        if type(value) is not int or not least <= value <= 1000:
            raise Error(f"{name} is {value!r}", _WHERE, f"Give a whole number from {least} to 1000.")


def _device_of(known: list[Known]) -> torch.device:
    """The one device whose memory is measured: a GPU if any tensor is on one."""
    devices = {one.tensor.device for one in known}
    meta = next((one.name for one in known if one.tensor.is_meta), None)
    if meta is not None:
        raise Error(f"'{meta}' is on the device 'meta' and has no data", _WHERE, "Give the model its data first.")
    others = sorted(devices - {torch.device("cpu")}, key=str)
    if len(others) > 1:
        raise Error(f"The step works on several devices: {', '.join(map(str, others))}", _WHERE,
                    "Measure a step on one GPU.")
    device = others[0] if others else torch.device("cpu")
    if device.type not in ("cpu", "cuda"):
        raise Error(f"Steps on '{device}' cannot be measured", _WHERE, "Measure on the CPU or on a CUDA device.")
    return device


def _remarks(device: torch.device, unknown: int) -> list[str]:
    if device.type == "cpu":
        return ["times were taken with PyTorch's profiler on, which slows small operators down"]
    remarks = ["times of operators are those of their kernels; memory on the CPU was not measured"]
    if unknown:
        remarks.append(f"{unknown} allocations are not in the allocator's history: their bytes are rounded up")
    return remarks
