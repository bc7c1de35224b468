"""A run of a step as the compiled code inside the step sees it."""

from __future__ import annotations

import contextlib
import itertools
from typing import Iterator, Optional, Union

import torch
import torch._subclasses.fake_tensor as fake_tensor

from ..compiling.interception import SwitchedOff, hooks_away
from .answers import Answers
from .calls import Calls
from .graph_places import GraphPlace
from .module_calls import ModuleCalls
from .phases import Phases
from .places import ModulePath
from .saved import Forgetting, Watching
from .values import Values


class CompiledRun:
    """Takes reports of compiled code for the capture, and switches parts of the capture off while PyTorch compiles."""

    def __init__(self, names: dict[int, str], values: Values, phases: Phases, modules: ModulePath,
                 module_calls: ModuleCalls, calls: Calls, answers: Answers,
                 saving: Optional[Union[Watching, Forgetting]]) -> None:
        self._names = names
        self._values = values
        self._phases = phases
        self._modules = modules
        self._module_calls = module_calls
        self._calls = SwitchedOff(calls)
        self._answers = answers
        self._saving = saving
        self._compiling = False

    def arrive(self, place: Optional[GraphPlace]) -> None:
        """A node of a compiled graph is about to run; None: it has run."""
        self._phases.in_graph = place

    def around(self) -> tuple[str, ...]:
        """The modules whose forward is running."""
        return self._modules.scopes

    def module_name(self, address: int) -> str:
        """The name of a module of the user, or ''."""
        return self._names.get(address, "")

    def constant(self, tensor: torch.Tensor) -> None:
        """A compiled graph holds this tensor. In a step that was compiled earlier, it exists before the step."""
        self._values.existing_storage(tensor)

    def warn(self, text: str) -> None:
        """Adds a warning to the file, once."""
        self._values.record.warn(text)

    def in_compiled_code(self, entered: bool) -> None:
        """Compiled code is entered or left."""
        self._answers.in_compiled_code = self._calls.switch(entered)

    def random_state(self, state: torch.Tensor) -> None:
        """The state of the random generator was read. A compilation reads the state only to put it back; such a read
        does not count."""
        if not self._compiling:
            self._values.made_by_python(state)

    @contextlib.contextmanager
    def compiling(self) -> Iterator[None]:
        """While this context is active, PyTorch compiles as it would without the capture."""
        limit, fake_tensor.CONSTANT_NUMEL_LIMIT = fake_tensor.CONSTANT_NUMEL_LIMIT, 1
        self._pause(True)
        try:
            with hooks_away(itertools.chain(self._modules.hooks(), self._module_calls.hooks())):
                yield
        finally:
            fake_tensor.CONSTANT_NUMEL_LIMIT = limit
            self._pause(False)

    def _pause(self, paused: bool) -> None:
        self._compiling = paused
        if self._saving is not None:
            self._saving.paused = paused
