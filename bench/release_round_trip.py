#!/usr/bin/env python3
"""Takes exported plans back to the front end of ONNX Runtime 1.19.2 and compares.

usage: release_round_trip.py STASHSCOPE [MODEL...]

Needs a Python with onnxruntime-training-cpu 1.19.2, torch 2.4, transformers 4.44, onnx 1.16 and numpy below 2, after
`python -m onnxruntime.training.ortmodule.torch_cpp_extensions.install`. For each model: the front end saves the graph
that it analyses; STASHSCOPE lists its plans and exports three selections and both levels; the front end then trains one
step with each export. Prints a row for each: the plans of the front end, how many of them STASHSCOPE lists otherwise,
the plans that the front end reports as on, and the largest difference of loss and gradients from a step without
plans.
"""
import argparse
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

ENVIRONMENT = {"ORTMODULE_FALLBACK_POLICY": "FALLBACK_DISABLE", "ORTMODULE_LOG_LEVEL": "INFO"}
PLAN = re.compile(r"Plan\s+\d+\s*:\s*(ON|OFF)\s*:\s*(\S+)\s+(\d+)")


def models():
    """Builders of small models by name. Each returns a module whose output is the loss, and its inputs."""
    import torch
    import transformers

    class Loss(torch.nn.Module):
        def __init__(self, model, names):
            super().__init__()
            self.model, self.names = model, names

        def forward(self, *inputs):
            return self.model(**dict(zip(self.names, inputs))).loss

    class Perceptron(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = torch.nn.ModuleList(torch.nn.Linear(32, 32) for _ in range(4))

        def forward(self, x):
            for layer in self.layers:
                x = torch.nn.functional.gelu(layer(x))
            return x.square().mean()

    tokens = torch.randint(0, 90, (2, 16))
    text = {"input_ids": tokens, "labels": tokens}
    masked = {"input_ids": tokens, "attention_mask": torch.ones(2, 16, dtype=torch.int64), "labels": tokens}
    image = {"pixel_values": torch.randn(2, 3, 32, 32), "labels": torch.randint(0, 5, (2,))}
    sizes = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4}
    wide = {"intermediate_size": 64, "attn_implementation": "eager"}
    without_dropout = {"hidden_dropout_prob": 0, "attention_probs_dropout_prob": 0}
    words = {"vocab_size": 99}

    def built(model, config, inputs, **options):
        config = getattr(transformers, config)(**options)
        return Loss(getattr(transformers, model)(config), tuple(inputs)), tuple(inputs.values())

    return {
        "plain": lambda: (Perceptron(), (torch.randn(8, 32),)),
        "gpt2": lambda: built("GPT2LMHeadModel", "GPT2Config", masked, **words, n_embd=32, n_layer=2, n_head=4,
                              n_positions=32, resid_pdrop=0, embd_pdrop=0, attn_pdrop=0, use_cache=False),
        "bert": lambda: built("BertForMaskedLM", "BertConfig", masked, **words, **sizes, **wide, **without_dropout),
        "llama": lambda: built("LlamaForCausalLM", "LlamaConfig", text, **words, **sizes, **wide, use_cache=False),
        "t5": lambda: built("T5ForConditionalGeneration", "T5Config", text, **words, d_model=32, d_kv=8, d_ff=64,
                            num_layers=2, num_heads=4, dropout_rate=0, use_cache=False, decoder_start_token_id=0),
        "vit": lambda: built("ViTForImageClassification", "ViTConfig", image, **sizes, **wide, **without_dropout,
                             image_size=32, patch_size=8, num_labels=5),
        "bloom": lambda: built("BloomForCausalLM", "BloomConfig", masked, **words, hidden_size=32, n_layer=2, n_head=4,
                               hidden_dropout=0, attention_dropout=0, use_cache=False),
    }


