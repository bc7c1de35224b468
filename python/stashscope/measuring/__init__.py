"""Measures a training step in PyTorch, operator by operator."""

from .measure import measure

__all__ = ["measure"]
