"""Makes captures fast in tests that run many of them."""

from __future__ import annotations

import gc


def hide_objects() -> None:
    """Hides the objects that live now from the collector, and so from captures, which search all objects for tensors.

    Hundreds of thousands of them belong to imported modules.
    """
    gc.collect()
    gc.freeze()
