"""Applies a plan to a model that goes through torch.compile: its partitioner obeys the plan."""

import torch
from torch import nn
from torch.nn import functional

import stashscope

WORDS, WIDTH = 1000, 128

layer = nn.TransformerEncoderLayer(WIDTH, nhead=4, dim_feedforward=4 * WIDTH, batch_first=True)
model = nn.Sequential(nn.Embedding(WORDS, WIDTH), nn.TransformerEncoder(layer, num_layers=4), nn.Linear(WIDTH, WORDS))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
ids = torch.randint(0, WORDS, (16, 128))


def step(called: nn.Module = model) -> None:
    optimizer.zero_grad()
    functional.cross_entropy(called(ids).flatten(0, 1), ids.flatten()).backward()
    optimizer.step()


# The plan comes from the step without torch.compile, because only that one lists its calls of modules.
stashscope.capture(step, "eager.onnx")
plan = stashscope.load("eager.onnx").budget("70%", time_limit=2).plan

# A capture runs the graphs operator by operator. The default backend, "inductor", needs a C++ compiler to train.
compiled = torch.compile(model, backend="aot_eager")
stashscope.capture(lambda: step(compiled), "compiled.onnx")
stashscope.apply(model, plan)
stashscope.capture(lambda: step(compiled), "planned.onnx")

for path in ("compiled.onnx", "planned.onnx"):
    print(f"{path}: a peak of {stashscope.load(path).peak_bytes:,} bytes")
