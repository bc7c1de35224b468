"""Captures one training step."""

from __future__ import annotations

import functools
import inspect
import os
import traceback
from pathlib import Path
from typing import Any, Callable, Iterable, Mapping, Optional, Union

import torch

from ..errors import Error
from .captured import Captured, combined
from .dimensions import Dimension, Found, read_dimensions, with_polynomials
from .gpu_kernels import CUDA
from .hints import IN_A_SCRIPT, WITH_REAL_TENSORS, hints
from .places import USER, kind_of
from .reach import reached_from
from .record import Record
from .routing import EVEN
from .run import Assumed, Stage
from .state import State
from .world import HELD, known_tensors
from .writer import write

_ON_CPU = "For the capture, make the data on 'cpu' and the model on 'cpu' or 'meta'."

PathLike = Union[str, "os.PathLike[str]"]


def capture(step: Callable[..., Any], path: PathLike, *, model: Any = None, optimizer: Any = None,
            dims: Optional[Mapping[str, Union[int, Iterable[int]]]] = None, fake: bool = True,
            routing: Optional[str] = None, kernels: Optional[str] = None, warm_up: int = 0) -> None:
    """Runs one training step and writes it to `path` as a captured step.

    With `fake=True` the step runs on tensors without data: it needs no memory of the model's size, parameters on
    `meta` are welcome, and the model, its gradients, the optimizer and the random generators stay as they are. Python
    code in the step runs twice. With `fake=False` the step runs once with its real tensors, and training moves
    on by one step.

    With `dims` the step is a function of sizes, and the file can be opened at other sizes: bytes, shapes and operations
    are polynomials in the named dimensions. `dims={"batch": 8, "sequence": [128, 192, 256]}` calls
    `step(batch=8, sequence=128)`, which gives the sizes of the file, and the step again at further sizes: those of the
    list, or sizes around a single number. One more capture checks the polynomials.

    With `routing="even"` a mixture of experts is captured without data as if every expert got the same number of
    tokens. The file and its reports say so.

    With `kernels="cuda"` a capture on fake tensors of the CPU calls the operators that PyTorch calls on a GPU: fused
    attention, dropout with a mask of bytes, optimizers over lists of tensors.

    With `warm_up=1` the step runs once more before the one that is captured. The first step of an optimizer has no
    states before its end; every later one has them from its beginning.

    The capture finds the models and optimizers that `step` refers to. Give others as `model` and `optimizer`, one or a
    list of them. Raises `Error`.
    """
    _check(step, path)
    assumed = Assumed(routing, kernels, warm_up)
    _check_assumed(assumed, fake)
    dimensions = [] if dims is None else read_dimensions(step, dims)
    reached = reached_from(step, model, optimizer)
    sizes = {one.name: one.value for one in dimensions}
    stage = Stage(functools.partial(step, **sizes) if sizes else step, reached, known_tensors(reached), assumed)
    _check_real(stage, fake)
    before = after = State(reached)
    if fake:
        # The hooks of this run keep saved tensors alive as long as autograd would, so they change no lifetime. The run
        # therefore is both the first run and the one that watches what autograd saves.
        watched = _fake_run(stage, before, before, "watch")
        captured = combined(watched, watched, _fake_run(stage, before, before, "forget"), "fake")
    else:
        captured, after = _with_real_tensors(stage, before)
    captured.record.warnings += hints(captured.record, assumed, IN_A_SCRIPT if fake else WITH_REAL_TENSORS)
    options = _options(assumed, fake, dimensions)
    write(captured, Path(path), _with_dimensions(captured, stage, step, dimensions, before, after), options)


def _options(assumed: Assumed, fake: bool, dimensions: list[Dimension]) -> dict[str, Any]:
    """The options of this call that differ from the defaults. Captures with the same options can be compared."""
    sizes = {one.name: list(one.ways[0].sizes) if len(one.ways) == 1 and len(one.ways[0].sizes) > 1 else one.value
             for one in dimensions}
    options = {"fake": fake, "routing": assumed.routing, "kernels": assumed.kernels, "warm_up": assumed.warm_up,
               "dims": sizes}
    usual: dict[str, Any] = {"fake": True, "routing": None, "kernels": None, "warm_up": 0, "dims": {}}
    return {name: value for name, value in options.items() if value != usual[name]}


def _with_dimensions(captured: Captured, stage: Stage, step: Callable[..., Any], dimensions: list[Dimension],
                     start: State, end: State) -> list[Found]:
    def run(sizes: dict[str, int], whole: bool) -> Captured:
        other = Stage(functools.partial(step, **sizes), stage.reached, stage.known, stage.assumed)
        watched = _fake_run(other, start, end, "watch")
        forgotten = _fake_run(other, start, end, "forget") if whole else watched
        return combined(watched, watched, forgotten, "fake")

    return with_polynomials(captured, dimensions, run) if dimensions else []


