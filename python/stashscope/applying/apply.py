"""Puts a plan on a model, and takes it off."""

from __future__ import annotations

import difflib
from typing import Any, Union

import torch
from torch._dynamo.eval_frame import OptimizedModule

from ..capturing.places import as_uncompiled
from ..errors import Error
from .forward import CheckpointedForward
from .outputs import HookedForward
from .own_forward import OwnForward
from .plan import PathLike, Plan, Region

# The attribute in which a module keeps the forward that `apply` gave it. By this attribute, `remove` finds the module
# even if other code has wrapped the forward since.
_MARK = "_stashscope_forward"


def apply(model: torch.nn.Module, plan: Union[Plan, PathLike]) -> None:
    """Lets `model` recompute in backward what `plan` says. `plan` is a `Plan` or the path of one.

    Each region's `module.forward` runs as `torch.utils.checkpoint.checkpoint(use_reentrant=False)` where gradients are
    enabled. Classes, parameters, state and hooks of the modules stay as they are. Everything is checked first: the
    model is changed as a whole or not at all. Raises `Error`.
    """
    _check_model(model, "apply")
    wanted = plan if isinstance(plan, Plan) else Plan.load(plan)
    for name, module in model.named_modules():
        if _MARK in module.__dict__:
            raise Error("The model has a plan already", f"module '{name}'", "Call stashscope.remove(model) first.")
    found: list[tuple[torch.nn.Module, OwnForward]] = [
        (module, CheckpointedForward(module, module.__dict__.get("forward"), region))
        for module, region in _modules(model, wanted)]
    if any(region.free_outputs for region in wanted.regions):
        found.append((model, _hooked(model, [module for module, _ in found])))
    done: list[torch.nn.Module] = []
    try:
        for module, forward in found:
            done.append(module)
            module.__dict__[_MARK] = forward
            module.forward = forward  # type: ignore[assignment]
    except BaseException:
        for module in done:
            _restore(module)
        raise


def _hooked(model: torch.nn.Module, modules: list[torch.nn.Module]) -> HookedForward:
    """A forward for the whole model. While it runs, autograd does not hold the outputs that regions free: when backward
    needs one, the region makes it again."""
    plain = model._orig_mod if isinstance(model, OptimizedModule) else model
    if any(module is plain for module in modules):
        raise Error("The model itself is a region, so no region can free its outputs", "plan",
                    "Leave out the region with the empty name, or 'free_outputs' of all regions.")
    return HookedForward(model, model.__dict__.get("forward"))


def remove(model: torch.nn.Module) -> None:
    """Takes the plan off. Each module's `forward` is what it was before. Does nothing on a model without a plan."""
    _check_model(model, "remove")
    marked = [(name, module) for name, module in model.named_modules() if _MARK in module.__dict__]
    for name, module in marked:
        if module.__dict__.get("forward") is not module.__dict__[_MARK]:
            raise Error("The forward was replaced after the plan was applied", f"module '{name}'",
                        "Undo the later replacement first.")
    for _, module in marked:
        _restore(module)


def _restore(module: torch.nn.Module) -> None:
    own = module.__dict__.pop(_MARK).own
    if own is None:
        module.__dict__.pop("forward", None)
    else:
        module.__dict__["forward"] = own


def _check_model(model: Any, where: str) -> None:
    if not isinstance(model, torch.nn.Module):
        raise Error(f"The model is of type '{type(model).__name__}', not a torch.nn.Module", f"stashscope.{where}",
                    "Give the model first.")


def _modules(model: torch.nn.Module, plan: Plan) -> list[tuple[torch.nn.Module, Region]]:
    modules = {as_uncompiled(name): module for name, module in model.named_modules(remove_duplicate=False)
               if not isinstance(module, OptimizedModule)}
    first: dict[int, str] = {}
    found = []
    for region in plan.regions:
        module = modules.get(region.module)
        if module is None:
            raise Error(f"The model has no module '{region.module}'", "plan", _near(region.module, modules))
        if isinstance(module, torch.jit.ScriptModule):
            raise Error("The module is compiled by TorchScript, and its forward cannot be replaced",
                        f"region '{region.module}'", "Leave it out of the plan.")
        if id(module) in first:
            raise Error(f"'{first[id(module)]}' and '{region.module}' are the same module", "plan",
                        "A region is every call of a module: name it once.")
        first[id(module)] = region.module
        found.append((module, region))
    return found


def _near(name: str, modules: dict[str, torch.nn.Module]) -> str:
    known = [one for one in modules if one]
    near = difflib.get_close_matches(name, known, 5, 0.5) or known[:5]
    return f"Near names are: {', '.join(near)}." if near else "The model has no modules inside."
