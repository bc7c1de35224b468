"""Versions of tensors: which value an operator reads, and which it makes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Iterable, Optional

import torch

from .operators import Facts, tensors_in
from .record import Node, Record, Value
from .storages import ALIVE, Storages

Geometry = tuple[Any, ...]


class Values:
    """Finds the value of a tensor by its storage and by its geometry in that storage."""

    def __init__(self, on_cuda: bool = False) -> None:
        # A `Phases`, which gives the nodes that are made here their phase, module and line. Set before the step runs.
        self.phases: Any = None
        self.record = Record()
        self.storages = Storages(lambda: len(self.record.nodes) - 1)
        self._of: dict[int, dict[Geometry, Value]] = {}
        self._newest: dict[int, Value] = {}
        self._before: dict[int, tuple[torch.dtype, tuple[int, ...]]] = {}
        self._input_names: set[str] = set()
        # Storages of the optimizer's states from before the step, and the states that take their places.
        self._states: dict[str, int] = {}
        self._replacing: dict[int, int] = {}
        # Storages of the states that the step makes without replacing a state from before it, and by name the last of
        # them.
        self._made_states: set[int] = set()
        self._last_states: dict[str, int] = {}
        # Names for the last versions in storages that the step makes.
        self._last_names: dict[int, str] = {}
        # For a step on a GPU, storages of numbers that lie on the host; empty for a step on the CPU.
        self._on_host: set[int] = set()
        self.on_cuda = on_cuda

    def existing(self, tensor: torch.Tensor, name: str, role: str) -> None:
        """Registers a named tensor that existed before the step as an input."""
        storage = tensor.untyped_storage()
        index = self.storages.find(storage)
        if index is None:
            index = self.storages.add(storage, ("existing", name), role)
        if role == "optimizer":
            self._states[name] = index
        self._input(tensor, index, name)

    def existing_storage(self, tensor: torch.Tensor) -> None:
        """Registers a tensor that existed before the step. It becomes an input if the step reads or frees it."""
        storage = tensor.untyped_storage()
        if self.storages.find(storage) is None:
            index = self.storages.add(storage, ("existing", storage._cdata), "input")
            self._before[index] = (tensor.dtype, tuple(tensor.shape))

    def read(self, tensors: Iterable[torch.Tensor]) -> list[str]:
        """The names of the values that an operator reads."""
        return [self.seen(tensor).name for tensor in tensors]

    def made_by_python(self, tensor: torch.Tensor) -> None:
        """If the memory of a tensor is not known yet, Python made the tensor without an operator. Then this adds a node
        that makes the tensor."""
        if self.storages.find(tensor.untyped_storage()) is not None:
            return
        node = Node("python", "tensor", "default")
        self.phases.fill(node, self.phases.place(), claims=False)
        self.record.nodes.append(node)
        self._new(node, tensor, ("node", len(self.record.nodes) - 1, 0))

    def keep_on_host(self, tensor: torch.Tensor) -> None:
        """Notes that a tensor is a number on the host, which takes no memory of a GPU."""
        index = self.storages.find(tensor.untyped_storage())
        if self.on_cuda and index is not None:
            self._on_host.add(index)

    def is_on_host(self, tensor: torch.Tensor) -> bool:
        """Whether a tensor is a number on the host."""
        return self.storages.find(tensor.untyped_storage()) in self._on_host

    def scalar(self, nbytes: int, dtype: torch.dtype) -> Value:
        """Makes the value of a number that PyTorch wraps into a tensor which only autograd sees.

        For a step on a GPU, the number lies on the host.
        """
        node = Node("python", "tensor", "default")
        self.phases.fill(node, self.phases.place(), claims=False)
        self.record.nodes.append(node)
        position = len(self.record.nodes) - 1
        index = self.storages.unseen(0 if self.on_cuda else nbytes, ("node", position, 0))
        value = Value(f"{node.operator}_{position}", dtype, (), index)
        node.outputs.append(value)
        return value

    def resized(self, storage: torch.UntypedStorage) -> None:
        """Adds a node for a storage that Python resized. The node makes the new memory, and the old memory ends after
        it."""
        index = self.storages.find(storage)
        old = None if index is None else self._newest.get(index)
        if index is None or old is None:
            return
        node = Node("python", "resize", "default", inputs=[old.name])
        self.phases.fill(node, self.phases.place(), claims=False)
        self.record.nodes.append(node)
        position = len(self.record.nodes) - 1
        new = self.storages.replace(storage, ("node", position, 0))
        value = Value(f"resize_{position}", old.dtype, (storage.nbytes() // old.dtype.itemsize,), new)
        node.outputs.append(value)
        self._of[new] = {geometry: value for geometry in self._of[index]}
        self._newest[new] = value

    def same_memory(self, known: torch.Tensor, other: torch.Tensor) -> None:
        """Another object shows the memory of a known tensor."""
        index = self.storages.find(known.untyped_storage())
        if index is not None and self.storages.find(other.untyped_storage()) is None:
            self.storages.adopt(index, other.untyped_storage())

    def seen(self, tensor: torch.Tensor) -> Value:
        """The value that a tensor shows now."""
        index = self.storages.find(tensor.untyped_storage())
        if index is None:
            self.made_by_python(tensor)
            index = self.storages.find(tensor.untyped_storage())
        assert index is not None
        found = self._of.get(index, {}).get(_geometry(tensor))
        if found is not None:
            return found
        if index in self._before or index not in self._newest:
            return self._input(tensor, index, "")
        return self._newest[index]

    def maker_of(self, tensor: torch.Tensor) -> Optional[Node]:
        """The node that allocated the memory of a tensor, if the step did."""
        index = self.storages.find(tensor.untyped_storage())
        key = ("", -1) if index is None else self.storages.keys[index]
        return self.record.nodes[key[1]] if key[0] == "node" else None

    def existed(self, tensor: torch.Tensor) -> bool:
        """Whether the memory of a tensor was there before the step."""
        index = self.storages.find(tensor.untyped_storage())
        return index is not None and self.storages.keys[index][0] == "existing"

    def made_again(self, tensor: torch.Tensor) -> None:
        """Registers a tensor without data that stands for one that autograd would have kept."""
        self.storages.add(tensor.untyped_storage(), ("again", len(self.storages.bytes)))

    def give_role(self, tensor: torch.Tensor, role: str, name: str) -> None:
        """Notes the role of a tensor and, if the step makes the tensor, the name of its last version."""
        storage = tensor.untyped_storage()
        self.storages.set_role(storage, role)
        index = self.storages.find(storage)
        if index is not None and self.storages.keys[index][0] == "node":
            self._last_names[index] = name

    def give_state(self, tensor: torch.Tensor, name: str) -> None:
        """Notes a state of an optimizer.

        A state that replaces one from before the step adds no memory to later steps.
        """
        index = self.storages.find(tensor.untyped_storage())
        old = self._states.get(name)
        if index is not None and self.storages.keys[index][0] == "node":
            if old is not None:
                self._replacing[index] = old
            else:
                self._made_states.add(index)
                self._last_states[name] = index
        self.give_role(tensor, "optimizer", name)

    def finish(self) -> Record:
        """Ends the record: what lives now is alive after the step."""
        self.storages.close()
        record, storages = self.record, self.storages
        for index in self._on_host:
            storages.bytes[index] = 0
        self._forget_superseded_states()
        self._rename()
        end = len(record.nodes)
        for index, (dtype, shape) in list(self._before.items()):
            if storages.last[index] != ALIVE:
                record.inputs.append(Value(self._unused_name(""), dtype, shape, index))
                del self._before[index]
        record.keys, record.bytes, record.roles = storages.keys, storages.bytes, storages.roles
        record.held_states = sum(storages.bytes[index] for index in set(self._replacing.values())
                                 if storages.last[index] == ALIVE)
        record.replacing = set(self._replacing)
        record.last = [end if last == ALIVE else last for last in storages.last]
        record.unused = set(self._before)
        record.alive = [value for index, value in self._newest.items()
                        if record.last[index] == end and record.keys[index][0] == "node"]
        return record

    def _forget_superseded_states(self) -> None:
        """If an optimizer updates several times in a step, later steps hold only the states that it made last."""
        for index in self._made_states.difference(self._last_states.values()):
            if self.storages.roles[index] == "optimizer" and self.storages.last[index] == ALIVE:
                self.storages.roles[index] = "other"
            self._last_names.pop(index, None)

    def _rename(self) -> None:
        """Renames the last version of each gradient and optimizer state to its own name, in nodes and saved tensors."""
        renamed: dict[str, Value] = {}
        for index, name in self._last_names.items():
            old = self._newest[index]
            self._newest[index] = renamed[old.name] = replace(old, name=self._unused_name(name))
        for node in self.record.nodes:
            node.inputs = [renamed[name].name if name in renamed else name for name in node.inputs]
            node.outputs = [renamed.get(value.name, value) for value in node.outputs]
        for row in self.record.saved:
            row.value = renamed[row.value].name if row.value in renamed else row.value

    def write(self, node: Node, facts: Facts, named: dict[str, Any], result: Any,
              sizes: list[Optional[int]]) -> None:
        """Makes the values of an operator's results and of the arguments that it changes."""
        returned: set[int] = set()
        aliased = next(tensors_in((named.get(facts.aliased),)), None) if facts.aliased else None
        position = len(self.record.nodes) - 1
        for tensor, size in zip(tensors_in((result,)), sizes):
            returned.add(id(tensor))
            self._result(node, tensor, aliased, position, facts.written, size)
        for name in facts.written:
            for tensor in tensors_in((named.get(name),)):
                if id(tensor) not in returned and not (aliased is tensor and returned):
                    self._result(node, tensor, None, position, facts.written)
        self._name(node, position)

    def _result(self, node: Node, tensor: torch.Tensor, aliased: Optional[torch.Tensor], position: int,
                written: tuple[str, ...], size: Optional[int] = None) -> None:
        storage = tensor.untyped_storage()
        index = self.storages.find(storage)
        if index is None and aliased is not None:
            self.same_memory(aliased, tensor)
            index = self.storages.find(storage)
        if index is None or written and self.storages.resized(storage):
            key = ("node", position, len(node.outputs))
            index = self.storages.add(storage, key) if index is None else self.storages.replace(storage, key)
            self.storages.bytes[index] = max(self.storages.bytes[index], size or 0)
        node.outputs.append(self._version(tensor, index, ""))

    def _new(self, node: Node, tensor: torch.Tensor, key: Any) -> None:
        index = self.storages.add(tensor.untyped_storage(), key)
        node.outputs.append(self._version(tensor, index, ""))
        self._name(node, len(self.record.nodes) - 1)

    def _name(self, node: Node, position: int) -> None:
        base = f"{node.operator}_{position}"
        for number, value in enumerate(node.outputs):
            name = base if len(node.outputs) == 1 else f"{base}.{number}"
            named = Value(name, value.dtype, value.shape, value.storage)
            node.outputs[number] = named
            geometries = self._of[value.storage]
            for key, other in geometries.items():
                if other is value:
                    geometries[key] = named
            self._newest[value.storage] = named

    def _version(self, tensor: torch.Tensor, index: int, name: str) -> Value:
        value = Value(name, tensor.dtype, tuple(tensor.shape), index)
        self._of.setdefault(index, {})[_geometry(tensor)] = value
        self._newest[index] = value
        return value

    def _input(self, tensor: torch.Tensor, index: int, name: str) -> Value:
        self._before.pop(index, None)
        value = self._version(tensor, index, self._unused_name(name))
        self.record.inputs.append(value)
        return value

    def _unused_name(self, wanted: str) -> str:
        name, number = wanted or "input_0", 0
        while name in self._input_names:
            number += 1
            name = f"{wanted or 'input'}_{number}"
        self._input_names.add(name)
        return name


def _geometry(tensor: torch.Tensor) -> Geometry:
    return tensor.dtype, tensor.storage_offset(), tuple(tensor.shape), tuple(tensor.stride())
