"""Plans a step for a budget, lets PyTorch carry the plan out, and compares the peak with the prediction."""

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


stashscope.capture(step, "step.onnx")
study = stashscope.load("step.onnx")

# The cheapest plan that the search finds in two seconds for 70 % of the peak.
planned = study.budget("70%", time_limit=2)
print(f"{study.peak_bytes:,} bytes before, {planned.peak_bytes:,} with {planned.config}")
print(f"The plan adds {planned.extra_percent:.1f} % operations.")

# From now on the backward pass of the model recomputes what the plan says.
stashscope.apply(model, planned.plan)
stashscope.capture(step, "planned.onnx")
captured = stashscope.load("planned.onnx").peak_bytes
print(f"{captured:,} bytes captured with the plan, {captured - planned.peak_bytes:,} more than predicted")

# The model is again as it was before the plan.
stashscope.remove(model)
