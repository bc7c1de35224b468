"""Exports a model as ONNX so that its forward pass can be trained."""

from .export import export

__all__ = ["export"]
