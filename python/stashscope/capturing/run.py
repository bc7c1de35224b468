"""Runs the step once and records it."""

from __future__ import annotations

import contextlib
import copy
import gc
import inspect
import io
import weakref
from dataclasses import dataclass
from typing import Any, Callable, Generator, Iterator, Optional, Union

import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from ..collection import no_collection
from ..compiling.interception import Interception, forget
from ..errors import Error
from .answers import Answers
from .calls import Calls
from .compiling import CompiledRun
from .constants import known_data
from .gpu_kernels import CUDA, as_on_cuda
from .host_numbers import counts_on_host
from .kernels import (fake_tensors_are_tensors, hooks_beside_transforms, random_states_seen, resizes_seen,
                      same_arguments_again)
from .module_calls import ModuleCalls
from .phases import Phases
from .places import ModulePath, names_of
from .plain_fakes import plain_fakes
from .ranks import as_in_training
from .reach import Reached
from .record import Answer, Record
from .recorder import Recorder
from .scalars import Scalars
from .saved import Forgetting, Watching
from .twin import Twin
from .values import Values
from .world import HELD, Known, known_tensors
from .wrappers import is_wrapper, parts_of

Step = Callable[[], Any]
Recording = Generator[None, None, Record]


def finished(recording: Recording) -> Record:
    """The record of what ran since the recording began."""
    try:
        next(recording)
    except StopIteration as end:
        return end.value
    raise AssertionError("a recording ends with its second `next`")


@dataclass(frozen=True)
class Assumed:
    """The arguments `routing`, `kernels` and `warm_up` of `capture`."""

    routing: Optional[str] = None
    kernels: Optional[str] = None
    warm_up: int = 0

    @property
    def on_cuda(self) -> bool:
        return self.kernels == CUDA


@dataclass(frozen=True)
class Before:
    """The tensors that live before the step."""

    known: list[Known]
    others: list[torch.Tensor]

    def let_go(self) -> None:
        """Drops the tensors that the step may replace, so that the capture sees them end."""
        self.others.clear()
        self.known[:] = [known for known in self.known if known.role != "optimizer"]


class Stage:
    """The step and all that it works on."""

    def __init__(self, step: Step, reached: Reached, known: list[Known],
                 assumed: Assumed = Assumed()) -> None:
        self.step = step
        self.assumed = assumed
        self.reached = reached
        self.known = known
        self._compiled = Interception()
        weakref.finalize(self, forget, self._compiled.codes).atexit = False

    def real(self) -> Record:
        """Runs the step with real tensors."""
        before = Before(list(self.known), _existing_tensors())
        with contextlib.ExitStack() as stack:
            return self._run(self._recording(stack, before, "", None, None, first=True))

    def fake(self, hooks: str, first: bool, given: Optional[list[Answer]] = None) -> Record:
        """Runs the step with fake tensors.

        `hooks`: what happens to saved tensors: '' (nothing), 'watch' or 'forget' (saved.py). `first`: false for a run
        that only repeats an earlier one; it prints nothing and looks up no source lines. `given`: the answers of a
        real run.
        """
        return self._run(self.recording(hooks, first, given))

    def _run(self, recording: Recording) -> Record:
        try:
            next(recording)
            _check_run(self.step())
            record = finished(recording)
            if not record.nodes:
                raise Error("The step ran no operator of PyTorch", "stashscope.capture",
                            "Give a function that runs forward and backward each time it is called.")
            return record
        finally:
            recording.close()

    def recording(self, hooks: str, first: bool, given: Optional[list[Answer]] = None) -> Recording:
        """Records with fake tensors what runs between its first and its second `next`; see `finished`."""
        before = Before(list(self.known), _existing_tensors(oldest=2 if first else 1))
        mode = FakeTensorMode(allow_non_fake_inputs=True)
        with contextlib.ExitStack() as stack:
            if not first:
                stack.enter_context(contextlib.redirect_stdout(io.StringIO()))
            stack.enter_context(plain_fakes(mode))
            stack.enter_context(Twin(self.known, mode))
            stack.enter_context(mode)
            stack.enter_context(fake_tensors_are_tensors())
            stack.enter_context(known_data(self.assumed.routing is not None))
            for _ in range(self.assumed.warm_up):
                before = self._warmed_up(before, mode)
            return (yield from self._recording(stack, before, hooks, given, mode, first))

    def _warmed_up(self, before: Before, mode: FakeTensorMode) -> Before:
        """Runs a step that is not captured. Optimizers make their states in the first step."""
        with contextlib.ExitStack() as stack, contextlib.redirect_stdout(io.StringIO()):
            self._run(self._recording(stack, before, "", None, mode, first=False))
        return Before(known_tensors(self.reached), _existing_tensors())

    def _recording(self, stack: contextlib.ExitStack, before: Before, hooks: str,
                   given: Optional[list[Answer]], mode: Optional[FakeTensorMode], first: bool) -> Recording:
        values = Values(self.assumed.on_cuda)
        answers = Answers(values.record, given, mode, self.assumed.routing)
        names = names_of(self.reached.roots)
        modules = ModulePath(names)
        phases = values.phases = Phases(values.record, modules, lambda: self._find_roles(values, before.known),
                                        light=not first)
        scalars = Scalars(values, hooks == "forget")
        calls = Calls(answers, scalars, mode is not None, self.assumed.on_cuda)
        recorder = Recorder(values, phases, answers, scalars, calls, light=not first)
        _register(values, before)
        self._keep_counts_on_host(values)
        before.let_go()
        _let_go_of_losses(self.reached)
        stack.enter_context(phases)
        module_calls = stack.enter_context(ModuleCalls(names, (root for _, root in self.reached.roots), values))
        stack.enter_context(hooks_beside_transforms())
        # By default, scripted functions run other operators from their second or third call on.
        stack.enter_context(torch.jit.optimized_execution(False))
        stack.enter_context(resizes_seen(values.resized))
        stack.enter_context(as_in_training(recorder.unseen))
        stack.enter_context(recorder)
        stack.enter_context(calls)
        if self.assumed.on_cuda:
            stack.enter_context(as_on_cuda(values.record.warnings))
        saving = _saving(hooks, values, recorder)
        if saving is not None:
            stack.enter_context(torch.autograd.graph.saved_tensors_hooks(saving.pack, saving.unpack))
            stack.enter_context(same_arguments_again(saving))
        compiled = CompiledRun(names, values, phases, modules, module_calls, calls, answers, saving)
        stack.enter_context(random_states_seen(compiled.random_state))
        stack.enter_context(self._compiled.during(compiled))
        with no_collection():
            yield
            self._find_roles(values, before.known)
            record = values.finish()
        # This cuts a reference cycle. Without it, objects of this run would outlive the capture until the next garbage
        # collection.
        values.phases = None
        scalars.finish()
        phases.resolve()
        # Drops calls with compiled code in them: compiled code does not call its modules, and a checkpoint around it
        # saves what its partitioner chose.
        record.calls = [call for call in record.calls
                        if not any(node.compiled for node in record.nodes[call.first:call.end])]
        for row in record.saved:
            row.node = phases.maker_of(row.sequence)
            row.released = len(record.nodes) if row.released is None else row.released
        return record

    def _find_roles(self, values: Values, present: list[Known]) -> None:
        """Finds gradients and optimizer states by the objects that hold them."""
        names = {id(known.tensor): known.name for known in present}
        for known in present:
            for part in _gradient_of(known):
                values.give_role(part, "gradient", f"{known.name}.grad")
        for optimizer in self.reached.optimizers:
            for parameter, states in list(optimizer.state.items()):
                for key, state in states.items() if isinstance(states, dict) else ():
                    for part in parts_of(state) if isinstance(state, torch.Tensor) else ():
                        values.give_state(part, f"{names.get(id(parameter), 'parameter')}.{key}")
        self._keep_counts_on_host(values)

    def _keep_counts_on_host(self, values: Values) -> None:
        """For a GPU, marks the counts of updates that optimizers keep on the host."""
        for optimizer in self.reached.optimizers if values.on_cuda else ():
            for count in counts_on_host(optimizer):
                values.keep_on_host(count)


