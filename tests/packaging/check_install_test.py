#!/usr/bin/env python3
"""The check of the install list: how it reads scripts and packages, and that it fails when a package is taken out."""
import contextlib
import io
import shutil
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
from pathlib import Path

sys.dont_write_bytecode = True
PACKAGING = Path(__file__).resolve().parent.parent.parent / "packaging"
sys.path.insert(0, str(PACKAGING))

import check_install
from needs.files import paths_of_dependencies
from needs.packages import Package, names_in, owners_of, with_dependencies
from needs.programs import imported_by_python, started_by_cpp, started_by_python
from needs.shell import programs_in


class ShellText(unittest.TestCase):
    def test_commands_are_found_wherever_they_begin(self):
        for text, programs in {
            "a b; c && d | e": {"a", "c", "d", "e"},
            "if ! a; then b; else c; fi": {"a", "b", "c"},
            "x=1 y= a b=c": {"a"},
            "a \\\n  b": {"a"},
            "x=$(a \"$(b)\") y=`c`": {"a", "b", "c"},
            "echo \"${x:-$(a)}\" '$(b)'": {"echo", "a"},
            "diff <(a) >(b)": {"diff", "a", "b"},
            "a # b; c": {"a"},
            "a >b 2>&1 <c": {"a"},
            "for x in a b; do c; done": {"for", "c"},
            "[[ a =~ b && $(c) == d ]] || e": {"c", "e"},
            "x=(a \"$(b)\" c)\nd": {"b", "d"},
            "((a < b)) || c $((d < e))": {"c"},
            "f() { a; }\nf": {"a"},
        }.items():
            self.assertEqual(programs_in(text), programs, text)

    def test_cases_and_documents_are_no_commands(self):
        self.assertEqual(programs_in("case $a in\n  b) c ;;\n  d | e)\n    f\n    ;;\n  *) g ;;\nesac\nh"),
                         {"c", "f", "g", "h"})
        self.assertEqual(programs_in("a <<'END' | b\nc\nd\nEND\ne"), {"a", "b", "e"})

    def test_programs_that_start_others(self):
        for text, programs in {
            "exec env -i A=1 a b": {"exec", "env", "a"},
            "a | xargs -n 1 b c": {"a", "xargs", "b"},
            "find . -name x -exec a {} +": {"find", "a"},
            "sh -c 'a; b'": {"sh", "a", "b"},
            "trap 'a x' EXIT": {"trap", "a"},
            "command -v a": {"command"},
            '"${as_root[@]}" a b': {"a"},
            '"${CXX:-a}" b': {"a"},
            '"$a" b; $c/d e': set(),
        }.items():
            self.assertEqual(programs_in(text), programs, text)


class OtherText(unittest.TestCase):
    def test_python(self):
        self.assertEqual(list(started_by_python('import subprocess\nsubprocess.run(["a", "b"])\nrun(["c"])')), ["a"])
        self.assertEqual(imported_by_python("import json, a.b\nfrom c.d import e\nfrom . import f"), {"a", "c"})

    def test_cpp(self):
        self.assertEqual(started_by_cpp('run("/bin/cat", \'"\'); // "/bin/rm"\nsay("sed");'), {"/bin/cat"})
        self.assertEqual(started_by_cpp('std::system("exec "\n  "sed -e x | head");') - {"exec"}, {"sed", "head"})
        self.assertEqual(started_by_cpp('write("#!/usr/bin/env bash\\n");'), {"/usr/bin/env", "bash"})

    def test_dependencies(self):
        told = "a.o: #deps 2, deps mtime 1 (VALID)\n    /usr/include/a.h\n    ../b.h\n\n"
        self.assertEqual(list(paths_of_dependencies(told)), ["/usr/include/a.h", "../b.h"])


