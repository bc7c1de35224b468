"""Plans under FSDP2, with one rank and no network."""

from __future__ import annotations

import copy
import unittest

from small_models import Twice, calls, plan_of, twice_loss

import torch
import torch.distributed as dist
import stashscope
from torch.distributed.fsdp import FSDPModule, fully_shard


class Sharded(unittest.TestCase):
    def setUp(self) -> None:
        dist.init_process_group("gloo", rank=0, world_size=1, store=dist.HashStore())
        self.addCleanup(dist.destroy_process_group)

    def test_gradients_are_the_same_and_remove_leaves_the_shards(self) -> None:
        torch.manual_seed(0)
        plain = Twice()
        for first in ("shard", "apply"):
            model = copy.deepcopy(plain)
            steps = [lambda: (fully_shard(model.part), fully_shard(model)),
                     lambda: stashscope.apply(model, plan_of(["part"], *calls("aten.addmm.default", 0)))]
            for step in steps if first == "shard" else reversed(steps):
                step()
            for one in (plain, model):
                one.zero_grad()
                torch.manual_seed(1)
                twice_loss(one).backward()
            for mine, theirs in zip(model.parameters(), plain.parameters()):
                self.assertTrue(torch.equal(mine.grad.full_tensor(), theirs.grad))
            stashscope.remove(model)
            self.assertIsInstance(model.part, FSDPModule)
            self.assertNotIn("forward", model.part.__dict__)


if __name__ == "__main__":
    unittest.main()