def _register(values: Values, before: Before) -> None:
    for known in before.known:
        if known.role != HELD and not is_wrapper(type(known.tensor)):
            values.existing(known.tensor, known.name, known.role)
        for part in _gradient_of(known):
            values.existing(part, f"{known.name}.grad", "gradient")
    for tensor in before.others:
        values.existing_storage(tensor)


def _gradient_of(known: Known) -> Iterator[torch.Tensor]:
    gradient = known.tensor.grad if known.tensor.is_leaf else None
    return parts_of(gradient) if gradient is not None else iter(())


def _let_go_of_losses(reached: Reached) -> None:
    """Gives each gradient scaler a copy of its table of optimizers. The scaler replaces this table after an update.

    `State` (state.py) holds the original table to put it back. If the step wrote into the original, tensors of the step
    would stay alive.
    """
    for thing in reached.objects:
        if isinstance(thing, torch.amp.GradScaler):
            thing._per_optimizer_states = copy.copy(thing._per_optimizer_states)


def _check_run(result: Any) -> None:
    """Refuses a generator or coroutine as result: the step in it has not run."""
    if not (inspect.isgenerator(result) or inspect.iscoroutine(result) or inspect.isasyncgen(result)):
        return
    if inspect.iscoroutine(result):
        result.close()
    raise Error(f"The step returned a {type(result).__name__}, whose code did not run", "stashscope.capture",
                "Give a function that runs one training step and returns its loss or nothing.")


def _saving(kind: str, values: Values, recorder: Recorder) -> Optional[Union[Watching, Forgetting]]:
    """The hooks on saved tensors of this kind; None for ''."""
    if kind == "watch":
        return Watching(values, recorder.unseen)
    if kind == "forget":
        return Forgetting(values, recorder.unseen)
    return None


def _existing_tensors(oldest: int = 2) -> list[torch.Tensor]:
    """Every tensor that lives now and has a storage.

    `oldest`: the oldest generation in which Python looks for cycles that nothing holds. What a run of the step leaves
    behind is young, because Python's collector is off while the step runs.
    """
    gc.collect(oldest)
    things = gc.get_objects()
    # There are far fewer types than objects. Types are told apart by identity: a user's may not be hashable.
    kinds = {id(kind): kind for kind in map(type, things)}
    tensors = {key for key, kind in kinds.items() if issubclass(kind, torch.Tensor) and not is_wrapper(kind)}
    return [thing for thing in things if id(type(thing)) in tensors and _has_storage(thing)]


def _has_storage(tensor: torch.Tensor) -> bool:
    try:
        tensor.untyped_storage()
    # A parameter of a lazy module without shapes raises ValueError.
    except (NotImplementedError, RuntimeError, ReferenceError, ValueError):
        return False
    return True
