"""A decoder and two kinds of AdamW by single operators. Their steps allocate what the recorded traces show.

The traces decide which operators there are, their order, and how long a name holds a tensor. What takes no memory is
left out, such as AdamW's correction of the bias.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any, Iterable

import torch
from torch import nn


@dataclasses.dataclass(frozen=True)
class Sizes:
    """The sizes of a decoder, and of the tokens that it is trained on."""
    width: int = 1024
    inner: int = 4096
    layers: int = 24
    heads: int = 16
    vocabulary: int = 10_000
    context: int = 128
    batch: int = 4
    # Whether each layer has a table of angles of its own.
    own_tables: bool = False


def layer_shapes(sizes: Sizes) -> dict[str, tuple[int, ...]]:
    """The weights of a layer, in the order in which the optimizer takes them."""
    square = (sizes.width, sizes.width)
    return {"query": square, "key": square, "value": square, "mixed": square, "gate": (sizes.inner, sizes.width),
            "down": (sizes.width, sizes.inner), "up": (sizes.inner, sizes.width), "before_attention": (sizes.width,),
            "before_gate": (sizes.width,)}


class Decoder(nn.Module):
    """All weights lie in one dictionary; functions below compute with them."""

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        self.sizes = sizes
        shapes: dict[str, tuple[int, ...]] = {"words": (sizes.vocabulary, sizes.width)}
        for number in range(sizes.layers):
            shapes.update({f"{name}_{number}": shape for name, shape in layer_shapes(sizes).items()})
        shapes.update(before_scores=(sizes.width,), scores=(sizes.vocabulary, sizes.width))
        # From pairs, since a dictionary would be sorted by its names.
        self.weights = nn.ParameterDict((name, nn.Parameter(torch.empty(shape))) for name, shape in shapes.items())
        for number in range(sizes.layers if sizes.own_tables else 1):
            angles = torch.empty(2, sizes.context, sizes.width // sizes.heads // 2)
            self.register_buffer(f"angles_{number}", angles, persistent=False)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        # The rows of words are held to the end, those behind a layer until the next layer is done.
        words = self.weights["words"][tokens]
        rows = words
        for number in range(self.sizes.layers):
            weights = [self.weights[f"{name}_{number}"] for name in layer_shapes(self.sizes)]
            angles = self.get_buffer(f"angles_{number if self.sizes.own_tables else 0}")
            rows = layer(rows, weights, self.sizes.heads, angles)
        rows = normed(rows, self.weights["before_scores"])
        return product(rows, self.weights["scores"])


def layer(rows: torch.Tensor, weights: list[nn.Parameter], heads: int, angles: torch.Tensor) -> torch.Tensor:
    """The results of both parts are held to the end."""
    *of_attention, gate, down, up, before_attention, before_gate = weights
    attended = attention(normed(rows, before_attention), of_attention, heads, angles)
    between = rows + attended
    opened = gated(normed(between, before_gate), gate, down, up)
    return between + opened


def attention(rows: torch.Tensor, weights: list[nn.Parameter], heads: int, angles: torch.Tensor) -> torch.Tensor:
    """Of all earlier places. Each layer makes its mask."""
    *inner, mixed = weights
    # All three products come before the first view, since backward goes the other way.
    query, key, value = (one.unflatten(-1, (heads, -1)).transpose(1, 2)
                         for one in [product(rows, weight) for weight in inner])
    query = turned(query, angles)
    key = turned(key, angles)
    places = torch.arange(rows.shape[1], device=rows.device)
    seen = places[:, None] >= places
    result = looked_up(query, key, value, seen)
    result = result.transpose(1, 2).flatten(-2)
    return product(result, mixed)


def looked_up(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, seen: torch.Tensor) -> torch.Tensor:
    scores = (product(query, key) / math.sqrt(key.shape[-1])).where(seen, -math.inf)
    shares = softmax(scores)
    return product(shares, value.mT)


def turned(heads: torch.Tensor, angles: torch.Tensor) -> torch.Tensor:
    """Rotary positions: neighbours are the coordinates of a point."""
    x, y = heads.unflatten(-1, (-1, 2)).movedim(-1, 0)
    cosine, sine = angles[:, :heads.shape[-2]]
    return torch.cat((x * cosine - y * sine, x * sine + y * cosine), -1)


def gated(rows: torch.Tensor, gate: torch.Tensor, down: torch.Tensor, up: torch.Tensor) -> torch.Tensor:
    """SwiGLU."""
    inner = product(rows, gate)
    inner = inner * inner.sigmoid()
    inner = inner * product(rows, up)
    return product(inner, down)


def normed(rows: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    """RMS norm."""
    inverse = (rows.pow(2).mean(-1, keepdim=True) + 1e-5).rsqrt()
    return rows * inverse * weight


def product(rows: torch.Tensor, columns: torch.Tensor) -> torch.Tensor:
    """Of each row with each row of the other. On a GPU, autocast casts both before their dimensions are arranged."""
    if torch.is_autocast_enabled("cpu"):
        rows = rows.to(torch.bfloat16)
        columns = columns.to(torch.bfloat16)
    return torch.einsum("...rk,...ck->...rc", rows, columns)


def softmax(scores: torch.Tensor) -> torch.Tensor:
    below = scores - scores.max(-1, keepdim=True).values
    powers = below.float().exp()
    return powers / powers.sum(-1, keepdim=True)


def loss_of(scores: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    """The mean cross entropy."""
    negative = -log_softmax(scores)
    return negative.gather(-1, targets[..., None]).mean()


def log_softmax(scores: torch.Tensor) -> torch.Tensor:
    most = scores.max(-1, keepdim=True).values
    below = scores - most
    return below - below.float().exp().sum(-1, keepdim=True).log()


class NewStatesAdamW(torch.optim.Optimizer):
    """AdamW by single operators, one parameter after the other. Every step makes both states anew."""

    def __init__(self, parameters: Iterable[torch.Tensor]) -> None:
        super().__init__(parameters, {"rate": 1e-3, "decay": 1e-5, "keep_mean": 0.9, "keep_square": 0.999})

    @torch.no_grad()
    def step(self) -> None:  # type: ignore[override]
        # Holds the old states of a parameter until those of the next are read.
        old: dict[str, torch.Tensor] = {}
        for group in self.param_groups:
            for parameter in group["params"]:
                gradient, state = parameter.grad, self.state[parameter]
                parameter.sub_(parameter * group["decay"])
                for name in ("mean", "square"):
                    # Zeros are made in every step, needed or not.
                    old[name] = state.get(name, torch.zeros_like(gradient))
                _average(state, old, gradient, group)
                parameter.sub_(state["mean"] * group["rate"] / (state["square"].sqrt() + 1e-8))


def _average(state: dict[str, torch.Tensor], old: dict[str, torch.Tensor], gradient: torch.Tensor,
             group: dict[str, Any]) -> None:
    mean, square = group["keep_mean"], group["keep_square"]
    state["mean"] = old["mean"] * mean + gradient * (1 - mean)
    state["square"] = old["square"] * square + gradient.square() * (1 - square)


class KeptStatesAdamW(torch.optim.Optimizer):
    """AdamW that makes its states once and changes them in place."""

    def __init__(self, parameters: Iterable[torch.Tensor]) -> None:
        super().__init__(parameters, {"rate": 1e-3})

    @torch.no_grad()
    def step(self) -> None:  # type: ignore[override]
        for group in self.param_groups:
            for parameter in group["params"]:
                gradient, state = parameter.grad, self.state[parameter]
                for name in ("mean", "square"):
                    if name not in state:
                        state[name] = torch.zeros_like(gradient)
                state["mean"].lerp_(gradient, 0.1)
                state["square"].mul_(0.999).addcmul_(gradient, gradient, value=0.001)
                # Held until that of the next parameter is made.
                root = state["square"].sqrt().add(1e-8)
                parameter.addcdiv_(state["mean"], root, value=-group["rate"])
