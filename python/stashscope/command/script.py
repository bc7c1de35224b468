"""Runs a training script and captures one of its steps."""

from __future__ import annotations

import contextlib
import os
import runpy
import sys
import traceback
from pathlib import Path
from typing import Iterator, Sequence

from ..capturing.places import USER, kind_of
from ..capturing.run import Assumed
from ..errors import Error
from ..files import PathLike
from .empty_models import empty_models
from .forks import Forks
from .training import Captured, TrainingStep


def capture_script(script: PathLike, arguments: Sequence[str], out: PathLike, *, step: int = 1, updates: int = 1,
                   empty: bool = False, go_on: bool = False, assumed: Assumed = Assumed()) -> None:
    """Runs `script` as the program until its training step number `step` is captured into `out`.

    The step begins with the first call of a module that an optimizer trains, with gradients enabled. It ends with the
    call number `updates` of `optimizer.step()`. With `empty` the parameters of models have no data and take no memory.
    The script ends after the capture unless `go_on`. Raises `Error`.
    """
    path = Path(script)
    _check(path, Path(out), step, updates)
    training = TrainingStep(Forks(Path(out).absolute(), assumed), step, updates, go_on)
    with _as_program(path, arguments), training, _parameters(empty):
        try:
            runpy.run_path(str(path), run_name="__main__")
        except Captured:
            return
        except SystemExit as end:
            if end.code not in (None, 0) and not training.is_done:
                raise Error(f"The script ended with exit code {end.code} before the step", str(path),
                            "Run it without the capture first.") from None
        except Error:
            raise
        except Exception as error:
            raise _failed(error, path, empty) from error
        finally:
            training.end_child()
    if not training.is_done:
        raise Error(training.what_is_missing(), str(path),
                    "A step is a call of a module that an optimizer trains, its backward pass, and optimizer.step(). "
                    "Use stashscope.capture in the script where this is not so.")


def _check(path: Path, out: Path, step: int, updates: int) -> None:
    if not path.is_file():
        raise Error("There is no such script", str(path), "Give the path of a Python file.")
    if not out.absolute().parent.is_dir() or out.is_dir():
        raise Error("The file cannot be written: its folder does not exist, or it is a folder", str(out),
                    "Give another path with --out.")
    for option, number in (("--step", step), ("--updates", updates)):
        if number < 1:
            raise Error(f"{option} is {number}", "stashscope capture", "Give 1 or more.")
    if not hasattr(os, "fork"):
        raise Error("This system cannot fork a process, which capturing a script needs", "stashscope capture",
                    "Use stashscope.capture in the script.")


def _failed(error: Exception, path: Path, empty: bool) -> Error:
    lines = [f'File "{frame.f_code.co_filename}", line {number}' for frame, number
             in traceback.walk_tb(error.__traceback__) if kind_of(frame.f_code) == USER]
    hint = "Run it without the capture first."
    if empty:
        hint = "If it needs the data of parameters, leave out --empty. Else, run it without the capture first."
    return Error(f"The script failed: {type(error).__name__}: {error}", lines[-1] if lines else str(path), hint)


@contextlib.contextmanager
def _as_program(path: Path, arguments: Sequence[str]) -> Iterator[None]:
    """Gives the script its own arguments, and lets it import modules from its own folder."""
    before = sys.argv, sys.path[:]
    sys.argv = [str(path), *arguments]
    sys.path.insert(0, str(path.absolute().parent))
    try:
        yield
    finally:
        sys.argv, sys.path[:] = before


def _parameters(empty: bool) -> contextlib.AbstractContextManager[None]:
    return empty_models() if empty else contextlib.nullcontext()
