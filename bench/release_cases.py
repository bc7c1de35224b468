#!/usr/bin/env python3
"""Asks ONNX Runtime 1.19.2 for its plans for models and stores the answers as cases.

usage: release_cases.py OUTPUT MODEL...

Needs a Python with onnxruntime-training-cpu 1.19.2 and onnx 1.16. MODEL is an ONNX file, or a folder with `model.onnx`.
For each, OUTPUT/NAME gets session.onnx, the training graph as a session of the release optimizes it, and
reference.json: for the probes 0:0, 1:0 and 1:1 the plans (config, freq, saving_symbolic), the table of clusters that
the release prints, and the nodes that exist in addition when every plan of type 1 without partners is on. Prints a line
for each model: the numbers of nodes and plans, or the error of the release.
"""
import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PROBES = ("0:0", "1:0", "1:1")
FLOATS = (1, 10, 11, 16)
READ_BY_GRADIENTS = {"LayerNormalization": ("mean", "inv_std_dev"), "MaxPool": ("indices",),
                     "SoftmaxCrossEntropyLoss": ("log_prob",)}
WITHOUT_GRADIENT = re.compile(r"failed to find NodeArg by name: (\S+)_grad")


def parameters(model):
    """Names of the floating-point initializers that are not scalars."""
    return [each.name for each in model.graph.initializer if each.data_type in FLOATS and len(each.dims) > 0]


def with_tensor_constants(model):
    """The model with the numbers of its constants as tensors, as the package's shape inference reads them."""
    import numpy
    from onnx import helper, numpy_helper
    types = {"value_int": numpy.int64, "value_ints": numpy.int64, "value_float": numpy.float32,
             "value_floats": numpy.float32}
    for node in model.graph.node:
        if node.op_type == "Constant" and node.attribute[0].name in types:
            given = node.attribute[0]
            values = numpy.array(helper.get_attribute_value(given), types[given.name])
            node.attribute[0].CopyFrom(helper.make_attribute("value", numpy_helper.from_array(values)))
    return model


def with_all_outputs(model):
    """The model with every output that the release's gradients read."""
    for node in model.graph.node:
        missing = READ_BY_GRADIENTS.get(node.op_type, ())[len(node.output) - 1:]
        node.output.extend(f"{node.output[0]}_{what}" for what in missing)
    return model


def as_inputs(model, names):
    """The model with the initializers of `names` as graph inputs."""
    import onnx
    kept = [each for each in model.graph.initializer if each.name not in names]
    inputs = {each.name for each in model.graph.input}
    for each in model.graph.initializer:
        if each.name in names and each.name not in inputs:
            model.graph.input.append(onnx.helper.make_tensor_value_info(each.name, each.data_type, list(each.dims)))
    del model.graph.initializer[:]
    model.graph.initializer.extend(kept)
    return model


def training_graph(model, names, trained):
    """The graph with the gradients of `trained`, as the front end builds it."""
    from onnxruntime.capi import _pybind_state as native
    settings = native.OrtModuleGraphBuilderConfiguration()
    settings.initializer_names = names
    settings.initializer_names_to_train = trained
    settings.input_names_require_grad = []
    settings.build_gradient_graph = True
    builder = native.OrtModuleGraphBuilder()
    builder.initialize(model.SerializeToString(), settings)
    transformers = native.TrainingGraphTransformerConfiguration()
    transformers.propagate_cast_ops_config = native.PropagateCastOpsConfiguration()
    transformers.propagate_cast_ops_config.level = 1
    transformers.enable_compute_optimizer = True
    builder.build(transformers)
    return builder.get_gradient_model()


def graph_of_trainable(model, names):
    """The training graph. Running statistics and the like have no gradient and are not trained."""
    trained = list(names)
    while True:
        try:
            return training_graph(model, names, trained)
        except RuntimeError as error:
            without = WITHOUT_GRADIENT.search(str(error))
            if without is None or without.group(1) not in trained:
                raise
            trained.remove(without.group(1))


