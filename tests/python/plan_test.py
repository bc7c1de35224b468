"""Plans as values, files and code."""

from __future__ import annotations

import json
import os
import tempfile
import unittest
from pathlib import Path

from small_models import calls

from stashscope import Error, Plan, Region, SavedOperator

PLAN = Plan((Region("model.layers.0", calls("aten.mm.default", 0, 2) + calls("aten.addmm.default", 1)),
             Region("model.layers.1"), Region("")))


class Values(unittest.TestCase):
    def test_plans_are_values(self) -> None:
        same = Plan([Region("model.layers.0", list(PLAN.regions[0].save)), Region("model.layers.1"), Region("")])
        self.assertEqual(same, PLAN)
        self.assertEqual(hash(same), hash(PLAN))
        self.assertEqual(Plan(torch="1.0"), Plan())

    def test_wrong_values_are_refused(self) -> None:
        wrong = [
            ("'mm' is not the name of an operator", lambda: SavedOperator("mm", 0)),
            ("not the name", lambda: SavedOperator("aten..default", 0)),
            ("'3' is not the name of an operator", lambda: SavedOperator(3, 0)),
            ("-1 is not an occurrence", lambda: SavedOperator("aten.mm.default", -1)),
            ("True is not an occurrence", lambda: SavedOperator("aten.mm.default", True)),
            ("None is not the name of a module", lambda: Region(None)),
            ("not a SavedOperator", lambda: Region("a", [("aten.mm.default", 0)])),
            ("Occurrence 1 of 'aten.mm.default' is named twice", lambda: Region("a", calls("aten.mm.default", 1, 1))),
            ("not a Region", lambda: Plan(["a"])),
            ("'a' is named by two regions", lambda: Plan([Region("a"), Region("a")])),
        ]
        for pattern, make in wrong:
            with self.subTest(pattern), self.assertRaisesRegex(Error, pattern):
                make()


class Files(unittest.TestCase):
    def setUp(self) -> None:
        self._folder = tempfile.TemporaryDirectory()
        self.addCleanup(self._folder.cleanup)
        self.path = Path(self._folder.name) / "plan.json"

    def test_what_is_saved_is_loaded(self) -> None:
        PLAN.save(self.path)
        self.assertEqual(Plan.load(self.path), PLAN)
        self.assertEqual(Plan.load(str(self.path)).torch, PLAN.torch)
        self.assertEqual(json.loads(self.path.read_text())["regions"][0],
                         {"module": "model.layers.0",
                          "save": [["aten.mm.default", 0], ["aten.mm.default", 2], ["aten.addmm.default", 1]]})

    def test_the_version_is_the_oldest_that_knows_the_plan(self) -> None:
        skip = calls("aten.mm.default", 1)
        for version, plan in ((1, PLAN), (2, Plan((Region("a", free_outputs=True),))), (3, Plan((Region("a", skip=skip),
                              Region("b"))))):
            plan.save(self.path)
            self.assertEqual(json.loads(self.path.read_text())["stashscope.plan"], version)
            self.assertEqual(Plan.load(self.path), plan)

    def test_a_file_is_replaced_as_a_whole(self) -> None:
        Plan().save(self.path)
        os.chmod(self.path, 0o640)
        PLAN.save(self.path)
        self.assertEqual(os.listdir(self.path.parent), ["plan.json"])
        self.assertEqual(self.path.stat().st_mode & 0o777, 0o640)

    def test_places_that_cannot_be_written(self) -> None:
        for path in (self.path.parent / "none" / "plan.json", self.path.parent):
            with self.assertRaisesRegex(Error, "cannot be written"):
                PLAN.save(path)
        self.assertEqual(os.listdir(self.path.parent), [])

    def test_every_cut_is_seen(self) -> None:
        PLAN.save(self.path)
        whole = self.path.read_text().rstrip()
        for length in range(len(whole)):
            self.path.write_text(whole[:length])
            with self.assertRaisesRegex(Error, "plan.json"):
                Plan.load(self.path)

    def test_altered_files(self) -> None:
        good = {"stashscope.plan": 1, "torch": "2.9.1", "regions": [{"module": "a", "save": [["aten.mm.default", 0]]}]}
        region = {"module": "a", "save": []}
        changes = [
            ("not a plan", []), ("not a plan", {}), ("not a plan", {"stashscope": 1}),
            ("this Stashscope knows version 3", {**good, "stashscope.plan": 4}),
            ("not a version", {**good, "stashscope.plan": "1"}),
            ("not a version", {**good, "stashscope.plan": True}), ("not a version", {**good, "stashscope.plan": 0}),
            ("'torch' is missing", {key: good[key] for key in ("stashscope.plan", "regions")}),
            ("'torch' is not a text", {**good, "torch": 2}), ("'more' in the plan", {**good, "more": 1}),
            ("'regions' is not a list", {**good, "regions": {}}), ("Region 0 is not", {**good, "regions": [1]}),
            ("'save' is missing", {**good, "regions": [{"module": "a"}]}),
            ("'save' of region 0", {**good, "regions": [{"module": "a", "save": "x"}]}),
            ("'skip' of region 0", {**good, "regions": [{**region, "skip": {}}]}),
            ("not a pair", {**good, "regions": [{**region, "skip": [["aten.mm.default"]]}]}),
            ("not an occurrence", {**good, "regions": [{**region, "skip": [["aten.mm.default", -1]]}]}),
            ("both in 'save' and in 'skip'", {**good, "regions": [{**good["regions"][0], "skip": [
                ["aten.mm.default", 0]]}]}),
            ("not a pair", {**good, "regions": [{"module": "a", "save": [["aten.mm.default"]]}]}),
            ("not an occurrence", {**good, "regions": [{"module": "a", "save": [["aten.mm.default", 0.5]]}]}),
            ("not the name of an operator", {**good, "regions": [{"module": "a", "save": [[["x"], 0]]}]}),
            ("not the name of a module", {**good, "regions": [{**region, "module": 1}]}),
            ("two regions", {**good, "regions": [region, region]}),
        ]
        for pattern, content in changes:
            self.path.write_text(json.dumps(content))
            with self.subTest(pattern, content=content):
                with self.assertRaisesRegex(Error, f"{pattern}.*plan.json"):
                    Plan.load(self.path)

    def test_files_that_are_no_text(self) -> None:
        self.path.write_bytes(b"\xff\xfe\x00")
        with self.assertRaisesRegex(Error, "no complete JSON"):
            Plan.load(self.path)
        with self.assertRaisesRegex(Error, "cannot be read"):
            Plan.load(self.path.parent / "none.json")


class Code(unittest.TestCase):
    def test_regions_stand_in_the_code(self) -> None:
        space: dict[str, object] = {}
        exec(PLAN.code(), space)
        self.assertEqual(space["REGIONS"], [
            (["model.layers.0"], {"aten.addmm.default": (1,), "aten.mm.default": (0, 2)}),
            (["model.layers.1", ""], {}),
        ])

    def test_what_does_not_run_again_stands_in_the_code(self) -> None:
        skip = calls("aten.mm.default", 1)
        space: dict[str, object] = {}
        exec(Plan([Region("a", skip=skip), Region("b")]).code(), space)
        self.assertEqual(space["REGIONS"], [(["a"], {}, {"aten.mm.default": (1,)}), (["b"], {}, {})])

    def test_names_are_written_safely(self) -> None:
        name = 'a"\\\n' + "b" * 200
        space: dict[str, object] = {}
        exec(Plan([Region(name), Region("c")]).code(), space)
        self.assertEqual(space["REGIONS"], [([name, "c"], {})])


if __name__ == "__main__":
    unittest.main()
