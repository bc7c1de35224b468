"""Plans as files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ..errors import Error
from ..files import replace_file
from .plan import PathLike, Plan, Region, SavedOperator

KEY = "stashscope.plan"
# Version 2 added `free_outputs`, version 3 added `skip`. A plan is written with the lowest version that has what it
# uses, so that older packages can read it.
VERSION = 3
_OPTIONAL = {"free_outputs", "skip"}
_ALTERED = "The file was altered. Save the plan again."


def save(plan: Plan, path: PathLike) -> None:
    """Writes a new file beside `path`. The new file replaces `path` when it is complete."""
    regions = [_written(region) for region in plan.regions]
    version = max((_version_of(region) for region in plan.regions), default=1)
    text = json.dumps({KEY: version, "torch": plan.torch, "regions": regions}, indent=1) + "\n"
    try:
        replace_file(path, text.encode())
    except OSError as error:
        raise Error(f"The plan cannot be written: {error.strerror or error}", str(path),
                    "Give the name of a file in a folder that exists and may be written.") from error


def _version_of(region: Region) -> int:
    return 3 if region.skip else 2 if region.free_outputs else 1


def _written(region: Region) -> dict[str, Any]:
    outputs = {"free_outputs": True} if region.free_outputs else {}
    skip = {"skip": _pairs(region.skip)} if region.skip else {}
    return {"module": region.module, "save": _pairs(region.save), **outputs, **skip}


def _pairs(calls: tuple[SavedOperator, ...]) -> list[list[Any]]:
    return [[call.operator, call.occurrence] for call in calls]


def load(path: PathLike) -> Plan:
    """Reads a plan. Files are not trusted."""
    where = str(path)
    try:
        text = Path(path).read_bytes()
    except OSError as error:
        raise Error(f"The plan cannot be read: {error.strerror or error}", where, "Give the path of a plan.") from error
    return parse(text, where)


def parse(text: bytes, where: str) -> Plan:
    """The plan in the content of a file. `where` names the file in errors."""
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
    _check_keys(part, {"module", "save"} | (_OPTIONAL & part.keys()), f"region {index}", where)
    save, skip = (_calls(part, name, index, where) for name in ("save", "skip"))
    return Region(part["module"], save, part.get("free_outputs", False), skip)


def _calls(part: dict[str, Any], name: str, index: int, where: str) -> tuple[SavedOperator, ...]:
    listed = part.get(name, [])
    if not isinstance(listed, list):
        raise Error(f"'{name}' of region {index} is not a list", where, _ALTERED)
    for pair in listed:
        if not isinstance(pair, list) or len(pair) != 2:
            raise Error(f"{json.dumps(pair)} in region {index} is not a pair of operator and occurrence", where,
                        _ALTERED)
    return tuple(SavedOperator(*pair) for pair in listed)


def _check_keys(content: dict[str, Any], known: set[str], what: str, where: str) -> None:
    for key in sorted(known - content.keys()):
        raise Error(f"'{key}' is missing in {what}", where, _ALTERED)
    for key in sorted(content.keys() - known):
        raise Error(f"'{key}' in {what} is not known", where, _ALTERED)
