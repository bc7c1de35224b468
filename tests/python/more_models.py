"""More architectures for captured steps: each entry makes a fresh step, the same every time."""

from __future__ import annotations

from typing import Any, Callable

import torch
import torch.nn.functional as functional
from torch import nn

Step = Callable[[], None]

_DECODER = dict(hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4, vocab_size=100,
                max_position_embeddings=64, pad_token_id=0, bos_token_id=1, eos_token_id=2)
_GROUPED = dict(_DECODER, num_key_value_heads=2)


def trained(model: nn.Module, loss: Callable[[], torch.Tensor], optimizer: Any = torch.optim.AdamW) -> Step:
    """A usual step."""
    model.train()
    update = optimizer([parameter for parameter in model.parameters() if parameter.requires_grad], lr=0.001)

    def step() -> None:
        update.zero_grad()
        loss().backward()
        update.step()
    return step


def ids(*shape: int) -> torch.Tensor:
    """Token ids."""
    return torch.randint(3, 90, shape or (2, 32))


def _labelled(name: str, **config: Any) -> Callable[[], Step]:
    """A model of transformers that predicts tokens."""
    def make() -> Step:
        import transformers
        family, _, head = name.partition("For")
        kind = getattr(transformers, f"{family}Config")
        model = getattr(transformers, name)(kind(**config))
        tokens = ids()
        return trained(model, lambda: model(input_ids=tokens, labels=tokens).loss)
    return make


def _vision(name: str, size: int = 32, **config: Any) -> Callable[[], Step]:
    """A model of transformers that classifies images."""
    def make() -> Step:
        import transformers
        family, _, _ = name.partition("For")
        kind = getattr(transformers, f"{family}Config")
        model = getattr(transformers, name)(kind(num_labels=10, **config))
        images, labels = torch.randn(2, 3, size, size), torch.randint(0, 10, (2,))
        return trained(model, lambda: model(pixel_values=images, labels=labels).loss)
    return make


def _torchvision(name: str, size: int = 64, **options: Any) -> Callable[[], Step]:
    def make() -> Step:
        import torchvision
        model = torchvision.models.get_model(name, weights=None, num_classes=10, **options)
        images, labels = torch.randn(2, 3, size, size), torch.randint(0, 10, (2,))

        def loss() -> torch.Tensor:
            result = model(images)
            parts = (result,) if isinstance(result, torch.Tensor) else tuple(result)
            return sum(functional.cross_entropy(part, labels) for part in parts)
        return trained(model, loss, lambda parameters, lr: torch.optim.SGD(parameters, lr, momentum=0.9))
    return make


def _gemma3() -> Step:
    from transformers import Gemma3ForCausalLM, Gemma3TextConfig
    model = Gemma3ForCausalLM(Gemma3TextConfig(**_GROUPED, head_dim=8, sliding_window=8))
    tokens = ids()
    return trained(model, lambda: model(input_ids=tokens, labels=tokens).loss)


def _segmentation() -> Step:
    from transformers import SegformerConfig, SegformerForSemanticSegmentation
    model = SegformerForSemanticSegmentation(SegformerConfig(
        hidden_sizes=[8, 16, 24, 32], depths=[1, 1, 1, 1], num_attention_heads=[1, 2, 2, 4], decoder_hidden_size=16,
        num_labels=5))
    images, labels = torch.randn(2, 3, 64, 64), torch.randint(0, 5, (2, 64, 64))
    return trained(model, lambda: model(pixel_values=images, labels=labels).loss)


def _whisper() -> Step:
    from transformers import WhisperConfig, WhisperForConditionalGeneration
    model = WhisperForConditionalGeneration(WhisperConfig(
        d_model=32, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4, decoder_attention_heads=4,
        encoder_ffn_dim=64, decoder_ffn_dim=64, vocab_size=100, num_mel_bins=8, max_source_positions=32,
        max_target_positions=32, pad_token_id=0, bos_token_id=1, eos_token_id=2, decoder_start_token_id=1))
    sound, labels = torch.randn(2, 8, 64), ids(2, 16)
    return trained(model, lambda: model(input_features=sound, labels=labels).loss)


