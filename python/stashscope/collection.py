"""Python's garbage collector during a step that is observed."""

from __future__ import annotations

import contextlib
import gc
from typing import Iterator


@contextlib.contextmanager
def no_collection() -> Iterator[None]:
    """Python's collector would end tensors in cycles at moments that depend on everything else."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
