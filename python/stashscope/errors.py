"""The one error that this package raises."""

from __future__ import annotations


class Error(Exception):
    """Says what went wrong, where and why, and what to do about it."""

    def __init__(self, what: str, where: str = "", hint: str = "") -> None:
        self.what = what
        self.where = where
        self.hint = hint
        place = f" ({where})" if where else ""
        advice = f" {hint}" if hint else ""
        super().__init__(f"{what}{place}.{advice}")
