"""Phase, module, line and forward node of each operator."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Optional

import torch
from torch.optim.optimizer import register_optimizer_step_post_hook, register_optimizer_step_pre_hook

from .graph_places import GraphPlace
from .places import Frames, ModulePath, frames_from
from .record import Node, Record


@dataclass
class Place:
    """Where an operator was called from."""

    frames: Frames
    sequence: int


class Phases:
    """Tells forward, backward, recompute and optimizer apart, and finds the forward node of each backward node."""

    def __init__(self, record: Record, modules: ModulePath, before_update: Any, light: bool) -> None:
        self._record = record
        self._modules = modules
        self._before_update = before_update
        # True for a run that only repeats the first: phase, module and line are known from the first.
        self._light = light
        self._optimizers = 0
        self._sequence = 0
        self._makers: dict[int, int] = {}
        self._handles: list[Any] = []
        # Where the running node of a compiled graph comes from.
        self.in_graph: Optional[GraphPlace] = None

    def __enter__(self) -> "Phases":
        self._handles = [register_optimizer_step_pre_hook(self._start_update),
                         register_optimizer_step_post_hook(self._end_update)]
        self._modules.__enter__()
        self._sequence = torch.autograd._get_sequence_nr()
        return self

    def __exit__(self, *_: object) -> None:
        self._modules.__exit__()
        for handle in self._handles:
            handle.remove()

    def place(self) -> Place:
        """Reads the stack for the operator that is about to run."""
        return Place(frames_from(0, self._light), torch.autograd._get_sequence_nr())

    def fill(self, node: Node, place: Place, claims: bool = True) -> None:
        """Gives the next node of the record its phase, module and line.

        `claims`: whether to assign the autograd nodes made since the last operator.
        """
        if claims:
            self._claim(place.sequence)
        node.compiled = self.in_graph is not None
        if self._light:
            self._run_by(node)
            return
        if self.in_graph is not None:
            self._take(node, self.in_graph)
            return
        node.phase = self._phase(place.frames)
        node.scopes = self._modules.scopes
        node.line = place.frames.line
        if node.phase == "backward":
            self._run_by(node)

    def _take(self, node: Node, place: GraphPlace) -> None:
        node.phase = place.phase
        node.line = place.line
        node.scopes = place.scopes
        if place.phase == "forward":
            place.call.nodes.setdefault(place.sequence, len(self._record.nodes))
        elif place.phase == "backward":
            node.forward_node = place.call.nodes.get(place.sequence, -1)
            if node.forward_node >= 0:
                node.scopes = self._record.nodes[node.forward_node].scopes

    def _claim(self, newest: int) -> None:
        """Assigns the numbers that autograd gave to nodes since the last operator: the newest to this operator, the
        older ones to the last operator."""
        position = len(self._record.nodes)
        for number in range(self._sequence, newest):
            self._makers.setdefault(number, position if number == newest - 1 else max(position - 1, 0))
        self._sequence = newest

    def done(self) -> None:
        """The operator has run."""
        self._sequence = max(self._sequence, torch.autograd._get_sequence_nr())

    def maker_of(self, sequence: int) -> int:
        """The node whose autograd node has this number, or -1."""
        return self._makers.get(sequence, -1)

    def resolve(self) -> None:
        """Backward nodes take module and line of their forward nodes."""
        nodes = self._record.nodes
        for node in nodes:
            maker = self.maker_of(node.run_by) if node.run_by >= 0 else -1
            if maker >= 0 and nodes[maker].phase != "backward":
                node.forward_node = maker
                node.scopes = nodes[maker].scopes
                node.line = nodes[maker].line

    def _phase(self, frames: Frames) -> str:
        if torch._C._current_graph_task_id() != -1:
            again = (frames.checkpoint or self._modules.entered_in_backward
                     or torch.is_grad_enabled() and not frames.create_graph)
            return "recompute" if again else "backward"
        if frames.starts_backward:
            return "backward"
        if (frames.optimizer or self._optimizers) and not self._modules.depth:
            return "optimizer"
        return "forward"

    def _run_by(self, node: Node) -> None:
        running = torch._C._current_autograd_node() if torch._C._current_graph_task_id() != -1 else None
        if running is not None:
            node.run_by = running._sequence_nr()  # type: ignore[attr-defined]
            if node.run_by >= 1 << 62:
                node.run_by = -1

    def _start_update(self, optimizer: Any, *_: Any) -> None:
        self._before_update()
        self._optimizers += 1

    def _end_update(self, *_: Any) -> None:
        self._optimizers -= 1
