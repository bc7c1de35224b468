#!/usr/bin/env python3
"""Measures training steps (forward and backward, no optimizer) of the reference models in PyTorch.

usage: peer_torch.py MODEL [--ways eager,fused,...] [--batch N] [--sequence N] [--precision TYPE] ...

A way is `eager` (attention operator by operator, as in the ONNX files) or `fused` (PyTorch's fused attention),
alone or followed by `-checkpoint` (recomputes every layer in the backward pass) or `-compile` (torch.compile).
Prints a line of JSON for each way as soon as it is measured. The peak counts parameters, gradients, inputs and
both outputs (loss and scores); the time is the median device time of the repeats.

--memory-limit limits the memory that PyTorch reserves on the device. --largest-batch finds the largest batch that
fits and measures it.
"""
import argparse
import contextlib
import dataclasses
import gc
import json
import statistics
import sys
import time

import torch

from models_torch import RECIPES, Recipe, Ways

TYPES = {"float32": None, "float16": torch.float16, "bfloat16": torch.bfloat16}
MOST_BATCH = 1 << 14


@dataclasses.dataclass(frozen=True)
class Way:
    name: str
    ways: Ways
    compiled: bool


def parse_way(name: str) -> Way:
    attention, _, extra = name.partition("-")
    if attention not in ("eager", "fused") or extra not in ("", "checkpoint", "compile"):
        raise argparse.ArgumentTypeError(f"'{name}' is not eager or fused, alone or with -checkpoint or -compile")
    return Way(name, Ways(attention == "fused", extra == "checkpoint"), extra == "compile")


def parse_ways(text: str) -> list[Way]:
    return [parse_way(name) for name in text.split(",")]


class Clock:
    """Times work on the device, or on the processor if there is no device."""

    def __init__(self, device: torch.device):
        self.on_device = device.type == "cuda"

    def seconds(self, work) -> float:
        if not self.on_device:
            start = time.perf_counter()
            work()
            return time.perf_counter() - start
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        work()
        end.record()
        end.synchronize()
        return start.elapsed_time(end) / 1000


class Memory:
    """Memory of PyTorch's allocator on the device. There are no figures for the processor."""

    def __init__(self, device: torch.device):
        self.device = device
        self.known = device.type == "cuda"

    def limit(self, limit_bytes: int) -> None:
        total = torch.cuda.get_device_properties(self.device).total_memory
        torch.cuda.set_per_process_memory_fraction(min(1.0, limit_bytes / total), self.device)

    def forget(self) -> None:
        """Releases all unused memory, workspaces of libraries included."""
        gc.collect()
        if self.known and torch.cuda.is_initialized():
            torch._C._cuda_clearCublasWorkspaces()
            torch.cuda.empty_cache()

    def start_peak(self) -> None:
        if self.known:
            torch.cuda.reset_peak_memory_stats(self.device)

    def peaks(self) -> dict[str, int]:
        if not self.known:
            return {}
        return {"peak_bytes": torch.cuda.max_memory_allocated(self.device),
                "reserved_bytes": torch.cuda.max_memory_reserved(self.device)}


