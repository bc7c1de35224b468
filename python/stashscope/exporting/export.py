"""Exports a model as ONNX."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any, Optional

import onnx
import torch

from ..errors import Error
from ..files import PathLike, replace_file, take_place
from .exporters import EXPORTERS, fitting, quiet
from .inputs import WHERE, Inputs, inputs_of
from .masks import masks_by_broadcasting
from .prepared import Loss, prepared

# Protobuf refuses messages of 2 GiB.
_LARGEST_MESSAGE = (1 << 31) - (1 << 24)


def export(model: torch.nn.Module, inputs: Any, path: PathLike, *, dims: Any = None, loss: Optional[Loss] = None,
           exporter: str = "auto") -> None:
    """Writes `model` as ONNX with its parameters' names, in training mode, for `stashscope.load` and the program.

    `inputs` is one batch: a tensor, a tuple, or a dictionary of named arguments. `dims` names axes of the inputs:
    `{0: 'batch', 1: 'sequence'}` for all of them, or `{'input_ids': {0: 'batch'}}`. The file's only output is the loss
    if the model returns one, or if `loss` makes one of what the model returns; else all tensors that it returns.
    `exporter` is 'dynamo', 'script' or 'auto', which takes the one that fits. The model stays as it is. Raises `Error`.
    """
    _check(model, path)
    given = inputs_of(model, inputs, dims)
    names = fitting(model, exporter)
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "model.onnx"
        with prepared(model, given, loss), masks_by_broadcasting(given):
            _try(names, model, given, made)
        exported = onnx.load(str(made))
    _check_names(exported, model)
    _check_dims(exported, given)
    _write(exported, Path(path))


def _try(names: list[str], model: torch.nn.Module, inputs: Inputs, path: Path) -> None:
    failures = []
    for name in names:
        try:
            with quiet():
                EXPORTERS[name](model, inputs, path)
            return
        except Error:
            raise
        except Exception as error:
            failures.append(f"{name}: {type(error).__name__}: {_line(error)}")
            last = error
    raise Error(f"PyTorch cannot export the model ({'; '.join(failures)})", WHERE,
                "Run the model on the inputs first. If that works, capture the step instead: stashscope.capture "
                "needs no export.") from last


def _line(error: Exception) -> str:
    """The first line of what went wrong. The dynamo exporter wraps the error into one with advice, so the cause is read
    where there is one."""
    error = error.__cause__ if isinstance(error.__cause__, Exception) else error
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0][:300] if lines else "no message"


def _check(model: Any, path: PathLike) -> None:
    if not isinstance(model, torch.nn.Module):
        raise Error(f"The model is of type '{type(model).__name__}', not a torch.nn.Module", WHERE,
                    "Give the model first.")
    if hasattr(model, "_orig_mod"):
        raise Error("The model is compiled", WHERE, "Give the model that torch.compile was called with.")
    for name, tensor in model.named_parameters():
        if tensor.is_meta:
            raise Error(f"Parameter '{name}' is on the device 'meta' and has no data", WHERE,
                        "Give the model its data, or use stashscope.capture, which needs none.")
    if any("_stashscope_forward" in module.__dict__ for module in model.modules()):
        raise Error("The model has a plan, and a file for ONNX Runtime cannot hold it", WHERE,
                    "Call stashscope.remove(model) first.")
    target = Path(path)
    if target.is_dir() or not target.absolute().parent.is_dir():
        raise Error("The path is a folder, or its folder does not exist", str(path), "Give the name of a file.")


def _check_names(exported: onnx.ModelProto, model: torch.nn.Module) -> None:
    written = {one.name for one in exported.graph.initializer}
    trained = {name for name, parameter in model.named_parameters() if parameter.requires_grad}
    if trained and not trained & written:
        raise Error("The exporter gave every parameter another name", WHERE, "Try the other value of `exporter`.")


def _check_dims(exported: onnx.ModelProto, inputs: Inputs) -> None:
    shapes = {one.name: one.type.tensor_type.shape.dim for one in exported.graph.input}
    for name, axes in inputs.dims.items():
        for axis, label in axes.items():
            if name in shapes and shapes[name][axis].dim_param != label:
                raise Error(f"The model fixes the size of axis {axis} of '{name}', named '{label}'", WHERE,
                            "Leave this dimension out of dims, or give a batch in which it is larger than 1.")


def _write(exported: onnx.ModelProto, path: Path) -> None:
    try:
        if exported.ByteSize() < _LARGEST_MESSAGE:
            replace_file(path, exported.SerializeToString())
            return
        path = Path(os.path.realpath(path))
        data = path.with_name(f"{path.name}.data")
        with tempfile.TemporaryDirectory(prefix=f".{path.name}.", dir=path.parent) as folder:
            made = Path(folder)
            onnx.save_model(exported, str(made / path.name), save_as_external_data=True, location=data.name)
            take_place(made / data.name, data)
            take_place(made / path.name, path)
    except OSError as error:
        raise Error(f"The file cannot be written: {error.strerror or error}", str(path),
                    "Give another path.") from error
