"""Storages and their lives.

A storage is known by its address while it lives; a weak reference tells when it ends, so that nothing here keeps memory
alive. Under fake tensors one piece of memory can have several carriers: a real tensor and the fake ones that stand for
it. It is free when the last carrier is gone.
"""

from __future__ import annotations

import weakref
from typing import Any, Callable, Optional

import torch

ALIVE = -2


class Storages:
    """A row for each storage: bytes, role, and the node after which it was freed."""

    def __init__(self, now: Callable[[], int]) -> None:
        self.bytes: list[int] = []
        self.roles: list[str] = []
        self.last: list[int] = []
        self.keys: list[Any] = []
        self._now = now
        self._carriers: list[int] = []
        # The bytes that each carrier shows, by its address. A kernel may have allocated more. A carrier that stands for
        # a part of the memory shows less.
        self._shown: dict[int, int] = {}
        self._at: dict[int, tuple[int, weakref.ref[torch.UntypedStorage]]] = {}
        self.closed = False

    def find(self, storage: torch.UntypedStorage) -> Optional[int]:
        """The row of a storage, or None if it was not seen before."""
        found = self._at.get(storage._cdata)
        return None if found is None else found[0]

    def add(self, storage: torch.UntypedStorage, key: Any, role: str = "other") -> int:
        """A row for a storage that was not seen before. The key identifies it in every run of the step."""
        index = self._row(storage.nbytes(), key, role)
        self.adopt(index, storage)
        return index

    def unseen(self, nbytes: int, key: Any) -> int:
        """A row for memory that no tensor in Python shows. The caller must say when this memory ends."""
        return self._row(nbytes, key, "other")

    def adopt(self, index: int, storage: torch.UntypedStorage) -> None:
        """Notes `storage` as one more carrier of the memory in row `index`."""
        address = storage._cdata
        self._shown[address] = storage.nbytes()
        old = self._at.pop(address, None)
        if old is not None and old[0] != index:
            self._drop(old[0])
        elif old is not None:
            self._carriers[index] -= 1
        self._carriers[index] += 1

        def freed(reference: weakref.ref[torch.UntypedStorage]) -> None:
            held = self._at.get(address)
            if held is not None and held[1] is reference:
                del self._at[address]
                self._drop(held[0])

        self._at[address] = (index, weakref.ref(storage, freed))

    def replace(self, storage: torch.UntypedStorage, key: Any) -> int:
        """A storage was resized: the old memory ends, new memory begins in the same object."""
        found = self.find(storage)
        role = "other" if found is None else self.roles[found]
        return self.add(storage, key, role)

    def resized(self, storage: torch.UntypedStorage) -> bool:
        """Whether a known storage shows another size than before."""
        return self._shown.get(storage._cdata) != storage.nbytes()

    def set_role(self, storage: torch.UntypedStorage, role: str) -> None:
        """Gives a storage a role unless it already has a more precise one than 'other' or 'input'."""
        index = self.find(storage)
        if index is not None and self.roles[index] in ("other", "input"):
            self.roles[index] = role

    def close(self) -> None:
        """Nothing that is freed from now on counts."""
        self.closed = True
        self._at.clear()

    def _row(self, nbytes: int, key: Any, role: str) -> int:
        self.bytes.append(nbytes)
        self.roles.append(role)
        self.last.append(ALIVE)
        self.keys.append(key)
        self._carriers.append(0)
        return len(self.bytes) - 1

    def _drop(self, index: int) -> None:
        self._carriers[index] -= 1
        if self._carriers[index] == 0 and not self.closed:
            self.last[index] = self._now()
