"""Batch normalizations count a batch once, although their forward runs twice."""

from __future__ import annotations

import contextlib
from typing import Iterator

import torch
from torch.nn.modules.batchnorm import _BatchNorm


def counting_norms(module: torch.nn.Module) -> list[_BatchNorm]:
    """The batch normalizations that update their running statistics in forward."""
    return [part for part in module.modules()
            if isinstance(part, _BatchNorm) and part.training and part.running_mean is not None]


@contextlib.contextmanager
def statistics_kept(norms: list[_BatchNorm]) -> Iterator[None]:
    """With a momentum of 0 the running statistics stay as they are, and autograd saves the same tensors."""
    before = [(norm, norm.momentum, norm.num_batches_tracked) for norm in norms]
    for norm in norms:
        norm.momentum, norm.num_batches_tracked = 0.0, None
    try:
        yield
    finally:
        for norm, momentum, batches in before:
            norm.momentum, norm.num_batches_tracked = momentum, batches
