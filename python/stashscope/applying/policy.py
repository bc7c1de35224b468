"""The policy of one call of a region: which operators keep their outputs."""

from __future__ import annotations

from collections import Counter
from typing import Any, Optional

import torch
from torch.utils._pytree import tree_leaves
from torch.utils.checkpoint import CheckpointPolicy

from ..errors import Error
from .randomness import State, devices_of, is_random, random_state, same_state, set_random_state

Saved = dict[Any, frozenset[int]]
Key = tuple[Any, int]


class CallPolicy:
    """Counts the operators of one call, in forward and when it runs again.

    PyTorch gives kept outputs back in the order in which they were kept. So an operator must be called in the same
    order both times, with arguments of the same kind; else a wrong tensor would be taken without notice.
    """

    def __init__(self, module: str, saved: Saved, skipped: Saved) -> None:
        self._module = module
        self._saved = saved
        self._skipped = skipped
        self._counts: Counter[Any] = Counter()
        self._counts_again: Counter[Any] = Counter()
        self._kinds: dict[Key, Any] = {}
        self._recomputes = 0
        # Generator states after kept operators that drew numbers. These operators do not draw again when the region
        # runs again.
        self._drawn: dict[Key, State] = {}
        self._open: Optional[tuple[Key, State]] = None

    def recompute_starts(self) -> None:
        """The region is about to run again."""
        self._recomputes += 1
        self._counts_again.clear()

    def ran(self, operator: Any) -> int:
        """How often an operator with kept occurrences ran in forward."""
        return self._counts[operator]

    def is_skipped(self, operator: Any) -> bool:
        """Whether the call that was counted last need not run again."""
        positions = self._skipped.get(operator, ())
        return self._recomputes == 1 and self._counts_again[operator] - 1 in positions

    def __call__(self, context: Any, operator: Any, *args: Any, **kwargs: Any) -> CheckpointPolicy:
        if context.is_recompute:
            return self._again(operator, args, kwargs)
        return self._first(operator, args, kwargs)

    def _first(self, operator: Any, args: Any, kwargs: Any) -> CheckpointPolicy:
        self._close()
        positions = self._saved.get(operator)
        if positions is None:
            return CheckpointPolicy.PREFER_RECOMPUTE
        key = operator, self._counts[operator]
        self._counts[operator] += 1
        self._kinds[key] = _kind(args, kwargs)
        if key[1] not in positions:
            return CheckpointPolicy.PREFER_RECOMPUTE
        if is_random(operator):
            self._open = key, random_state(devices_of(args, kwargs))
        return CheckpointPolicy.MUST_SAVE

    def _again(self, operator: Any, args: Any, kwargs: Any) -> CheckpointPolicy:
        # Kept outputs are handed out once. For a second backward pass everything is computed again.
        if self._recomputes > 1:
            return CheckpointPolicy.PREFER_RECOMPUTE
        key = operator, self._counts_again[operator]
        self._counts_again[operator] += 1
        positions = self._saved.get(operator)
        if positions is None:
            return CheckpointPolicy.PREFER_RECOMPUTE
        if self._kinds.get(key) != _kind(args, kwargs):
            raise Error(f"Operator '{operator}' was not called in the same order again: occurrence {key[1]} had other "
                        "arguments in forward", f"recompute of module '{self._module}'",
                        "The module's forward must do the same each time. Leave this operator out of the plan.")
        if key[1] not in positions:
            return CheckpointPolicy.PREFER_RECOMPUTE
        if key in self._drawn:
            set_random_state(self._drawn[key])
        return CheckpointPolicy.MUST_SAVE

    def _close(self) -> None:
        """Notes the generator state if the last kept operator drew random numbers."""
        if self._open is None:
            return
        key, before = self._open
        self._open = None
        after = random_state(set(before))
        if not same_state(before, after):
            self._drawn[key] = after


def _kind(args: Any, kwargs: Any) -> tuple[Any, ...]:
    """Shapes and types of the tensors, and which parameters they are. No tensor is kept alive."""
    return tuple((leaf.shape, leaf.dtype, id(leaf) if isinstance(leaf, torch.nn.Parameter) else None)
                 for leaf in tree_leaves((args, kwargs)) if isinstance(leaf, torch.Tensor))
