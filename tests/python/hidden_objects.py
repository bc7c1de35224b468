"""Imports large libraries and hides their objects from Python's collector.

A capture searches all objects that the collector knows for tensors. Libraries have hundreds of thousands of them, and
some tests capture hundreds of times. A hidden tensor is not found: import this before all that makes tensors.
"""

from __future__ import annotations

import gc

import onnx  # noqa: F401
import torch._dynamo  # noqa: F401
from transformers import BertForMaskedLM, GPT2LMHeadModel, LlamaForCausalLM  # noqa: F401

gc.collect()
gc.freeze()
