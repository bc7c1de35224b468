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


def of_engine(what: str, where: str, hint: str, message: str) -> Error:
    """An error of the engine, with the engine's own message as its text."""
    error = Error(what, where, hint)
    error.args = (message,)
    return error
