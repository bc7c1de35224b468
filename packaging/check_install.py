#!/usr/bin/env python3
"""Fails if the build or the tests use a file of the system that packaging/install.sh does not install.

usage: check_install.py BUILD_FOLDER [--list INSTALL_SCRIPT]

BUILD_FOLDER is a finished build (build/ci). Every file that it read, linked or ran, and every program that scripts and
tests start, must come from a package that the install script names, from a dependency of one, or from a package that
every Debian has. Other packages that are installed on this machine do not count.
"""
import argparse
import glob
import os
import re
import shutil
import sys
from pathlib import Path

sys.dont_write_bytecode = True

from needs.files import BuildFault, BuildFolder
from needs.packages import installed_packages, owners_of, with_dependencies
from needs.programs import SYSTEM_FOLDERS, modules_of_project, place_of, programs_of_project

ROOT = Path(__file__).resolve().parent.parent

# Names that install.sh need not install, and why.
OPTIONAL = {
    "ccache": "the build uses it if it is installed",
    "clang-format-14": ".ci/run installs it",
    "clang-tidy-14": ".ci/run installs it",
    "git": ".ci/run installs it",
    "node": "a test runs the script of the HTML report with it if it is installed",
    "nvcc": "CUDA's toolkit is optional, and its compiler may be a script outside the toolkit's folder",
    "nvidia-smi": "bench/gpu measures on a machine with NVIDIA's driver",
    "ssh": "the user's own; tests replace it by scripts",
    "ssh-copy-id": "only a message names it",
    "stream": "the name of a file in a test",
    "setuptools": "pip brings it to build the Python package",
    "sudo": "install.sh uses it only if the user is not root, and says if it is missing",
    **dict.fromkeys(("functorch", "numpy", "onnx", "onnxruntime", "torch", "torchvision", "transformers"),
                    "the Python package, its tests and some of bench run in environments of their own"),
}
# Files that the programs open at run time, although no rule, header or script names them.
OPENED_AT_RUN_TIME = {
    "/usr/bin/xz": "tar -xJf in tests/core/run/models/conformance_test.cpp",
    "/usr/lib/*/graphviz/libgvplugin_dot_layout.so.?": "Graphviz, to lay graphs out",
    "/usr/lib/*/qt6/plugins/platforms/libqoffscreen.so": "Qt, if QT_QPA_PLATFORM is offscreen",
    "/usr/lib/*/qt6/plugins/platforms/libqxcb.so": "Qt, to show the window",
    "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf": "Qt, to write text",
}
WHAT_TO_DO = """On a machine without these packages, the build or the tests would fail or be incomplete.
Name the package in {script}. If it may be missing, add its name and the reason to OPTIONAL in
packaging/check_install.py."""


class Needs:
    """The files that packages must provide, and what is missing on this machine, each with its user."""

    def __init__(self, optional_folders: list[str]):
        self.optional_folders = optional_folders
        self.users: dict[str, str] = {}
        self.absent: dict[str, str] = {}

    def add_file(self, path: str, user: str) -> None:
        folder, name = os.path.split(path)
        if any(path.startswith(each + "/") for each in self.optional_folders):
            return
        if folder.endswith("/bin") and not folder.startswith("/usr/lib/") and os.access(path, os.X_OK):
            self.add_program(name, user)  # a program from elsewhere on PATH counts as the system's
        else:
            self.users.setdefault(path, user)

    def add_program(self, program: str, user: str) -> None:
        if os.path.basename(program) in OPTIONAL:
            return
        place = place_of(program)
        if place is None:
            self.absent.setdefault(f"the program {program}", user)
        else:
            self.users.setdefault(place, user)

    def add_module(self, module: str, user: str) -> None:
        if module in OPTIONAL:
            return
        places = [*glob.glob(f"/usr/lib/python3/dist-packages/{module}/__init__.py"),
                  *glob.glob(f"/usr/lib/python3/dist-packages/{module}.*")]
        if places:
            self.users.setdefault(places[0], user)
        else:
            self.absent.setdefault(f"the Python module {module}", user)