def train(name, folder):
    """Trains one step in the front end. Saves its graphs, the loss and the gradients into `folder`."""
    import numpy
    import torch
    from onnxruntime.training.ortmodule import DebugOptions, LogLevel, ORTModule
    torch.manual_seed(0)
    build = models()[name]
    torch.manual_seed(1)
    module, inputs = build()
    module.train()
    wrapped = ORTModule(module, DebugOptions(save_onnx=True, onnx_prefix="graph", log_level=LogLevel.INFO))
    loss = wrapped(*inputs)
    loss.backward()
    values = {key: value.grad.numpy() for key, value in module.named_parameters() if value.grad is not None}
    numpy.savez(folder / "values.npz", loss=loss.detach().numpy(), **values)


def front_end(name, environment):
    """The plans that the front end reports, the loss and the gradients, from a process of its own."""
    import numpy
    folder = Path(tempfile.mkdtemp())
    variables = {**os.environ, **ENVIRONMENT, "ORTMODULE_SAVE_ONNX_PATH": str(folder), **environment}
    told = subprocess.run([sys.executable, __file__, "--train", name, str(folder)], env=variables, text=True,
                          capture_output=True, cwd=folder)
    if told.returncode != 0:
        sys.exit(f"{name}: the front end failed:\n{told.stderr[-2000:]}")
    plans = {config: (state == "ON", int(count)) for state, config, count in PLAN.findall(told.stdout + told.stderr)}
    return folder, plans, dict(numpy.load(folder / "values.npz"))


def exported(stashscope, graph, options):
    """The environment that the program exports for a choice of plans."""
    block = Path(tempfile.mkdtemp()) / "plans.sh"
    subprocess.run([stashscope, "--batch", graph, *options, "--export-env", block], check=True, capture_output=True)
    lines = [shlex.split(line) for line in block.read_text().splitlines() if line.startswith("export ")]
    return dict(line[1].split("=", 1) for line in lines)


def distance(ours, theirs):
    """Largest difference, relative to the largest value of each array."""
    import numpy
    largest = {key: max(1e-12, numpy.abs(values).max()) for key, values in theirs.items()}
    return max(float(numpy.abs(ours[key] - theirs[key]).max() / largest[key]) for key in theirs)


def choices(plans):
    """Options for three selections (the plan that saves most, every second plan, all) and both levels."""
    single = [plan["config"] for plan in plans if ":1:" in plan["config"] and "," not in plan["config"]]
    selections = {"first": single[:1], "every second": single[::2], "all": single}
    options = {what: (["--plan", ",".join(configs)], set(configs)) for what, configs in selections.items()}
    return options | {f"level {level}": (["--level", str(level)], None) for level in (1, 2)}


def compare(stashscope, name):
    folder, table, values = front_end(name, {})
    graph = next(folder.glob("*execution_model_training.onnx"))
    command = [stashscope, "--batch", graph, "--format", "json"]
    plans = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["plans"]
    ours = {plan["config"]: plan["freq"] for plan in plans}
    theirs = {config: count for config, (_, count) in table.items()}
    differing = sorted(config for config in ours.keys() | theirs.keys() if ours.get(config) != theirs.get(config))
    for what, (options, asked) in choices(plans).items():
        _, reported, again = front_end(name, exported(stashscope, graph, options))
        on = {config for config, (is_on, _) in reported.items() if is_on and "," not in config}
        differs = "" if asked is None else ", ".join(sorted(on ^ asked))
        agreement = "the level's" if asked is None else "as asked" if not differs else f"differs in {differs}"
        print(f"| {name} | {len(theirs)} | {len(differing)} | {what} | {len(on)} | {agreement} | "
              f"{distance(again, values):.1e} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--train", nargs=2, metavar=("MODEL", "FOLDER"), help=argparse.SUPPRESS)
    parser.add_argument("stashscope", nargs="?")
    parser.add_argument("models", nargs="*")
    options = parser.parse_args()
    if options.train:
        return train(options.train[0], Path(options.train[1]))
    if options.stashscope is None:
        parser.error("the path of stashscope is missing")
    print("| model | plans of the front end | differing plans | chosen | on | | loss and gradients differ by |")
    print("|---|---|---|---|---|---|---|")
    for name in options.models or models():
        compare(str(Path(options.stashscope).resolve()), name)


if __name__ == "__main__":
    main()
