"""Python's garbage collector during a step that is observed."""

from __future__ import annotations

import contextlib
import gc
from typing import Iterator


@contextlib.contextmanager
def no_collection() -> Iterator[None]:
    """Switches Python's collector off: it would free tensors in reference cycles at moments that other code decides."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
