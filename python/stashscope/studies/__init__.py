"""Studies of models, sessions and captured steps, computed by the engine."""

from .loading import load
from .records import BudgetAnswer, Fit, FitPoint, PlanRow, ReplannedFit, Slot, Slots, VariantFit
from .study import Study
from .window import open

__all__ = ["BudgetAnswer", "Fit", "FitPoint", "PlanRow", "ReplannedFit", "Slot", "Slots", "Study", "VariantFit", "load",
           "open"]
