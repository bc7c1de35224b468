#!/usr/bin/env python3
"""The results of operators on tensors without data are laid out as the CPU's kernels lay them out."""

from __future__ import annotations

import unittest
from typing import Any, Callable

import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from stashscope.capturing.fake_kernels import as_on_cpu, for_fake_kernel

torch.set_num_threads(1)
aten = torch.ops.aten

IMAGES = torch.randn(2, 4, 6, 6)
SCALAR = torch.tensor(1.0)
Call = Callable[[torch.Tensor, torch.Tensor], Any]

# What autograd runs behind usual layers. Each gets an image in one layout and another in a second layout.
IMAGE_CALLS: dict[str, Call] = {
    "log_softmax": lambda a, b: aten._log_softmax_backward_data(a, b, 1, torch.float32),
    "softmax": lambda a, b: aten._softmax_backward_data(a, b, 1, torch.float32),
    "mse_loss": lambda a, b: aten.mse_loss_backward(SCALAR, a, b, 1),
    "smooth_l1_loss": lambda a, b: aten.smooth_l1_loss_backward(SCALAR, a, b, 1, 1.0),
    "huber_loss": lambda a, b: aten.huber_loss_backward(SCALAR, a, b, 1, 1.0),
    "binary_cross_entropy": lambda a, b: aten.binary_cross_entropy(a.sigmoid(), b.sigmoid(), None, 0),
    "log_sigmoid": lambda a, b: aten.log_sigmoid_forward(a),
    "glu": lambda a, b: aten.glu_backward(aten.glu(a, 1), b, 1),
    "hardswish": lambda a, b: aten.hardswish_backward(a, b),
    "hardsigmoid": lambda a, b: aten.hardsigmoid_backward(a, b),
    "hardtanh": lambda a, b: aten.hardtanh_backward(a, b, -1.0, 1.0),
    "elu": lambda a, b: aten.elu_backward(a, 1.0, 1.0, 1.0, False, b),
    "logit": lambda a, b: aten.logit_backward(a, b.sigmoid(), 1e-3),
    "gelu": lambda a, b: aten.gelu_backward(a, b),
    "dropout": lambda a, b: aten.native_dropout_backward(a, b > 0, 2.0),
    "rrelu": lambda a, b: aten.rrelu_with_noise(a, torch.empty_like(b), 0.1, 0.3, True),
    "rrelu_backward": lambda a, b: aten.rrelu_with_noise_backward(a, b, b, 0.1, 0.3, True, False),
    "xlogy": lambda a, b: aten.xlogy(a, b),
    "reflection_pad": lambda a, b: aten.reflection_pad2d(a, [1] * 4),
    "reflection_pad_backward": lambda a, b: aten.reflection_pad2d_backward(aten.reflection_pad2d(a, [1] * 4), b,
                                                                           [1] * 4),
    "replication_pad": lambda a, b: aten.replication_pad2d(a, [1] * 4),
    "replication_pad_backward": lambda a, b: aten.replication_pad2d_backward(aten.replication_pad2d(a, [1] * 4), b,
                                                                             [1] * 4),
    "channel_shuffle": lambda a, b: aten.channel_shuffle(a, 2),
    "roll": lambda a, b: aten.roll(a, [1, 1], [2, 3]),
    "batch_norm": lambda a, b: aten.native_batch_norm(a, None, None, None, None, True, 0.1, 1e-5),
    "batch_norm_backward": lambda a, b: aten.native_batch_norm_backward(
        a, b, None, None, None, torch.zeros(4), torch.ones(4), True, 1e-5, [True, False, False]),
    "group_norm_backward": lambda a, b: aten.native_group_norm_backward(
        a, b, torch.zeros(2, 2), torch.ones(2, 2), None, 2, 4, 36, 2, [True, False, False]),
    "max_unpool": lambda a, b: aten.max_unpool2d(*aten.max_pool2d_with_indices(a, [2, 2]), [6, 6]),
    "cat": lambda a, b: aten.cat([a, b], 1),
    "convolution": lambda a, b: aten.convolution(a, torch.randn(8, 4, 3, 3), None, [1] * 2, [1] * 2, [1] * 2, False,
                                                 [0] * 2, 1),
}
LAYOUTS: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "contiguous": lambda images: images.contiguous(),
    "channels last": lambda images: images.to(memory_format=torch.channels_last),
    "rows and columns exchanged": lambda images: images.transpose(2, 3).contiguous().transpose(2, 3),
}


class _AsOnCpu(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        return as_on_cpu(func, args, func(*for_fake_kernel(func, args), **(kwargs or {})))


def layout(results: Any) -> list[Any]:
    tensors = (one for one in tree_leaves(results) if isinstance(one, torch.Tensor))
    return [(tuple(one.shape), one.stride(), one.dtype) for one in tensors]


def fake_layout(call: Call, *operands: torch.Tensor) -> list[Any]:
    with FakeTensorMode(allow_non_fake_inputs=True), _AsOnCpu():
        return layout(call(*operands))


class Layouts(unittest.TestCase):
    def test_of_images(self) -> None:
        for name, call in IMAGE_CALLS.items():
            for first, of_first in LAYOUTS.items():
                for second, of_second in LAYOUTS.items():
                    operands = of_first(IMAGES), of_second(IMAGES)
                    with self.subTest(name, first=first, second=second):
                        self.assertEqual(fake_layout(call, *operands), layout(call(*operands)))

    def test_of_sequences(self) -> None:
        sequences = torch.randn(4, 6, 8).transpose(1, 2)
        call = lambda a, b: aten.native_batch_norm(a, None, None, None, None, True, 0.1, 1e-5)  # noqa: E731
        self.assertEqual(fake_layout(call, sequences, sequences), layout(call(sequences, sequences)))

    def test_of_volumes(self) -> None:
        volumes = torch.randn(2, 4, 5, 6, 6).to(memory_format=torch.channels_last_3d)
        for call in (lambda a, b: aten.replication_pad3d(a, [1] * 6), lambda a, b: aten.reflection_pad3d(a, [1] * 6)):
            self.assertEqual(fake_layout(call, volumes, volumes), layout(call(volumes, volumes)))


if __name__ == "__main__":
    unittest.main()
