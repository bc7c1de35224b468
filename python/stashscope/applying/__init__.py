"""Plans that PyTorch carries out."""

from .apply import apply, remove
from .plan import Plan, Region, SavedOperator

__all__ = ["Plan", "Region", "SavedOperator", "apply", "remove"]