def _clip() -> Step:
    from transformers import CLIPConfig, CLIPModel
    part = dict(hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4, projection_dim=16)
    model = CLIPModel(CLIPConfig(
        text_config=dict(part, vocab_size=100, max_position_embeddings=32, eos_token_id=2, bos_token_id=1),
        vision_config=dict(part, image_size=32, patch_size=8), projection_dim=16))
    images, tokens = torch.randn(2, 3, 32, 32), ids(2, 16)
    return trained(model, lambda: model(input_ids=tokens, pixel_values=images, return_loss=True).loss)


def _detr() -> Step:
    from transformers import DetrConfig, DetrForObjectDetection, ResNetConfig
    backbone = ResNetConfig(embedding_size=8, hidden_sizes=[8, 8, 16, 16], depths=[1, 1, 1, 1],
                            out_features=["stage4"], layer_type="basic")
    model = DetrForObjectDetection(DetrConfig(
        use_timm_backbone=False, use_pretrained_backbone=False, backbone=None, backbone_config=backbone, d_model=32,
        encoder_layers=1, decoder_layers=1, encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=64,
        decoder_ffn_dim=64, num_queries=5, num_labels=4))
    images = torch.randn(2, 3, 64, 64)

    def loss() -> torch.Tensor:
        result = model(pixel_values=images)
        return result.logits.square().mean() + result.pred_boxes.mean()
    return trained(model, loss)


def _mamba() -> Step:
    from transformers import MambaConfig, MambaForCausalLM
    model = MambaForCausalLM(MambaConfig(hidden_size=32, num_hidden_layers=2, vocab_size=100, state_size=4,
                                         use_mambapy=False))
    tokens = ids(2, 16)
    return trained(model, lambda: model(input_ids=tokens, labels=tokens, use_cache=False).loss)


def _rwkv() -> Step:
    from transformers import RwkvConfig, RwkvForCausalLM
    model = RwkvForCausalLM(RwkvConfig(hidden_size=32, num_hidden_layers=2, vocab_size=100, context_length=64,
                                       attention_hidden_size=32, intermediate_size=64))
    tokens = ids(2, 16)
    return trained(model, lambda: model(input_ids=tokens, labels=tokens, use_cache=False).loss)


def _faster_rcnn() -> Step:
    from torchvision.models.detection import FasterRCNN
    from torchvision.models.detection.rpn import AnchorGenerator
    backbone = nn.Sequential(nn.Conv2d(3, 8, 3, 4, 1), nn.ReLU(), nn.Conv2d(8, 16, 3, 4, 1))
    backbone.out_channels = 16
    model = FasterRCNN(backbone, 3, min_size=64, max_size=64, rpn_anchor_generator=AnchorGenerator(((16,),), ((1.0,),)))
    images = [torch.rand(3, 64, 64) for _ in range(2)]
    targets = [{"boxes": torch.tensor([[4.0, 4, 30, 30]]), "labels": torch.tensor([1])} for _ in range(2)]
    return trained(model, lambda: sum(model(images, targets).values()))


def _raft() -> Step:
    from torchvision.models.optical_flow import raft_small
    model = raft_small(weights=None)
    images = torch.rand(1, 3, 128, 128), torch.rand(1, 3, 128, 128)
    return trained(model, lambda: sum(flow.abs().mean() for flow in model(*images, num_flow_updates=2)))


class _Recurrent(nn.Module):
    def __init__(self, kind: Any, **options: Any) -> None:
        super().__init__()
        self.embedding = nn.Embedding(100, 16)
        self.recurrent = kind(16, 24, num_layers=2, batch_first=True, **options)
        self.head = nn.Linear(24 * (1 + options.get("bidirectional", False)), 100)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        return self.head(self.recurrent(self.embedding(tokens))[0])


def _recurrent(kind: Any, **options: Any) -> Callable[[], Step]:
    def make() -> Step:
        model, tokens = _Recurrent(kind, **options), ids()
        return trained(model, lambda: functional.cross_entropy(model(tokens).flatten(0, 1), tokens.flatten()))
    return make


