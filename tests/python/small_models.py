"""Models and helpers for the tests of plans."""

from __future__ import annotations

import itertools
import json
import sys
from pathlib import Path
from typing import Any, Callable, Iterable

sys.path[:0] = [str(Path(__file__).resolve().parent.parent.parent / "python")]

import onnx  # noqa: E402
import torch  # noqa: E402
import torch.nn.functional as functional  # noqa: E402
from torch import nn  # noqa: E402

from stashscope import Plan, Region, SavedOperator  # noqa: E402

torch.set_num_threads(1)
IDS = torch.arange(64).reshape(2, 32) * 7 % 100


def gpt2() -> nn.Module:
    from transformers import GPT2Config, GPT2LMHeadModel
    return GPT2LMHeadModel(GPT2Config(n_layer=2, n_embd=32, n_head=4, vocab_size=100, n_positions=64))


def llama() -> nn.Module:
    from transformers import LlamaConfig, LlamaForCausalLM
    return LlamaForCausalLM(LlamaConfig(hidden_size=32, intermediate_size=64, num_hidden_layers=2, vocab_size=100,
                                        num_attention_heads=4, num_key_value_heads=2, max_position_embeddings=64))


def language_loss(model: nn.Module) -> torch.Tensor:
    return model(input_ids=IDS, labels=IDS).loss


def language_loss_without_cache(model: nn.Module) -> torch.Tensor:
    return model(input_ids=IDS, labels=IDS, use_cache=False).loss


class Residual(nn.Module):
    """Two convolutions with batch normalization around a skip."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.first = nn.Conv2d(channels, channels, 3, padding=1)
        self.second = nn.Conv2d(channels, channels, 3, padding=1)
        self.first_norm, self.second_norm = nn.BatchNorm2d(channels), nn.BatchNorm2d(channels, momentum=None)

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        inner = torch.relu_(self.first_norm(self.first(images)))
        return torch.relu(images + self.second_norm(self.second(inner)))


def residual_net() -> nn.Module:
    return nn.Sequential(nn.Conv2d(3, 8, 3), Residual(8), Residual(8), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
                         nn.Linear(8, 10))


def image_loss(model: nn.Module) -> torch.Tensor:
    images = torch.linspace(-1, 1, 2 * 3 * 16 * 16).reshape(2, 3, 16, 16).sin()
    return functional.cross_entropy(model(images), torch.tensor([1, 2]))


class Twice(nn.Module):
    """Calls one module twice, by place and by name, and gets a dictionary and a tuple from it."""

    class Part(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner, self.outer, self.drop = nn.Linear(16, 32), nn.Linear(32, 16), nn.Dropout(0.3)

        def forward(self, x: torch.Tensor, *, scale: torch.Tensor, name: str = "a") -> Any:
            y = self.drop(self.outer(functional.gelu(self.inner(x)))) * scale
            return {"value": (x + y, name), "none": None}

    def __init__(self) -> None:
        super().__init__()
        self.start, self.part = nn.Linear(16, 16), Twice.Part()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.start(x)
        x, name = self.part(x, scale=x.mean())["value"]
        assert name == "a"
        x, name = self.part(scale=x.std(), x=x, name="b")["value"]
        assert name == "b"
        return x


def twice_loss(model: nn.Module) -> torch.Tensor:
    return model(torch.linspace(-1, 1, 128).reshape(8, 16)).square().mean()


def calls(operator: str, *occurrences: int) -> tuple[SavedOperator, ...]:
    return tuple(SavedOperator(operator, occurrence) for occurrence in occurrences)


def plan_of(modules: Iterable[str], *save: SavedOperator) -> Plan:
    return Plan(tuple(Region(module, save) for module in modules))


def with_code(plan: Plan) -> Callable[[nn.Module], None]:
    """The plan's plain code, run as a user's script would run it."""
    space: dict[str, Any] = {}
    exec(compile(plan.code(), "<pasted>", "exec"), space)
    return space["checkpoint_regions"]


class Trained:
    """Gradients, parameters and buffers after one step on a fresh model."""

    def __init__(self, make: Callable[[], nn.Module], loss: Callable[[nn.Module], torch.Tensor],
                 change: Callable[[nn.Module], Any], autocast: bool = False) -> None:
        torch.manual_seed(0)
        self.model = make().train()
        change(self.model)
        optimizer = torch.optim.AdamW(self.model.parameters(), lr=0.01)
        torch.manual_seed(1)
        with torch.autocast("cpu", torch.bfloat16, enabled=autocast):
            self.loss = loss(self.model)
        self.loss.backward()
        self.gradients = {name: one.grad.clone() for name, one in self.model.named_parameters() if one.grad is not None}
        optimizer.step()
        self.state = {name: one.clone() for name, one in self.model.state_dict().items()}
        self.random = torch.get_rng_state()

    def differences(self, other: "Trained") -> list[str]:
        """What is not equal to the bit."""
        pairs = [("loss", self.loss, other.loss), ("random", self.random, other.random)]
        for mine, theirs in ((self.gradients, other.gradients), (self.state, other.state)):
            if mine.keys() != theirs.keys():
                return [f"names {sorted(mine.keys() ^ theirs.keys())}"]
            pairs += [(name, mine[name], theirs[name]) for name in mine]
        return [name for name, one, two in pairs if not torch.equal(one, two)]


def curve_of(path: Path) -> list[int]:
    """The bytes alive while each node runs, by the captured step's own storages."""
    model = onnx.load(str(path))
    texts = {entry.key: entry.value for entry in model.metadata_props}
    storages = json.loads(texts["stashscope.storages"])
    start = dict.fromkeys(json.loads(texts["stashscope.input_storages"]), 0)
    for position, node in enumerate(model.graph.node):
        for attribute in node.attribute:
            for storage in attribute.ints if attribute.name == "storages" else ():
                start.setdefault(storage, position)
    change = [0] * (len(model.graph.node) + 1)
    for storage, size in enumerate(storages["bytes"]):
        if storages["last"][storage] >= start[storage]:
            change[start[storage]] += size
            change[min(storages["last"][storage] + 1, len(model.graph.node))] -= size
    return list(itertools.accumulate(change[:-1]))


def phases_of(path: Path, operator: str) -> list[str]:
    """The phase of each node with this operator."""
    return [attribute.s.decode() for node in onnx.load(str(path)).graph.node if node.op_type == operator
            for attribute in node.attribute if attribute.name == "phase"]
