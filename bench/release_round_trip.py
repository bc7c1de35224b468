#!/usr/bin/env python3
"""Trains with exported plans in the front end of ONNX Runtime 1.19.2, and compares its plans and results with ours.

usage: release_round_trip.py [--tables | --modified] STASHSCOPE [MODEL...]

Needs a Python with onnxruntime-training-cpu 1.19.2, torch 2.4, transformers 4.44, onnx 1.16 and numpy below 2, after
`python -m onnxruntime.training.ortmodule.torch_cpp_extensions.install`. For each model: the front end saves the graph
that it analyses; STASHSCOPE lists its plans and exports three selections and both levels; the front end then trains one
step with each export. Prints a row for each: the number of plans of the front end, the number of plans that the two
list differently, the plans that the front end reports as on, and the largest difference of loss and gradients from a
step without plans.

--tables compares every row of the front end's table instead: configs, frequencies, symbolic savings and their values at
the sizes of the first batch. The front end counts one of several stashed outputs, so ours may be larger; savings with
a dimension that only the front end leaves unknown (empty_dim_paramN) are counted apart.

--modified lets ONNX Runtime run the graphs that STASHSCOPE modifies (--save-model) in place of the front end's own.
Prints a row for each: nodes added, and the largest difference of loss and gradients from the unmodified graph.
"""
import argparse
import json
import math
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

ENVIRONMENT = {"ORTMODULE_FALLBACK_POLICY": "FALLBACK_DISABLE", "ORTMODULE_LOG_LEVEL": "INFO"}
PLAN = re.compile(r"Plan\s+\d+\s*:\s*(ON|OFF)\s*:\s*(\S+)\s+(\d+)\s{2,}(\S.*?)\s{2,}(\S.*?)\s*$", re.MULTILINE)
SIZES = re.compile(r"1st batch symbolic dim values:\s*\n(.*)")


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


def run_instead(graph):
    """Lets the front end run the graph of a file as it is, instead of its own."""
    import onnxruntime
    from onnxruntime.training.ortmodule import _execution_agent, _training_manager

    class Agent(_execution_agent.TrainingAgent):
        def __init__(self, _, *given):
            options = next(each for each in given if isinstance(each, onnxruntime.SessionOptions))
            options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
            super().__init__(graph, *given)

    _training_manager.TrainingAgent = Agent


def train(name, folder, graphs):
    """Trains one step in the front end with its own graph, which it saves into `folder`, or one with each of `graphs`.
    Saves the losses and the gradients."""
    import numpy
    import torch
    from onnxruntime.training.ortmodule import DebugOptions, LogLevel, ORTModule
    for number, graph in enumerate(graphs or [None]):
        if graph:
            run_instead(graph)
        torch.manual_seed(0)
        build = models()[name]
        torch.manual_seed(1)
        module, inputs = build()
        module.train()
        wrapped = ORTModule(module, DebugOptions(save_onnx=True, onnx_prefix="graph", log_level=LogLevel.INFO))
        loss = wrapped(*inputs)
        loss.backward()
        values = {key: value.grad.numpy() for key, value in module.named_parameters() if value.grad is not None}
        numpy.savez(folder / f"{number}.npz", loss=loss.detach().numpy(), **values)


def trained(name, environment, graphs=()):
    """A folder with the front end's graph, what it printed, and the loss and gradients of each step, from a process of
    its own."""
    import numpy
    folder = Path(tempfile.mkdtemp())
    variables = {**os.environ, **ENVIRONMENT, "ORTMODULE_SAVE_ONNX_PATH": str(folder), **environment}
    told = subprocess.run([sys.executable, __file__, "--train", name, str(folder), *map(str, graphs)], env=variables,
                          text=True, capture_output=True, cwd=folder)
    if told.returncode != 0:
        sys.exit(f"{name}: the front end failed:\n{told.stderr[-2000:]}")
    steps = [dict(numpy.load(folder / f"{number}.npz")) for number in range(len(graphs) or 1)]
    return folder, told.stdout + told.stderr, steps


def front_end(name, environment):
    """The plans that the front end reports, the loss and the gradients."""
    folder, told, (values,) = trained(name, environment)
    plans = {config: (state == "ON", int(count)) for state, config, count, *_ in PLAN.findall(told)}
    return folder, plans, values


def analysed_graph(folder):
    return next(folder.glob("*execution_model_training.onnx"))


def report(stashscope, graph, *options):
    """What the program reports of a graph."""
    command = [stashscope, "--batch", graph, "--format", "json", *options]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)


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


def compare_exports(stashscope, name):
    folder, table, values = front_end(name, {})
    graph = analysed_graph(folder)
    plans = report(stashscope, graph)["plans"]
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


FUNCTIONS = {"floor": math.floor, "Max": max, "Min": min, "max": max, "min": min}


def dimensions_in(text):
    return set(re.findall(r"[A-Za-z_]\w*", text)) - FUNCTIONS.keys()


