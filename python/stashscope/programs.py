"""The programs in the wheel: `stashscope` without its window, and the worker `stashscope-run`."""

from __future__ import annotations

import os
import sys
from pathlib import Path

_FOLDER = Path(__file__).resolve().parent


def _run(name: str) -> None:
    """Replaces this process by the program."""
    program = _FOLDER / "bin" / name
    if not program.is_file():
        sys.exit(f"{name}: this installation of stashscope has no programs; install the wheel that packaging/wheel.sh "
                 "builds")
    # Graphviz looks for its plugins in this folder.
    os.environ.setdefault("GVBINDIR", str(_FOLDER / "graphviz"))
    os.execv(program, [name, *sys.argv[1:]])


def stashscope() -> None:
    """Runs `stashscope`, which has no window here: `--batch`, `--replay` and the like."""
    _run("stashscope")


def stashscope_run() -> None:
    """Runs the worker."""
    _run("stashscope-run")
