#!/usr/bin/env python3
"""Studies of the Python package: row by row the numbers of `stashscope --batch`, and the same text."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import warnings
from dataclasses import asdict
from pathlib import Path

import numpy

try:
    import stashscope._engine  # noqa: F401
except ImportError as missing:
    print(f"The engine's module is absent ({missing}); packaging/engine.sh builds it for the tests")
    sys.exit(77)

import torch
import stashscope
from models import training_step
from profiler_oracle import read
from stashscope import Error, Study

PROGRAM = os.environ.get("STASHSCOPE_PROGRAM", "")
ROOT = Path(__file__).resolve().parent.parent.parent
SAMPLES = sorted((ROOT / "resources/samples").glob("*.onnx"))
SHARED = ROOT.parent / "shared/models/small"
SHARED_NAMES = ("bert_tiny", "bloom_tiny_3layer", "convnext_small", "llama_tiny_amp_bf16", "llama_tiny_gqa",
                "resnet18_div8", "unet_small_bilinear", "vit_tiny")
BUDGET_NOT_MET = 4
FEW_MOVES = ("--time-limit", "0", "--move-limit", "60")


def printed(path: Path, *options: str, form: str = "json") -> str:
    done = subprocess.run([PROGRAM, "--batch", str(path), "--format", form, *options], capture_output=True, text=True)
    if done.returncode not in (0, BUDGET_NOT_MET):
        raise AssertionError(done.stderr)
    return done.stdout


def page_data(page: str) -> dict:
    start = page.index('id="data">') + len('id="data">')
    return json.loads(page[start:page.index("</script>", start)])


def quiet_budget(study: Study, *arguments: object, **options: object) -> Study:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return study.budget(*arguments, **options)


@unittest.skipUnless(PROGRAM, "STASHSCOPE_PROGRAM does not name the program")
class Figures(unittest.TestCase):
    def check_rows(self, study: Study, report: dict) -> None:
        for rows, key in ((study.plans, "plans"), (study.extensions, "extensions")):
            self.assertEqual(len(rows), len(report[key]))
            for row, expected in zip(rows, report[key]):
                known = json.loads(json.dumps(asdict(row)))
                self.assertEqual({name: known[name] for name in expected.keys() & known.keys()},
                                 {name: expected[name] for name in expected.keys() & known.keys()})
                self.assertLessEqual({"config", "freq", "saving_bytes", "saving_symbolic", "on"}, expected.keys())

    def check_curve(self, study: Study, path: Path, *options: str) -> None:
        curve = page_data(printed(path, *options, form="html"))["curve"]
        columns, before = curve["columns"], curve["lines"][0]
        self.assertEqual(len(study.curve), curve["slots"])
        self.assertEqual(study.curve[columns["slot"]].tolist(), columns["live"])
        self.assertEqual(study.baseline_curve[before["slot"]].tolist(), before["live"])
        for band, expected in zip(study.bands.values(), columns["bands"]):
            self.assertEqual(band[columns["slot"]].tolist(), expected)

    def check(self, study: Study, path: Path, *options: str) -> dict:
        text = printed(path, *options)
        report = json.loads(text)
        current, cost = report["memory"]["current"], report["cost"]
        self.assertEqual(study.peak_bytes, current["peak_bytes"])
        self.assertEqual(study.baseline_peak_bytes, report["memory"]["baseline"]["peak_bytes"])
        self.assertEqual(study.peak_symbolic, current["peak_symbolic"])
        self.assertEqual(study.dims, report["dims"])
        self.assertEqual(list(study.warnings), report["notes"])
        self.assertEqual([study.flops, study.extra_flops, study.extra_percent, study.seconds, study.extra_seconds],
                         [cost["flops"], cost["extra_flops"], cost["extra_percent"], cost["current_seconds"],
                          cost["extra_seconds"]])
        self.assertEqual(study.host_bytes, cost["host_bytes"])
        self.check_rows(study, report)
        self.assertEqual(study.curve.dtype, numpy.int64)
        self.assertEqual(int(study.curve.max()), study.peak_bytes)
        self.assertEqual(int(study.curve.argmax()), study.peak_slot)
        self.assertEqual(int(study.baseline_curve.max()), study.baseline_peak_bytes)
        self.assertEqual(sum(study.bands.values()).tolist(), study.curve.tolist())
        self.assertEqual({band: int(bytes[study.peak_slot]) for band, bytes in study.bands.items()},
                         current["peak_bands"])
        self.assertEqual(len(study.slots), len(study.curve))
        self.assertEqual(study.slots[study.peak_slot].name, current["peak_node"] or study.slots[study.peak_slot].name)
        if study.budget_answer is None:
            self.assertEqual(study.to_json(), text)
        return report

    def check_budget(self, study: Study, path: Path, budget: str) -> None:
        planned = quiet_budget(study, budget, time_limit=0, move_limit=60)
        report = self.check(planned, path, "--budget", budget, *FEW_MOVES)
        again, answer = json.loads(planned.to_json()), planned.budget_answer
        self.assertEqual([answer.budget_bytes, answer.feasible, answer.peak_bytes, answer.extra_seconds, answer.moves,
                          answer.later_peak_bytes],
                         [report["budget"][key] for key in ("budget_bytes", "feasible", "peak_bytes", "extra_seconds",
                                                            "moves", "later_peak_bytes")])
        for text in (report, again):
            del text["budget"]["seconds"]
        self.assertEqual(again, report)

    def check_model(self, path: Path) -> None:
        study = stashscope.load(path)
        report = self.check(study, path)
        self.check_curve(study, path)
        for level in (1, 2):
            self.check(stashscope.load(path, level=level), path, "--level", str(level))
        ticked, configs = study, []
        for row in study.plans[:1] + study.plans[-1:] + study.extensions[:1]:
            ticked = study.tick(row)
            self.check(ticked, path, "--plan", row.config)
            self.assertEqual(ticked.tick(row.config, on=False).to_json(), study.to_json())
            configs.append(row.config)
        self.check(stashscope.load(path, plans=configs), path, *(word for each in configs for word in ("--plan", each)))
        self.check_budget(study, path, "70%")
        if report["dims"]:
            name = next(iter(report["dims"]))
            self.check(stashscope.load(path, dims={name: 3}), path, "--dim", f"{name}=3")
        self.assertEqual(study.to_json(), printed(path), "unchanged by what was made of it")

    def test_samples(self) -> None:
        for path in SAMPLES:
            with self.subTest(path.stem):
                self.check_model(path)

    def test_shared_models(self) -> None:
        paths = [SHARED / name / "model.onnx" for name in SHARED_NAMES]
        if not all(path.is_file() for path in paths):
            self.skipTest(f"the models beside the project are absent: {SHARED}")
        for path in paths:
            with self.subTest(path.parent.name):
                self.check_model(path)

    def test_orders_grains_and_sizes(self) -> None:
        path = ROOT / "resources/samples/gpt2_tiny.onnx"
        self.check(stashscope.load(path, order="depth-first"), path, "--order", "depth-first")
        study = stashscope.load(path, dims={"*_dim0": 4})
        sized = ("--dim", "*_dim0=4")
        for grain in ("node", "sequence"):
            planned = quiet_budget(study, "80%", grain=grain, time_limit=0, move_limit=40)
            self.check(planned, path, *sized, "--budget", "80%", "--grain", grain, "--time-limit", "0", "--move-limit",
                       "40")
        below = study.baseline_peak_bytes - 2**20
        for limit in (below, "-1MiB", -2**20, numpy.int64(below)):
            self.assertEqual(quiet_budget(study, limit, time_limit=0, move_limit=9).budget_answer.budget_bytes, below)

    def test_fit(self) -> None:
        path = ROOT / "resources/samples/gpt2_tiny.onnx"
        fit = stashscope.load(path, level=1).fit("inputs_input_ids_dim0", "64MiB")
        report = json.loads(printed(path, "--level", "1", "--fit", "inputs_input_ids_dim0", "--memory", "64MiB"))["fit"]
        self.assertEqual(fit.value, report["current"]["largest"]["value"])
        self.assertEqual(fit.baseline.largest.peak_bytes, report["baseline"]["largest"]["peak_bytes"])
        self.assertEqual(fit.current.next.peak_bytes, report["current"]["next"]["peak_bytes"])
        self.assertEqual(fit, stashscope.load(path, level=1).fit(["inputs_input_ids_dim0"], 2**26))
        self.assertIsNone(fit.replanned)

    def test_fit_with_a_plan_for_each_size(self) -> None:
        path = ROOT / "resources/samples/gpt2_tiny.onnx"
        fit = stashscope.load(path).fit("inputs_input_ids_dim0", "32MiB", replan=True, time_limit=0, move_limit=60)
        report = json.loads(printed(path, "--fit", "inputs_input_ids_dim0", "--memory", "32MiB", "--fit-replan",
                                    *FEW_MOVES))["fit"]["replanned"]
        found = fit.replanned
        self.assertGreater(found.value, fit.value)
        self.assertEqual([found.value, found.at_least, found.peak_bytes, found.config, list(found.passes)],
                         [report["largest"]["value"], report["at_least"], report["largest"]["peak_bytes"],
                          report["largest"]["config"], report["largest"]["passes"]])
        self.assertLessEqual(found.peak_bytes, fit.memory_bytes)

    def test_a_session(self) -> None:
        path = ROOT / "resources/samples/gpt2_tiny.onnx"
        with tempfile.TemporaryDirectory() as folder:
            session = Path(folder) / "chosen.stashscope"
            printed(path, "--level", "1", "--dim", "*_dim0=2", "--save-session", str(session))
            study = stashscope.load(session)
            self.check(study, session)
            self.assertTrue(all(row.on for row in stashscope.load(path, level=1).plans if row.applied))
            less = study.tick(study.plans[0], on=False)
            self.check(less, session, "--plan", off(study.plans[0].config))
            saved = Path(folder) / "saved.stashscope"
            less.save(saved)
            self.assertEqual(stashscope.load(saved).plans, less.plans)
            self.check(stashscope.load(saved), saved)

    def test_a_captured_step(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "step.onnx"
            for model, optimizer in (("gpt2", "adamw"), ("llama", "sgd")):
                stashscope.capture(training_step(model, optimizer, False), path)
                study = stashscope.load(path)
                self.assertTrue(study.is_captured)
                self.check(study, path)
                self.check_curve(study, path)
                oracle = read(path)
                self.assertEqual(study.curve.tolist(), [oracle.baseline + during + workspace for during, workspace
                                                        in zip(oracle.during, oracle.workspace)], "the file's storages")
                self.assertEqual(study.slots.phases[0], "forward")
                self.assertEqual(study.slots.phases[-1], "optimizer")
                for row in study.plans[:3]:
                    planned = study.tick(row)
                    self.check(planned, path, "--plan", row.config)
                    self.assertIn("recompute", planned.slots.phases)
                    self.assertNotIn("recompute", study.slots.phases)
                self.check_budget(study, path, "85%")
                self.check_plan(study.tick(study.plans[0]), path, study.plans[0].config)

    def check_plan(self, study: Study, path: Path, config: str) -> None:
        """The plan is that of the program, and PyTorch can carry it out."""
        file, other = path.with_name("plan.json"), path.with_name("other.json")
        printed(path, "--plan", config, "--export-plan", str(file))
        self.assertEqual(study.plan, stashscope.Plan.load(file))
        self.assertTrue(study.plan.regions)
        study.plan.save(other)
        self.assertEqual(stashscope.Plan.load(other), study.plan)
        self.assertIn("checkpoint", study.plan.code())


def off(config: str) -> str:
    """The entries of a config, with the count 0."""
    return ",".join(entry.rsplit(":", 1)[0] + ":0" for entry in config.split(","))


class Refusals(unittest.TestCase):
    SAMPLE = ROOT / "resources/samples/gpt2_tiny.onnx"

    @classmethod
    def setUpClass(cls) -> None:
        cls.study = stashscope.load(cls.SAMPLE)

    def refused(self, act) -> Error:
        with self.assertRaises(Error) as caught:
            act()
        error = caught.exception
        self.assertTrue(error.what)
        self.assertIn(error.what, str(error))
        self.assertIn(error.where, str(error))
        self.assertIn(error.hint, str(error))
        return error

    def test_files(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            missing = Path(folder) / "missing.onnx"
            self.assertIn("missing.onnx", self.refused(lambda: stashscope.load(missing)).where)
            cut = Path(folder) / "cut.onnx"
            whole = self.SAMPLE.read_bytes()
            cut.write_bytes(whole[:len(whole) // 2])
            self.assertIn("cut.onnx", self.refused(lambda: stashscope.load(cut)).where)
            self.refused(lambda: stashscope.load(folder))
            step = Path(folder) / "step.onnx"
            stashscope.capture(training_step("gpt2", "sgd", False), step)
            step.write_bytes(step.read_bytes().replace(b"stashscope.storages", b"stashscope.storage_"))
            self.refused(lambda: stashscope.load(step))

    def test_choices(self) -> None:
        for options in ({"dims": {"nowhere": 4}}, {"dims": {"inputs_input_ids_dim0": -1}}, {"dims": {"": 1}},
                        {"dims": {"inputs_input_ids_dim0": 1.5}}, {"dims": {"inputs_input_ids_dim0": 10**30}},
                        {"plans": "Gelu"}, {"plans": ["@/no/such/file"]}, {"plans": [3]}, {"level": 3}, {"level": True},
                        {"order": "sideways"}, {"order": 4}, {"what_if": {"attention": "sideways"}},
                        {"what_if": {"nothing": 1}}, {"what_if": {"attention": True}}, {"what_if": ["attention"]}):
            with self.subTest(options):
                self.refused(lambda: stashscope.load(self.SAMPLE, **options))

    def test_a_what_if_changes_the_step(self) -> None:
        flash = stashscope.load(self.SAMPLE, what_if={"attention": "flash"})
        self.assertNotEqual(flash.to_json(), self.study.to_json())
        [found] = json.loads(flash.to_json())["what_if"]
        self.assertEqual((found["name"], found["value"]), ("attention", "flash"))
        self.assertGreater(found["found"], 0)
        self.assertEqual(stashscope.load(self.SAMPLE, what_if={}).to_json(), self.study.to_json())

    def test_the_program_says_the_same(self) -> None:
        if not PROGRAM:
            self.skipTest("STASHSCOPE_PROGRAM does not name the program")
        done = subprocess.run([PROGRAM, "--batch", str(self.SAMPLE), "--dim", "nowhere=4"], capture_output=True,
                              text=True)
        self.assertIn("no mapping", str(self.refused(lambda: stashscope.load(self.SAMPLE, dims=["batch"]))))
        error = self.refused(lambda: stashscope.load(self.SAMPLE, dims={"nowhere": 4}))
        self.assertIn(error.what, done.stderr)
        self.assertIn(error.hint, done.stderr)

    def test_edits_leave_the_study_as_it_was(self) -> None:
        before = self.study.to_json()
        for act in (lambda: self.study.tick("Nothing+:1:-1"), lambda: self.study.tick("Gelu"),
                    lambda: self.study.tick(""), lambda: self.study.tick(self.study.plans[0], on=1),
                    lambda: self.study.budget("much"), lambda: self.study.budget("60%", grain="sand"),
                    lambda: self.study.budget(0.6), lambda: self.study.budget("60%", time_limit=0),
                    lambda: self.study.budget("60%", time_limit=float("nan")),
                    lambda: self.study.fit("nowhere", "1GiB"),
                    lambda: self.study.fit("inputs_input_ids_dim0", 0), lambda: self.study.plan,
                    lambda: self.study.save(self.SAMPLE), lambda: self.study.save("/no/such/folder/session")):
            self.refused(act)
        self.assertEqual(self.study.to_json(), before)

    def test_limits_of_a_search_say_which_one_is_wrong(self) -> None:
        for limits, words in (({"time_limit": 0}, "both 0"), ({"move_limit": -1}, "below 0")):
            with self.assertRaises(stashscope.Error) as caught:
                self.study.budget("60%", **limits)
            self.assertIn(words, str(caught.exception))

    def test_a_study_cannot_be_changed(self) -> None:
        for name in ("peak_bytes", "path", "curve", "anything"):
            with self.assertRaises(AttributeError):
                setattr(self.study, name, 1)
        with self.assertRaises(AttributeError):
            del self.study.path
        for array in (self.study.curve, self.study.baseline_curve, *self.study.bands.values()):
            with self.assertRaises(ValueError):
                array[0] = 1
        with self.assertRaises(AttributeError):
            self.study.plans[0].on = True

    def test_reserved_bytes_are_those_of_the_report(self) -> None:
        self.assertGreaterEqual(self.study.reserved_bytes, self.study.peak_bytes)
        for settings in ("", "roundup_power2_divisions:4"):
            study = stashscope.load(self.study.path, allocator=settings)
            reported = json.loads(study.to_json())["memory"]["current"]["reserved_bytes"]
            self.assertEqual(study.reserved_bytes, reported)
        for wrong in ("unknown:1", 128):
            self.assertIn("allocator", self.refused(lambda: stashscope.load(self.study.path, allocator=wrong)).where)

    def test_open_says_what_is_missing(self) -> None:
        self.refused(lambda: stashscope.open("/no/such/file.onnx"))
        kept = dict(os.environ)
        try:
            for name in ("STASHSCOPE_PROGRAM", "DISPLAY", "WAYLAND_DISPLAY"):
                os.environ.pop(name, None)
            os.environ["PATH"] = ""
            self.refused(lambda: stashscope.open(self.SAMPLE))
            os.environ["STASHSCOPE_PROGRAM"] = "/no/such/program"
            self.assertIn("display", self.refused(lambda: stashscope.open(self.SAMPLE)).what)
            os.environ["DISPLAY"] = ":99"
            self.assertIn("/no/such/program", self.refused(lambda: stashscope.open(self.SAMPLE)).where)
        finally:
            os.environ.clear()
            os.environ.update(kept)


class InANotebook(unittest.TestCase):
    def test_the_card_has_the_curve_and_the_plans(self) -> None:
        study = stashscope.load(ROOT / "resources/samples/mlp_gelu.onnx", level=1)
        card = study._repr_html_()
        self.assertIn("<svg", card)
        self.assertEqual(card.count("<tr>") + card.count("<tr class"),
                         1 + min(12, len(study.plans) + len(study.extensions)))
        self.assertIn(study.plans[0].config, card)
        self.assertIn("mlp_gelu", repr(study))

    def test_slots_are_a_sequence(self) -> None:
        slots = stashscope.load(ROOT / "resources/samples/mlp_gelu.onnx").slots
        self.assertEqual([slot.name for slot in slots], list(slots.names))
        self.assertEqual(slots[1:3], (slots[1], slots[2]))
        self.assertEqual(list(slots.phases), sorted(slots.phases, reverse=True), "forward, then backward")


class LongWork(unittest.TestCase):
    """Searches without an end, which only a signal stops."""

    def setUp(self) -> None:
        self.study = stashscope.load(ROOT / "resources/samples/gpt2_tiny.onnx")

    def test_an_interrupt_ends_a_search(self) -> None:
        before = self.study.to_json()
        timer = threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            self.study.budget("30%", grain="sequence", time_limit=100_000)
        timer.join()
        self.assertEqual(self.study.to_json(), before)
        self.assertLess(self.study.budget("90%", time_limit=1).peak_bytes, self.study.peak_bytes)

    def test_other_threads_go_on(self) -> None:
        ticks = []
        done = threading.Event()

        def count() -> None:
            while not done.is_set():
                ticks.append(1)
                time.sleep(0.005)
        thread = threading.Thread(target=count)
        thread.start()
        self.study.budget("90%", time_limit=1)
        done.set()
        thread.join()
        self.assertGreater(len(ticks), 10)

    def test_studies_are_made_side_by_side(self) -> None:
        found = []
        threads = [threading.Thread(target=lambda: found.append(self.study.tick(self.study.plans[0]).to_json()))
                   for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(set(found)), 1)
        self.assertEqual(len(found), 4)


class Imports(unittest.TestCase):
    def run_python(self, code: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT,
                              env={**os.environ, "PYTHONPATH": str(Path(stashscope.__file__).absolute().parent.parent)})

    def test_a_study_needs_no_torch(self) -> None:
        done = self.run_python("import sys; sys.modules['torch'] = None; import stashscope;"
                               "print(stashscope.load('resources/samples/lenet.onnx').peak_bytes)")
        self.assertEqual(done.stdout.strip(),
                         str(stashscope.load(ROOT / "resources/samples/lenet.onnx").peak_bytes), done.stderr)

    def test_without_the_engine_the_rest_works(self) -> None:
        done = self.run_python("import sys; sys.modules['stashscope._engine'] = None; import stashscope;"
                               "stashscope.capture, stashscope.apply\n"
                               "try: stashscope.load('resources/samples/lenet.onnx')\n"
                               "except stashscope.Error as error: print(error)")
        self.assertIn("packaging/wheel.sh", done.stdout, done.stderr)

    def test_names(self) -> None:
        done = self.run_python("import stashscope\n"
                               "for name in [*stashscope.__all__, 'open']: getattr(stashscope, name)\n"
                               "print(sorted(set(stashscope.__all__) - set(dir(stashscope))))")
        self.assertEqual(done.stdout.strip(), "[]", done.stderr)


if __name__ == "__main__":
    torch.set_num_threads(1)
    unittest.main()