def _with_real_tensors(stage: Stage, before: State) -> tuple[Captured, State]:
    real = _run(stage.real)
    after = State(stage.reached)
    watched, forgotten = (_fake_run(stage, before, after, hooks, real) for hooks in ("watch", "forget"))
    return combined(real, watched, forgotten, "real"), after


def _fake_run(stage: Stage, start: State, end: State, hooks: str, real: Optional[Record] = None) -> Record:
    """One fake run from the state `start`. Afterwards everything is as in `end`.

    `real`: the record of the real run, whose answers the fake run repeats; None if there was no real run.
    """
    start.put_back()
    first = real is None and hooks == "watch"
    try:
        return _run(lambda: stage.fake(hooks, first, None if real is None else real.answers))
    finally:
        end.put_back()


def _run(run: Callable[[], Record]) -> Record:
    try:
        return run()
    except Error:
        raise
    except Exception as error:
        if any(word in str(error).lower() for word in ("cuda", "nvidia")) and not torch.cuda.is_available():
            raise Error("The step uses the device 'cuda', and no GPU is here", _line_of(error), _ON_CPU) from error
        if isinstance(getattr(error, "inner_exception", None), Error):
            raise error.inner_exception from None  # type: ignore[attr-defined]
        if "data is not allocated" in str(error):
            raise Error("A function of PyTorch reads the data of a tensor, and fake tensors have none", _line_of(error),
                        "Take it out of the step: pad sequences instead of packing them, for example.") from error
        if "version_counter for inference tensor" in str(error):
            raise Error("In inference mode, the step makes a view of a tensor from outside of that mode, and PyTorch "
                        "cannot show it to the capture", _line_of(error),
                        "Use torch.no_grad() in the place of torch.inference_mode() for the capture.") from error
        raise Error(f"The step failed: {type(error).__name__}: {error}", _line_of(error),
                    "Run the step without the capture first. If it works there, try the other value of fake."
                    ) from error


def _line_of(error: BaseException) -> str:
    lines = [f'File "{frame.f_code.co_filename}", line {number}, in {frame.f_code.co_name}'
             for frame, number in traceback.walk_tb(error.__traceback__) if kind_of(frame.f_code) == USER]
    return lines[-1] if lines else ""


def _check(step: Any, path: PathLike) -> None:
    if not callable(step):
        raise Error(f"The step is of type '{type(step).__name__}' and cannot be called", "stashscope.capture",
                    "Give a function without arguments that runs one training step.")
    called = step if inspect.isroutine(step) else getattr(step, "func", type(step).__call__)
    if inspect.isgeneratorfunction(called) or inspect.iscoroutinefunction(called) or inspect.isasyncgenfunction(called):
        raise Error("The step is a generator or a coroutine: calling it does not run it", "stashscope.capture",
                    "Give a function that runs one training step and returns.")
    folder = Path(path).absolute().parent
    if not folder.is_dir():
        raise Error(f"The folder '{folder}' does not exist", str(path), "Make it first, or give another path.")
    if Path(path).is_dir():
        raise Error("The path is a folder", str(path), "Give the name of a file.")


def _check_assumed(assumed: Assumed, fake: bool) -> None:
    if assumed.routing not in (None, EVEN):
        raise Error(f"The routing {assumed.routing!r} is not known", "stashscope.capture",
                    "Give routing='even', or leave it out.")
    if assumed.kernels not in (None, CUDA):
        raise Error(f"The kernels {assumed.kernels!r} are not known", "stashscope.capture",
                    "Give kernels='cuda', or leave it out.")
    if type(assumed.warm_up) is not int or assumed.warm_up < 0:
        raise Error(f"The warm-up is {assumed.warm_up!r}, not a number of steps", "stashscope.capture",
                    "Give warm_up=1, or leave it out.")
    if fake:
        return
    if assumed.routing is not None:
        raise Error("With fake=False the data decides which experts get which tokens", "stashscope.capture",
                    "Leave out routing='even', or capture with fake=True.")
    if assumed.kernels is not None:
        raise Error("With fake=False the kernels of this machine run", "stashscope.capture",
                    "Leave out kernels='cuda', or capture with fake=True.")
    if assumed.warm_up:
        raise Error("With fake=False every step moves the training on", "stashscope.capture",
                    "Run the step once before the capture, and leave out warm_up.")


def _check_real(stage: Stage, fake: bool) -> None:
    for known in stage.known:
        if known.tensor.device.type == "cuda" and not torch.cuda.is_available():
            raise Error(f"'{known.name}' is on the device 'cuda', and no GPU is here", "stashscope.capture", _ON_CPU)
    if fake:
        return
    for known in stage.known:
        if known.tensor.is_meta and known.role != HELD:
            raise Error(f"'{known.name}' is on the device 'meta' and has no data", "stashscope.capture with fake=False",
                        "Capture with fake=True, or give the model its data first.")
    if torch.is_inference_mode_enabled():
        raise Error("Inference mode is on: autograd does not work in it", "stashscope.capture", "Leave it first.")
