"""Partitioners of AOTAutograd that obey the regions of a plan.

What a region computes is marked in the joint graph as `torch.utils.checkpoint` marks it under `torch.compile`.
PyTorch's partitioners then compute it again in backward.
"""

from __future__ import annotations

import operator
import sys
from collections import Counter
from typing import Any, Callable, Optional, Protocol
from weakref import WeakValueDictionary

import torch
import torch._dynamo
from torch.fx import GraphModule, Node
from torch.utils.checkpoint import CheckpointPolicy


class PlannedForward(Protocol):
    """The forward of a module that is a region."""

    saved: dict[Any, frozenset[int]]
    skipped: dict[Any, frozenset[int]]
    region: Any

    def check(self, ran: Callable[[Any], int]) -> None:
        """Raises an error if the operators do not run as often as the plan says."""


# Regions by the address of their module, which is how Dynamo names the modules that a node lies in.
_REGIONS: "WeakValueDictionary[int, Any]" = WeakValueDictionary()
_DROPOUT = "aten.native_dropout.default"
# Memory that nothing was written to. A graph has no nodes for it, and a plan that keeps it keeps nothing.
_WITHOUT_CONTENTS = {"aten.empty.memory_format", "aten.empty_like.default", "aten.empty_strided.default"}
# A chain of calls of regions, the outermost first: Dynamo's name of the call, and the region.
_Chain = tuple[tuple[str, Any], ...]


def know(module: torch.nn.Module, forward: PlannedForward) -> None:
    """Lets graphs that contain `module` be partitioned by its plan, as long as `forward` lives.

    Where Dynamo cannot trace the whole call into one graph, the region runs uncompiled, as PyTorch's checkpoint does.
    """
    _obey()
    torch._dynamo.eval_frame.skip_code(type(forward).__call__.__code__)  # type: ignore[attr-defined]
    _REGIONS[id(module)] = forward


def _obey() -> None:
    """Wraps every use of AOTAutograd by a backend. Graphs without a region pass through unchanged."""
    from torch._dynamo.backends.common import AotAutograd
    before = AotAutograd.__call__
    if getattr(before, "_stashscope", False):
        return

    def call(self: Any, graph: GraphModule, inputs: list[Any], **kwargs: Any) -> Any:
        if not any(_chain(node) for node in graph.graph.nodes):
            return before(self, graph, inputs, **kwargs)
        from functorch.compile import default_partition  # type: ignore[import-untyped]
        given = self.kwargs.get("partition_fn", default_partition)

        def partition(joint: GraphModule, *args: Any, **options: Any) -> Any:
            mark(joint)
            return given(joint, *args, **options)
        self.kwargs = {**self.kwargs, "partition_fn": partition}
        # The key of this cache does not depend on plans.
        with torch._functorch.config.patch(enable_autograd_cache=False):
            return before(self, graph, inputs, **kwargs)
    call._stashscope = True  # type: ignore[attr-defined]
    AotAutograd.__call__ = call  # type: ignore[method-assign, assignment]


def mark(joint: GraphModule) -> None:
    """Says of each node in a region whether backward has it from forward or computes it again."""
    inside = {node: chain for node in joint.graph.nodes if (chain := _chain(node)) and node.op == "call_function"}
    numbers: dict[str, int] = {}
    for node, chain in inside.items():
        node.meta["ac_graph_id"] = numbers.setdefault(chain[0][0], len(numbers) + 1)
        node.meta["recompute"] = CheckpointPolicy.PREFER_RECOMPUTE
    for node in _kept(inside):
        node.meta["recompute"] = CheckpointPolicy.MUST_SAVE
    for node, chain in inside.items():
        if not chain[0][1].region.free_outputs and any(_leaves(user, chain, inside) for user in node.users):
            node.meta["recompute"] = CheckpointPolicy.MUST_SAVE


def _chain(node: Node) -> _Chain:
    if node.meta.get("partitioner_tag") == "is_backward":
        return ()
    keys = node.meta.get("nn_module_stack") or ()
    return tuple((key, region) for key in keys if (region := _region(key)) is not None)