def _packed_lstm() -> Step:
    recurrent, head = nn.LSTM(8, 16, batch_first=True), nn.Linear(16, 4)
    model = nn.ModuleList([recurrent, head])
    data, lengths = torch.randn(3, 10, 8), torch.tensor([10, 7, 4])

    def loss() -> torch.Tensor:
        packed = nn.utils.rnn.pack_padded_sequence(data, lengths, batch_first=True)
        return head(nn.utils.rnn.pad_packed_sequence(recurrent(packed)[0], batch_first=True)[0]).square().mean()
    return trained(model, loss)


def _transformer() -> Step:
    model = nn.Transformer(32, 4, 2, 2, 64, batch_first=True)
    source, target = torch.randn(2, 20, 32), torch.randn(2, 12, 32)
    mask = nn.Transformer.generate_square_subsequent_mask(12)
    return trained(model, lambda: model(source, target, tgt_mask=mask).square().mean())


def _embedding_bag() -> Step:
    model = nn.Sequential(nn.EmbeddingBag(100, 16, mode="mean"), nn.Linear(16, 4))
    tokens, offsets = ids(30), torch.tensor([0, 7, 19])
    return trained(model, lambda: model[1](model[0](tokens, offsets)).square().mean())


def _variational() -> Step:
    encoder, decoder = nn.Linear(64, 2 * 8), nn.Sequential(nn.Linear(8, 64), nn.Sigmoid())
    model = nn.ModuleList([encoder, decoder])
    data = torch.rand(6, 64)

    def loss() -> torch.Tensor:
        mean, spread = encoder(data).chunk(2, -1)
        code = mean + torch.randn_like(mean) * (0.5 * spread).exp()
        divergence = -0.5 * (1 + spread - mean.pow(2) - spread.exp()).sum()
        return functional.binary_cross_entropy(decoder(code), data, reduction="sum") + divergence
    return trained(model, loss)


def _adversarial() -> Step:
    maker = nn.Sequential(nn.Linear(8, 32), nn.LeakyReLU(0.2), nn.Linear(32, 16))
    judge = nn.Sequential(nn.Linear(16, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1))
    updates = [torch.optim.Adam(part.parameters(), lr=0.001) for part in (maker, judge)]
    real, ones, zeros = torch.randn(6, 16), torch.ones(6, 1), torch.zeros(6, 1)

    def step() -> None:
        made = maker(torch.randn(6, 8))
        updates[1].zero_grad()
        loss = functional.binary_cross_entropy_with_logits
        (loss(judge(real), ones) + loss(judge(made.detach()), zeros)).backward()
        updates[1].step()
        updates[0].zero_grad()
        loss(judge(made), ones).backward()
        updates[0].step()
    return step


def _network() -> nn.Module:
    return nn.Sequential(nn.Linear(16, 32), nn.GELU(), nn.Linear(32, 32), nn.ReLU(inplace=True), nn.LayerNorm(32),
                         nn.Dropout(0.1), nn.Linear(32, 4))


def _with_optimizer(make_optimizer: Any) -> Callable[[], Step]:
    def make() -> Step:
        model, data = _network(), torch.randn(8, 16)
        return trained(model, lambda: model(data).square().mean(), make_optimizer)
    return make


def _second_step(make: Callable[[], Step]) -> Callable[[], Step]:
    def made() -> Step:
        step = make()
        step()
        return step
    return made


def _lbfgs() -> Step:
    model, data = _network()[:3], torch.randn(8, 16)
    update = torch.optim.LBFGS(model.parameters(), max_iter=2)

    def closure() -> torch.Tensor:
        update.zero_grad()
        loss = model(data).square().mean()
        loss.backward()
        return loss
    return lambda: update.step(closure)


