"""A measurement as the program reads it."""

from __future__ import annotations

import json
from statistics import median
from typing import Any

import torch

from .align import Found
from .curve import Curve
from .steps import Operators

VERSION = 1


def measurement_text(operators: Operators, device: torch.device, curves: list[Curve], times: list[list[Found]],
                     step_seconds: list[float], reserved: int, remarks: list[str]) -> str:
    """The JSON of a measurement: bytes of the first run, medians of the times of all runs."""
    first = curves[0]
    current: dict[str, Any] = {
        "device": "cpu" if device.type == "cpu" else f"{device.type}:{device.index or 0}",
        "live_bytes": first.live,
        "idle_bytes": first.idle,
        "workspace_bytes": first.workspace,
        "peak_bytes": max(first.live, default=0),
        "peak_together_bytes": first.together,
        "peak_reserved_bytes": reserved,
        "node_seconds": _node_seconds(times, len(operators.names)),
        "step_seconds": median(step_seconds),
        "repeats": len(curves),
        "repeat_difference": max(_difference(first, other) for other in curves),
        "remarks": remarks,
    }
    return json.dumps({"stashscope_measurement": VERSION, "torch": str(torch.__version__),
                       "operators": operators.names, "captured_peak_bytes": operators.peak,
                       "current": current}, separators=(",", ":")) + "\n"


def _node_seconds(times: list[list[Found]], count: int) -> list[float]:
    return [median(run[index].nanoseconds for run in times) / 1e9 for index in range(count)]


def _difference(one: Curve, other: Curve) -> int:
    return max((abs(mine - its) for mine, its in zip(one.live, other.live)), default=0)
