"""The window, a program of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Optional, Union

from ..errors import Error

# A launcher of this package, for the program without a window, names this module.
_LAUNCHER = b"stashscope.programs"


def open(path: Union[str, "os.PathLike[str]"]) -> None:
    """Opens a model, a session or a captured step in the window, which stays open when Python ends.

    Starts the program that STASHSCOPE_PROGRAM names, else the first `stashscope` on PATH that has a window. Raises
    `Error` if there is none, or no display.
    """
    file = Path(path)
    if not file.is_file():
        raise Error("There is no such file", str(path), "Give a model, a session or a captured step.")
    program = _program()
    if program is None:
        raise Error("The program stashscope with a window is not installed", "stashscope.open",
                    "Build it with packaging/run.sh, and put its folder on PATH or its path into STASHSCOPE_PROGRAM.")
    if not os.environ.get("DISPLAY") and not os.environ.get("WAYLAND_DISPLAY"):
        raise Error("There is no display for the window", "stashscope.open",
                    "Run it on a desktop, or use stashscope.load.")
    try:
        subprocess.Popen([program, "--", str(file.absolute())], stdin=subprocess.DEVNULL, start_new_session=True)
    except OSError as error:
        raise Error(f"The program cannot be started: {error.strerror or error}", program,
                    "Correct STASHSCOPE_PROGRAM or PATH.") from error


def _program() -> Optional[str]:
    named = os.environ.get("STASHSCOPE_PROGRAM")
    if named:
        return named
    for folder in os.get_exec_path():
        found = shutil.which("stashscope", path=folder)
        if found is not None and not _is_launcher(found):
            return found
    return None


def _is_launcher(program: str) -> bool:
    try:
        return _LAUNCHER in Path(program).read_bytes()[:1000]
    except OSError:
        return False