def _accumulation() -> Step:
    model, batches = _network(), torch.randn(3, 8, 16)
    update = torch.optim.AdamW(model.parameters())

    def step() -> None:
        update.zero_grad()
        for batch in batches:
            (model(batch).square().mean() / 3).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        nn.utils.clip_grad_value_(model.parameters(), 0.5)
        update.step()
    return step


def _checkpointed(reentrant: bool) -> Callable[[], Step]:
    def make() -> Step:
        from torch.utils.checkpoint import checkpoint, checkpoint_sequential
        first, rest, data = _network(), nn.Sequential(*(nn.Sequential(nn.Linear(4, 4), nn.Tanh()) for _ in range(4))), \
            torch.randn(8, 16, requires_grad=True)
        model = nn.ModuleList([first, rest])

        def loss() -> torch.Tensor:
            hidden = checkpoint(first, data, use_reentrant=reentrant)
            return checkpoint_sequential(rest, 2, hidden, use_reentrant=reentrant).square().mean()
        return trained(model, loss)
    return make


def _scaled() -> Step:
    model, data = _network(), torch.randn(8, 16)
    update, scaler = torch.optim.SGD(model.parameters(), lr=0.1), torch.amp.GradScaler("cpu")

    def step() -> None:
        update.zero_grad()
        with torch.autocast("cpu", torch.bfloat16):
            loss = model(data).square().mean()
        scaler.scale(loss).backward()
        scaler.unscale_(update)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(update)
        scaler.update()
    return step


def _averaged() -> Step:
    model, data = _network(), torch.randn(8, 16)
    average = torch.optim.swa_utils.AveragedModel(model, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.9))
    update = torch.optim.SGD(model.parameters(), lr=0.1)

    def step() -> None:
        update.zero_grad()
        model(data).square().mean().backward()
        update.step()
        average.update_parameters(model)
    return step


