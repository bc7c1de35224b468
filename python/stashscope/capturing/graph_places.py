"""Where the nodes of a compiled graph come from."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class PieceCall:
    """One forward run of a compiled piece."""

    # The modules around the piece, from the root inwards.
    outer: tuple[str, ...] = ("",)
    # The position in the record of the first node with each sequence number (`GraphPlace.sequence`).
    nodes: dict[int, int] = field(default_factory=dict)


@dataclass
class GraphPlace:
    """Phase, modules and line of a node."""

    phase: str
    modules: tuple[str, ...]
    line: str
    # The sequence number of the operator's autograd node, as it was when the graph was made. For a node of backward,
    # that of the operator whose derivative the node computes.
    sequence: int
    call: PieceCall = field(default_factory=PieceCall)

    @property
    def scopes(self) -> tuple[str, ...]:
        """The full paths of the modules, from the root inwards."""
        outer = self.call.outer
        return outer + tuple(name for name in self.modules if name not in outer)
