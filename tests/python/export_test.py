#!/usr/bin/env python3
"""Exported models keep the names of their parameters, train in the program, and leave the user's model alone."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent.parent.parent / "python"), str(Path(__file__).resolve().parent)]

import onnx  # noqa: E402
import torch  # noqa: E402

import stashscope  # noqa: E402
from models import MODELS  # noqa: E402

torch.set_num_threads(1)
PROGRAM = os.environ.get("STASHSCOPE_PROGRAM", "")
IDS = torch.arange(64).reshape(2, 32) * 7 % 100


class Exported(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "model.onnx"

    def check(self, name: str, inputs, **options) -> None:
        model = MODELS[name]()[0].train()
        state = {key: value.clone() for key, value in model.state_dict().items()}
        config = dict(vars(model.config)) if hasattr(model, "config") else None
        stashscope.export(model, inputs, self.path, exporter="script", **options)
        for key, value in model.state_dict().items():
            self.assertTrue(torch.equal(value, state[key]), key)
        self.assertNotIn("forward", vars(model))
        self.assertEqual(config, dict(vars(model.config)) if config is not None else None)
        written = {one.name for one in onnx.load(str(self.path)).graph.initializer}
        self.assertLessEqual({key for key, _ in model.named_parameters()}, written)
        if PROGRAM:
            done = subprocess.run([PROGRAM, "--batch", str(self.path), "--format", "json"], capture_output=True,
                                  text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            report = json.loads(done.stdout)
            self.assertGreater(report["model"]["backward_nodes"], report["model"]["forward_nodes"] // 5)
            self.assertFalse([note for note in report["notes"] if "inference mode:" in note])

    def test_decoders(self) -> None:
        for name in ("gpt2", "llama", "mistral"):
            self.check(name, {"input_ids": IDS, "labels": IDS}, dims={0: "batch", 1: "sequence"})

    def test_images_with_batch_normalization(self) -> None:
        self.check("unet", torch.randn(2, 3, 32, 32), dims={0: "batch"})
        self.check("vit", {"pixel_values": torch.randn(2, 3, 32, 32), "labels": torch.tensor([1, 2])})

    def test_large_models_have_their_data_beside_them(self) -> None:
        model = torch.nn.Linear(64, 64)
        written = importlib.import_module("stashscope.exporting.export")
        with unittest.mock.patch.object(written, "_LARGEST_MESSAGE", 0):
            for _ in range(2):
                stashscope.export(model, torch.ones(2, 64), self.path, exporter="script")
                self.assertEqual({one.name for one in self.path.parent.iterdir()}, {"model.onnx", "model.onnx.data"})
            held = [one.read_bytes() for one in sorted(self.path.parent.iterdir())]
            with unittest.mock.patch.object(onnx, "save_model", side_effect=OSError(28, "No space left on device")):
                with self.assertRaises(stashscope.Error):
                    stashscope.export(model, torch.ones(2, 64), self.path, exporter="script")
        self.assertEqual([one.read_bytes() for one in sorted(self.path.parent.iterdir())], held)

    def test_a_link_stays_a_link(self) -> None:
        linked = self.path.with_name("linked.onnx")
        self.path.symlink_to(linked.name)
        written = importlib.import_module("stashscope.exporting.export")
        for largest in (written._LARGEST_MESSAGE, 0):
            linked.write_bytes(b"old")
            linked.chmod(0o640)
            with unittest.mock.patch.object(written, "_LARGEST_MESSAGE", largest):
                stashscope.export(torch.nn.Linear(64, 64), torch.ones(1, 64), self.path, exporter="script")
            self.assertTrue(self.path.is_symlink())
            self.assertNotEqual(linked.read_bytes(), b"old")
            self.assertEqual(linked.stat().st_mode & 0o777, 0o640)

    def test_refusals(self) -> None:
        model = torch.nn.Linear(4, 4)
        for inputs, options, text in ((torch.ones(1, 4), {"dims": {"y": {0: "batch"}}}, "names 'y'"),
                                      ((1,), {}, "no tensor"), (torch.ones(1, 4), {"exporter": "x"}, "no exporter 'x'"),
                                      (torch.ones(1, 5), {"exporter": "script"}, "cannot export")):
            with self.assertRaises(stashscope.Error) as caught:
                stashscope.export(model, inputs, self.path, **options)
            self.assertIn(text, str(caught.exception))
            self.assertFalse(self.path.exists())


if __name__ == "__main__":
    unittest.main()
