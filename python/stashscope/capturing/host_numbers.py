"""Numbers that PyTorch keeps on the host of a GPU.

In a script for a GPU, some single numbers are tensors on the host, which operators take as they are. A capture on the
CPU does not see this difference, so the rules here decide which tensors lie on the host.
"""

from __future__ import annotations

from typing import Any, Iterator

import torch

from .operators import tensors_in

aten = torch.ops.aten

# By operator, the positions of the results that lie on the host: seed and offset of a dropout. (In CUDA graphs they lie
# on the device.)
_SEEDS = {aten._scaled_dot_product_efficient_attention.default: (2, 3),
          aten._efficient_attention_forward.default: (2, 3)}


def counts_on_host(optimizer: torch.optim.Optimizer) -> Iterator[torch.Tensor]:
    """The counts of updates that an optimizer keeps on the host."""
    if isinstance(optimizer, torch.optim.ASGD):
        return
    for group in optimizer.param_groups:
        if group.get("capturable") or group.get("fused"):
            continue
        for parameter in group["params"]:
            states = optimizer.state.get(parameter)
            count = states.get("step") if isinstance(states, dict) else None
            if isinstance(count, torch.Tensor) and not count.dim():
                yield count


def is_number_without_device(func: Any, kwargs: Any, in_optimizer: bool) -> bool:
    """Whether a call of `torch.tensor` makes a tensor on the host: it names no device, or one of PyTorch's optimizers
    names the host. False while the script has set a default device."""
    if func is not torch.tensor or getattr(torch._GLOBAL_DEVICE_CONTEXT, "device_context", None) is not None:
        return False
    device = kwargs.get("device")
    return device is None or in_optimizer and device == "cpu"


def on_host(func: Any, inputs: list[bool], result: Any) -> Iterator[torch.Tensor]:
    """The results of an operator that lie on the host. `inputs`: for each tensor that the operator reads, whether the
    tensor lies on the host."""
    seeds = _SEEDS.get(func, ())
    for place, tensor in enumerate(tensors_in((result,))):
        if place in seeds or inputs and all(inputs) and not tensor.dim():
            yield tensor
