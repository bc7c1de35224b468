"""The record of one run of the step."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Optional

import torch


@dataclass(frozen=True)
class Value:
    """A version of a tensor."""

    name: str
    dtype: torch.dtype
    shape: tuple[int, ...]
    storage: int


@dataclass
class Node:
    """An operator as it was dispatched."""

    namespace: str
    operator: str
    overload: str
    arguments: str = ""
    inputs: list[str] = field(default_factory=list)
    outputs: list[Value] = field(default_factory=list)
    phase: str = "forward"
    scopes: tuple[str, ...] = ("",)
    line: str = ""
    flops: int = 0
    tags: tuple[str, ...] = ()
    workspace: int = 0
    forward_node: int = -1
    # The number of the autograd node that runs this operator in backward.
    run_by: int = -1
    # Whether autograd's engine adds up gradients here, after the autograd node `run_by` has run.
    accumulates: bool = False
    # Whether the node is part of a graph of torch.compile.
    compiled: bool = False

    @property
    def signature(self) -> tuple[Any, ...]:
        """The properties that must be equal in every run of the step."""
        outputs = tuple((value.dtype, value.shape) for value in self.outputs)
        return self.namespace, self.operator, self.overload, outputs

    def text(self, index: int) -> str:
        """The operator, its shapes and its place, for messages."""
        shapes = ", ".join(str(list(value.shape)) for value in self.outputs)
        place = f" in module '{self.scopes[-1]}'" if self.scopes[-1] else ""
        line = f" at {self.line}" if self.line else ""
        return f"operator {index}, {self.namespace}.{self.operator} [{shapes}]{place}{line}"


@dataclass
class Saved:
    """A tensor that autograd saves."""

    # The number of the autograd node that saves it.
    sequence: int
    storage: int
    value: str
    # The forward node of that autograd node.
    node: int = -1
    # The first node that runs after autograd has unpacked the tensor, or -1.
    unpacked: int = -1
    # The last node during which autograd holds the tensor.
    released: Optional[int] = None
    # Whether this is a number that PyTorch wrapped into a tensor. Hooks on saved tensors, and so checkpoints, do not
    # see such a tensor.
    number: bool = False


@dataclass
class Call:
    """A call of a module in forward: its nodes are `first` to `end` - 1."""

    module: str
    first: int
    # The storages of the tensors among its arguments.
    arguments: list[int]
    end: int = -1


@dataclass
class Answer:
    """A result that depends on data, with outlines in the place of tensors."""

    operator: str
    result: Any = None


@dataclass
class Record:
    """One run: its operators, storages, inputs, saved tensors, calls of modules and answers."""

    nodes: list[Node] = field(default_factory=list)
    # Of each storage: a key that is the same in every run, its bytes, its role, and the last node during which it
    # lives.
    keys: list[Any] = field(default_factory=list)
    bytes: list[int] = field(default_factory=list)
    roles: list[str] = field(default_factory=list)
    last: list[int] = field(default_factory=list)
    # Storages that existed before the step and that it does not touch.
    unused: set[int] = field(default_factory=set)
    inputs: list[Value] = field(default_factory=list)
    alive: list[Value] = field(default_factory=list)
    saved: list[Saved] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    answers: list[Answer] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    # Bytes of optimizer states that the step replaces, and that the capture holds to put them back.
    held_states: int = 0
    # Storages of states that take the place of states from before the step.
    replacing: set[int] = field(default_factory=set)

    def warn(self, text: str) -> None:
        """Adds a warning to the file, once."""
        if text not in self.warnings:
            self.warnings.append(text)
