"""PyTorch's two exporters, with the switches that keep a forward pass trainable."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import logging
import warnings
from pathlib import Path
from typing import Any, Callable, Iterator

import torch

from ..errors import Error
from .inputs import WHERE, Inputs

Exporter = Callable[[torch.nn.Module, Inputs, Path], None]


def by_dynamo(model: torch.nn.Module, inputs: Inputs, path: Path) -> None:
    """Writes module paths and Python lines. `optimize=False`, because optimizing would merge parameters with equal
    values."""
    shapes: dict[str, Any] = {name: inputs.dims.get(name) for name in inputs.tensors}
    torch.onnx.export(model, tuple(inputs.tensors.values()), str(path), dynamo=True, optimize=False, verbose=False,
                      input_names=list(inputs.tensors), dynamic_shapes=shapes if inputs.dims else None,
                      external_data=True)


def by_script(model: torch.nn.Module, inputs: Inputs, path: Path) -> None:
    """Keeps the training mode of normalizations. Folding and the mode EVAL would rename or merge parameters."""
    torch.onnx.export(model, tuple(inputs.tensors.values()), str(path), dynamo=False, verbose=False,
                      training=torch.onnx.TrainingMode.PRESERVE, do_constant_folding=False, opset_version=17,
                      input_names=list(inputs.tensors), dynamic_axes=inputs.dims)


EXPORTERS: dict[str, Exporter] = {"dynamo": by_dynamo, "script": by_script}


def fitting(model: torch.nn.Module, wanted: str) -> list[str]:
    """The exporters to try, in order.

    The dynamo exporter writes batch normalizations in inference mode, and needs the package onnxscript.
    """
    has_dynamo = importlib.util.find_spec("onnxscript") is not None
    if wanted == "auto":
        trains = any(isinstance(module, torch.nn.modules.batchnorm._BatchNorm) and module.training
                     for module in model.modules())
        return ["script"] if trains or not has_dynamo else ["dynamo", "script"]
    if wanted not in EXPORTERS:
        raise Error(f"There is no exporter {wanted!r}", WHERE, "Choose 'auto', 'dynamo' or 'script'.")
    if wanted == "dynamo" and not has_dynamo:
        raise Error("The dynamo exporter needs the package onnxscript", WHERE, "Install it: pip install onnxscript")
    return [wanted]


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Silences the exporters, which print their progress and warn of what the switches chose."""
    level = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()), \
                contextlib.redirect_stderr(io.StringIO()):
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(level)
