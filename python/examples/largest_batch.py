"""Captures a step with named dimensions, opens it at other sizes, and finds the largest batch that fits a memory."""

import torch
from torch import nn
from torch.nn import functional

import stashscope

WORDS, WIDTH = 1000, 128

layer = nn.TransformerEncoderLayer(WIDTH, nhead=4, dim_feedforward=4 * WIDTH, batch_first=True)
model = nn.Sequential(nn.Embedding(WORDS, WIDTH), nn.TransformerEncoder(layer, num_layers=4), nn.Linear(WIDTH, WORDS))
optimizer = torch.optim.AdamW(model.parameters())


# A function of its sizes, which makes its data itself.
def step(batch: int = 8, sequence: int = 64) -> None:
    ids = torch.randint(0, WORDS, (batch, sequence))
    optimizer.zero_grad()
    functional.cross_entropy(model(ids).flatten(0, 1), ids.flatten()).backward()
    optimizer.step()


stashscope.capture(step, "sized.onnx", dims={"batch": 8, "sequence": 64})

study = stashscope.load("sized.onnx")
print(f"{study.dims}: a peak of {study.peak_bytes:,} bytes, as a formula {study.peak_symbolic}")
larger = stashscope.load("sized.onnx", dims={"batch": 32})
print(f"{larger.dims}: a peak of {larger.peak_bytes:,} bytes")

# The budget chooses what the backward pass recomputes, so that a larger batch fits.
planned = study.budget("70%", time_limit=2)
fit = planned.fit("batch", "1GiB")
print(f"Batches that fit 1 GiB: {fit.baseline.largest.value} without a plan, {fit.value} with {planned.config}")
