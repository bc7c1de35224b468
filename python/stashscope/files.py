"""Files that are written whole or not at all."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path
from typing import Union

PathLike = Union[str, "os.PathLike[str]"]


def replace_file(path: PathLike, data: bytes) -> None:
    """Writes a new file beside `path`, which replaces `path` when it is complete. Raises `OSError`."""
    target = Path(os.path.realpath(path))  # a symbolic link stays one
    handle, made = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.absolute().parent)
    try:
        with open(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        take_place(made, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(made)
        raise


def take_place(made: PathLike, target: PathLike) -> None:
    """Moves a file to the place of another one, with the permissions of that file. Raises `OSError`."""
    os.chmod(made, _mode_of(Path(target)))
    os.replace(made, target)


def _mode_of(target: Path) -> int:
    """The permissions of the file that is replaced, else those that a new file gets."""
    with contextlib.suppress(OSError):
        return target.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
