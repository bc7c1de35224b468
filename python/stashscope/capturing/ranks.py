"""Steps of one rank among several.

Collectives need no network. The objects in which PyTorch holds the state of sharded modules and pipelines are put back.
"""

from __future__ import annotations

import contextlib
from typing import Any, Callable, Iterator

import torch
import torch.distributed as dist

# Objects of these modules hold tensors and state of a rank; fake runs change them, so they are put back.
_STATEFUL_MODULES = ("torch.distributed.fsdp.", "torch.distributed.pipelining.", "torch.distributed._composable")


def is_rank_state(thing: Any) -> bool:
    """Whether an object is PyTorch's own record of a sharded module or of a pipeline."""
    return type(thing).__module__.startswith(_STATEFUL_MODULES) and hasattr(thing, "__dict__")


def is_collective(func: Any) -> bool:
    """Whether an operator hands tensors to a process group in place, or waits for a collective."""
    return bool(func.namespace == "c10d") or func._schema.name == "_c10d_functional::wait_tensor"


def without_network(func: Any, args: Any) -> Any:
    """What the collective returns: its tensors, which nobody fills, and `Work` objects that are complete."""
    if func.namespace != "c10d":
        return args[0]
    from torch._C._distributed_c10d import FakeWork

    results = [FakeWork().boxed() if "Work" in str(result.type) else args[0] for result in func._schema.returns]
    return results[0] if len(results) == 1 else tuple(results) or None


@contextlib.contextmanager
def as_in_training(unseen: Callable[[], Any]) -> Iterator[None]:
    """Undoes what PyTorch does differently under fake tensors and modes.

    There, PyTorch waits for collectives at once, and finds shapes by running operators. Here it does not wait at once,
    and the operators that find shapes run in `unseen`, a context in which operators are not recorded.
    """
    if not dist.is_available():
        yield
        return
    from torch.distributed import _functional_collectives as functional
    from torch.distributed.tensor._sharding_prop import ShardingPropagator

    tracing, propagate = functional._are_we_tracing, ShardingPropagator.propagate

    def propagated(self: Any, info: Any) -> None:
        with unseen():
            propagate(self, info)

    functional._are_we_tracing = lambda: False
    ShardingPropagator.propagate = propagated  # type: ignore[method-assign, assignment]
    try:
        yield
    finally:
        functional._are_we_tracing = tracing
        ShardingPropagator.propagate = propagate  # type: ignore[method-assign]


def script_text(thing: torch.ScriptObject) -> str:
    """The text for an object in the arguments of a collective: for a process group, how many ranks take part; else the
    name of the object's type."""
    kind = thing._type().name()  # type: ignore[attr-defined]
    if kind == "ProcessGroup":
        return f"{dist.ProcessGroup.unbox(thing).size()} ranks"
    return str(kind)
