"""The forward of a module that is a region of a plan."""

from __future__ import annotations

import contextlib
from typing import Any, Callable, Iterator, Optional

import torch
from torch.utils.checkpoint import checkpoint, create_selective_checkpoint_contexts

from ..compiling.partition import know
from ..errors import Error
from .caches import holds_state, stand_in
from .operators import saved_operators, skipped_operators
from .outputs import saving_outputs
from .own_forward import OwnForward
from .plan import Region
from .policy import CallPolicy
from .skipping import Skipping
from .statistics import counting_norms, statistics_kept


class CheckpointedForward(OwnForward):
    """Stands in the place of `module.forward` and runs each call as a checkpoint.

    A copied or unpickled module gets a `CheckpointedForward` of its own.
    """

    def __init__(self, module: torch.nn.Module, own: Any, region: Region) -> None:
        super().__init__(module, own)
        self.region = region
        # The kept occurrences by operator.
        self.saved = saved_operators(region)
        self.skipped = skipped_operators(region)
        # Kept operators that have run in some call. One that has never run is an error, because the plan would keep
        # less than it says.
        self._seen: set[tuple[Any, int]] = set()
        know(module, self)

    def __reduce__(self) -> Any:
        return type(self), (self._module(), self.own, self.region)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        forward = self._forward()
        if torch.compiler.is_compiling():
            # Compiled code needs no checkpoint here: the partitioner recomputes the nodes of the region's module.
            return forward(*args, **kwargs)
        if not torch.is_grad_enabled():
            return forward(*args, **kwargs)
        call = _Call(self, forward, len(args), tuple(kwargs))
        given = call.given_once([call.with_stand_in(value) for value in (*args, *kwargs.values())])
        del args, kwargs
        context: dict[str, Any] = {"context_fn": call.contexts} if call.needs_contexts else {}
        # Arguments by name are passed by position, too, so that PyTorch sees when they are changed in place, and on
        # which devices random states must be remembered.
        result = checkpoint(call.run, *given, use_reentrant=False, **context)
        if call.policy is not None:
            self.check(call.policy.ran)
        return result

    def module(self) -> Optional[torch.nn.Module]:
        """The module whose forward this is."""
        return self._module()

    def policy(self) -> Optional[CallPolicy]:
        """A fresh policy for one call, or None if the region keeps nothing and leaves out nothing."""
        needed = self.saved or self.skipped
        return CallPolicy(self.region.module, self.saved, self.skipped) if needed else None

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
    """A cache for forward, and the copy that replaces the cache when the region runs again."""

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
        self._region = wrapped.region
        module = wrapped.module()
        self._norms = [] if module is None else counting_norms(module)
        self._caches: list[_WithStandIn] = []
        self._sources: list[int] = []
        self._again = False

    @property
    def needs_contexts(self) -> bool:
        """Whether the recompute differs from PyTorch's plain one."""
        return bool(self.policy is not None or self._norms or self._caches or self._region.free_outputs)

    def with_stand_in(self, value: Any) -> Any:
        """The argument; for a cache, a wrapper that holds the cache for forward and a stand-in for the recompute."""
        if not holds_state(value):
            return value
        self._caches.append(_WithStandIn(value))
        return self._caches[-1]

    def given_once(self, values: list[Any]) -> list[Any]:
        """The arguments, each of them once.

        When a checkpoint under hooks on saved tensors runs again, an argument that was given in several places arrives
        as several copies. Attention whose query, key and value are one tensor would then run other operators.
        """
        once: list[Any] = []
        places: dict[int, int] = {}
        for value in values:
            self._sources.append(places.setdefault(id(value), len(once)))
            if self._sources[-1] == len(once):
                once.append(value)
        return once

    def run(self, *once: Any) -> Any:
        """Calls the module's forward, in forward and in each recompute."""
        values = [once[source] for source in self._sources]
        given = [self._taken(value) if isinstance(value, _WithStandIn) else value for value in values]
        del once, values
        named = dict(zip(self._names, given[self._places:]))
        results = self._forward(*given[:self._places], **named)
        return saving_outputs(results, given, self._again) if self._region.free_outputs else results

    def _taken(self, kept: _WithStandIn) -> Any:
        if self._again:
            # A further recompute starts from the same state.
            return stand_in(kept.again)
        cache, kept.cache = kept.cache, None
        return cache

    def contexts(self) -> tuple[Any, Any]:
        """The contexts that forward and the recompute run under."""
        if self.policy is None:
            return contextlib.nullcontext(), self._recompute(contextlib.nullcontext)
        first, again = create_selective_checkpoint_contexts(self.policy)
        # Only outputs to keep need a mode in forward.
        return first if self._region.save else contextlib.nullcontext(), self._recompute(lambda: again)

    def _recompute(self, mode: Callable[[], Any]) -> "_Recompute":
        return _Recompute(lambda: self._running_again(mode))

    @contextlib.contextmanager
    def _running_again(self, mode: Callable[[], Any]) -> Iterator[None]:
        self._again = True
        if self.policy is not None:
            self.policy.recompute_starts()
        with statistics_kept(self._norms), self._skipping(), mode():
            yield

    def _skipping(self) -> Any:
        """The mode that leaves out operators. It lies below the mode of the policy, so that the policy counts each
        operator before this mode may leave it out."""
        if self.policy is None or not self._region.skip:
            return contextlib.nullcontext()
        return Skipping(self._region.module, self.policy.is_skipped)


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
