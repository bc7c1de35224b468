"""Captures a step of a running script in two forked processes.

One process records the tensors that autograd saves. The other lets autograd save no tensor that the step makes.
"""

from __future__ import annotations

import os
import pickle
import sys
import tempfile
from pathlib import Path
from typing import Any, NoReturn, Optional

import torch

from ..capturing.captured import combined
from ..capturing.hints import BY_THE_COMMAND, hints
from ..capturing.reach import reached_from
from ..capturing.record import Record
from ..capturing.run import Assumed, Recording, Stage, finished
from ..capturing.world import known_tensors
from ..capturing.writer import write
from ..errors import Error

_DONE = 0
_FAILED = 3


class Forks:
    """The two runs of a captured step. In a forked process `is_child` is true."""

    def __init__(self, out: Path, assumed: Assumed) -> None:
        self._out = out
        self._assumed = assumed
        self._recording: Optional[Recording] = None
        self._answer = ""

    @property
    def is_child(self) -> bool:
        return self._recording is not None

    def run(self, variables: dict[str, Any], optimizers: list[torch.optim.Optimizer]) -> bool:
        """Captures the step that begins now, and writes it. Returns true in a forked process, which runs the step.

        `variables` are the script's own. Raises `Error` in the first process only.
        """
        records = []
        for hooks in ("watch", "forget"):
            handle, self._answer = tempfile.mkstemp(prefix="stashscope-")
            os.close(handle)
            sys.stdout.flush()
            sys.stderr.flush()
            child = os.fork()
            if child == 0:
                self._begin(variables, optimizers, hooks)
                return True
            try:
                records.append(_answer_of(child, self._answer))
            finally:
                os.unlink(self._answer)
        watched, forgotten = records
        watched.warnings += hints(watched, self._assumed, BY_THE_COMMAND)
        write(combined(watched, watched, forgotten, "fake"), self._out)
        return False

    def finish(self) -> NoReturn:
        """Sends the record of the step and ends the forked process."""
        assert self._recording is not None
        try:
            self._send(finished(self._recording))
        except BaseException as error:
            self._fail(error)
        os._exit(_DONE)

    def end_child(self, error: Optional[BaseException]) -> None:
        """Ends the forked process, and reports what went wrong. Does nothing in the first process."""
        if self.is_child:
            self._fail(error)

    def _begin(self, variables: dict[str, Any], optimizers: list[torch.optim.Optimizer], hooks: str) -> None:
        # A fork copies no threads, and the kernels of a fake run need none.
        torch.set_num_threads(1)
        _silence()
        try:
            reached = reached_from(lambda: None, variables, list(optimizers))
            stage = Stage(lambda: None, reached, known_tensors(reached), self._assumed)
            self._recording = stage.recording(hooks, first=hooks == "watch")
            next(self._recording)
        except BaseException as error:
            self._fail(error)

    def _send(self, answer: Any) -> None:
        with open(self._answer, "wb") as file:
            pickle.dump(answer, file)

    def _fail(self, error: Optional[BaseException]) -> NoReturn:
        if isinstance(error, Error):
            self._send(error)
        elif error is None:
            self._send(Error("The script ended within the step, without optimizer.step()", "stashscope capture",
                             "Use stashscope.capture in the script."))
        else:
            self._send(Error(f"The step failed on tensors without data: {type(error).__name__}: {error}",
                             "stashscope capture", "Use stashscope.capture with fake=False in the script."))
        os._exit(_FAILED)


def _answer_of(child: int, path: str) -> Record:
    _, status = os.waitpid(child, 0)
    try:
        # The file is safe to unpickle, because only the forked process of this program wrote it.
        with open(path, "rb") as file:
            answer = pickle.load(file)
    except (OSError, EOFError, pickle.UnpicklingError):
        raise Error(f"The process that captures the step ended with status {status}", "stashscope capture",
                    "There may be too little memory. Use stashscope.capture in the script.") from None
    if isinstance(answer, Error):
        raise answer
    return answer


def _silence() -> None:
    """Hides what the forked process prints. The step prints in the first process, if the script goes on there."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    os.dup2(nothing, 2)