class Dependencies(unittest.TestCase):
    def brought(self, named, **packages):
        known = {name: Package(name, depends=names_in(depends)) for name, depends in packages.items()}
        known["base"] = Package("base", is_always_there=True)
        known["x"].provides = ["virtual"]
        return with_dependencies(known, named) - {"base"}

    def test_are_followed(self):
        self.assertEqual(self.brought(["a"], a="b (>= 1), c:any", b="x", c="absent", x="a", y=""),
                         {"a", "b", "c", "x"})

    def test_of_alternatives_one_counts(self):
        self.assertEqual(self.brought(["a"], a="x | y", x="", y=""), {"a", "x"})
        self.assertEqual(self.brought(["a"], a="absent | y", x="", y=""), {"a", "y"})
        self.assertEqual(self.brought(["a"], a="x | y, b", b="y", x="", y=""), {"a", "b", "y"})

    def test_virtual_packages_are_those_that_provide_them(self):
        self.assertEqual(self.brought(["a"], a="virtual (= 2)", x="y", y=""), {"a", "x", "y"})


# For three packages of the list, a file that the compiler reads.
TAKEN_OUT = {
    "libgmock-dev": "/usr/include/gmock/gmock.h",
    "libgraphviz-dev": "/usr/include/graphviz/gvc.h",
    "nlohmann-json3-dev": "/usr/include/nlohmann/json.hpp",
}
BUILD_RULES = """
rule compile
  command = printf 'built: %s\\n' "{files}" > built.d && touch built
  depfile = built.d
  deps = gcc
build built: compile
"""


@unittest.skipUnless(shutil.which("dpkg-query") and all(Path(file).is_file() for file in TAKEN_OUT.values()),
                     "needs what install.sh brings")
class InstallList(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        # Replaces the folder of the project, whose own scripts would be read each time.
        project = unittest.mock.patch.object(check_install, "ROOT", self.folder)
        project.start()
        self.addCleanup(project.stop)
        self.list = self.folder / "install.sh"
        self.list.write_text((PACKAGING / "install.sh").read_text())

    def build(self, files):
        cache = f"CMAKE_HOME_DIRECTORY:INTERNAL={self.folder}\nCMAKE_MAKE_PROGRAM:FILEPATH={shutil.which('ninja')}\n"
        (self.folder / "CMakeCache.txt").write_text(cache)
        (self.folder / "build.ninja").write_text(BUILD_RULES.format(files=" ".join(files)))
        subprocess.run(["ninja", "-C", self.folder], check=True, capture_output=True)

    def take_out(self, package):
        text = (PACKAGING / "install.sh").read_text()
        self.assertIn(f" {package} ", text)
        self.list.write_text(text.replace(f" {package} ", " "))

    def check(self):
        said = io.StringIO()
        with contextlib.redirect_stderr(said), contextlib.redirect_stdout(said):
            try:
                status = check_install.main([str(self.folder), "--list", str(self.list)])
            except SystemExit as end:
                status = end.code
        return status, said.getvalue()

    def test_is_whole(self):
        self.build(TAKEN_OUT.values())
        self.assertEqual(self.check()[0], 0, self.check()[1])

    def test_lacks_a_package_that_was_taken_out(self):
        self.build(TAKEN_OUT.values())
        for package, file in TAKEN_OUT.items():
            self.take_out(package)
            status, said = self.check()
            self.assertEqual(status, 1, package)
            self.assertIn(f"  {package}:\n", said)
            self.assertIn(f"    {file} (used by the compiler)\n", said)
            for other in TAKEN_OUT.keys() - {package}:
                self.assertNotIn(other, said)

    def test_lacks_what_brings_a_program_of_a_script(self):
        self.build(TAKEN_OUT.values())
        (self.folder / "tests").mkdir()
        (self.folder / "tests/some.sh").write_text("#!/bin/sh\ncmake . && no-such-program\n")
        self.take_out("cmake")
        status, said = self.check()
        self.assertEqual(status, 1)
        self.assertIn("  cmake:\n    /usr/bin/cmake (used by tests/some.sh)\n", said)
        self.assertIn("    the program no-such-program (used by tests/some.sh)\n", said)

    def test_names_packages_that_are_here(self):
        self.build(TAKEN_OUT.values())
        self.list.write_text("packages=(\n    cmake no-such-package\n)\n")
        self.assertIn("no-such-package", self.check()[0])

    def test_is_checked_against_a_build_only(self):
        self.assertIn("is not a build folder", self.check()[0])
        self.build([])
        self.assertIn("has no record", self.check()[0])

    def test_files_that_no_package_brought_have_no_owner(self):
        self.assertEqual(owners_of([__file__, "/bin/sh"]), {__file__: set(), "/bin/sh": {"dash"}})


if __name__ == "__main__":
    unittest.main()
