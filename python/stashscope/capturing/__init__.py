"""Records one training step and writes it as a captured step."""

from .capture import capture

__all__ = ["capture"]