def bytes_at(text, sizes):
    """The value of a saving at given sizes."""
    return float(eval(text, {"__builtins__": {}}, {**FUNCTIONS, **sizes}))


def with_several_outputs(clusters):
    """The clusters that free several outputs of a node; the front end counts one of them."""
    options = [option for row in clusters for option in row["options"]]
    return {option["subgraph"] for option in options if len(option["stashed"]) > 1}


def row_difference(theirs, ours, sizes, several):
    """What differs between a row of the front end's table and ours: one of the columns, "unnamed" or "ours counts more
    outputs"; empty if nothing differs."""
    if theirs is None or ours is None:
        return "Configs"
    count, printed, symbolic = theirs
    if count != ours["freq"]:
        return "Freq"
    without_size = dimensions_in(symbolic) - sizes.keys()
    if without_size - dimensions_in(ours["saving_symbolic"]):
        return "unnamed"
    sizes = sizes | dict.fromkeys(without_size, 7)
    saving, own = bytes_at(symbolic, sizes), bytes_at(ours["saving_symbolic"], sizes)
    if saving < own and any(entry.split(":")[0] in several for entry in ours["config"].split(",")):
        return "ours counts more outputs"
    if saving != own:
        return "Saving Symbolic"
    is_number = not dimensions_in(printed)
    return "Max Saving" if is_number and float(printed.replace(",", "")) != ours["saving_bytes"] else ""


def compare_tables(stashscope, name):
    folder, told, _ = trained(name, {})
    sizes = {key: int(size) for key, size in re.findall(r"(\w+)=(\d+)", SIZES.search(told).group(1))}
    theirs = {config: (int(count), printed, symbolic) for _, config, count, printed, symbolic in PLAN.findall(told)}
    graph = analysed_graph(folder)
    in_graph = report(stashscope, graph)["dims"].keys() & sizes.keys()
    found = report(stashscope, graph, *(option for key in in_graph for option in ("--dim", f"{key}={sizes[key]}")))
    ours = {plan["config"]: plan for plan in found["plans"]}
    several = with_several_outputs(found["clusters"])
    rows = {config: row_difference(theirs.get(config), ours.get(config), sizes, several)
            for config in theirs.keys() | ours.keys()}
    equal, more, unnamed = (list(rows.values()).count(what) for what in ("", "ours counts more outputs", "unnamed"))
    different = [f"{config}: {what}" for config, what in sorted(rows.items()) if what in TABLE_DIFFERENCES]
    print(f"| {name} | {len(theirs)} | {equal} | {more} | {unnamed} | {'; '.join(different) or 0} |", flush=True)


def modified(stashscope, graph, options):
    """The graph that the program modifies, and the number of nodes in it."""
    import onnx
    saved = Path(tempfile.mkdtemp()) / "modified.onnx"
    subprocess.run([stashscope, "--batch", graph, *options, "--save-model", saved], check=True, capture_output=True)
    return saved, len(onnx.load(saved).graph.node)


def compare_modified(stashscope, name):
    import onnx
    folder, _, _ = trained(name, {})
    graph = analysed_graph(folder)
    nodes = len(onnx.load(graph).graph.node)
    chosen = choices(report(stashscope, graph)["plans"])
    saved = [modified(stashscope, graph, options) for options, _ in chosen.values()]
    _, _, (unmodified, *steps) = trained(name, {}, [graph, *(path for path, _ in saved)])
    for what, (_, now), values in zip(chosen, saved, steps):
        print(f"| {name} | {nodes} | {what} | {now - nodes} | {distance(values, unmodified):.1e} |", flush=True)


TABLE_DIFFERENCES = ("Configs", "Freq", "Max Saving", "Saving Symbolic")
EXPORTS = (compare_exports, ("model", "plans of the front end", "differing plans", "chosen", "on", "",
                             "loss and gradients differ by"))
TABLES = (compare_tables, ("model", "rows", "equal", "ours counts more outputs", "unknown to the front end",
                           "differences"))
MODIFIED = (compare_modified, ("model", "nodes", "chosen", "nodes added", "loss and gradients differ by"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--train", nargs="+", metavar=("MODEL", "FOLDER"), help=argparse.SUPPRESS)
    parser.add_argument("--tables", dest="mode", action="store_const", const=TABLES, help="compare the tables of plans")
    parser.add_argument("--modified", dest="mode", action="store_const", const=MODIFIED, help="run the modified graphs")
    parser.set_defaults(mode=EXPORTS)
    parser.add_argument("stashscope", nargs="?")
    parser.add_argument("models", nargs="*")
    options = parser.parse_args()
    if options.train:
        name, folder, *graphs = options.train
        return train(name, Path(folder), graphs)
    if options.stashscope is None:
        parser.error("the path of stashscope is missing")
    compare, columns = options.mode
    print("| " + " | ".join(columns) + " |\n" + "|---" * len(columns) + "|", flush=True)
    for name in options.models or models():
        compare(str(Path(options.stashscope).resolve()), name)


if __name__ == "__main__":
    main()
