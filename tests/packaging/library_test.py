#!/usr/bin/env python3
"""The installed library: the example builds against it outside the source tree and lists what the program lists. Needs
a finished build: STASHSCOPE_BUILD is its folder. Exits with 77 where STASHSCOPE_SANITIZE names sanitizers, because
programs without them cannot link to such a build."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
EXAMPLE = ROOT / "examples/list_opportunities"
CMAKE = os.environ.get("STASHSCOPE_CMAKE", "cmake")
INCLUDE = re.compile(r'^#include ["<]([^">]+)[">]', re.MULTILINE)


def output_of(*command: str | Path) -> str:
    ended = subprocess.run([str(each) for each in command], capture_output=True, text=True, check=False)
    if ended.returncode != 0:
        raise AssertionError(f"{command} ended with {ended.returncode}:\n{ended.stdout}{ended.stderr}")
    return ended.stdout


class InstalledLibrary(unittest.TestCase):
    folder: Path
    prefix: Path

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.prefix = cls.folder / "prefix"
        output_of(CMAKE, "--install", os.environ["STASHSCOPE_BUILD"], "--prefix", cls.prefix)

    def configured(self, source: Path) -> Path:
        build = source / "build"
        output_of(CMAKE, "-S", source, "-B", build, "-G", os.environ["STASHSCOPE_GENERATOR"],
                  f"-DCMAKE_CXX_COMPILER={os.environ['STASHSCOPE_COMPILER']}", f"-DCMAKE_PREFIX_PATH={self.prefix}")
        return build

    def sample(self, name: str) -> Path:
        return self.prefix / "share/stashscope/samples" / name

    def report(self, sample: str, *options: str) -> dict:
        return json.loads(output_of(self.prefix / "bin/stashscope", "--batch", self.sample(sample), "--format", "json",
                                    *options))

    def test_lists_in_ten_lines_what_the_program_lists(self):
        build = self.configured(Path(shutil.copytree(EXAMPLE, self.folder / "example")))
        output_of(CMAKE, "--build", build)
        for sample in ("gpt2_tiny.onnx", "mlp_gelu.onnx"):
            with self.subTest(sample):
                plans = self.report(sample)["plans"]
                listed = output_of(build / "list_opportunities", self.sample(sample)).splitlines()
                self.assertTrue(plans)
                self.assertEqual([row.split("\t") for row in listed],
                                 [[plan["config"], str(plan["freq"]), str(plan["saving_bytes"]),
                                   plan["saving_symbolic"]] for plan in plans])

    def test_the_program_finds_its_worker(self):
        self.assertEqual(self.report("mlp_gelu.onnx", "--device", "cpu")["measured"]["max_abs_error_bytes"], 0)

    def test_headers_need_only_installed_headers(self):
        headers = sorted((self.prefix / "include/stashscope").rglob("*.h"))
        self.assertTrue(headers)
        for header in headers:
            for name in INCLUDE.findall(header.read_text()):
                with self.subTest(f"{header.relative_to(self.prefix)}: {name}"):
                    # Headers of the C++ library and of the system have no folder, or `sys`.
                    self.assertTrue((self.prefix / "include" / name).is_file()
                                    or name.startswith("nlohmann/") or re.fullmatch(r"(sys/)?\w+(\.h)?", name))
        users = self.folder / "every_header.cpp"
        users.write_text("".join(f'#include "{header}"\n' for header in headers))
        output_of(os.environ["STASHSCOPE_COMPILER"], "-std=c++20", "-fsyntax-only", f"-I{self.prefix}/include",
                  users)

    def test_another_version_is_refused(self):
        source = self.folder / "newer"
        source.mkdir()
        (source / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.25)\nproject(newer LANGUAGES NONE)\n"
                                               "find_package(stashscope 999 REQUIRED)\n")
        with self.assertRaisesRegex(AssertionError, r'compatible\s+with\s+requested\s+version\s+"999"'):
            self.configured(source)

    def test_the_document_shows_the_example(self):
        document = (ROOT / "docs/library.md").read_text()
        for file in EXAMPLE.iterdir():
            self.assertIn(file.read_text(), document)


if __name__ == "__main__":
    if os.environ.get("STASHSCOPE_SANITIZE"):
        print("This build has sanitizers, so other programs cannot link to it")
        sys.exit(77)
    unittest.main()
