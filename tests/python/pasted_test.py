#!/usr/bin/env python3
"""The plain code of a plan does what `apply` does: the same peak, and the same gradients to the bit."""

from __future__ import annotations

import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any, Callable

sys.path[:0] = [str(Path(__file__).resolve().parent.parent.parent / "python"), str(Path(__file__).resolve().parent)]

import torch  # noqa: E402
from torch import nn  # noqa: E402

import stashscope  # noqa: E402
from models import MODELS  # noqa: E402
from small_models import curve_of, with_code  # noqa: E402
from stashscope import Plan, Region  # noqa: E402

torch.set_num_threads(1)

SHOWN = ("gpt2", "llama", "vit", "unet", "lstm")


def blocks(model: nn.Module) -> list[str]:
    """The blocks of a model: what its lists hold, or its parts that have parts, or else all its parts."""
    listed = [f"{name}.{part}" for name, module in model.named_modules() if isinstance(module, nn.ModuleList)
              for part, _ in module.named_children()]
    outer = [name for name in listed if not any(name.startswith(f"{other}.") for other in listed)]
    parts = [name for name, module in model.named_children() if next(module.children(), None) is not None]
    return outer or parts or [name for name, _ in model.named_children()]


def made(name: str) -> tuple[nn.Module, Callable[[], torch.Tensor]]:
    torch.manual_seed(0)
    model, loss = MODELS[name]()
    if hasattr(model, "config"):
        model.config.use_cache = False
    return model.train(), loss


def gradients(name: str, change: Callable[[nn.Module], Any]) -> list[torch.Tensor]:
    model, loss = made(name)
    change(model)
    torch.manual_seed(1)
    loss().backward()
    return [parameter.grad for parameter in model.parameters() if parameter.grad is not None]


def peak(name: str, change: Callable[[nn.Module], Any]) -> int:
    model, loss = made(name)
    change(model)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "step.onnx"
        stashscope.capture(lambda: loss().backward(), path, model=model, fake=False)
        return max(curve_of(path))


class Pasted(unittest.TestCase):
    def test_as_applied(self) -> None:
        for name in SHOWN:
            with self.subTest(name):
                plan = Plan(regions=tuple(Region(block) for block in blocks(made(name)[0])))
                applied = [gradients(name, lambda model: stashscope.apply(model, plan)),
                           gradients(name, lambda model: None)]
                pasted = gradients(name, with_code(plan))
                for other in applied:
                    self.assertEqual(len(pasted), len(other))
                    self.assertTrue(all(torch.equal(mine, its) for mine, its in zip(pasted, other)))
                self.assertEqual(peak(name, with_code(plan)), peak(name, lambda model: stashscope.apply(model, plan)))


if __name__ == "__main__":
    unittest.main()
