"""The forward of a module that is a region of a plan."""

from __future__ import annotations

import contextlib
import functools
import inspect
import weakref
from typing import Any, Callable, Iterator, Optional

import torch
from torch.utils.checkpoint import checkpoint, create_selective_checkpoint_contexts

from ..compiling.partition import know
from ..errors import Error
from .caches import holds_state, stand_in
from .operators import saved_operators
from .plan import Region
from .policy import CallPolicy
from .statistics import counting_norms, statistics_kept


class CheckpointedForward:
    """Stands in the place of `module.forward` and runs each call as a checkpoint.

    It does not keep the module alive. Copies and pickles of the module have their own.
    """

    __name__ = "forward"

    def __init__(self, module: torch.nn.Module, own: Any, region: Region) -> None:
        self.region = region
        # What the module itself had as `forward`, or None if its class has it.
        self.own = own
        self._module = weakref.ref(module)
        # The kept occurrences by operator.
        self.saved = saved_operators(region)
        # Saved operators that have been seen running. Those never seen are an error, not a smaller saving.
        self._seen: set[tuple[Any, int]] = set()
        know(module, self)

    def __reduce__(self) -> Any:
        return type(self), (self._module(), self.own, self.region)

    @property
    def __signature__(self) -> inspect.Signature:
        return inspect.signature(self._forward())

    def _forward(self) -> Callable[..., Any]:
        if self.own is not None:
            return self.own  # type: ignore[no-any-return]
        module = self._module()
        if module is None:
            raise Error("The module of this forward does not exist any more", f"region '{self.region.module}'")
        return functools.partial(type(module).forward, module)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        forward = self._forward()
        if torch.compiler.is_compiling():
            # The partitioner knows the region by its module.
            return forward(*args, **kwargs)
        if not torch.is_grad_enabled():
            return forward(*args, **kwargs)
        call = _Call(self, forward, len(args), tuple(kwargs))
        given = [call.with_stand_in(value) for value in (*args, *kwargs.values())]
        del args, kwargs
        context = {"context_fn": call.contexts} if call.needs_contexts else {}
        # Arguments by name are passed by place, too: so PyTorch sees when they are changed in place, and on which
        # devices random states must be remembered.
        result = checkpoint(call.run, *given, use_reentrant=False, **context)
        if call.policy is not None:
            self.check(call.policy.ran)
        return result

    def module(self) -> Optional[torch.nn.Module]:
        """The module whose forward this is."""
        return self._module()

    def policy(self) -> Optional[CallPolicy]:
        """A fresh policy for one call, or None if the region keeps nothing."""
        return CallPolicy(self.region.module, self.saved) if self.saved else None

    def check(self, ran: Callable[[Any], int]) -> None:
        """Raises `Error` if kept operators do not run. `ran` gives how often an operator runs in a call."""
        for operator, positions in self.saved.items():
            count = ran(operator)
            for position in sorted(positions):
                if position < count:
                    self._seen.add((operator, position))
                elif (operator, position) not in self._seen:
                    raise Error(f"Operator '{operator}' runs {count} times in a call of module "
                                f"'{self.region.module}'; the plan saves occurrence {position}, counted from 0", "plan",
                                "The plan was made for another model, other inputs or another version of PyTorch. "
                                "Make it again from a capture of this step.")


class _WithStandIn:
    """A cache for forward, and what stands in for it when the region runs again."""

    def __init__(self, cache: Any) -> None:
        self.cache = cache
        self.again = stand_in(cache)


class _Call:
    """One call of a region."""

    def __init__(self, wrapped: CheckpointedForward, forward: Callable[..., Any], places: int,
                 names: tuple[str, ...]) -> None:
        self.policy = wrapped.policy()
        self._forward = forward
        self._places = places
        self._names = names
        module = wrapped.module()
        self._norms = [] if module is None else counting_norms(module)
        self._caches: list[_WithStandIn] = []
        self._again = False

    @property
    def needs_contexts(self) -> bool:
        """Whether the recompute differs from PyTorch's plain one."""
        return bool(self.policy is not None or self._norms or self._caches)

    def with_stand_in(self, value: Any) -> Any:
        """The argument, or what gives a cache in forward and another one in recompute."""
        if not holds_state(value):
            return value
        self._caches.append(_WithStandIn(value))
        return self._caches[-1]

    def run(self, *values: Any) -> Any:
        """Calls the module's forward, the first time and again."""
        given = [self._taken(value) if isinstance(value, _WithStandIn) else value for value in values]
        del values
        named = dict(zip(self._names, given[self._places:]))
        return self._forward(*given[:self._places], **named)

    def _taken(self, kept: _WithStandIn) -> Any:
        if self._again:
            # A further recompute starts from the same state.
            return stand_in(kept.again)
        cache, kept.cache = kept.cache, None
        return cache

    def contexts(self) -> tuple[Any, Any]:
        """What forward runs under, and what the recompute runs under."""
        if self.policy is None:
            return contextlib.nullcontext(), self._recompute(contextlib.nullcontext)
        first, again = create_selective_checkpoint_contexts(self.policy)
        return first, self._recompute(lambda: again)

    def _recompute(self, mode: Callable[[], Any]) -> "_Recompute":
        return _Recompute(lambda: self._running_again(mode))

    @contextlib.contextmanager
    def _running_again(self, mode: Callable[[], Any]) -> Iterator[None]:
        self._again = True
        if self.policy is not None:
            self.policy.recompute_starts()
        with statistics_kept(self._norms), mode():
            yield


class _Recompute:
    """A context that can be entered again for a further backward pass."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make
        self._open: list[Any] = []

    def __enter__(self) -> None:
        self._open.append(self._make())
        self._open[-1].__enter__()

    def __exit__(self, *error: Any) -> Any:
        return self._open.pop().__exit__(*error)
