"""A Transformer of ours as a folder that `MarianMTModel.from_pretrained` opens: the same weights, so the same texts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from torch import Tensor

from seqloom.models.seq2seq.model import Seq2Seq
from seqloom.models.seq2seq.settings import Seq2SeqConfig
from seqloom.tokens.settings import BOS, EOS, PAD

POSITIONS = 512


def save_as_marian(model: Seq2Seq, config: Seq2SeqConfig, folder: Path) -> None:
    """The model must have its norms after each part and one embedding for all, as Marian has."""
    assert config.norm == "after" and config.tied == "all"
    folder.mkdir(parents=True, exist_ok=True)
    settings: dict[str, Any] = {
        "model_type": "marian", "architectures": ["MarianMTModel"], "vocab_size": len(model.embedding.E),
        "d_model": config.embedding, "encoder_layers": len(config.encoder_widths),
        "decoder_layers": len(config.decoder_widths), "encoder_attention_heads": config.heads,
        "decoder_attention_heads": config.heads, "encoder_ffn_dim": config.hidden, "decoder_ffn_dim": config.hidden,
        "activation_function": "relu", "scale_embedding": True, "max_position_embeddings": POSITIONS,
        "pad_token_id": PAD, "bos_token_id": BOS, "eos_token_id": EOS, "decoder_start_token_id": BOS,
        "forced_eos_token_id": None, "tie_word_embeddings": True, "share_encoder_decoder_embeddings": True,
    }  # fmt: skip
    (folder / "config.json").write_text(json.dumps(settings, indent=1))
    (folder / "generation_config.json").write_text(
        json.dumps({"pad_token_id": PAD, "eos_token_id": EOS, "decoder_start_token_id": BOS, "bos_token_id": BOS})
    )
    tensors = {name: value.detach().contiguous() for name, value in marian_weights(model).items()}
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})


def marian_weights(model: Seq2Seq) -> dict[str, Tensor]:
    """All weights under Marian's names."""
    ours = model.state_dict()
    embedding = ours["embedding.E"]
    waves = model.decoder.positions.waves(POSITIONS)  # type: ignore[union-attr, operator]
    found = {
        "model.shared.weight": embedding,
        "final_logits_bias": ours["readout.b_y"][None],
        "model.encoder.embed_positions.weight": waves.clone(),
        "model.decoder.embed_positions.weight": waves.clone(),
    }
    sides = {"encoder": "source.encoder.blocks", "decoder": "decoder.blocks"}
    attentions = {
        "encoder": {"attention": "self_attn"},
        "decoder": {"self_attention": "self_attn", "cross_attention": "encoder_attn"},
    }
    norms = {
        "encoder": {"norm_1": "self_attn_layer_norm", "norm_2": "final_layer_norm"},
        "decoder": {
            "norm_1": "self_attn_layer_norm", "norm_2": "encoder_attn_layer_norm", "norm_3": "final_layer_norm",
        },
    }  # fmt: skip
    for side, blocks in sides.items():
        count = len({name.removeprefix(blocks).split(".")[1] for name in ours if name.startswith(blocks)})
        for number in range(count):
            here, there = f"{blocks}.{number}", f"model.{side}.layers.{number}"
            for own, name in attentions[side].items():
                found |= attention(ours, f"{here}.{own}", f"{there}.{name}")
            for own, name in norms[side].items():
                found[f"{there}.{name}.weight"] = ours[f"{here}.{own}.gamma"]
                found[f"{there}.{name}.bias"] = ours[f"{here}.{own}.beta"]
            for layer in (1, 2):
                found[f"{there}.fc{layer}.weight"] = ours[f"{here}.network.W_{layer}"].T
                found[f"{there}.fc{layer}.bias"] = ours[f"{here}.network.b_{layer}"]
    return found


def attention(ours: dict[str, Tensor], here: str, there: str) -> dict[str, Tensor]:
    """The projections of one attention; ours have no biases."""
    parts = [*ours[f"{here}.W_QKV"].chunk(3, dim=1), ours[f"{here}.W_O"]]
    found: dict[str, Tensor] = {}
    for name, weight in zip(("q_proj", "k_proj", "v_proj", "out_proj"), parts, strict=True):
        found |= {f"{there}.{name}.weight": weight.T, f"{there}.{name}.bias": torch.zeros(weight.shape[1])}
    return found
