"""Writes a captured step as an ONNX file."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any, Iterable, Optional, Sequence

import onnx
import torch
from onnx import TensorProto, helper

from ..errors import Error
from ..files import replace_file
from .captured import Captured
from .dimensions import Found
from .record import Node, Record, Saved, Value
from .sizes import written

VERSION = "1"

_TYPES = {
    torch.float32: TensorProto.FLOAT, torch.float64: TensorProto.DOUBLE, torch.float16: TensorProto.FLOAT16,
    torch.bfloat16: TensorProto.BFLOAT16, torch.bool: TensorProto.BOOL, torch.uint8: TensorProto.UINT8,
    torch.int8: TensorProto.INT8, torch.int16: TensorProto.INT16, torch.int32: TensorProto.INT32,
    torch.int64: TensorProto.INT64, torch.uint16: TensorProto.UINT16, torch.uint32: TensorProto.UINT32,
    torch.uint64: TensorProto.UINT64, torch.complex64: TensorProto.COMPLEX64,
    torch.complex128: TensorProto.COMPLEX128, torch.float8_e4m3fn: TensorProto.FLOAT8E4M3FN,
    torch.float8_e4m3fnuz: TensorProto.FLOAT8E4M3FNUZ, torch.float8_e5m2: TensorProto.FLOAT8E5M2,
    torch.float8_e5m2fnuz: TensorProto.FLOAT8E5M2FNUZ,
}


def write(captured: Captured, path: Path, dimensions: Sequence[Found] = (),
          options: Optional[dict[str, Any]] = None) -> None:
    """Writes to a file beside `path` first, so that an older file stays until the new one is complete.

    `options`: those of the call of `capture`; None if a command captured the step.
    """
    model = _model(captured, dimensions)
    if options is not None:
        model.metadata_props.add(key="stashscope.capture_options", value=_json(options))
    data = model.SerializeToString()
    try:
        replace_file(path, data)
    except OSError as error:
        raise Error(f"The file cannot be written: {error.strerror}", str(path), "Give another path.") from error


def _model(captured: Captured, dimensions: Sequence[Found]) -> onnx.ModelProto:
    record = captured.record
    numbers = _numbers(record)
    nodes = [_node(index, node, numbers) for index, node in enumerate(record.nodes)]
    values = [value for node in record.nodes for value in node.outputs]
    graph = helper.make_graph(nodes, "step", [_info(value) for value in record.inputs],
                              [_info(value) for value in record.alive], value_info=[_info(value) for value in values])
    model = helper.make_model(graph, producer_name="stashscope", ir_version=8, opset_imports=_opsets(record.nodes))
    for key, text in _properties(captured, numbers).items():
        model.metadata_props.add(key=key, value=text)
    if dimensions:
        model.metadata_props.add(key="stashscope.dimensions", value=_json([asdict(one) for one in dimensions]))
    return model


def _numbers(record: Record) -> dict[int, int]:
    """The storages that the file has, numbered."""
    kept = [index for index in range(len(record.bytes)) if index not in record.unused]
    return {index: number for number, index in enumerate(kept)}


def _opsets(nodes: Iterable[Node]) -> list[Any]:
    domains = sorted({_domain(node) for node in nodes})
    return [helper.make_opsetid("", 17), *(helper.make_opsetid(domain, 1) for domain in domains)]


def _domain(node: Node) -> str:
    return f"pytorch.{node.namespace}"


def _node(index: int, node: Node, numbers: dict[int, int]) -> onnx.NodeProto:
    name = f"{node.operator}_{index}"
    made = helper.make_node(node.operator, node.inputs, [value.name for value in node.outputs], name=name,
                            domain=_domain(node))
    for key, value in _attributes(node, numbers).items():
        made.attribute.append(helper.make_attribute(key, value))
    made.metadata_props.add(key="pkg.torch.onnx.name_scopes", value=repr([*node.scopes, name]))
    if node.line:
        made.metadata_props.add(key="pkg.torch.onnx.stack_trace", value=node.line)
    return made


def _attributes(node: Node, numbers: dict[int, int]) -> dict[str, Any]:
    found: dict[str, Any] = {"overload": node.overload, "arguments": node.arguments, "phase": node.phase}
    if node.outputs:
        found["storages"] = [numbers[value.storage] for value in node.outputs]
    if node.flops:
        found["flops"] = written(node.flops)
    if node.tags:
        found["tags"] = list(node.tags)
    if node.workspace:
        found["workspace"] = written(node.workspace)
    if node.forward_node >= 0:
        found["forward_node"] = node.forward_node
    return found


def _info(value: Value) -> onnx.ValueInfoProto:
    kind = _TYPES.get(value.dtype)
    if kind is None:
        raise Error(f"Tensors of type {value.dtype} are not known", value.name, "Leave them out of the step.")
    return helper.make_tensor_value_info(value.name, kind, [written(size) for size in value.shape])


def _properties(captured: Captured, numbers: dict[int, int]) -> dict[str, str]:
    record = captured.record
    place = {value.storage: position for position, value in reversed(list(enumerate(record.inputs)))}
    storages = {
        "bytes": [written(record.bytes[index]) for index in numbers],
        "role": [record.roles[index] for index in numbers],
        "last": [record.last[index] for index in numbers],
        "python_last": [captured.python_last[index] for index in numbers],
        "input": [place.get(index, -1) if record.keys[index][0] == "existing" else -1 for index in numbers],
    }
    if record.replacing:
        storages["replaces"] = [int(index in record.replacing) for index in numbers]
    return {
        "stashscope.captured_step": VERSION,
        "stashscope.torch": torch.__version__,
        "stashscope.device": "cpu",
        "stashscope.tensors": captured.tensors,
        "stashscope.storages": _json(storages),
        "stashscope.input_storages": _json([numbers[value.storage] for value in record.inputs]),
        "stashscope.saved": _json(_saved(captured, numbers)),
        "stashscope.calls": _json(_calls(captured, numbers)),
        "stashscope.warnings": _json(record.warnings),
    }


def _saved(captured: Captured, numbers: dict[int, int]) -> dict[str, list[Any]]:
    """The rows of the watching run, with the storages of the first run."""
    number_of = _number_of(captured, numbers)
    names = ("node", "storage", "value", "unpacked", "used", "released", "number")
    rows: dict[str, list[Any]] = {name: [] for name in names}
    for row in captured.watched.saved:
        number = number_of.get(row.storage)
        if number is None:
            continue
        rows["node"].append(row.node)
        rows["storage"].append(number)
        rows["value"].append(row.value)
        rows["unpacked"].append(row.unpacked)
        rows["used"].append(_used(captured.record.nodes, row))
        rows["released"].append(row.released)
        rows["number"].append(int(row.number))
    return rows


def _used(nodes: list[Node], row: Saved) -> int:
    """The last node that runs before the derivative returns.

    After that, autograd's engine gives gradients their shape and type, by a sum and a cast, before it releases what
    it saved.
    """
    last = row.released if row.released is not None and row.released < len(nodes) else len(nodes) - 1
    while last > max(row.unpacked, 0) and _fits_gradient(nodes, last):
        last -= 1
    return last


def _fits_gradient(nodes: list[Node], index: int) -> bool:
    node = nodes[index]
    if node.operator == "view":
        return _fits_gradient(nodes, index - 1) and nodes[index - 1].operator == "sum"
    return node.operator == "_to_copy" or node.operator == "sum" and "keepdim=True" in node.arguments


def _number_of(captured: Captured, numbers: dict[int, int]) -> dict[int, int]:
    """For each storage of the watching run, its number in the file."""
    first = {key: index for index, key in enumerate(captured.record.keys)}
    found = {index: first.get(key) for index, key in enumerate(captured.watched.keys)}
    return {index: numbers[mine] for index, mine in found.items() if mine is not None and mine in numbers}


def _calls(captured: Captured, numbers: dict[int, int]) -> dict[str, list[Any]]:
    """The calls of modules in the watching run."""
    number_of = _number_of(captured, numbers)
    calls = captured.watched.calls
    return {
        "module": [call.module for call in calls],
        "first": [call.first for call in calls],
        "end": [call.end for call in calls],
        "arguments": [[number_of[index] for index in call.arguments if index in number_of] for call in calls],
    }


def _json(thing: Any) -> str:
    return json.dumps(thing, separators=(",", ":"))
