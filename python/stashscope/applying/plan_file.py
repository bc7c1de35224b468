"""Plans as files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ..errors import Error
from ..files import replace_file
from .plan import PathLike, Plan, Region, SavedOperator

KEY = "stashscope.plan"
VERSION = 1
_ALTERED = "The file was altered. Save the plan again."


def save(plan: Plan, path: PathLike) -> None:
    """Writes to a new file beside `path` and puts it in its place when it is complete."""
    regions = [{"module": region.module, "save": [[saved.operator, saved.occurrence] for saved in region.save]}
               for region in plan.regions]
    text = json.dumps({KEY: VERSION, "torch": plan.torch, "regions": regions}, indent=1) + "\n"
    try:
        replace_file(path, text.encode())
    except OSError as error:
        raise Error(f"The plan cannot be written: {error.strerror or error}", str(path),
                    "Give the name of a file in a folder that exists and may be written.") from error


def load(path: PathLike) -> Plan:
    """Reads a plan. Files are not trusted."""
    where = str(path)
    try:
        text = Path(path).read_bytes()
    except OSError as error:
        raise Error(f"The plan cannot be read: {error.strerror or error}", where, "Give the path of a plan.") from error
    return parse(text, where)


def parse(text: bytes, where: str) -> Plan:
    """The plan that the content of a file says. `where` names the file in errors."""
    try:
        content = json.loads(text.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise Error(f"The file is no complete JSON: {error}", where,
                    "It was cut or is not a plan. Save the plan again.") from error
    if not isinstance(content, dict) or KEY not in content:
        raise Error(f"The file has no '{KEY}' and is not a plan", where, "Give a file that Plan.save wrote.")
    _check_version(content[KEY], where)
    return _plan(content, where)


def _check_version(version: Any, where: str) -> None:
    if type(version) is not int or version < 1:
        raise Error(f"'{KEY}' is {json.dumps(version)}, not a version", where, _ALTERED)
    if version > VERSION:
        raise Error(f"The plan has version {version}; this Stashscope knows version {VERSION}", where,
                    "A newer Stashscope wrote it. Update stashscope.")


def _plan(content: dict[str, Any], where: str) -> Plan:
    _check_keys(content, {KEY, "torch", "regions"}, "the plan", where)
    if not isinstance(content["torch"], str):
        raise Error("'torch' is not a text", where, _ALTERED)
    if not isinstance(content["regions"], list):
        raise Error("'regions' is not a list", where, _ALTERED)
    try:
        return Plan(tuple(_region(part, index, where) for index, part in enumerate(content["regions"])),
                    content["torch"])
    except Error as error:
        if where in error.where:
            raise
        raise Error(error.what, f"{where}, {error.where}", error.hint) from None


def _region(part: Any, index: int, where: str) -> Region:
    if not isinstance(part, dict):
        raise Error(f"Region {index} is not an object", where, _ALTERED)
    _check_keys(part, {"module", "save"}, f"region {index}", where)
    if not isinstance(part["save"], list):
        raise Error(f"'save' of region {index} is not a list", where, _ALTERED)
    saved = []
    for pair in part["save"]:
        if not isinstance(pair, list) or len(pair) != 2:
            raise Error(f"{json.dumps(pair)} in region {index} is not a pair of operator and occurrence", where,
                        _ALTERED)
        saved.append(SavedOperator(*pair))
    return Region(part["module"], tuple(saved))


def _check_keys(content: dict[str, Any], known: set[str], what: str, where: str) -> None:
    for key in sorted(known - content.keys()):
        raise Error(f"'{key}' is missing in {what}", where, _ALTERED)
    for key in sorted(content.keys() - known):
        raise Error(f"'{key}' in {what} is not known", where, _ALTERED)
