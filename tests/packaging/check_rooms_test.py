#!/usr/bin/env python3
"""The check of the rooms: what it fails on, in small made-up projects, and how it reads functions."""
import contextlib
import io
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
PROJECT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(PROJECT / "packaging"))

import check_rooms
from rooms import diagram
from rooms.sizes import functions

ROOMS = """stashscope_room(core/low)
stashscope_room(core/middle INCLUDES core/low)
stashscope_room(core/high INCLUDES core/middle PRIVATE some::library)
"""
WINDOW = "stashscope_ui_room(\n  ui/view\n  INCLUDES core/high)\n"
FILES = {
    "core/low/low.h": "#include <string>\n",
    "core/middle/middle.h": '#include "core/low/low.h"\n',
    "core/high/high.h": '#include "core/middle/middle.h"\n',
    "ui/view/view.h": '#include <QWidget>\n#include "core/high/high.h"\n',
    "app/main.cpp": '#include "ui/view/view.h"\n#include "ui/view/view.h"\n',
}
EXCEPTIONS = "packaging/rooms/exceptions.txt"


class Project(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.write("core/CMakeLists.txt", ROOMS)
        self.write("ui/CMakeLists.txt", WINDOW)
        for file, text in FILES.items():
            self.write(file, text)

    def write(self, file, text):
        (self.root / file).parent.mkdir(parents=True, exist_ok=True)
        (self.root / file).write_text(text)

    def check(self, *arguments):
        told, faults = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(told), contextlib.redirect_stderr(faults):
            status = check_rooms.main(["--root", str(self.root), *arguments])
        return status, told.getvalue(), faults.getvalue()

    def assert_fault(self, *parts):
        """Expects exactly one fault, which names these parts."""
        status, _, faults = self.check("--quiet")
        self.assertEqual(status, 1, "no fault was found")
        self.assertEqual(faults.splitlines()[-1], "1 faults in the rooms", faults)
        for part in parts:
            self.assertIn(part, faults)

    def assert_no_fault(self):
        status, _, faults = self.check("--quiet")
        self.assertEqual((status, faults), (0, ""))


class Arrows(Project):
    def test_are_printed_for_rooms_that_are_as_declared(self):
        status, told, faults = self.check()
        self.assertEqual((status, faults), (0, ""))
        self.assertIn("core/high\n     1  core/middle\nui/view\n     1  core/high\napp\n     2  ui/view\n", told)

    def test_to_a_room_that_is_not_allowed(self):
        self.write("core/side/side.h", '#include "core/low/low.h"\n')
        self.write("core/CMakeLists.txt", ROOMS + "stashscope_room(core/side INCLUDES core/low)\n")
        self.write("core/high/other.h", '#include "core/side/side.h"\n')
        self.assert_fault("core/high/other.h includes core/side/side.h", "core/high may not include core/side")

    def test_to_what_an_allowed_room_may_include(self):
        self.write("core/high/other.h", '#include "core/low/low.h"\n')
        self.assert_no_fault()

    def test_to_a_room_that_is_declared_below(self):
        self.write("core/CMakeLists.txt", ROOMS.replace("core/low)", "core/low INCLUDES core/high)", 1))
        self.assert_fault("core/low may not include core/high, which is not declared above it")

    def test_by_a_path_beside_the_file(self):
        self.write("core/low/other.h", '#include "../middle/middle.h"\n')
        status, _, faults = self.check()
        self.assertEqual(status, 1)
        self.assertIn("core/low/other.h includes core/middle/middle.h: core/low may not include", faults)

    def test_in_a_circle(self):
        self.write("core/low/other.h", '#include "core/high/high.h"\n')
        status, _, faults = self.check()
        self.assertEqual(status, 1)
        self.assertIn("rooms in a circle: core/high -> core/middle -> core/low -> core/high", faults)
        self.assertIn("\n    core/low/other.h includes core/high/high.h", faults)

    def test_in_a_circle_of_big_rooms(self):
        self.write("core/CMakeLists.txt", ROOMS + "stashscope_room(core/low/more INCLUDES core/high)\n")
        self.write("core/low/more/more.h", '#include "core/high/high.h"\n')
        self.assert_fault("big rooms in a circle: core/high -> core/middle -> core/low -> core/high")

    def test_from_core_to_qt_and_the_window(self):
        for what in ("<QString>", "<QtCore/qstring.h>", '"ui/view/view.h"'):
            self.write("core/low/other.cpp", f"#include {what}\n")
            status, _, faults = self.check()
            self.assertEqual(status, 1, what)
            self.assertIn(f"core/low/other.cpp includes {what[1:-1]}: core knows neither Qt nor the window", faults)

    def test_to_tests(self):
        self.write("core/low/other.h", '#include "tests/support/folder.h"\n')
        self.assert_fault("core/low/other.h includes tests/support/folder.h", "nothing of its tests")

    def test_that_are_declared_and_not_used(self):
        self.write("core/CMakeLists.txt", ROOMS + "stashscope_room(core/top INCLUDES core/high core/low)\n")
        self.write("core/top/top.h", '#include "core/low/low.h"\n')
        self.assert_fault("core/top INCLUDES core/high, which none of its files uses")

    def test_that_give_access_to_another_room(self):
        self.write("core/CMakeLists.txt", ROOMS + "stashscope_room(core/top INCLUDES core/high)\n")
        self.write("core/top/top.h", '#include "core/low/low.h"\n')
        self.assert_no_fault()


class ThinArrows(Project):
    def setUp(self):
        super().setUp()
        self.write("core/high/other.cpp", '#include "core/low/low.h"\n')

    def test_hang_on_one_include_of_a_source(self):
        self.assert_fault("core/high/other.cpp includes core/low/low.h",
                          "nothing else makes core/high depend on core/low")

    def test_hold_with_a_second_include(self):
        self.write("core/high/third.cpp", '#include "core/low/low.h"\n')
        self.assert_no_fault()

    def test_hold_with_a_reason(self):
        for line in ("thin core/high -> core/low: one use", "anyone core/low: used by all",
                     "thin core/* -> *: patterns"):
            self.write(EXCEPTIONS, f"# Exceptions\n\n{line}\n")
            self.assert_no_fault()

    def test_need_a_reason(self):
        self.write(EXCEPTIONS, "thin core/high -> core/low\n")
        self.assertIn(f"{EXCEPTIONS}:1: expected", self.check()[2])

    def test_of_the_past_need_no_exception(self):
        self.write("core/high/other.cpp", "")
        self.write(EXCEPTIONS, "thin core/high -> core/low: one use\n")
        self.assert_fault('"thin core/high -> core/low" excuses nothing')


class Folders(Project):
    def test_of_sources_are_rooms(self):
        self.write("core/low/inner/inner.cpp", "")
        self.assert_fault("core/low/inner: sources that belong to no room")

    def test_of_libraries_made_elsewhere_include_what_their_line_allows(self):
        self.write("core/plugin/plugin.h", '#include "core/low/low.h"\n')
        self.write(EXCEPTIONS, "library core/plugin -> core/low: a module\n")
        self.assert_no_fault()
        self.write("core/plugin/other.h", '#include "core/middle/middle.h"\n')
        self.assert_fault("core/plugin may not include core/middle")

    def test_have_thirty_files_of_a_kind(self):
        for i in range(29):
            self.write(f"core/low/file_{i}.h", "")
        self.assert_no_fault()
        self.write("core/low/file_29.h", "")
        self.assert_fault("core/low: 31 .h files, more than 30")


class Sizes(Project):
    def test_of_files(self):
        self.write("tests/long_test.cpp", "int a;\n" * 450)
        self.assert_no_fault()
        self.write("tests/long_test.cpp", "int a;\n" * 451)
        self.assert_fault("tests/long_test.cpp: 451 lines, more than 450")

    def test_of_functions(self):
        self.write("core/low/low.cpp", "namespace a {\n\nvoid f() {\n" + "  g();\n" * 58 + "}\n}\n")
        self.assert_no_fault()
        self.write("core/low/low.cpp", "namespace a {\n\nvoid f() {\n" + "  g();\n" * 59 + "}\n}\n")
        self.assert_fault("core/low/low.cpp:3: 61 lines in one function, more than 60: void f()")

    def test_functions_are_found(self):
        for text, heads in {
            "struct A : B<int> {\n  void f() const { if (a) { b(); } }\n  int g();\n};": ["void f() const"],
            "namespace {\nclass A final { public: A() : a_{1} {} };\n}": ["public: A() : a_ {}", "public: A() : a_"],
            'const char* a = "{"; // {\nint f(int x) {\n  return \'{\';\n}': ["int f(int x)"],
            'auto a = R"({{{)";\nvoid f() {}': ["void f()"],
            "constexpr int a[] = {1, 2};\nextern \"C\" {\nint f() { return 1'000; }\n}": ["int f()"],
            "#define A {\\\n  {\ntemplate <class T>\nvoid f(T) {}": ["template <class T> void f(T)"],
            "enum class A { a, b };\nint f() {}": ["int f()"],
        }.items():
            found = [head for _, _, head in functions(text)]
            self.assertIn(found[-1], heads, text)
            self.assertLessEqual(len(found), 2, text)


class Diagram(Project):
    def test_leaves_out_arrows_that_a_longer_path_replaces(self):
        self.write("core/high/other.h", '#include "core/low/low.h"\n')
        rooms = "`core/low` `core/middle` `core/high` `ui/view`\n"
        self.write("docs/architecture.md", f"{rooms}{diagram.BEGIN}\nold\n{diagram.END}\nAfter\n")
        self.assert_fault("the diagram is not that of the includes")
        self.assertEqual(self.check("--diagram")[0], 0)
        page = (self.root / "docs/architecture.md").read_text()
        arrows = [line.strip() for line in page.splitlines() if "-->" in line and "<!--" not in line]
        self.assertEqual(arrows, ["app --> ui_view", "core_high --> core_middle", "core_middle --> core_low",
                                  "ui_view --> core_high"])
        self.assertTrue(page.startswith(rooms) and page.endswith("\nAfter\n"))
        self.assert_no_fault()

    def test_needs_its_markers(self):
        self.write("docs/architecture.md", "`core/low` `core/middle` `core/high` `ui/view`\n")
        self.assert_fault("the markers of the diagram are missing")

    def test_stands_beside_a_description_of_every_room(self):
        self.write("docs/architecture.md", f"`core/low` `core/middle` `core/high`\n{diagram.BEGIN}\n{diagram.END}\n")
        self.check("--diagram")
        self.assert_fault("docs/architecture.md: ui/view is missing")


if __name__ == "__main__":
    unittest.main()
