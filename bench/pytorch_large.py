#!/usr/bin/env python3
"""Captures a decoder of 70 billion parameters on the device meta, and prints the time and memory of the capture.

usage: PYTHONPATH=python bench/pytorch_large.py FILE [BATCH] [LAYERS]
"""

from __future__ import annotations

import resource
import sys
import time

import torch
from transformers import LlamaConfig, LlamaForCausalLM

import stashscope


def main() -> None:
    file, batch, layers = (sys.argv[1:] + ["8", "80"][max(len(sys.argv) - 2, 0):])[:3]
    config = LlamaConfig(hidden_size=8192, intermediate_size=28672, num_hidden_layers=int(layers),
                         num_attention_heads=64, num_key_value_heads=8, vocab_size=128256, max_position_embeddings=8192)
    with torch.device("meta"):
        model = LlamaForCausalLM(config).to(torch.bfloat16)
    optimizer = torch.optim.AdamW(model.parameters())
    ids = torch.randint(0, 1000, (int(batch), 4096))

    def step() -> None:
        optimizer.zero_grad()
        model(input_ids=ids, labels=ids).loss.backward()
        optimizer.step()

    start = time.monotonic()
    stashscope.capture(step, file, model=model, optimizer=optimizer)
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(f"captured in {time.monotonic() - start:.1f} s, {used:.2f} GB")


if __name__ == "__main__":
    main()
