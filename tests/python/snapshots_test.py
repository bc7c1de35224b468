#!/usr/bin/env python3
"""Memory snapshots and traces of the program in the hands of those who read them: PyTorch's viewer, Perfetto and Model
Explorer. And pickles of Python in the hands of the program."""

from __future__ import annotations

import csv
import importlib
import importlib.util
import io
import json
import os
import pickle
import re
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Any

# First of all, since it may have the engine, and the folder of sources has none.
import stashscope

import torch
from torch.cuda import _memory_viz

PROGRAM = os.environ.get("STASHSCOPE_PROGRAM", "")


def has(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False


class DataOnly(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        raise pickle.UnpicklingError(f"the pickle loads {module}.{name}")


def train_step(width: int) -> Any:
    model = torch.nn.Sequential(torch.nn.Linear(width, 4 * width), torch.nn.GELU(),
                                torch.nn.Linear(4 * width, width))
    optimizer = torch.optim.AdamW(model.parameters())
    rows = torch.randn(64, width)

    def step() -> None:
        optimizer.zero_grad()
        hidden = model(rows)
        hidden.square().mean().backward()
        optimizer.step()
    step.optimizer = optimizer  # type: ignore[attr-defined]
    return step


@unittest.skipUnless(PROGRAM, "STASHSCOPE_PROGRAM does not name the program")
class Case(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_program(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, cwd=self.folder)

    def run_well(self, *arguments: str) -> str:
        done = self.run_program(*arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def captured(self, width: int = 256) -> str:
        torch.manual_seed(0)
        stashscope.capture(train_step(width), self.folder / "step.onnx")
        return "step.onnx"

    def exported(self, *options: str) -> Any:
        """The report of the step that is exported with the options."""
        report = self.run_well("--batch", self.captured(), "--allocator", "pytorch", "--format", "json", *options)
        return json.loads(report)["memory"]["current"]


def read_data(path: Path) -> Any:
    with path.open("rb") as file:
        return DataOnly(file).load()


def trace_peak(snapshot: Any) -> int:
    """The most bytes of tensors at a time, as PyTorch's viewer adds them up."""
    events = snapshot["device_traces"][0]
    made = {event["addr"] for event in events if event["action"] == "alloc"}
    live = sum(block["requested_size"] for segment in snapshot["segments"] for block in segment["blocks"]
               if block["state"] == "active_allocated" and block["address"] not in made)
    most = live
    for event in events:
        live += event["size"] * ((event["action"] == "alloc") - (event["action"] == "free_completed"))
        most = max(most, live)
    return most


class Viewer(Case):
    def test_opens_the_snapshot_with_our_totals(self) -> None:
        memory = self.exported("--export-snapshot", "step.pickle")
        snapshot = read_data(self.folder / "step.pickle")
        reserved = sum(segment["total_size"] for segment in snapshot["segments"])
        self.assertEqual(reserved, memory["reserved_bytes"])
        stats = _memory_viz.segsum(snapshot)
        self.assertIn(f"total_reserved: {_memory_viz.Bytes(reserved)}\n", stats)
        allocated = sum(segment["requested_size"] for segment in snapshot["segments"])
        self.assertIn(f"total_allocated: {_memory_viz.Bytes(allocated)}\n", stats)
        self.assertIn("entries", _memory_viz.trace(snapshot))
        for plot in (_memory_viz.trace_plot(snapshot), _memory_viz.trace_plot(snapshot, plot_segments=True),
                     _memory_viz.segment_plot(snapshot)):
            self.assertIn("MemoryViz.js", plot)
        self.assertIn("snapshots_test.py", _memory_viz.memory(snapshot, format_flamegraph=lambda lines: lines))

    def test_adds_up_to_our_peak(self) -> None:
        memory = self.exported("--export-snapshot", "step.pickle")
        self.assertEqual(trace_peak(read_data(self.folder / "step.pickle")), memory["later_peak_bytes"])

    def test_sees_the_peak_in_the_segments(self) -> None:
        memory = self.exported("--export-snapshot", "step.pickle", "--snapshot-at", "peak")
        snapshot = read_data(self.folder / "step.pickle")
        live = sum(segment["requested_size"] for segment in snapshot["segments"])
        self.assertIn(live, (memory["peak_bytes"], memory["later_peak_bytes"]))
        self.assertIn(f"total_allocated: {_memory_viz.Bytes(live)}\n", _memory_viz.segsum(snapshot))

    def test_has_an_unknown_kind_and_lines_of_the_script(self) -> None:
        self.exported("--export-snapshot", "step.pickle")
        snapshot = read_data(self.folder / "step.pickle")
        events = snapshot["device_traces"][0]
        self.assertIn("unknown", {event["category"] for event in events})
        places = {(Path(event["frames"][0]["filename"]).name, event["frames"][0]["line"])
                  for event in events if event["action"] == "alloc"}
        line = next(number for number, text in enumerate(Path(__file__).read_text().split("\n"), 1)
                    if text.strip() == "hidden = model(rows)")
        self.assertIn(("snapshots_test.py", line), places)


def sample(version: str) -> Any:
    """A snapshot as PyTorch of a version writes it, with a tensor of 3 MiB made in train.py and one from before."""
    frames = [{"filename": "??", "line": 0, "name": "torch::autograd::Engine"},
              {"filename": "/opt/train.py", "line": 31, "name": "step"}]
    used = {"size": 3 << 20, "requested_size": 3 << 20, "state": "active_allocated"}
    free = {"size": 17 << 20, "state": "inactive"}
    segment = {"device": 0, "address": 0x7F0000000000, "total_size": 20 << 20, "allocated_size": 3 << 20,
               "active_size": 3 << 20, "stream": 0, "segment_type": "large", "blocks": [used, free]}
    event = {"action": "alloc", "addr": 0x7F0000000000, "size": 3 << 20, "stream": 0, "frames": frames}
    if version == "2.0":
        used["history"] = [{"addr": 0x7F0000000000, "frames": frames, "real_size": 3 << 20}]
        return {"segments": [segment], "device_traces": [[event]]}
    for block, offset in ((used, 0), (free, 3 << 20)):
        block.update(address=0x7F0000000000 + offset, frames=frames if block is used else [])
        block.setdefault("requested_size", 0)
    segment.update(requested_size=3 << 20, segment_pool_id=(0, 0), is_expandable=False, frames=frames)
    event.update(time_us=1_700_000_000_000_000, compile_context="N/A", user_metadata="")
    last = {"action": "oom", "device_free": 5, "size": 80 << 30, "stream": 0, "time_us": 1_700_000_000_000_001}
    settings = {"PYTORCH_CUDA_ALLOC_CONF": "expandable_segments:False", "max_split_size": -1,
                "garbage_collection_threshold": 0.0, "expandable_segments": False,
                "roundup_power2_divisions": {"1": 0, "2": 0}}
    notes = [{"stage": "START", "name": "forward", "device": 0, "time_us": 1_700_000_000_000_000}]
    return {"segments": [segment], "device_traces": [[event, last], []], "allocator_settings": settings,
            "external_annotations": notes}


class PicklesOfPython(Case):
    def test_are_read_in_every_protocol(self) -> None:
        for version in ("2.0", "2.9"):
            for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
                with self.subTest(version=version, protocol=protocol):
                    (self.folder / "a.pickle").write_bytes(pickle.dumps(sample(version), protocol))
                    (self.folder / "b.pickle").write_bytes(pickle.dumps(sample("2.9"), 4))
                    report = json.loads(self.run_well("--batch", "a.pickle", "--compare", "b.pickle", "--format",
                                                      "json"))
                    self.assertEqual(report["peak_bytes"], {"left": 3 << 20, "right": 3 << 20, "difference": 0})
                    self.assertEqual(report["reserved_bytes"]["left"], 20 << 20)
                    self.assertEqual([row["name"] for row in report["frames"]], ["train.py:31"])

    def test_with_code_are_refused_and_not_executed(self) -> None:
        ran = self.folder / "ran"

        class Evil:
            def __reduce__(self) -> Any:
                return os.system, (f"touch {ran}",)
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
            for value in (Evil(), {"segments": [], "device_traces": [[Evil()]]}, {1, 2}, bytearray(b"x")):
                (self.folder / "evil.pickle").write_bytes(pickle.dumps(value, protocol))
                done = self.run_program("--replay", "evil.pickle")
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertRegex(done.stderr, r"^stashscope: evil\.pickle: byte \d+: .*only data is read.*\n$")
                self.assertEqual(done.stderr.count("\n"), 1)
        self.assertFalse(ran.exists())

    def test_are_compared_with_a_step(self) -> None:
        memory = self.exported("--export-snapshot", "step.pickle")
        for left, right in (("step.onnx", "step.pickle"), ("step.pickle", "step.onnx")):
            report = json.loads(self.run_well("--batch", left, "--compare", right, "--format", "json"))
            self.assertEqual(report["peak_bytes"]["left"], memory["later_peak_bytes"])
            for rows in ("frames", "modules", "kinds"):
                self.assertTrue(report[rows])
                self.assertEqual({row["difference"] for row in report[rows]}, {0})
        self.assertIn("snapshots_test.py:", json.dumps(report["frames"]))
        self.assertIn("equal", self.run_well("--batch", "step.onnx", "--compare", "step.pickle"))

    def test_tell_what_another_size_adds(self) -> None:
        self.run_well("--batch", self.captured(128), "--export-snapshot", "small.pickle")
        self.run_well("--batch", self.captured(256), "--export-snapshot", "large.pickle")
        report = json.loads(self.run_well("--batch", "small.pickle", "--compare", "large.pickle", "--format", "json"))
        self.assertGreater(report["peak_bytes"]["difference"], 0)
        self.assertEqual(sum(row["difference"] for row in report["frames"]), report["peak_bytes"]["difference"])
        self.assertEqual(sum(row["difference"] for row in report["kinds"]), report["peak_bytes"]["difference"])
        text = self.run_well("--batch", "small.pickle", "--compare", "large.pickle")
        self.assertRegex(text, r"At the peak, by line\n  .*: .*, \+")

    def test_are_replayed(self) -> None:
        self.exported("--export-snapshot", "step.pickle")
        result = json.loads(self.run_well("--replay", "step.pickle", "--format", "json"))
        self.assertGreater(result["allocations"], 10)
        self.assertEqual(result["at_recorded_address"], result["allocations"])


class OtherFiles(Case):
    def test_the_curve_and_the_tensors_as_csv(self) -> None:
        memory = self.exported("--export-csv", "curve.csv")
        curve = list(csv.DictReader(io.StringIO((self.folder / "curve.csv").read_text())))
        self.assertEqual(max(int(row["live"]) for row in curve), memory["peak_bytes"])
        self.assertEqual(max(int(row["reserved"]) for row in curve), memory["reserved_bytes"])
        tensors = list(csv.DictReader(io.StringIO((self.folder / "curve_tensors.csv").read_text())))
        self.assertEqual(set(tensors[0]), {"name", "bytes", "first_slot", "last_slot", "role", "module"})

    def test_no_file_overwrites_another(self) -> None:
        model = self.captured()
        for options in (("--export-snapshot", model), ("--export-csv", model), ("--export-perfetto", model),
                        ("--export-node-data", model), ("--export-csv", "a.csv", "--export-perfetto", "a_tensors.csv"),
                        ("--export-snapshot", "a", "--out", "a")):
            done = self.run_program("--batch", model, *options)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1)
        for other in ("--export-snapshot", "--export-perfetto", "--export-node-data", "--export-csv"):
            self.assertNotEqual(self.run_program(model, other, "a").returncode, 0)
            self.assertNotEqual(self.run_program("--batch", model, "--compare", model, other, "a").returncode, 0)

    @unittest.skipUnless(has("perfetto"), "the package perfetto is not installed")
    def test_perfetto_reads_the_trace_and_its_peak(self) -> None:
        schema = importlib.import_module("perfetto.protos.perfetto.trace.perfetto_trace_pb2")
        memory = self.exported("--export-perfetto", "step.perfetto-trace")
        trace = schema.Trace()
        self.assertGreater(trace.ParseFromString((self.folder / "step.perfetto-trace").read_bytes()), 0)
        self.assertEqual(trace, schema.Trace.FromString(trace.SerializeToString()))
        names = {packet.track_descriptor.uuid: packet.track_descriptor.name for packet in trace.packet
                 if packet.HasField("track_descriptor")}
        most: dict[str, int] = {}
        depth, last = 0, 0
        for packet in trace.packet:
            self.assertEqual(packet.trusted_packet_sequence_id, 1)
            if not packet.HasField("track_event"):
                continue
            event = packet.track_event
            self.assertGreaterEqual(packet.timestamp, last)
            last = packet.timestamp
            if event.type == schema.TrackEvent.TYPE_COUNTER:
                name = names[event.track_uuid]
                most[name] = max(most.get(name, 0), event.counter_value)
            else:
                self.assertEqual(names[event.track_uuid], "nodes")
                depth += 1 if event.type == schema.TrackEvent.TYPE_SLICE_BEGIN else -1
                self.assertIn(depth, (0, 1))
        self.assertEqual(depth, 0)
        self.assertEqual(most, {"live bytes": memory["peak_bytes"], "reserved bytes": memory["reserved_bytes"]})

    @unittest.skipUnless(has("model_explorer"), "the package ai-edge-model-explorer is not installed")
    def test_model_explorer_reads_the_node_data(self) -> None:
        builder = importlib.import_module("model_explorer.node_data_builder")
        memory = self.exported("--export-node-data", "data.json")
        for name in ("data.json", "data_stashed.json"):
            given = json.loads((self.folder / name).read_text())
            graphs = {}
            for graph, data in given.items():
                graphs[graph] = builder.GraphNodeData(
                    name=data["name"],
                    results={node: builder.NodeDataResult(**result) for node, result in data["results"].items()},
                    gradient=[builder.GradientItem(**item) for item in data["gradient"]])
            written = json.loads(builder.ModelNodeData(graphsData=graphs).to_json_string())
            for graph, data in given.items():
                self.assertEqual({key: written[graph][key] for key in data}, data)
        live = json.loads((self.folder / "data.json").read_text())
        values = [result["value"] for graph in live.values() for result in graph["results"].values()]
        self.assertEqual(max(values), memory["peak_bytes"])
        self.assertRegex(next(iter(live)), re.compile("."))


if __name__ == "__main__":
    unittest.main()