def _tied() -> Step:
    class Tied(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embedding, self.head = nn.Embedding(50, 16), nn.Linear(16, 50, bias=False)
            self.head.weight = self.embedding.weight

        def forward(self, tokens: torch.Tensor) -> torch.Tensor:
            return self.head(self.embedding(tokens))
    model, tokens = Tied(), torch.randint(0, 50, (4, 8))
    return trained(model, lambda: functional.cross_entropy(model(tokens).flatten(0, 1), tokens.flatten()))


def _parametrized() -> Step:
    model = nn.Sequential(nn.utils.parametrizations.weight_norm(nn.Linear(16, 32)),
                          nn.utils.parametrizations.spectral_norm(nn.Linear(32, 32)),
                          nn.utils.parametrizations.orthogonal(nn.Linear(32, 32)))
    data = torch.randn(8, 16)
    return trained(model, lambda: model(data).square().mean())


def _old_weight_norm() -> Step:
    model, data = nn.utils.weight_norm(nn.Linear(16, 32)), torch.randn(8, 16)
    return trained(model, lambda: model(data).square().mean())


class _Cube(torch.autograd.Function):
    @staticmethod
    def forward(context: Any, data: torch.Tensor) -> torch.Tensor:
        context.save_for_backward(data)
        context.kept = data * 2
        return data ** 3

    @staticmethod
    def backward(context: Any, gradient: torch.Tensor) -> torch.Tensor:
        data, = context.saved_tensors
        return gradient * 3 * data * data + 0 * context.kept


def _own_function() -> Step:
    model, data = _network(), torch.randn(8, 16)
    return trained(model, lambda: _Cube.apply(model(data)).mean())


def _gradient_penalty() -> Step:
    model, data = nn.Sequential(nn.Linear(16, 32), nn.Tanh(), nn.Linear(32, 1)), torch.randn(8, 16, requires_grad=True)

    def loss() -> torch.Tensor:
        result = model(data)
        slope, = torch.autograd.grad(result.sum(), data, create_graph=True)
        return result.square().mean() + (slope.norm(dim=1) - 1).square().mean()
    return trained(model, loss)


def _functional() -> Step:
    model, data = nn.Sequential(nn.Linear(16, 32), nn.Tanh(), nn.Linear(32, 1)), torch.randn(8, 16)
    parameters = dict(model.named_parameters())

    def step() -> None:
        def loss(values: Any) -> torch.Tensor:
            return torch.func.functional_call(model, values, (data,)).square().mean()
        gradients = torch.func.grad(loss)(parameters)
        with torch.no_grad():
            for name, value in parameters.items():
                value.sub_(0.1 * gradients[name])
    return step


def _per_sample() -> Step:
    model, data = nn.Sequential(nn.Linear(16, 32), nn.Tanh(), nn.Linear(32, 1)), torch.randn(8, 16)
    parameters = {name: value.detach() for name, value in model.named_parameters()}

    def step() -> None:
        def loss(values: Any, sample: torch.Tensor) -> torch.Tensor:
            return torch.func.functional_call(model, values, (sample,)).square().mean()
        gradients = torch.func.vmap(torch.func.grad(loss), in_dims=(None, 0))(parameters, data)
        for name, value in parameters.items():
            value.sub_(0.1 * gradients[name].mean(0))
    return step


_BART = dict(d_model=32, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4, decoder_attention_heads=4,
             encoder_ffn_dim=64, decoder_ffn_dim=64, vocab_size=100, max_position_embeddings=64, pad_token_id=0,
             bos_token_id=1, eos_token_id=2, decoder_start_token_id=1, forced_eos_token_id=2)
_ROTARY = dict(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, vocab_size=100)
_EXPERTS = dict(_GROUPED, num_experts=4, num_experts_per_tok=2, moe_intermediate_size=32)

MORE_MODELS: dict[str, Callable[[], Step]] = {
    "qwen2": _labelled("Qwen2ForCausalLM", **_GROUPED),
    "qwen3": _labelled("Qwen3ForCausalLM", **_GROUPED, head_dim=8),
    "gemma2": _labelled("Gemma2ForCausalLM", **_GROUPED, head_dim=8, sliding_window=8),
    "gemma3": _gemma3,
    "phi3": _labelled("Phi3ForCausalLM", **_GROUPED),
    "falcon": _labelled("FalconForCausalLM", **_ROTARY),
    "opt": _labelled("OPTForCausalLM", hidden_size=32, ffn_dim=64, num_hidden_layers=2, num_attention_heads=4,
                     vocab_size=100, max_position_embeddings=64, word_embed_proj_dim=32),
    "gpt_neox": _labelled("GPTNeoXForCausalLM", **dict(_DECODER)),
    "bloom": _labelled("BloomForCausalLM", hidden_size=32, n_layer=2, n_head=4, vocab_size=100),
    "gptj": _labelled("GPTJForCausalLM", n_embd=32, n_layer=2, n_head=4, rotary_dim=4, vocab_size=100, n_positions=64),
    "deberta": _labelled("DebertaV2ForMaskedLM", **_DECODER, relative_attention=True, pos_att_type=["p2c", "c2p"]),
    "roberta": _labelled("RobertaForMaskedLM", **_DECODER),
    "distilbert": _labelled("DistilBertForMaskedLM", dim=32, hidden_dim=64, n_layers=2, n_heads=4, vocab_size=100,
                            max_position_embeddings=64),
    "electra": _labelled("ElectraForMaskedLM", **_DECODER, embedding_size=16),
    "albert": _labelled("AlbertForMaskedLM", **_DECODER, embedding_size=16),
    "xlnet": _labelled("XLNetLMHeadModel", d_model=32, n_layer=2, n_head=4, d_inner=64, vocab_size=100),
    "bart": _labelled("BartForConditionalGeneration", **_BART),
    "mamba": _mamba, "rwkv": _rwkv,
    "qwen2_moe": _labelled("Qwen2MoeForCausalLM", **_EXPERTS, shared_expert_intermediate_size=32),
    "qwen3_moe": _labelled("Qwen3MoeForCausalLM", **_EXPERTS, head_dim=8),
    "whisper": _whisper, "clip": _clip,
    "swin": _vision("SwinForImageClassification", image_size=32, patch_size=2, embed_dim=8, depths=[2, 2],
                    num_heads=[2, 4], window_size=4),
    "swin2": _vision("Swinv2ForImageClassification", image_size=32, patch_size=2, embed_dim=8, depths=[2, 2],
                     num_heads=[2, 4], window_size=4),
    "deit": _vision("DeiTForImageClassification", hidden_size=32, intermediate_size=64, num_hidden_layers=2,
                    num_attention_heads=4, image_size=32, patch_size=8),
    "dinov2": _vision("Dinov2ForImageClassification", hidden_size=32, num_hidden_layers=2, num_attention_heads=4,
                      image_size=32, patch_size=8),
    "segformer": _segmentation, "detr": _detr,
    "vgg11": _torchvision("vgg11", 32), "densenet": _torchvision("densenet121"),
    "mobilenet": _torchvision("mobilenet_v3_small"), "efficientnet": _torchvision("efficientnet_b0"),
    "inception": _torchvision("inception_v3", 75, aux_logits=True, init_weights=False),
    "shufflenet": _torchvision("shufflenet_v2_x0_5"), "swin_v2_t": _torchvision("swin_v2_t"),
    "maxvit": _torchvision("regnet_y_400mf"), "faster_rcnn": _faster_rcnn, "raft": _raft,
    "gru": _recurrent(nn.GRU), "rnn": _recurrent(nn.RNN), "bidirectional_lstm": _recurrent(nn.LSTM, bidirectional=True),
    "packed_lstm": _packed_lstm, "transformer": _transformer, "embedding_bag": _embedding_bag,
    "variational": _variational, "adversarial": _adversarial, "accumulation": _accumulation,
    "checkpoint": _checkpointed(False), "checkpoint_reentrant": _checkpointed(True),
    "grad_scaler": _scaled, "averaged": _averaged, "averaged_again": _second_step(_averaged), "tied": _tied,
    "parametrized": _parametrized, "weight_norm": _old_weight_norm, "own_function": _own_function,
    "gradient_penalty": _gradient_penalty, "func_grad": _functional, "per_sample": _per_sample,
    "lbfgs": _lbfgs, "lbfgs_again": _second_step(_lbfgs),
}

_OPTIMIZERS = {
    "sgd": lambda parameters, lr: torch.optim.SGD(parameters, lr, momentum=0.9, nesterov=True, weight_decay=0.1),
    "sgd_fused": lambda parameters, lr: torch.optim.SGD(parameters, lr, fused=True),
    "adam_amsgrad": lambda parameters, lr: torch.optim.Adam(parameters, lr, amsgrad=True),
    "adamw_foreach": lambda parameters, lr: torch.optim.AdamW(parameters, lr, foreach=True),
    "adamw_fused": lambda parameters, lr: torch.optim.AdamW(parameters, lr, fused=True),
    "adamw_capturable": lambda parameters, lr: torch.optim.AdamW(parameters, torch.tensor(lr)),
    "rmsprop": lambda parameters, lr: torch.optim.RMSprop(parameters, lr, momentum=0.9, centered=True),
    "rmsprop_foreach": lambda parameters, lr: torch.optim.RMSprop(parameters, lr, foreach=True),
    "adagrad": torch.optim.Adagrad,
    "adagrad_fused": lambda parameters, lr: torch.optim.Adagrad(parameters, lr, fused=True),
    "adafactor": torch.optim.Adafactor, "adadelta": torch.optim.Adadelta, "adamax": torch.optim.Adamax,
    "nadam": torch.optim.NAdam, "radam": torch.optim.RAdam, "rprop": torch.optim.Rprop, "asgd": torch.optim.ASGD,
    "adamax_foreach": lambda parameters, lr: torch.optim.Adamax(parameters, lr, foreach=True),
    "nadam_foreach": lambda parameters, lr: torch.optim.NAdam(parameters, lr, foreach=True),
}
for _name, _optimizer in _OPTIMIZERS.items():
    MORE_MODELS[f"with_{_name}"] = _with_optimizer(_optimizer)
    MORE_MODELS[f"with_{_name}_again"] = _second_step(_with_optimizer(_optimizer))
