"""The reference models of the benchmarks in plain PyTorch, with the same sizes, parameters, loss and outputs (loss
and scores) as the ONNX files of the same names.

Attention is computed operator by operator, as in the files, or with PyTorch's fused kernels.
"""
import dataclasses
import math
from typing import Callable

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.checkpoint import checkpoint


@dataclasses.dataclass(frozen=True)
class Ways:
    """The choices between ways to run a model."""
    fused_attention: bool = False
    checkpoints: bool = False


@dataclasses.dataclass(frozen=True)
class TextSizes:
    vocabulary: int
    positions: int  # 0: no table of positions
    width: int
    inner: int
    heads: int
    layers: int
    dropout: float


@dataclasses.dataclass(frozen=True)
class ImageSizes:
    blocks: tuple[int, ...]
    width: int
    classes: int
    side: int


GPT2 = TextSizes(50257, 1024, 768, 3072, 12, 12, 0.1)
BERT = TextSizes(30522, 512, 768, 3072, 12, 12, 0.1)
LLAMA = TextSizes(32000, 0, 4096, 11008, 32, 4, 0.0)
RESNET50 = ImageSizes((3, 4, 6, 3), 64, 1000, 224)


def tiny_text(sizes: TextSizes) -> TextSizes:
    positions = min(sizes.positions, 64)
    return dataclasses.replace(sizes, vocabulary=101, positions=positions, width=32, inner=48, heads=4, layers=2)


def tiny_image(sizes: ImageSizes) -> ImageSizes:
    return ImageSizes((1,) * len(sizes.blocks), 8, 10, 32)


def written_out_attention(query, key, value, mask, dropout):
    """Scores, mask, softmax and dropout as separate operators. The mask is added in float32, as in the files."""
    scores = query @ key.transpose(-1, -2) / math.sqrt(query.shape[-1])
    weights = F.softmax(scores + mask, dim=-1)
    return F.dropout(weights, dropout) @ value


def attend(query, key, value, mask, causal: bool, dropout: float, ways: Ways):
    """All are [batch, heads, positions, head size]. There is no padding, so fused kernels need no mask."""
    if ways.fused_attention:
        return F.scaled_dot_product_attention(query, key, value, dropout_p=dropout, is_causal=causal)
    return written_out_attention(query, key, value, mask, dropout)


def split_heads(x, heads: int):
    return x.unflatten(-1, (heads, -1)).transpose(1, 2)


def join_heads(x):
    return x.transpose(1, 2).flatten(2)


def through_layers(layers: nn.ModuleList, x, ways: Ways, *shared):
    for layer in layers:
        x = checkpoint(layer, x, *shared, use_reentrant=False) if ways.checkpoints else layer(x, *shared)
    return x


def padding_mask(attention_mask):
    """0 for positions that count, the lowest float32 for padding; [batch, 1, 1, positions]"""
    missing = 1.0 - attention_mask[:, None, None, :].float()
    return missing * torch.finfo(torch.float32).min


def causal_mask(positions: int, device):
    least = torch.finfo(torch.float32).min
    return torch.full((positions, positions), least, device=device).triu(1)


def next_token_loss(scores, labels):
    shifted = scores[:, :-1, :].reshape(-1, scores.shape[-1])
    return F.cross_entropy(shifted, labels[:, 1:].reshape(-1))


class Gpt2Layer(nn.Module):
    def __init__(self, sizes: TextSizes, ways: Ways):
        super().__init__()
        self.sizes, self.ways = sizes, ways
        self.ln_1 = nn.LayerNorm(sizes.width)
        self.c_attn = nn.Linear(sizes.width, 3 * sizes.width)
        self.c_proj = nn.Linear(sizes.width, sizes.width)
        self.ln_2 = nn.LayerNorm(sizes.width)
        self.c_fc = nn.Linear(sizes.width, sizes.inner)
        self.mlp_proj = nn.Linear(sizes.inner, sizes.width)

    def forward(self, x, mask):
        dropout = self.sizes.dropout
        parts = self.c_attn(self.ln_1(x)).split(self.sizes.width, dim=2)
        query, key, value = (split_heads(part, self.sizes.heads) for part in parts)
        attended = join_heads(attend(query, key, value, mask, True, dropout, self.ways))
        x = x + F.dropout(self.c_proj(attended), dropout)
        inner = F.gelu(self.c_fc(self.ln_2(x)), approximate="tanh")
        return x + F.dropout(self.mlp_proj(inner), dropout)


class Gpt2(nn.Module):
    def __init__(self, sizes: TextSizes, ways: Ways):
        super().__init__()
        self.sizes, self.ways = sizes, ways
        self.wte = nn.Embedding(sizes.vocabulary, sizes.width)
        self.wpe = nn.Embedding(sizes.positions, sizes.width)
        self.h = nn.ModuleList(Gpt2Layer(sizes, ways) for _ in range(sizes.layers))
        self.ln_f = nn.LayerNorm(sizes.width)

    def forward(self, input_ids, attention_mask, labels):
        positions = torch.arange(input_ids.shape[1], device=input_ids.device)
        x = F.dropout(self.wte(input_ids) + self.wpe(positions), self.sizes.dropout)
        mask = causal_mask(len(positions), x.device) + padding_mask(attention_mask)
        x = self.ln_f(through_layers(self.h, x, self.ways, mask))
        scores = F.linear(x, self.wte.weight)
        return next_token_loss(scores, labels), scores


