"""The dispatch mode that records every operator once.

It lies on top of the fake tensor mode, so that it sees exactly the operators that reach a device, with real tensors and
with fake ones. It keeps no tensor and no storage alive.
"""

from __future__ import annotations

import contextlib
import functools
from typing import Any, Iterator

import torch
from torch._C import DispatchKey
from torch._subclasses.fake_tensor import FakeTensor
from torch.utils._python_dispatch import TorchDispatchMode

from . import kernels
from .answers import Answers
from .calls import Calls
from .host_numbers import on_host
from .operators import Facts, facts_of, flops_of, named_arguments, readable_arguments, tensors_in
from .phases import Phases
from .places import is_in_guard
from .record import Node, Record
from .scalars import Scalars
from .values import Values
from .wrappers import is_wrapper, parts_of

aten = torch.ops.aten
# The guards of Dynamo use these to check whether a number is the one that the code was compiled for.
_OF_GUARDS = (aten.lift_fresh.default, aten._local_scalar_dense.default)
_DEVICE = torch.ops.prim.device.default


class Recorder(TorchDispatchMode):
    """Fills a record while it is active."""

    def __init__(self, values: Values, phases: Phases, answers: Answers, scalars: Scalars,
                 calls: Calls, light: bool) -> None:
        super().__init__()
        self.record: Record = values.record
        self._values = values
        self._phases = phases
        self._answers = answers
        self._scalars = scalars
        self._calls = calls
        self._light = light
        # While this is true, operators are not recorded, such as those that make tensors again for autograd.
        self.paused = False

    @classmethod
    def ignore_compile_internals(cls) -> bool:
        """Lets PyTorch compile while this mode is active. The mode is off meanwhile."""
        return True

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func is _DEVICE and isinstance(args[0], FakeTensor):
            return args[0].fake_device
        if any(is_wrapper(kind) for kind in types):
            # The wrapper runs the operator on the tensors inside, and these operators come back here.
            return self._unrecorded(func, args, kwargs or {}) if _is_shallow_copy(func) else NotImplemented
        kwargs = kwargs or {}
        facts = facts_of(func)
        if self.paused or facts.ignored or _is_shallow_copy(func):
            return self._unrecorded(func, args, kwargs)
        if func in _OF_GUARDS and is_in_guard():
            return func(*args, **kwargs)
        if torch.is_inference_mode_enabled() and _is_composite(func):
            with self:
                return func._op_dk(DispatchKey.CompositeImplicitAutograd, *args, **kwargs)
        if func is aten.lift_fresh.default:
            self._values.made_by_python(args[0])
            if not args[0].dim() and self._calls.makes_number_on_host():
                self._values.keep_on_host(args[0])
            return self._unrecorded(func, args, kwargs)
        place = self._phases.place()
        if place.frames.from_engine and func is aten.add.Tensor and kernels.adds_in_place(args):
            func, facts = aten.add_.Tensor, facts_of(aten.add_.Tensor)
            self._run(func, facts, args, kwargs, place)
            return args[0]
        if place.frames.from_engine:
            self._warn_of_formula(kernels.other_formula())
            last = self.record.nodes[-1] if self.record.nodes else None
            maker = self._values.maker_of(args[0]) if func in kernels.INTO_ZEROS else None
            in_place = kernels.scatters_in_place(func, args, maker, last)
            if in_place is not None:
                func, args = in_place
                self._run(func, facts_of(func), args, kwargs, place)
                return args[0]
            derives = kernels.derives_in_place(func, self._made_by_running(args))
            if derives is not None:
                self._run(derives, facts_of(derives), args, kwargs, place)
                return args[0]
        if func is aten.add.Tensor and (self._calls.adds_in_place or self._adds_bias(args, place)):
            self._run(aten.add_.Tensor, facts_of(aten.add_.Tensor), args, kwargs, place)
            return aten.alias.default(args[0])
        return self._run(func, facts, args, kwargs, place)

    def _warn_of_formula(self, name: str) -> None:
        if name:
            self.record.warn(f"The derivative '{name}' runs other operators while it is captured than otherwise, so the "
                             "backward pass may differ there")

    def _made_by_running(self, args: Any) -> bool:
        """Whether the running autograd node made the storage of the first argument."""
        maker = self._values.maker_of(args[0]) if args and isinstance(args[0], torch.Tensor) else None
        running = torch._C._current_autograd_node()
        if maker is None or running is None:
            return False
        return maker.run_by == running._sequence_nr()  # type: ignore[attr-defined, no-any-return]

    def _adds_bias(self, args: Any, place: Any) -> bool:
        after_product = self.record.nodes and self.record.nodes[-1].operator in ("_unsafe_view", "mm", "bmm")
        return bool(after_product) and not place.frames.from_engine and self._calls.adds_bias(args)

    @contextlib.contextmanager
    def unseen(self) -> Iterator[None]:
        """A context in which operators are not recorded."""
        before, self.paused = self.paused, True
        try:
            yield
        finally:
            self.paused = before

    def _unrecorded(self, func: Any, args: Any, kwargs: Any) -> Any:
        result = func(*args, **kwargs)
        if not self.paused and args and isinstance(args[0], torch.Tensor) and isinstance(result, torch.Tensor):
            for mine, copied in zip(parts_of(args[0]), parts_of(result)):
                self._values.same_memory(mine, copied)
        return result

    def _run(self, func: Any, facts: Facts, args: Any, kwargs: Any, place: Any) -> Any:
        named = named_arguments(facts, args, kwargs)
        inputs = self._values.read(tensors_in((*args, *kwargs.values())))
        workspace = 0
        numbers: list[str] = []
        if facts.single_tensors and not place.frames.from_engine:
            workspace, numbers = self._scalars.before(func, facts, named, torch.is_grad_enabled())
        arguments = "" if self._light else readable_arguments(facts, named)
        node = Node(facts.namespace, facts.operator, facts.overload, arguments,
                    inputs + numbers, tags=facts.tags, workspace=workspace)
        self._phases.fill(node, place)
        node.accumulates = place.frames.from_engine and func in (aten.add.Tensor, aten.add_.Tensor)
        self.record.nodes.append(node)
        result = self._answers.call(func, args, kwargs)
        self._phases.done()
        sizes = [kernels.result_bytes(func, args, kwargs, number, tensor)
                 for number, tensor in enumerate(tensors_in((result,)))]
        self._values.write(node, facts, named, result, sizes)
        if self._values.on_cuda:
            read = [self._values.is_on_host(one) for one in tensors_in((*args, *kwargs.values()))]
            for tensor in on_host(func, read, result):
                self._values.keep_on_host(tensor)
        node.flops = 0 if self._light else flops_of(func, args, kwargs, result)
        return result


def _is_shallow_copy(func: Any) -> bool:
    """Whether a `detach` that a mode sees is only a new tensor object for the same memory, made without an operator."""
    return func is aten.detach.default and (not torch._C._dispatch_tls_is_dispatch_key_excluded(
        DispatchKey.ADInplaceOrView) or kernels.makes_parameter())


@functools.cache
def _is_composite(func: Any) -> bool:
    """Whether an operator only calls other operators. In inference mode, a dispatch mode sees this operator instead of
    those that it calls."""
    has_kernel = functools.partial(torch._C._dispatch_has_kernel_for_dispatch_key, func.name())
    return has_kernel("CompositeImplicitAutograd") and not has_kernel("CPU")
