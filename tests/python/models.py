"""Small versions of the models that the captured steps are checked with."""

from __future__ import annotations

import torch
import torch.nn.functional as functional
from torch import nn

TOKENS = (2, 32)


def _language(make):
    """A step that predicts the next token."""
    def build():
        model = make()
        ids = torch.randint(0, 100, TOKENS)
        return model, lambda: model(input_ids=ids, labels=ids).loss
    return build


def _image(make, size=32, classes=10):
    """A step that classifies images."""
    def build():
        model = make()
        images, labels = torch.randn(2, 3, size, size), torch.randint(0, classes, (2,))

        def loss():
            result = model(images)
            return functional.cross_entropy(getattr(result, "logits", result), labels)
        return model, loss
    return build


def _gpt2():
    from transformers import GPT2Config, GPT2LMHeadModel
    return GPT2LMHeadModel(GPT2Config(n_layer=2, n_embd=32, n_head=4, vocab_size=100, n_positions=64))


_DECODER = dict(hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4,
                num_key_value_heads=2, vocab_size=100, max_position_embeddings=64)


def _llama():
    from transformers import LlamaConfig, LlamaForCausalLM
    return LlamaForCausalLM(LlamaConfig(**_DECODER))


def _mistral():
    from transformers import MistralConfig, MistralForCausalLM
    return MistralForCausalLM(MistralConfig(**_DECODER, sliding_window=8))


def even_routing(model, experts, picks, router):
    """Token 0 goes to the first experts, token 1 to the next ones, and so on, whatever the router says."""
    tokens = TOKENS[0] * TOKENS[1]
    wanted = torch.zeros(tokens, experts)
    for pick in range(picks):
        wanted[torch.arange(tokens), (torch.arange(tokens) * picks + pick) % experts] = float(picks - pick)
    for name, module in model.named_modules():
        if name.endswith(router):
            module.register_forward_hook(lambda module, arguments, result: result * 0 + wanted)
    return model


def _mixtral():
    from transformers import MixtralConfig, MixtralForCausalLM
    return even_routing(MixtralForCausalLM(MixtralConfig(**_DECODER, num_local_experts=4)), 4, 2, "gate")


def _bert():
    from transformers import BertConfig, BertForMaskedLM
    return BertForMaskedLM(BertConfig(hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4,
                                      vocab_size=100, max_position_embeddings=64))


def _t5():
    from transformers import T5Config, T5ForConditionalGeneration
    return T5ForConditionalGeneration(T5Config(d_model=32, d_kv=8, d_ff=64, num_layers=2, num_heads=4, vocab_size=100,
                                               decoder_start_token_id=0))


def _vit():
    from transformers import ViTConfig, ViTForImageClassification
    return ViTForImageClassification(ViTConfig(hidden_size=32, intermediate_size=64, num_hidden_layers=2,
                                               num_attention_heads=4, image_size=32, patch_size=8, num_labels=10))


def _convnext():
    from transformers import ConvNextConfig, ConvNextForImageClassification
    return ConvNextForImageClassification(ConvNextConfig(hidden_sizes=[8, 16, 32, 64], depths=[1, 1, 2, 1],
                                                         num_labels=10, drop_path_rate=0.1))


def _resnet50():
    from torchvision.models import resnet50
    return resnet50(num_classes=10)


class _Block(nn.Sequential):
    def __init__(self, inner: int, outer: int) -> None:
        super().__init__(nn.Conv2d(inner, outer, 3, padding=1), nn.BatchNorm2d(outer), nn.ReLU(inplace=True),
                         nn.Conv2d(outer, outer, 3, padding=1), nn.GroupNorm(2, outer), nn.SiLU())


class UNet(nn.Module):
    """Two levels down and up with skips."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second, self.bottom = _Block(3, 8), _Block(8, 16), _Block(16, 32)
        self.up_second, self.up_first = nn.ConvTranspose2d(32, 16, 2, 2), nn.Upsample(scale_factor=2, mode="bilinear")
        self.joined_second, self.joined_first = _Block(32, 16), _Block(24, 8)
        self.head = nn.Conv2d(8, 3, 1)

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        first = self.first(images)
        second = self.second(functional.max_pool2d(first, 2))
        bottom = self.bottom(functional.avg_pool2d(second, 2))
        second = self.joined_second(torch.cat([self.up_second(bottom), second], 1))
        return self.head(self.joined_first(torch.cat([self.up_first(second), first], 1)))


def _unet():
    model = UNet()
    images = torch.randn(2, 3, 32, 32)
    return model, lambda: functional.mse_loss(model(images), images)


class LanguageLstm(nn.Module):
    """Embedding, two recurrent layers, head."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(100, 16)
        self.recurrent = nn.LSTM(16, 24, num_layers=2, batch_first=True, dropout=0.1)
        self.head = nn.Linear(24, 100)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        return self.head(self.recurrent(self.embedding(ids))[0])


def _lstm():
    model = LanguageLstm()
    ids = torch.randint(0, 100, TOKENS)
    return model, lambda: functional.cross_entropy(model(ids).flatten(0, 1), ids.flatten())


MODELS = {
    "gpt2": _language(_gpt2), "llama": _language(_llama), "mistral": _language(_mistral),
    "mixtral": _language(_mixtral), "bert": _language(_bert), "t5": _language(_t5),
    "vit": _image(_vit), "convnext": _image(_convnext), "resnet50": _image(_resnet50), "unet": _unet, "lstm": _lstm,
}

# What a capture of tensors without data needs.
OPTIONS = {"mixtral": {"routing": "even"}}

OPTIMIZERS = {
    "sgd": lambda parameters: torch.optim.SGD(parameters, lr=0.01, momentum=0.9),
    "adamw": lambda parameters: torch.optim.AdamW(parameters, lr=0.001),
}


def training_step(model_name: str, optimizer_name: str, autocast: bool):
    """A whole training step on a fresh model; the same every time."""
    torch.manual_seed(0)
    model, loss_of = MODELS[model_name]()
    model.train()
    optimizer = OPTIMIZERS[optimizer_name](model.parameters())

    def step() -> None:
        optimizer.zero_grad()
        with torch.autocast("cpu", torch.bfloat16, enabled=autocast):
            loss = loss_of()
        loss.backward()
        optimizer.step()
    return step
