#!/usr/bin/env python3
"""Installs a wheel into a fresh environment, and fails if it needs a library that is not in it, lacks the licence of
one that is, lacks a file of the package, or does not work.

usage: check_wheel.py [WHEEL]     (default: the one in build/wheels)

What every system of the wheel's kind has, such as the C library, is not counted.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from library_licences import EVERYWHERE

ROOT = Path(__file__).resolve().parent.parent
SAMPLE = ROOT / "resources/samples/gpt2_tiny.onnx"
USE = """
import json, sys, warnings
import stashscope
study = stashscope.load(sys.argv[1])
ticked = study.tick(study.plans[0])
planned = study.budget("70%", time_limit=1)
assert study.peak_bytes == study.curve.max() == study.baseline_peak_bytes
assert ticked.plans[0].on and not study.plans[0].on
assert planned.budget_answer.feasible and planned.peak_bytes < study.peak_bytes
print(ticked.to_json(), end="")
"""


def plain_environment() -> dict[str, str]:
    """Nothing that leads to libraries or packages of this machine."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("LD_", "PYTHON", "GVBINDIR"))}


def output_of(*command: object) -> str:
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, env=plain_environment(),
                          cwd=tempfile.gettempdir())
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def is_elf(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF"


def foreign_libraries(folder: Path) -> list[str]:
    """The libraries that the files of the wheel load from elsewhere, each with its user."""
    faults = []
    for path in sorted(folder.rglob("stashscope*/**/*")):
        if not path.is_file() or path.is_symlink() or not is_elf(path):
            continue
        for name, place in re.findall(r"^\s*(\S+) => (.+?)(?: \(0x\w+\))?$", output_of("ldd", path), re.MULTILINE):
            if not place.startswith(str(folder)) and not EVERYWHERE.fullmatch(name):
                faults.append(f"{path.relative_to(folder)} loads {name} from {place}")
    return faults


def without_licence(folder: Path) -> list[str]:
    """The libraries of the wheel whose licence is not in it."""
    licences = {path.name for path in folder.rglob("stashscope-*.dist-info/licenses/**/*")}
    # The wheel's names of libraries have a part that tells their contents: libgvc-2ebc7854.so.6.0.0.
    libraries = {re.sub(r"-[0-9a-f]{8}(?=[.]so)", "", path.name) for path in folder.rglob("stashscope.libs/*.so*")}
    return [f"the licence of {name} is not in the wheel" for name in sorted(libraries)
            if f"LICENCE-{name}.txt" not in licences]


def missing_sources(folder: Path) -> list[str]:
    """The package's files in the source tree that the wheel does not have."""
    package = ROOT / "python"
    sources = {path.relative_to(package) for path in package.glob("stashscope/**/*.py")}
    installed = next(folder.glob("lib/python3*/site-packages"))
    return [f"python/{path} is not in the wheel" for path in sorted(sources) if not (installed / path).is_file()]


def check(wheel: Path, folder: Path) -> None:
    output_of(sys.executable, "-m", "venv", folder)
    output_of(folder / "bin/pip", "install", "--quiet", "--disable-pip-version-check", wheel)
    faults = foreign_libraries(folder.resolve()) + without_licence(folder) + missing_sources(folder)
    if faults:
        sys.exit("\n".join(faults))
    told = output_of(folder / "bin/python", "-c", USE, SAMPLE)
    config = output_of(folder / "bin/python", "-c",
                       "import stashscope, sys; print(stashscope.load(sys.argv[1]).plans[0].config)", SAMPLE).strip()
    picture = folder / "graph.svg"
    printed = output_of(folder / "bin/stashscope", "--batch", SAMPLE, "--plan", config, "--format", "json", "--svg",
                        picture)
    if told != printed:
        sys.exit("to_json() and stashscope --batch --format json differ")
    if "<svg" not in picture.read_text():
        sys.exit("the program drew no graph")
    output_of(folder / "bin/stashscope-run", SAMPLE, "--device", "cpu")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wheel", type=Path, nargs="?", metavar="WHEEL")
    wheel = parser.parse_args().wheel or max((ROOT / "build/wheels").glob("*.whl"), key=os.path.getmtime, default=None)
    if wheel is None:
        sys.exit("There is no wheel in build/wheels. Run packaging/wheel.sh first")
    with tempfile.TemporaryDirectory() as folder:
        check(wheel.absolute(), Path(folder))
    print(f"{wheel.name} works in a fresh environment, with the libraries in it")
    return 0


if __name__ == "__main__":
    sys.exit(main())
