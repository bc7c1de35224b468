#!/usr/bin/env bash
# A newcomer's first minutes, only with steps from docs/python.md and docs/pytorch.md: installs the wheel with PyTorch
# and transformers into a fresh environment, captures a step of a model that does not fit 8 GiB, plans it to fit,
# applies the plan and captures again. Fails if the step does not fit then, or if the prediction was wrong.
# usage: newcomer.sh [WHEEL]     (default: the one in build/wheels; the packages come from PyPI)
set -euo pipefail
cd "$(dirname "$0")/.."

wheel=$(realpath "${1:-$(ls build/wheels/stashscope-*.whl)}")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
unset PYTHONPATH STASHSCOPE_PROGRAM

started=$SECONDS
python3 -m venv environment
environment/bin/pip install --quiet --disable-pip-version-check "$wheel" torch==2.9.1 transformers==4.57.6
echo "pip install: $((SECONDS - started)) s"

cat >train.py <<'END_OF_STEP'
import time

started = time.monotonic()


def done(text: str) -> None:
    global started
    print(f"{text}: {time.monotonic() - started:.1f} s", flush=True)
    started = time.monotonic()


import torch
import stashscope
from transformers import GPT2Config, GPT2LMHeadModel

done("imports")
with torch.device("meta"):
    model = GPT2LMHeadModel(GPT2Config(n_layer=36, n_embd=1280, n_head=20))  # GPT-2 large
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
ids = torch.randint(0, 50257, (4, 1024))
done(f"a model of {sum(one.numel() for one in model.parameters()):,} parameters on meta")


def step() -> None:
    optimizer.zero_grad()
    model(input_ids=ids, labels=ids, use_cache=False).loss.backward()
    optimizer.step()


stashscope.capture(step, "step.onnx")
done("capture")
study = stashscope.load("step.onnx")
done(f"load, a peak of {study.peak_bytes:,} bytes")
planned = study.budget("8GiB")
done(f"budget of 8 GiB, {planned.peak_bytes:,} bytes predicted with {planned.config}, "
     f"{planned.extra_percent:.1f} % more operations")
stashscope.apply(model, planned.plan)
stashscope.capture(step, "planned.onnx")
done("apply and capture again")
captured = stashscope.load("planned.onnx").peak_bytes
done(f"load, {captured:,} bytes captured, {captured - planned.peak_bytes:,} more than predicted")
assert study.peak_bytes > 8 * 2**30 >= captured == planned.peak_bytes
END_OF_STEP
environment/bin/python train.py
echo "all: $((SECONDS - started)) s"