class Bench:
    def __init__(self, options: argparse.Namespace):
        self.options = options
        named = torch.device(options.device)
        # Some PyTorch functions need the number of the device.
        self.device = torch.device("cuda", named.index or 0) if named.type == "cuda" else named
        self.clock = Clock(self.device)
        self.memory = Memory(self.device)
        self.recipe: Recipe = RECIPES[options.model]
        self.sizes = self.recipe.tiny if options.tiny else self.recipe.sizes

    def model(self, way: Way) -> torch.nn.Module:
        torch.manual_seed(self.options.seed)
        with self.device:
            model = self.recipe.module(self.sizes, way.ways).train()
        return torch.compile(model) if way.compiled else model

    def mixed(self):
        element = TYPES[self.options.precision]
        return torch.autocast(self.device.type, element) if element else contextlib.nullcontext()

    def step(self, model, inputs) -> torch.Tensor:
        """Runs one step. Gradients are allocated anew, and both outputs live until the end of the step."""
        with self.mixed():
            loss, scores = model(**inputs)
        loss.backward()
        del scores
        return loss.detach()

    def inputs(self, batch: int) -> dict[str, torch.Tensor]:
        return self.recipe.inputs(self.sizes, batch, self.options.sequence, self.device)

    def measure(self, model, batch: int) -> dict:
        """Raises PyTorch's error if the memory is too small."""
        inputs = self.inputs(batch)
        seconds, loss = [], None

        def work():
            nonlocal loss
            loss = self.step(model, inputs)

        started = time.monotonic()
        for index in range(self.options.warm_up + self.options.repeat):
            model.zero_grad(set_to_none=True)
            loss = None
            if index == self.options.warm_up:
                warm_up_seconds = time.monotonic() - started
                self.memory.start_peak()
            seconds.append(self.clock.seconds(work))
        counted = seconds[self.options.warm_up:]
        median = statistics.median(counted)
        return {"batch": batch, "loss": float(loss), "warm_up_seconds": warm_up_seconds, **self.memory.peaks(),
                "step_seconds": median, "seconds": counted, "samples_per_second": batch / median}

    def fits(self, model, batch: int) -> bool:
        fits = True
        try:
            self.step(model, self.inputs(batch))
        except torch.cuda.OutOfMemoryError:
            fits = False
        model.zero_grad(set_to_none=True)
        self.memory.forget()
        return fits

    def largest_batch(self, model) -> int:
        """The largest batch that fits; 0 if not even one sample does."""
        fitting, failing = 0, 1
        while failing <= MOST_BATCH and self.fits(model, failing):
            fitting, failing = failing, 2 * failing
        while failing - fitting > 1:
            middle = (fitting + failing) // 2
            if self.fits(model, middle):
                fitting = middle
            else:
                failing = middle
        return fitting

    def row(self, way: Way) -> dict:
        options = self.options
        row = {"model": options.model, "way": way.name, "precision": options.precision, "tf32": options.tf32,
               "sequence": options.sequence, "batch": options.batch, "memory_limit": options.memory_limit,
               "torch": torch.__version__}
        self.memory.forget()
        model = self.model(way)
        row["parameters"] = sum(each.numel() for each in model.parameters())
        batch = self.largest_batch(model) if options.largest_batch else options.batch
        row["batch"] = batch
        try:
            row |= self.measure(model, batch) if batch > 0 else {"out_of_memory": True}
        except torch.cuda.OutOfMemoryError:
            row["out_of_memory"] = True
        return row


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", choices=sorted(RECIPES))
    parser.add_argument("--ways", type=parse_ways, default=parse_ways("eager,fused,eager-checkpoint,fused-checkpoint"))
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--sequence", type=int, default=128)
    parser.add_argument("--precision", choices=sorted(TYPES), default="float32")
    parser.add_argument("--tf32", action="store_true", help="float32 products may round to tf32 (19 bits)")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--tiny", action="store_true", help="a small model of the same form, fast on a processor")
    parser.add_argument("--warm-up", type=int, default=2)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--memory-limit", type=int, metavar="BYTES")
    parser.add_argument("--largest-batch", action="store_true")
    options = parser.parse_args()
    if options.largest_batch and options.memory_limit is None:
        parser.error("--largest-batch needs --memory-limit")
    if options.memory_limit is not None and not options.device.startswith("cuda"):
        parser.error("--memory-limit needs a CUDA device")
    if options.repeat < 1 or options.warm_up < 0:
        parser.error("--repeat must be 1 or more, --warm-up 0 or more")
    return options


def main() -> int:
    options = parse_options()
    torch.backends.cuda.matmul.allow_tf32 = options.tf32
    torch.backends.cudnn.allow_tf32 = options.tf32
    bench = Bench(options)
    if options.memory_limit is not None:
        bench.memory.limit(options.memory_limit)
    for way in options.ways:
        print(json.dumps(bench.row(way)), flush=True)
        if way.compiled:
            torch.compiler.reset()
    return 0


if __name__ == "__main__":
    sys.exit(main())
