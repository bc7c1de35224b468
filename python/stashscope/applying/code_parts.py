"""Changes to the plain code of a plan."""

from __future__ import annotations


def with_part(code: str, old: str, new: str) -> str:
    """The code with `new` in place of the first `old`. Raises `ValueError` if `old` is not there."""
    if old not in code:
        raise ValueError(f"the code of the plan has no part {old!r}")
    return code.replace(old, new, 1)
