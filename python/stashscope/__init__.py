"""Stashscope for PyTorch: captures a training step as PyTorch runs it."""

from .capturing import capture
from .errors import Error

__all__ = ["Error", "capture"]
