"""Warnings in a captured step about facts that a user may not expect."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

from .record import Record
from .run import Assumed

# Operators of attention and dropout on the CPU. On a GPU, PyTorch runs other operators.
_OF_THE_CPU = {"_safe_softmax", "bernoulli_"}


@dataclass(frozen=True)
class Advice:
    """The ends of the warnings' sentences. They say what to do."""

    a_later_step: str
    new_states: str
    for_a_gpu: Optional[str]


IN_A_SCRIPT = Advice("capture with warm_up=1", "capture with warm_up=1", "kernels='cuda'")
WITH_REAL_TENSORS = Advice("run a step before the capture", "capture with fake=True and warm_up=1", None)
BY_THE_COMMAND = Advice("capture with --step 2", "use stashscope.capture with warm_up=1 in the script",
                        "--kernels cuda")


def hints(record: Record, assumed: Assumed, advice: Advice) -> list[str]:
    """Warnings for the file."""
    said = []
    made = sum(record.bytes[index] for index, key in enumerate(record.keys)
               if record.roles[index] == "optimizer" and key[0] == "node"
               and record.last[index] == len(record.nodes) and index not in record.replacing)
    if made:
        said.append(f"The optimizer makes {made:,} bytes of states in this step. Later steps hold them from their "
                    f"start: {advice.a_later_step}")
    if record.held_states:
        said.append(f"The step replaces {record.held_states:,} bytes of optimizer states. The capture holds the old "
                    f"ones, so they count to the end of the step: {advice.new_states}")
    if advice.for_a_gpu and not assumed.on_cuda and any(
            node.operator in _OF_THE_CPU and not node.compiled for node in record.nodes):
        said.append("Attention or dropout run as on the CPU here and hold more than on a GPU: for a GPU, capture with "
                    f"{advice.for_a_gpu}")
    return said
