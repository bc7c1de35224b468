"""Lists the numbers of a capture that may depend on sizes, and compares captures at several sizes."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, Callable, Iterator, Optional

from .captured import Captured
from .record import Node, Record, Value

# Names a number of a record: a word for its kind, then positions.
Place = tuple[Any, ...]

_INTEGER = re.compile(r"(?<![\w.])\d+(?![\w.])")


class Size(int):
    """A number at the sizes of the capture, and its polynomial as text."""

    text: str

    @staticmethod
    def of(number: int, text: str) -> "Size":
        """The number with its polynomial."""
        size = Size(number)
        size.text = text
        return size


def written(number: int) -> Any:
    """A number as the file has it: itself, or the text of its polynomial."""
    return number.text if isinstance(number, Size) else number


def storage_keys(record: Record) -> dict[Any, int]:
    """The indices of the storages that the file has, by keys that do not depend on sizes."""
    given: dict[int, Any] = {}
    for position, value in enumerate(record.inputs):
        given.setdefault(value.storage, ("input", position))
    return {given.get(index, key): index for index, key in enumerate(record.keys) if index not in record.unused}


def numbers_of(record: Record, order: list[Any]) -> Iterator[tuple[Place, int]]:
    """The numbers that must be polynomials. `order`: keys of storages."""
    keys = storage_keys(record)
    for position, key in enumerate(order):
        yield ("bytes", position), record.bytes[keys[key]]
    for position, value in enumerate(record.inputs):
        for axis, size in enumerate(value.shape):
            yield ("input", position, axis), size
    for index, node in enumerate(record.nodes):
        yield ("flops", index), node.flops
        yield ("workspace", index), node.workspace
        for position, value in enumerate(node.outputs):
            for axis, size in enumerate(value.shape):
                yield ("output", index, position, axis), size


def arguments_of(record: Record) -> list[tuple[Place, int]]:
    """The whole numbers in the texts of arguments. Numbers without a polynomial stay as they are."""
    return [(("argument", index, position), int(number)) for index, node in enumerate(record.nodes)
            for position, number in enumerate(_INTEGER.findall(node.arguments))]


def put_texts(record: Record, order: list[Any], text_of: Callable[[Place], Optional[str]]) -> None:
    """Gives each number of the record that has a polynomial its text."""
    def sized(place: Place, number: int) -> int:
        text = text_of(place)
        return number if text is None else Size.of(number, text)

    keys = storage_keys(record)
    for position, key in enumerate(order):
        record.bytes[keys[key]] = sized(("bytes", position), record.bytes[keys[key]])
    shapes: dict[str, Value] = {}

    def reshaped(value: Value, place: Place) -> Value:
        shape = tuple(sized((*place, axis), size) for axis, size in enumerate(value.shape))
        shapes[value.name] = replace(value, shape=shape)
        return shapes[value.name]

    record.inputs[:] = [reshaped(value, ("input", position)) for position, value in enumerate(record.inputs)]
    for index, node in enumerate(record.nodes):
        node.flops = sized(("flops", index), node.flops)
        node.workspace = sized(("workspace", index), node.workspace)
        node.arguments = _arguments(index, node, text_of)
        node.outputs = [reshaped(value, ("output", index, position)) for position, value in enumerate(node.outputs)]
    record.alive[:] = [shapes.get(value.name, value) for value in record.alive]


def _arguments(index: int, node: Node, text_of: Callable[[Place], Optional[str]]) -> str:
    position = -1

    def put(found: re.Match[str]) -> str:
        nonlocal position
        position += 1
        return text_of(("argument", index, position)) or found.group()

    return _INTEGER.sub(put, node.arguments)


def owner_of(record: Record, order: list[Any], place: Place) -> str:
    """The thing that a number describes, for messages."""
    kind, position = place[0], place[1]
    if kind == "input":
        return f"a size of tensor '{record.inputs[position].name}'"
    if kind == "bytes":
        keys = storage_keys(record)
        index = keys[order[position]]
        for value in record.inputs:
            if value.storage == index:
                return f"the memory of tensor '{value.name}'"
        for number, node in enumerate(record.nodes):
            for value in node.outputs:
                if value.storage == index:
                    return f"the memory of tensor '{value.name}' of {node.text(number)}"
    if kind == "output":
        node = record.nodes[position]
        return f"a size of tensor '{node.outputs[place[2]].name}' of {node.text(position)}"
    return f"the {kind} of {record.nodes[position].text(position)}"


def difference(one: Captured, other: Captured) -> Optional[tuple[str, str]]:
    """The first difference other than in numbers, as a text for each capture; None if there is none."""
    return (_operators(one.record, other.record) or _inputs(one.record, other.record)
            or _storages(one, other) or _saved(one, other))


def _operators(one: Record, other: Record) -> Optional[tuple[str, str]]:
    for index, (mine, its) in enumerate(zip(one.nodes, other.nodes)):
        if _shape_of(mine) != _shape_of(its):
            return mine.text(index), its.text(index)
    if len(one.nodes) == len(other.nodes):
        return None
    index = min(len(one.nodes), len(other.nodes))
    return _operator(one, index), _operator(other, index)


def _operator(record: Record, index: int) -> str:
    return record.nodes[index].text(index) if index < len(record.nodes) else f"no operator {index}"


def _shape_of(node: Node) -> Any:
    outputs = [(value.dtype, len(value.shape)) for value in node.outputs]
    return node.namespace, node.operator, node.overload, node.inputs, outputs, node.phase, node.forward_node


def _inputs(one: Record, other: Record) -> Optional[tuple[str, str]]:
    names = [[(value.name, value.dtype, len(value.shape)) for value in record.inputs] for record in (one, other)]
    if names[0] == names[1]:
        return None
    mine, its = (sorted({name for name, _, _ in mine} - {name for name, _, _ in its})
                 for mine, its in (names, reversed(names)))
    return f"the tensors from before the step ({', '.join(mine)})", f"others ({', '.join(its)})"


def _storages(one: Captured, other: Captured) -> Optional[tuple[str, str]]:
    keys = [storage_keys(captured.record) for captured in (one, other)]
    names = [{index: key for key, index in found.items()} for found in keys]
    for index, (mine, its) in enumerate(zip(one.record.nodes, other.record.nodes)):
        for value, same in zip(mine.outputs, its.outputs):
            if names[0].get(value.storage) != names[1].get(same.storage):
                return (f"tensor '{value.name}' of {mine.text(index)} in its memory",
                        f"the same tensor in other memory")
    for key, index in keys[0].items():
        its_index = keys[1].get(key)
        lives = [_life(captured, place) for captured, place in ((one, index), (other, its_index))]
        if lives[0] != lives[1] and its_index is not None:
            name = owner_of(one.record, [key], ("bytes", 0))
            return f"{name} until operator {lives[0]}", f"until operator {lives[1]}"
    return None


def _life(captured: Captured, index: Optional[int]) -> Any:
    if index is None:
        return None
    record = captured.record
    return record.roles[index], record.last[index]


def _saved(one: Captured, other: Captured) -> Optional[tuple[str, str]]:
    rows = [[(row.value, row.node, row.unpacked, row.released, row.number) for row in captured.watched.saved]
            for captured in (one, other)]
    for mine, its in zip(*rows):
        if mine != its:
            return _saved_text(mine), _saved_text(its)
    if len(rows[0]) != len(rows[1]):
        return f"saved {len(rows[0])} tensors", f"saved {len(rows[1])} tensors"
    calls = [[(call.module, call.first, call.end) for call in captured.watched.calls] for captured in (one, other)]
    if calls[0] != calls[1]:
        return "its calls of modules", "other calls"
    return None


def _saved_text(row: tuple) -> str:
    facts = zip(("node", "unpacked", "released", "number"), row[1:])
    return f"saved '{row[0]}' ({', '.join(f'{name} {fact}' for name, fact in facts)})"


def same_python_lives(one: Captured, other: Captured) -> bool:
    """Whether Python alone holds each storage for the same time in both captures.

    Storages that only one of them has are left out.
    """
    keys = storage_keys(other.record)
    return all(one.python_last[index] == other.python_last[keys[key]]
               for key, index in storage_keys(one.record).items() if key in keys)