class BertLayer(nn.Module):
    def __init__(self, sizes: TextSizes, ways: Ways):
        super().__init__()
        self.sizes, self.ways = sizes, ways
        self.query = nn.Linear(sizes.width, sizes.width)
        self.key = nn.Linear(sizes.width, sizes.width)
        self.value = nn.Linear(sizes.width, sizes.width)
        self.attention_dense = nn.Linear(sizes.width, sizes.width)
        self.attention_norm = nn.LayerNorm(sizes.width, eps=1e-12)
        self.intermediate = nn.Linear(sizes.width, sizes.inner)
        self.dense = nn.Linear(sizes.inner, sizes.width)
        self.norm = nn.LayerNorm(sizes.width, eps=1e-12)

    def forward(self, x, mask):
        dropout = self.sizes.dropout
        query, key, value = (split_heads(part(x), self.sizes.heads) for part in (self.query, self.key, self.value))
        attended = join_heads(attend(query, key, value, mask, False, dropout, self.ways))
        x = self.attention_norm(x + F.dropout(self.attention_dense(attended), dropout))
        inner = F.gelu(self.intermediate(x))
        return self.norm(x + F.dropout(self.dense(inner), dropout))


class Bert(nn.Module):
    """BERT with the masked-language-model head, whose weights are tied to the word embeddings."""

    def __init__(self, sizes: TextSizes, ways: Ways):
        super().__init__()
        self.sizes, self.ways = sizes, ways
        self.word_embeddings = nn.Embedding(sizes.vocabulary, sizes.width)
        self.position_embeddings = nn.Embedding(sizes.positions, sizes.width)
        self.token_type_embeddings = nn.Embedding(2, sizes.width)
        self.norm = nn.LayerNorm(sizes.width, eps=1e-12)
        self.layer = nn.ModuleList(BertLayer(sizes, ways) for _ in range(sizes.layers))
        self.transform = nn.Linear(sizes.width, sizes.width)
        self.transform_norm = nn.LayerNorm(sizes.width, eps=1e-12)
        self.bias = nn.Parameter(torch.zeros(sizes.vocabulary))

    def forward(self, input_ids, attention_mask, labels):
        positions = torch.arange(input_ids.shape[1], device=input_ids.device)
        x = self.word_embeddings(input_ids) + self.token_type_embeddings(torch.zeros_like(input_ids))
        x = F.dropout(self.norm(x + self.position_embeddings(positions)), self.sizes.dropout)
        x = through_layers(self.layer, x, self.ways, padding_mask(attention_mask))
        x = self.transform_norm(F.gelu(self.transform(x)))
        scores = F.linear(x, self.word_embeddings.weight, self.bias)
        return F.cross_entropy(scores.reshape(-1, scores.shape[-1]), labels.reshape(-1)), scores


class RootMeanSquareNorm(nn.Module):
    def __init__(self, width: int):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x):
        wide = x.float()
        scale = torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + 1e-5)
        return self.weight * (wide * scale).to(x.dtype)


def rotation(positions: int, size: int, device):
    """Cosines and sines of the rotary embedding, [positions, head size] each."""
    rates = 1.0 / 10000 ** (torch.arange(0, size, 2, device=device) / size)
    angles = torch.arange(positions, device=device)[:, None] * rates
    angles = torch.cat((angles, angles), dim=-1)
    return angles.cos(), angles.sin()


def rotated(x, cosines, sines):
    first, second = x.chunk(2, dim=-1)
    return x * cosines + torch.cat((-second, first), dim=-1) * sines


class LlamaLayer(nn.Module):
    def __init__(self, sizes: TextSizes, ways: Ways):
        super().__init__()
        self.sizes, self.ways = sizes, ways
        self.q_proj = nn.Linear(sizes.width, sizes.width, bias=False)
        self.k_proj = nn.Linear(sizes.width, sizes.width, bias=False)
        self.v_proj = nn.Linear(sizes.width, sizes.width, bias=False)
        self.o_proj = nn.Linear(sizes.width, sizes.width, bias=False)
        self.gate_proj = nn.Linear(sizes.width, sizes.inner, bias=False)
        self.up_proj = nn.Linear(sizes.width, sizes.inner, bias=False)
        self.down_proj = nn.Linear(sizes.inner, sizes.width, bias=False)
        self.input_norm = RootMeanSquareNorm(sizes.width)
        self.post_attention_norm = RootMeanSquareNorm(sizes.width)

    def forward(self, x, mask, cosines, sines):
        normed = self.input_norm(x)
        parts = (self.q_proj(normed), self.k_proj(normed), self.v_proj(normed))
        query, key, value = (split_heads(part, self.sizes.heads) for part in parts)
        query, key = (rotated(part, cosines, sines).to(value.dtype) for part in (query, key))
        attended = join_heads(attend(query, key, value, mask, True, self.sizes.dropout, self.ways))
        x = x + self.o_proj(attended)
        normed = self.post_attention_norm(x)
        return x + self.down_proj(F.silu(self.gate_proj(normed)) * self.up_proj(normed))