def _region(key: str) -> Optional[Any]:
    address = key.partition("@")[0]
    return _REGIONS.get(int(address)) if address.isdigit() else None


def _leaves(user: Node, chain: _Chain, inside: dict[Node, _Chain]) -> bool:
    """Whether `user`, which reads a result of the region, is a node of forward outside of the region. Then the result
    is an output of the region."""
    if user.op == "output" or user.meta.get("partitioner_tag") == "is_backward":
        return False
    return user not in inside or inside[user][0][0] != chain[0][0]


def _kept(inside: dict[Node, _Chain]) -> set[Node]:
    """The nodes whose results are kept: those that regions save, and masks of dropouts whose input is left out."""
    counts: dict[_Chain, Counter[str]] = {}
    kept: set[Node] = set()
    left_out: set[Node] = set()
    for group in _calls_of(inside):
        chain = inside[group[0]]
        for depth, (_, region) in enumerate(chain):
            name = _as_called(group[0], region)
            count = counts.setdefault(chain[:depth + 1], Counter())
            if count[name] in _places(region.saved, name):
                kept.update(node for node in group if any(user not in group for user in node.users))
                kept.update(user for node in group for user in node.users if user.target is operator.getitem)
            if count[name] in _places(region.skipped, name):
                left_out.update(group)
            count[name] += 1
    for chain in {chain[:depth + 1] for chain in inside.values() for depth in range(len(chain))}:
        ran = counts.get(chain, Counter())
        chain[-1][1].check(lambda one: sys.maxsize if str(one) in _WITHOUT_CONTENTS else ran[str(one)])
    return kept | _masks(inside, left_out)


def _places(operators: dict[Any, frozenset[int]], name: str) -> frozenset[int]:
    return next((places for one, places in operators.items() if str(one) == name), frozenset())


def _as_called(node: Node, region: PlannedForward) -> str:
    """The name under which the plan counts a call. On the CPU, a dropout that is not compiled multiplies by a mask."""
    name = _operator_of(node)
    if name != _DROPOUT or any(str(one) == _DROPOUT for one in (*region.saved, *region.skipped)):
        return name
    made = node.meta.get("val")
    on_cpu = isinstance(made, (list, tuple)) and made[0].device.type == "cpu"
    return "aten.mul.Tensor" if on_cpu else name


def _masks(inside: dict[Node, _Chain], left_out: set[Node]) -> set[Node]:
    """The masks of dropouts whose input does not run again. Drawing such a mask again would need the input."""
    masked = {node for node in inside if str(node.target) == _DROPOUT and _source(node.args[0]) in left_out}
    return masked | {user for node in masked for user in node.users if user.target is operator.getitem}


def _is_view(operator: Any) -> bool:
    return getattr(operator, "is_view", False) or operator is torch.ops.aten._unsafe_view.default


def _source(node: Any) -> Any:
    """The node that made the memory that `node` views, or `node` itself."""
    while isinstance(node, Node) and _is_view(node.target):
        node = node.args[0]
    return node


def _calls_of(inside: dict[Node, _Chain]) -> list[list[Node]]:
    """The nodes of each operator that was called; those of a decomposed operator are together."""
    groups: list[list[Node]] = []
    for node, chain in inside.items():
        if node.target is operator.getitem:
            continue
        last = groups[-1][-1] if groups else None
        if last is not None and _is_part(node, last) and inside[last] == chain:
            groups[-1].append(node)
        else:
            groups.append([node])
    return groups


def _is_part(node: Node, last: Node) -> bool:
    name = _operator_of(node)
    return (str(node.target) != name and name == _operator_of(last)
            and node.meta.get("seq_nr") == last.meta.get("seq_nr"))


def _operator_of(node: Node) -> str:
    """The name of the operator that was called, before a decomposition. Operators are compared by name, because nodes
    hold copies of them."""
    return str(node.meta.get("original_aten") or node.target)