def session(model, level, entries=(), saved=None):
    """A session as the front end makes it. `saved` receives the graph that it runs."""
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = getattr(onnxruntime.GraphOptimizationLevel, level)
    options.execution_order = onnxruntime.ExecutionOrder.PRIORITY_BASED
    options.enable_mem_pattern = options.enable_mem_reuse = False
    options.log_severity_level = 3
    for key, value in entries:
        options.add_session_config_entry(key, value)
    if saved:
        options.optimized_model_filepath = str(saved)
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def plans_of(path, probe):
    """The release's table of clusters and its plans for a saved graph."""
    import onnx
    from onnxruntime.capi import _pybind_state as native
    graph = onnx.load(path, load_external_data=False).graph
    handed_over = next(node for node in graph.node if node.op_type == "YieldOp").input
    device = native.OrtDevice(native.OrtDevice.cpu(), native.OrtDevice.default_memory(), 0)
    outputs = [each.name for each in graph.output]
    running = session(str(path), "ORT_DISABLE_ALL")
    agent = native.TrainingAgent(running._sess, [each.name for each in graph.input], [device] * len(handed_over),
                                 outputs, [device] * len(outputs), 0)
    table, found = agent.get_serialized_ortmodule_memory_stat("", probe, True)
    plans = [{"config": config, "freq": int(count), "saving_symbolic": saving}
             for config, (saving, count) in sorted(found.items())]
    return table, plans


def modified_graph(path, probe, configs, saved):
    """Saves the graph with `configs` switched on."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as config:
        json.dump(configs, config)
        config.flush()
        session(str(path), "ORT_DISABLE_ALL", [("optimization.memory_optimizer_config", config.name),
                                               ("optimization.enable_memory_probe_recompute_config", probe)], saved)


def node_names(path):
    import onnx
    return [node.name for node in onnx.load(path, load_external_data=False).graph.node]


def with_all_plans(path, probe, plans):
    configs = [plan["config"] for plan in plans if plan["config"].endswith(":1:-1") and "," not in plan["config"]]
    with tempfile.TemporaryDirectory() as folder:
        saved = Path(folder) / "modified.onnx"
        modified_graph(path, probe, configs, saved)
        names = node_names(saved)
    return {"config": configs, "new_nodes": sorted(set(names) - set(node_names(path))), "nodes": len(names)}


def answer(path, probe):
    table, plans = plans_of(path, probe)
    return {"plans": plans, "table": table.splitlines(), "applied": with_all_plans(path, probe, plans)}


def make_case(model_path, folder):
    """Stores a case and returns what was found."""
    import onnx
    import onnxruntime
    from onnxruntime.tools.symbolic_shape_infer import SymbolicShapeInference
    model = with_all_outputs(with_tensor_constants(onnx.load(model_path)))
    names = parameters(model)
    model = SymbolicShapeInference.infer_shapes(model, auto_merge=True, guess_output_rank=True)
    graph = graph_of_trainable(as_inputs(model, set(names)), names)
    folder.mkdir(parents=True, exist_ok=True)
    saved = folder / "session.onnx"
    session(graph, "ORT_ENABLE_ALL", saved=saved)
    probes = {probe: answer(saved, probe) for probe in PROBES}
    reference = {"model": str(model_path), "onnxruntime": onnxruntime.__version__, "probes": probes}
    (folder / "reference.json").write_text(json.dumps(reference, indent=1))
    return f"{len(node_names(saved))} nodes, plans " + ", ".join(str(len(each["plans"])) for each in probes.values())


def in_own_process(model, folder):
    """Makes a case in a process of its own, because the release may end the process. Returns the line that is
    printed."""
    done = subprocess.run([sys.executable, __file__, "--one", str(folder), str(model)], capture_output=True, text=True)
    if done.returncode == 0:
        return done.stdout.strip().splitlines()[-1]
    shutil.rmtree(folder, ignore_errors=True)
    told = (done.stderr.strip().splitlines() or [f"ended with {done.returncode}"])[-1]
    return "refused: " + told[:300]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("output", type=Path)
    parser.add_argument("models", nargs="+", type=Path)
    options = parser.parse_args()
    if options.one:
        print(make_case(options.models[0], options.output))
        return
    for given in options.models:
        model = given / "model.onnx" if given.is_dir() else given
        name = given.name if given.is_dir() else given.stem
        print(f"{name}: {in_own_process(model, options.output / name)}", flush=True)


if __name__ == "__main__":
    main()
