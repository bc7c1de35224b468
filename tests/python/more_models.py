"""More architectures for captured steps: each entry makes a fresh step, the same every time."""

from __future__ import annotations

from typing import Any, Callable

import torch
import torch.nn.functional as functional
from torch import nn

from models import even_routing
from more_steps import STEPS, Step, ids, trained

_DECODER = dict(hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4, vocab_size=100,
                max_position_embeddings=64, pad_token_id=0, bos_token_id=1, eos_token_id=2)
_GROUPED = dict(_DECODER, num_key_value_heads=2)
# The routers of mixtures of experts. They pick 2 of 4 experts.
_ROUTERS = {"Qwen2MoeForCausalLM": "mlp.gate", "Qwen3MoeForCausalLM": "mlp.gate", "OlmoeForCausalLM": "mlp.gate",
            "GraniteMoeForCausalLM": "router.layer"}


def _labelled(name: str, **config: Any) -> Callable[[], Step]:
    """A model of transformers that predicts tokens."""
    def make() -> Step:
        import transformers
        kind = getattr(transformers, name)
        model = kind(kind.config_class(**config))
        if name in _ROUTERS:
            even_routing(model, 4, 2, _ROUTERS[name])
        tokens = ids()
        return trained(model, lambda: model(input_ids=tokens, labels=tokens).loss)
    return make


def _vision(name: str, size: int = 32, **config: Any) -> Callable[[], Step]:
    """A model of transformers that classifies images."""
    def make() -> Step:
        import transformers
        kind = getattr(transformers, name)
        model = kind(kind.config_class(num_labels=10, **config))
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


def _maxvit() -> Step:
    from torchvision.models.maxvit import MaxVit
    model = MaxVit((64, 64), 8, 2, [8, 16], [1, 1], 8, 0.1, num_classes=10)
    images, labels = torch.randn(2, 3, 64, 64), torch.randint(0, 10, (2,))
    return trained(model, lambda: functional.cross_entropy(model(images), labels))


def _raft() -> Step:
    from torchvision.models.optical_flow import raft_small
    model = raft_small(weights=None)
    images = torch.rand(1, 3, 128, 128), torch.rand(1, 3, 128, 128)
    return trained(model, lambda: sum(flow.abs().mean() for flow in model(*images, num_flow_updates=2)))


_BART = dict(d_model=32, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4, decoder_attention_heads=4,
             encoder_ffn_dim=64, decoder_ffn_dim=64, vocab_size=100, max_position_embeddings=64, pad_token_id=0,
             bos_token_id=1, eos_token_id=2, decoder_start_token_id=1, forced_eos_token_id=2)
_ROTARY = dict(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, vocab_size=100)
_EXPERTS = dict(_GROUPED, num_experts=4, num_experts_per_tok=2, moe_intermediate_size=32)

_LANGUAGE: dict[str, Callable[[], Step]] = {
    "olmoe": _labelled("OlmoeForCausalLM", **_GROUPED, num_experts=4, num_experts_per_tok=2),
    "granite_moe": _labelled("GraniteMoeForCausalLM", **_GROUPED, num_local_experts=4, num_experts_per_tok=2),
    "gpt_neo": _labelled("GPTNeoForCausalLM", hidden_size=32, num_layers=2, num_heads=4, window_size=8, vocab_size=100,
                         attention_types=[[["global", "local"], 1]], max_position_embeddings=64),
    "gpt_bigcode": _labelled("GPTBigCodeForCausalLM", n_layer=2, n_embd=32, n_head=4, vocab_size=100, n_positions=64),
    "phi": _labelled("PhiForCausalLM", **_DECODER), "gemma": _labelled("GemmaForCausalLM", **_GROUPED, head_dim=8),
    "cohere": _labelled("CohereForCausalLM", **_GROUPED), "stablelm": _labelled("StableLmForCausalLM", **_GROUPED),
    "mpt": _labelled("MptForCausalLM", d_model=32, n_heads=4, n_layers=2, vocab_size=100, max_seq_len=64),
    "pegasus": _labelled("PegasusForConditionalGeneration", **_BART),
    "marian": _labelled("MarianMTModel", **_BART), "mbart": _labelled("MBartForConditionalGeneration", **_BART),
    "led": _labelled("LEDForConditionalGeneration", **_BART, attention_window=8, max_encoder_position_embeddings=64,
                     max_decoder_position_embeddings=64),
    "longformer": _labelled("LongformerForMaskedLM", **_DECODER, attention_window=8),
    "mpnet": _labelled("MPNetForMaskedLM", **_DECODER), "convbert": _labelled("ConvBertForMaskedLM", **_DECODER),
    "funnel": _labelled("FunnelForMaskedLM", vocab_size=100, d_model=32, n_head=4, d_head=8, d_inner=64,
                        block_sizes=[1, 1]),
    "fnet": _labelled("FNetForMaskedLM", hidden_size=32, num_hidden_layers=2, intermediate_size=64, vocab_size=100,
                      max_position_embeddings=64),
    "modernbert": _labelled("ModernBertForMaskedLM", **_DECODER, cls_token_id=1, sep_token_id=2),
    "mamba2": _labelled("Mamba2ForCausalLM", hidden_size=32, num_hidden_layers=2, vocab_size=100, state_size=8,
                        num_heads=4, head_dim=16, expand=2, n_groups=1, chunk_size=8),
}

_SMALL_STAGES = dict(hidden_sizes=[8, 8, 16, 16], depths=[1, 1, 1, 1])
_IMAGES: dict[str, Callable[[], Step]] = {
    "beit": _vision("BeitForImageClassification", hidden_size=32, intermediate_size=64, num_hidden_layers=2,
                    num_attention_heads=4, image_size=32, patch_size=8),
    "pvt": _vision("PvtForImageClassification", 64, image_size=64, num_attention_heads=[1, 1, 2, 2], **_SMALL_STAGES),
    "poolformer": _vision("PoolFormerForImageClassification", 64, **_SMALL_STAGES),
    "convnextv2": _vision("ConvNextV2ForImageClassification", hidden_sizes=[8, 16, 32, 64], depths=[1, 1, 1, 1]),
    "focalnet": _vision("FocalNetForImageClassification", image_size=32, embed_dim=8, depths=[1, 1],
                        focal_levels=[1, 1], focal_windows=[3, 3]),
    "mobilevit": _vision("MobileViTForImageClassification", 64, image_size=64),
    "googlenet": _torchvision("googlenet", aux_logits=False, init_weights=False),
    "squeezenet": _torchvision("squeezenet1_1"), "mnasnet": _torchvision("mnasnet0_5"),
    "resnext": _torchvision("resnext50_32x4d"), "alexnet": _torchvision("alexnet"),
}

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
    "inception": _torchvision("inception_v3", 96, aux_logits=False, init_weights=False),
    "shufflenet": _torchvision("shufflenet_v2_x0_5"), "swin_v2_t": _torchvision("swin_v2_t"),
    "regnet": _torchvision("regnet_y_400mf"), "maxvit": _maxvit, "faster_rcnn": _faster_rcnn, "raft": _raft,
    **_LANGUAGE, **_IMAGES, **STEPS,
}

# What a capture of tensors without data needs.
OPTIONS: dict[str, dict[str, Any]] = {name: {"routing": "even"} for name in ("qwen2_moe", "qwen3_moe", "olmoe",
                                                                            "granite_moe")}
# Data decides the sizes of these.
REAL_ONLY = ("faster_rcnn", "lbfgs", "lbfgs_again", "with_adafactor", "with_adafactor_again")
