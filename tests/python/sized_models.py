"""Steps that are functions of their sizes. They make their data themselves."""

from __future__ import annotations

from typing import Any, Callable

import torch
from torch import nn
from torch.nn import functional

import models

Sized = Callable[..., None]


def _tokens(make: Callable[[], nn.Module], batch: int = 4, sequence: int = 32) -> Callable[[], Sized]:
    def build() -> Sized:
        torch.manual_seed(0)
        model = make().train()
        optimizer = torch.optim.AdamW(model.parameters())

        def step(batch: int = batch, sequence: int = sequence) -> None:
            ids = torch.randint(0, 100, (batch, sequence))
            optimizer.zero_grad()
            model(input_ids=ids, labels=ids).loss.backward()
            optimizer.step()
        return step
    return build


def _images(make: Callable[[], nn.Module], loss: Callable[[Any, torch.Tensor], torch.Tensor]) -> Callable[[], Sized]:
    def build() -> Sized:
        torch.manual_seed(0)
        model = make().train()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)

        def step(batch: int = 4, image: int = 64) -> None:
            images = torch.randn(batch, 3, image, image)
            optimizer.zero_grad()
            loss(model(images), images).backward()
            optimizer.step()
        return step
    return build


def _lstm() -> Sized:
    torch.manual_seed(0)
    model = models.LanguageLstm().train()
    optimizer = torch.optim.AdamW(model.parameters())

    def step(batch: int = 32, sequence: int = 32) -> None:
        ids = torch.randint(0, 100, (batch, sequence))
        optimizer.zero_grad()
        functional.cross_entropy(model(ids).flatten(0, 1), ids.flatten()).backward()
        optimizer.step()
    return step


def _pyramid() -> nn.Module:
    """Halves its images twice."""
    return nn.Sequential(nn.Conv2d(3, 4, 3, 2, 1), nn.BatchNorm2d(4), nn.ReLU(inplace=True), nn.MaxPool2d(2),
                         nn.Conv2d(4, 8, 3, padding=1), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 10))


def _first_class(result: Any, images: torch.Tensor) -> torch.Tensor:
    return functional.cross_entropy(result, torch.zeros(len(images), dtype=torch.int64))


SIZED_STEPS: dict[str, Callable[[], Sized]] = {
    "gpt2": _tokens(models._gpt2), "llama": _tokens(models._llama), "bert": _tokens(models._bert),
    "resnet50": _images(models._resnet50, _first_class), "pyramid": _images(_pyramid, _first_class),
    "unet": _images(models.UNet, functional.mse_loss), "lstm": _lstm,
}
