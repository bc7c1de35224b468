"""Stashscope for PyTorch: captures a training step as PyTorch runs it, and lets PyTorch carry out a plan."""

from .applying import Plan, Region, SavedOperator, apply, remove
from .capturing import capture
from .errors import Error
from .measuring import measure

__all__ = ["Error", "Plan", "Region", "SavedOperator", "apply", "capture", "measure", "remove"]
