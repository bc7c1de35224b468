#!/usr/bin/env python3
"""The recipes of CONTRIBUTING.md name the files that their examples use, and the links and paths of the documents lead
somewhere."""
import json
import re
import unittest
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#{1,6} (.+?)\s*$", re.MULTILINE)
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`([^`]+)`")
PATH = re.compile(r"(core|ui|app|tests|bench|docs|examples|packaging|resources|cmake)/[\w./-]*\w/?")
ITEM = re.compile(r"^- `([^`]+)`:((?:.*\n)(?:  .*\n)*)", re.MULTILINE)


@dataclass
class Recipe:
    name: str
    examples: list[str] = field(default_factory=list)
    items: list[tuple[str, list[str]]] = field(default_factory=list)  # a file, and what stands in it

    @property
    def files(self) -> set[str]:
        return {file for file, _ in self.items}


def words_in(text: str) -> list[str]:
    return [" ".join(word.split()) for word in CODE.findall(text)]


def recipes() -> list[Recipe]:
    text = (ROOT / "CONTRIBUTING.md").read_text().split("\n## Recipes\n")[1]
    found = []
    for section in re.split(r"^### ", text, flags=re.MULTILINE)[1:]:
        examples = re.search(r"^Examples?: (.*)$", section, re.MULTILINE)
        found.append(Recipe(section.splitlines()[0], words_in(examples[1]) if examples else [],
                            [(file, words_in(rest)) for file, rest in ITEM.findall(section)]))
    return found


def mentions(text: str, word: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text) is not None


def product_sources() -> dict[str, str]:
    return {str(path.relative_to(ROOT)): path.read_text() for folder in ("core", "ui", "app")
            for path in (ROOT / folder).rglob("*") if path.suffix in (".cpp", ".h", ".cuh", ".cu")}


def anchors_of(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub forms them."""
    anchors: set[str] = set()
    for heading in HEADING.findall(FENCE.sub("", page.read_text())):
        plain = re.sub(r"[`*]|\[([^\]]*)\]\([^)]*\)", lambda match: match[1] or "", heading)
        anchor = re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")
        repeats = sum(1 for other in anchors if re.fullmatch(re.escape(anchor) + r"(-\d+)?", other))
        anchors.add(f"{anchor}-{repeats}" if anchor in anchors else anchor)
    return anchors


# Paths that users make; the project does not contain them.
MADE_LATER = {"bench/results/", "tests/fixtures/traces"}


class Recipes(unittest.TestCase):
    def test_are_of_every_kind(self):
        names = {recipe.name for recipe in recipes()}
        for kind in ("operator", "memory strategy", "order", "graph pass", "panel", "report section", "optimizer",
                     "key of a file", "fusion rule", "device profile", "choice of the user", "what-if", "granularity of the planner"):
            self.assertTrue(any(name.endswith(kind) for name in names), f"{kind} is missing from {names}")

    def test_have_an_example_and_files(self):
        for recipe in recipes():
            with self.subTest(recipe.name):
                self.assertTrue(recipe.examples)
                self.assertGreaterEqual(len(recipe.files), 3)

    def test_name_files_with_what_stands_in_them(self):
        for recipe in recipes():
            for file, words in recipe.items:
                with self.subTest(f"{recipe.name}: {file}"):
                    self.assertTrue((ROOT / file).is_file(), f"{file} does not exist")
                    text = (ROOT / file).read_text()
                    absent = [word for word in words if word not in text and not (ROOT / word).exists()]
                    self.assertFalse(absent, f"{absent} is not in {file}")

    def test_name_every_file_that_mentions_the_example(self):
        sources = product_sources()
        for recipe in recipes():
            for example in recipe.examples:
                with self.subTest(f"{recipe.name}: {example}"):
                    users = {file for file, text in sources.items() if mentions(text, example)}
                    self.assertTrue(users, f"{example} is nowhere")
                    self.assertFalse(users - recipe.files, f"the recipe lacks files that mention {example}")


class Documents(unittest.TestCase):
    def test_link_to_what_is_there(self):
        for page in DOCUMENTS:
            for link in LINK.findall(FENCE.sub("", page.read_text())):
                if re.match(r"\w+:", link):
                    continue
                path, _, anchor = link.partition("#")
                target = (page.parent / path).resolve() if path else page
                with self.subTest(f"{page.relative_to(ROOT)}: {link}"):
                    self.assertTrue(target.exists(), "there is no such file")
                    if anchor:
                        self.assertIn(anchor, anchors_of(target))

    def test_name_paths_that_are_there(self):
        for page in DOCUMENTS:
            for word in CODE.findall(FENCE.sub("", page.read_text())):
                if PATH.fullmatch(word) and word not in MADE_LATER:
                    with self.subTest(page.relative_to(ROOT)):
                        self.assertTrue((ROOT / word).exists(), f"{word} does not exist")

    def test_know_the_presets(self):
        presets = json.loads((ROOT / "CMakePresets.json").read_text())["configurePresets"]
        names = {preset["name"] for preset in presets if not preset.get("hidden")}
        table = (ROOT / "CONTRIBUTING.md").read_text().split("| preset |")[1].split("\n\n")[0]
        self.assertEqual({row[1] for row in re.finditer(r"^\| `([\w-]+)`", table, re.MULTILINE)}, names)


if __name__ == "__main__":
    unittest.main()
