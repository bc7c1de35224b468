"""Runs the graphs of compiled parts of a step, so that each operator has its module, line and phase."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Callable

import torch
import torch._prims.rng_prims
from torch._C import DispatchKey
from torch._ops import HigherOrderOperator
from torch._subclasses.fake_tensor import FakeTensor
from torch.fx import GraphModule, Interpreter, Node

from ..capturing.graph_places import GraphPlace, PieceCall
from ..capturing.places import is_inside_torch
from ..errors import Error

if TYPE_CHECKING:
    from .interception import Run

_LINE = re.compile(r'^\s*(File "(.*)", line \d+, in .+?)\s*$', re.MULTILINE)


class Piece:
    """A graph of torch.compile with its forward and its backward part. `run` gives the run that is going on."""

    def __init__(self, run: Callable[[], "Run"]) -> None:
        self._run = run
        # Forward runs that no backward run has followed yet.
        self._calls: list[PieceCall] = []

    def runs(self, graph: GraphModule, backward: bool) -> Callable[..., Any]:
        """A function that runs one part. It takes the arguments in a list, which it empties."""
        places = self._places(graph, backward)
        for tensor in _constants(graph):
            self._run().constant(tensor)

        def run(arguments: list[Any]) -> Any:
            call = self._calls.pop() if backward and self._calls else PieceCall(self._run().around())
            if not backward:
                self._calls.append(call)
            for place in places.values():
                place.call = call
            return _Interpreter(graph, places, self._run().arrive).boxed_run(arguments)
        run._boxed_call = True  # type: ignore[attr-defined]
        return run

    def _places(self, graph: GraphModule, backward: bool) -> dict[str, GraphPlace]:
        late = _after_gradients(graph) if backward else set()
        found = {}
        for node in graph.graph.nodes:
            phase = "forward" if not backward else "backward" if node in late else "recompute"
            found[node.name] = GraphPlace(phase, self._modules(node), _line(node), node.meta.get("seq_nr", -1))
        return found

    def _modules(self, node: Node) -> tuple[str, ...]:
        stack = node.meta.get("nn_module_stack") or node.meta.get("fwd_nn_module_stack") or {}
        names = (self._run().module_name(address_of(key)) for key in stack)
        return tuple(name for name in names if name)


def address_of(key: str) -> int:
    """The address of the module that a key of Dynamo's stack of modules names, such as `ADDRESS@CALL`; 0 if unknown."""
    address = key.partition("@")[0]
    return int(address) if address.isdigit() else 0


def _constants(graph: GraphModule) -> list[torch.Tensor]:
    held = [getattr(graph, str(node.target), None) for node in graph.graph.nodes if node.op == "get_attr"]
    return [one for one in held if isinstance(one, torch.Tensor)]


def _after_gradients(graph: GraphModule) -> set[Node]:
    """The nodes of a backward graph that belong to derivatives. The other nodes recompute parts of forward."""
    found: set[Node] = set()
    for node in graph.graph.nodes:
        given = node.op == "placeholder" and "tangents" in str(node.target)
        tagged = node.meta.get("partitioner_tag") == "is_backward"
        if given or tagged or any(one in found for one in node.all_input_nodes):
            found.add(node)
    return found


def _line(node: Node) -> str:
    frames = [(match[1], match[2]) for match in _LINE.finditer(node.meta.get("stack_trace") or "")]
    return next((text for text, file in reversed(frames) if not is_inside_torch(file)), "")


class _Interpreter(Interpreter):
    """Runs a graph operator by operator, as the backend `aot_eager` does."""

    def __init__(self, graph: GraphModule, places: dict[str, GraphPlace], arrive: Callable[[Any], None]) -> None:
        super().__init__(graph)
        self._places = places
        self._arrive = arrive

    def run_node(self, n: Node) -> Any:
        self._arrive(self._places[n.name])
        try:
            return super().run_node(n)
        finally:
            self._arrive(None)

    def call_function(self, target: Any, args: Any, kwargs: Any) -> Any:
        if not isinstance(target, HigherOrderOperator):
            return super().call_function(target, args, kwargs)
        if target is torch._prims.rng_prims.run_with_rng_state and isinstance(args[0], FakeTensor):
            return _drawing_again(*args, **kwargs)
        for key in (DispatchKey.BackendSelect, DispatchKey.CompositeExplicitAutograd):
            if key in target.py_kernels:
                return target.py_kernels[key](*args, **kwargs)
        raise Error(f"The compiled graph contains '{target.name()}', whose operators the capture cannot see",
                    "torch.compile", "Capture the model without torch.compile.")


def _drawing_again(_: Any, operator: Any, *args: Any, **kwargs: Any) -> Any:
    """Runs the operator. Without data, no random state can be set. While the operator runs, this holds a copy of the
    present random state, because a real run needs memory for a state, too."""
    state = torch.get_rng_state()
    result = operator(*args, **kwargs)
    del state
    return result