def cuda_folders(build: BuildFolder) -> list[str]:
    """The folders of CUDA's toolkit, if it is installed. It is optional, and no Debian package provides it."""
    programs = build.cache.get("CUDAToolkit_BIN_DIR", "")
    if not programs or programs in SYSTEM_FOLDERS:
        return []
    folder = os.path.dirname(programs)
    return [folder, os.path.realpath(folder)]


def python_folders(build: BuildFolder) -> list[str]:
    """The headers of Python, if the module for Python was built. It is optional; packaging/engine.sh installs them."""
    headers = build.cache.get("_Python_INCLUDE_DIR", "")
    return [headers, os.path.realpath(headers)] if headers else []


def needs_of(build: BuildFolder) -> Needs:
    needs = Needs(cuda_folders(build) + python_folders(build))
    for paths, user in ((build.read_by_the_compiler(), "the compiler"), (build.named_by_rules(), "the build"),
                        (build.found_programs(), "CMake"), (build.loaded_libraries(), "the built programs")):
        for path in sorted(paths):
            needs.add_file(path, user)
    for program, user in programs_of_project(ROOT).items():
        needs.add_program(program, user)
    for module, user in modules_of_project(ROOT).items():
        needs.add_module(module, user)
    for pattern, user in OPENED_AT_RUN_TIME.items():
        found = glob.glob(pattern)
        needs.users.update({path: user for path in found})
        needs.absent.update({} if found else {pattern: user})
    return needs


def named_packages(script: Path) -> list[str]:
    text = re.sub(r"#.*", "", script.read_text())
    listed = re.search(r"^packages=\(([^)]*)\)", text, re.MULTILINE)
    if listed is None:
        sys.exit(f"{script}: the list packages=(...) is missing, so there is nothing to check against")
    return listed[1].split()


def without_package(needs: Needs, allowed: set[str]) -> dict[str, list[str]]:
    """The files that no allowed package provides, by the packages that do."""
    faults: dict[str, list[str]] = {}
    for path, owners in sorted(owners_of(needs.users).items()):
        if not owners & allowed:
            faults.setdefault(" or ".join(sorted(owners)) or "no package", []).append(path)
    return faults


def report(needs: Needs, faults: dict[str, list[str]], script: Path) -> None:
    if faults:
        print(f"{script} installs no package for these files:", file=sys.stderr)
    for packages, paths in sorted(faults.items()):
        print(f"  {packages}:", file=sys.stderr)
        for path in paths:
            print(f"    {path} (used by {needs.users[path]})", file=sys.stderr)
    if needs.absent:
        print("These are missing on this machine, so their packages are unknown:", file=sys.stderr)
    for what, user in sorted(needs.absent.items()):
        print(f"    {what} (used by {user})", file=sys.stderr)
    print(WHAT_TO_DO.format(script=script), file=sys.stderr)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path, metavar="BUILD_FOLDER")
    parser.add_argument("--list", type=Path, default=ROOT / "packaging/install.sh", metavar="INSTALL_SCRIPT")
    options = parser.parse_args(arguments)
    if shutil.which("dpkg-query") is None:
        sys.exit("dpkg-query is missing: this check needs Debian's packages; run it on a Debian")
    packages, named = installed_packages(), named_packages(options.list)
    unknown = [name for name in named if name not in packages]
    if unknown:
        sys.exit(f"{options.list} names packages that are not installed, so their files are unknown: "
                 f"{' '.join(unknown)}. Run it first")
    try:
        needs = needs_of(BuildFolder(options.build))
    except BuildFault as fault:
        sys.exit(str(fault))
    faults = without_package(needs, with_dependencies(packages, named))
    if faults or needs.absent:
        report(needs, faults, options.list)
        return 1
    print(f"The build and the tests use {len(needs.users)} files of the system. All come from the {len(named)} "
          "packages of the install list, from their dependencies, or from packages that every Debian has")
    return 0


if __name__ == "__main__":
    sys.exit(main())
