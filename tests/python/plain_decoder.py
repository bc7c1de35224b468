"""The model behind the recorded traces, written from its description: a decoder with a norm before each part, rotary
positions, attention by single operators and a gated network, and an AdamW that works on one parameter at a time."""

from __future__ import annotations

import dataclasses
import math
from typing import Iterable

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


def contracted(equation: str, first: torch.Tensor, second: torch.Tensor) -> torch.Tensor:
    """An einsum. Autocast of CUDA casts its operands, that of the CPU only those of the product in it."""
    if torch.is_autocast_enabled("cpu"):
        first = first.to(torch.bfloat16)
        second = second.to(torch.bfloat16)
    return torch.einsum(equation, first, second)


class Product(nn.Module):
    """A linear layer without bias, as an einsum."""

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(outputs, inputs))

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        return contracted("...i,oi->...o", rows, self.weight)


class RootMeanSquare(nn.Module):
    """The norm."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        scale = torch.rsqrt(rows.pow(2).mean(-1, keepdim=True) + 1e-5)
        rows = rows * scale
        return self.weight * rows


class Rotary(nn.Module):
    """Turns pairs of neighbours by an angle that grows with the position."""

    def __init__(self, context: int, width: int) -> None:
        super().__init__()
        self.register_buffer("table", torch.empty(2, context, width // 2), persistent=False)

    def forward(self, heads: torch.Tensor) -> torch.Tensor:
        pairs = heads.reshape(*heads.shape[:-1], -1, 2)
        first, second = pairs.permute(-1, *range(pairs.dim() - 1)).unbind(0)
        cosine, sine = self.table[:, :heads.size(-2), :].unbind(0)
        turned = cosine * first - sine * second
        other = sine * first + cosine * second
        return torch.cat((turned, other), dim=-1)


def softmax(scores: torch.Tensor) -> torch.Tensor:
    """By single operators."""
    shifted = scores - torch.max(scores, dim=-1, keepdim=True)[0]
    powers = torch.exp(shifted.float())
    return powers / torch.sum(powers, dim=-1, keepdim=True)


def attend(queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    scores = contracted("...qd,...kd->...qk", queries, keys) / math.sqrt(keys.shape[-1])
    scores = torch.where(mask, scores, float("-inf"))
    weights = softmax(scores)
    return contracted("...qk,...kd->...qd", weights, values)


class Attention(nn.Module):
    """Of all earlier positions, with a mask that each layer makes anew."""

    def __init__(self, sizes: Sizes, rotary: Rotary) -> None:
        super().__init__()
        self.heads, self.rotary = sizes.heads, rotary
        self.queries, self.keys, self.values, self.result = (Product(sizes.width, sizes.width) for _ in range(4))

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        batch, context, width = rows.shape
        queries, keys, values = self.queries(rows), self.keys(rows), self.values(rows)
        queries, keys, values = (each.reshape(batch, context, self.heads, -1).permute(0, 2, 1, 3)
                                 for each in (queries, keys, values))
        queries = self.rotary(queries)
        keys = self.rotary(keys)
        positions = torch.arange(context, device=rows.device)
        mask = (positions.reshape(-1, 1) >= positions.reshape(1, -1))[None]
        result = attend(queries, keys, values, mask)
        result = result.permute(0, 2, 1, 3).reshape(batch, context, width).contiguous()
        return self.result(result)


class Gated(nn.Module):
    """SwiGLU by single operators."""

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        self.gate, self.down, self.up = (Product(sizes.width, sizes.inner), Product(sizes.inner, sizes.width),
                                         Product(sizes.width, sizes.inner))

    @staticmethod
    def silu(rows: torch.Tensor) -> torch.Tensor:
        return rows * torch.sigmoid(rows)

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        return self.down(self.silu(self.gate(rows)) * self.up(rows))


class Layer(nn.Module):
    def __init__(self, sizes: Sizes, rotary: Rotary) -> None:
        super().__init__()
        self.attention, self.network = Attention(sizes, rotary), Gated(sizes)
        self.first_norm, self.second_norm = RootMeanSquare(sizes.width), RootMeanSquare(sizes.width)

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        attended = self.attention(self.first_norm(rows))
        middle = rows + attended
        changed = self.network(self.second_norm(middle))
        return middle + changed


class Decoder(nn.Module):
    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        self.embedding = nn.Parameter(torch.empty(sizes.vocabulary, sizes.width))
        tables = [Rotary(sizes.context, sizes.width // sizes.heads)
                  for _ in range(sizes.layers if sizes.own_tables else 1)]
        self.layers = nn.ModuleList(Layer(sizes, tables[number % len(tables)]) for number in range(sizes.layers))
        self.norm, self.head = RootMeanSquare(sizes.width), Product(sizes.width, sizes.vocabulary)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        # Held to the end, and no longer than that: what Python holds counts.
        embedded = self.embedding[tokens, :]
        rows = embedded
        for layer in self.layers:
            rows = layer(rows)
        rows = self.norm(rows)
        return self.head(rows)


def log_softmax(logits: torch.Tensor) -> torch.Tensor:
    """By single operators."""
    largest = torch.max(logits, dim=-1, keepdim=True)[0]
    shifted = logits - largest
    return shifted - torch.log(torch.sum(torch.exp(shifted.float()), dim=-1, keepdim=True))


def cross_entropy(logits: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    """By single operators."""
    negative = -log_softmax(logits)
    return torch.mean(torch.gather(negative, -1, targets.unsqueeze(-1)))


class PlainAdamW(torch.optim.Optimizer):
    """AdamW by single operators, one parameter after the other; every step makes both moments anew."""

    def __init__(self, parameters: Iterable[torch.Tensor]) -> None:
        super().__init__(parameters, {"rate": 1e-3, "betas": (0.9, 0.999), "epsilon": 1e-8, "decay": 0.01})

    def step(self) -> None:  # type: ignore[override]
        for group in self.param_groups:
            first, second = group["betas"]
            for parameter in group["params"]:
                gradient, state = parameter.grad.data, self.state[parameter]
                count = state.get("count", 1)
                rate = group["rate"] * (math.sqrt(1 - second ** count) / (1 - first ** count))
                parameter.data -= group["rate"] * group["decay"] * parameter.data
                old_mean = state.get("mean", torch.zeros_like(gradient))
                old_square = state.get("square", torch.zeros_like(gradient))
                mean = first * old_mean + (1 - first) * gradient
                square = second * old_square + (1 - second) * torch.square(gradient)
                parameter.data -= rate * mean / (torch.sqrt(square) + group["epsilon"])
                state.update(mean=mean, square=square, count=count + 1)


class InPlaceAdamW(PlainAdamW):
    """AdamW that changes its moments in place."""

    def step(self) -> None:  # type: ignore[override]
        for group in self.param_groups:
            first, second = group["betas"]
            for parameter in group["params"]:
                gradient, state = parameter.grad.data, self.state[parameter]
                if not state:
                    state.update(mean=torch.zeros_like(gradient), square=torch.zeros_like(gradient))
                state["mean"].mul_(first).add_(gradient, alpha=1 - first)
                state["square"].mul_(second).addcmul_(gradient, gradient, value=1 - second)
                divisor = state["square"].sqrt().add(group["epsilon"])
                parameter.data.addcdiv_(state["mean"], divisor, value=-group["rate"])