class Llama(nn.Module):
    def __init__(self, sizes: TextSizes, ways: Ways):
        super().__init__()
        self.sizes, self.ways = sizes, ways
        self.embed_tokens = nn.Embedding(sizes.vocabulary, sizes.width)
        self.layers = nn.ModuleList(LlamaLayer(sizes, ways) for _ in range(sizes.layers))
        self.norm = RootMeanSquareNorm(sizes.width)
        self.lm_head = nn.Linear(sizes.width, sizes.vocabulary, bias=False)

    def forward(self, input_ids, attention_mask, labels):
        x = self.embed_tokens(input_ids)
        positions = input_ids.shape[1]
        mask = causal_mask(positions, x.device) + padding_mask(attention_mask)
        mask = mask.clamp(min=torch.finfo(torch.float32).min)
        cosines, sines = rotation(positions, self.sizes.width // self.sizes.heads, x.device)
        x = self.norm(through_layers(self.layers, x, self.ways, mask, cosines, sines))
        scores = self.lm_head(x).float()
        return next_token_loss(scores, labels), scores


class Bottleneck(nn.Module):
    def __init__(self, inputs: int, width: int, stride: int):
        super().__init__()
        outputs = 4 * width
        self.conv1 = nn.Conv2d(inputs, width, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, stride, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(width)
        self.conv3 = nn.Conv2d(width, outputs, 1, bias=False)
        self.bn3 = nn.BatchNorm2d(outputs)
        self.downsample = None
        if stride != 1 or inputs != outputs:
            self.downsample = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False),
                                            nn.BatchNorm2d(outputs))

    def forward(self, x):
        y = F.relu(self.bn1(self.conv1(x)), inplace=True)
        y = F.relu(self.bn2(self.conv2(y)), inplace=True)
        y = self.bn3(self.conv3(y))
        y += x if self.downsample is None else self.downsample(x)
        return F.relu(y, inplace=True)


class Resnet(nn.Module):
    """ResNet; its layers for checkpoints are the bottlenecks."""

    def __init__(self, sizes: ImageSizes, ways: Ways):
        super().__init__()
        self.ways = ways
        self.conv1 = nn.Conv2d(3, sizes.width, 7, 2, 3, bias=False)
        self.bn1 = nn.BatchNorm2d(sizes.width)
        blocks, inputs = [], sizes.width
        for stage, count in enumerate(sizes.blocks):
            width = sizes.width << stage
            for block in range(count):
                blocks.append(Bottleneck(inputs, width, 2 if stage > 0 and block == 0 else 1))
                inputs = 4 * width
        self.blocks = nn.ModuleList(blocks)
        self.fc = nn.Linear(inputs, sizes.classes)

    def forward(self, pixel_values, labels):
        x = F.relu(self.bn1(self.conv1(pixel_values)), inplace=True)
        x = F.max_pool2d(x, 3, 2, 1)
        x = through_layers(self.blocks, x, self.ways)
        scores = self.fc(x.mean((2, 3)))
        return F.cross_entropy(scores, labels), scores


def text_inputs(sizes: TextSizes, batch: int, sequence: int, device) -> dict[str, torch.Tensor]:
    draw = lambda: torch.randint(sizes.vocabulary, (batch, sequence), device=device)
    ones = torch.ones((batch, sequence), dtype=torch.int64, device=device)
    return {"input_ids": draw(), "attention_mask": ones, "labels": draw()}


def image_inputs(sizes: ImageSizes, batch: int, _sequence: int, device) -> dict[str, torch.Tensor]:
    pixels = torch.randn((batch, 3, sizes.side, sizes.side), device=device)
    return {"pixel_values": pixels, "labels": torch.randint(sizes.classes, (batch,), device=device)}


@dataclasses.dataclass(frozen=True)
class Recipe:
    module: Callable[..., nn.Module]
    sizes: TextSizes | ImageSizes
    tiny: TextSizes | ImageSizes
    inputs: Callable[..., dict[str, torch.Tensor]]


def text_recipe(module, sizes: TextSizes) -> Recipe:
    return Recipe(module, sizes, tiny_text(sizes), text_inputs)


RECIPES = {
    "gpt2_124m": text_recipe(Gpt2, GPT2),
    "bert_base": text_recipe(Bert, BERT),
    "llama_7b_4of32layers": text_recipe(Llama, LLAMA),
    "resnet50": Recipe(Resnet, RESNET50, tiny_image(RESNET50), image_inputs),
}
