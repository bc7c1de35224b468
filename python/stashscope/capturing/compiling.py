"""What the capture switches off while PyTorch compiles, and what it is told by compiled code."""

from __future__ import annotations

import contextlib
import itertools
from typing import Any, Iterator, Optional, Union

import torch._subclasses.fake_tensor as fake_tensor

from ..compiling.graphs import Graphs
from ..compiling.interception import Interception, SwitchedOff, hooks_away
from .answers import Answers
from .calls import Calls
from .module_calls import ModuleCalls
from .phases import Phases
from .places import ModulePath
from .saved import Forgetting, Watching


class Compiling:
    """Ties the parts of one run to the compiled code in it."""

    def __init__(self, names: dict[int, str], phases: Phases, modules: ModulePath, module_calls: ModuleCalls,
                 calls: Calls, answers: Answers, saving: Optional[Union[Watching, Forgetting]]) -> None:
        self._graphs = Graphs(names, phases.arrive, lambda: modules.scopes)
        self._modules = modules
        self._module_calls = module_calls
        self._calls = calls
        self._answers = answers
        self._saving = saving
        self.paused = False

    def interception(self, warnings: list[str]) -> Interception:
        """What lets `torch.compile` compile for this run."""
        def warn(text: str) -> None:
            if text not in warnings:
                warnings.append(text)
        switched = SwitchedOff(self._calls, lambda off: setattr(self._answers, "in_compiled_code", off))
        return Interception(self._graphs, switched, self._pausing, warn)

    @contextlib.contextmanager
    def _pausing(self) -> Iterator[None]:
        """PyTorch compiles as it would without the capture."""
        limit, fake_tensor.CONSTANT_NUMEL_LIMIT = fake_tensor.CONSTANT_NUMEL_LIMIT, 1
        self._pause(True)
        try:
            with hooks_away(itertools.chain(self._modules.hooks(), self._module_calls.hooks())):
                yield
        finally:
            fake_tensor.CONSTANT_NUMEL_LIMIT = limit
            self._pause(False)

    def _pause(self, paused: bool) -> None:
        self.paused = paused
        if self._saving is not None:
            self._saving.paused = paused
