#!/usr/bin/env python3
"""The examples of python/examples run as they are, and what they print is right."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

try:
    import stashscope._engine  # noqa: F401
except ImportError as missing:
    print(f"The engine's module is absent ({missing}); packaging/engine.sh builds it for the tests")
    sys.exit(77)

import stashscope

EXAMPLES = Path(__file__).resolve().parent.parent.parent / "python/examples"
DOCS = EXAMPLES.parent.parent / "docs/python.md"


class Examples(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_example(self, name: str) -> str:
        """What it prints. Its files are in the folder of the test."""
        package = Path(stashscope.__file__).absolute().parent.parent
        done = subprocess.run([sys.executable, str(EXAMPLES / name)], cwd=self.folder, capture_output=True, text=True,
                              env={**os.environ, "PYTHONPATH": str(package)})
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def later_peak(self, name: str, **options: object) -> int:
        report = json.loads(stashscope.load(self.folder / name, **options).to_json())
        return report["memory"]["current"]["later_peak_bytes"]

    def peak(self, name: str, **options: object) -> int:
        return stashscope.load(self.folder / name, **options).peak_bytes

    def numbers(self, text: str) -> list[int]:
        return [int(number.replace(",", "")) for number in re.findall(r"\b[0-9][0-9,]*(?= bytes)", text)]

    def test_capture_a_step(self) -> None:
        total, *bands = self.numbers(self.run_example("capture_a_step.py"))
        self.assertEqual(total, self.peak("step.onnx"))
        self.assertEqual(sum(bands), total)

    def test_plan_and_apply(self) -> None:
        text = self.run_example("plan_and_apply.py")
        before, captured = self.numbers(text)
        self.assertEqual([before, captured], [self.peak("step.onnx"), self.peak("planned.onnx")])
        self.assertLessEqual(captured, 0.7 * before)
        self.assertIn(f"{captured:,} with", text)
        self.assertIn("plan, 0 more than predicted", text)

    def test_compile_with_a_plan(self) -> None:
        without, planned = self.numbers(self.run_example("compile_with_a_plan.py"))
        self.assertEqual([without, planned], [self.peak("compiled.onnx"), self.peak("planned.onnx")])
        self.assertLess(planned, without)

    def test_largest_batch(self) -> None:
        text = self.run_example("largest_batch.py")
        self.assertEqual(self.numbers(text), [self.peak("sized.onnx"), self.peak("sized.onnx", dims={"batch": 32})])
        without, planned = (int(number) for number in re.findall(r"([0-9]+) (?:without|with) ", text))
        self.assertGreater(planned, without)
        # Later steps must fit, too: they hold the optimizer's states from their start.
        self.assertLessEqual(self.later_peak("sized.onnx", dims={"batch": without}), 2**30)
        self.assertGreater(self.later_peak("sized.onnx", dims={"batch": without + 1}), 2**30)

    def test_they_are_short_and_linked(self) -> None:
        names = sorted(file.name for file in EXAMPLES.glob("*.py"))
        self.assertEqual([name for name in names if f"python/examples/{name})" not in DOCS.read_text()], [])
        for name in names:
            self.assertLessEqual(len((EXAMPLES / name).read_text().splitlines()), 40, name)
            self.assertTrue(hasattr(self, f"test_{name.removesuffix('.py')}"), f"no test runs {name}")


if __name__ == "__main__":
    unittest.main()
