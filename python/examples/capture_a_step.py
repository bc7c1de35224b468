"""Writes down a training step of a small transformer, and prints where its memory goes.

The step runs on tensors without data: the model could be far larger than this machine.
"""

import torch
from torch import nn
from torch.nn import functional

import stashscope

WORDS, WIDTH = 1000, 128

layer = nn.TransformerEncoderLayer(WIDTH, nhead=4, dim_feedforward=4 * WIDTH, batch_first=True)
model = nn.Sequential(nn.Embedding(WORDS, WIDTH), nn.TransformerEncoder(layer, num_layers=4), nn.Linear(WIDTH, WORDS))
optimizer = torch.optim.AdamW(model.parameters())
ids = torch.randint(0, WORDS, (16, 128))


def step() -> None:
    optimizer.zero_grad()
    functional.cross_entropy(model(ids).flatten(0, 1), ids.flatten()).backward()
    optimizer.step()


# The model and the optimizer stay as they are.
stashscope.capture(step, "step.onnx")

study = stashscope.load("step.onnx")
print(f"The step has {len(study.slots):,} operators and a peak of {study.peak_bytes:,} bytes.")
peak = study.slots[study.peak_slot]
print(f"The peak is in {peak.phase}, at {peak.name} in module '{peak.module}'.")
for band, values in study.bands.items():
    print(f"{band:>16}: {values[study.peak_slot]:>12,} bytes at the peak")
