"""Hugging Face transformers: `MarianMTModel` from a configuration, in a plain training loop."""

from __future__ import annotations

import warnings
from typing import Any

import torch
import transformers  # type: ignore[import-not-found]  # in the environment of this runner
from torch import Tensor
from torch.nn import functional as F
from torch_steps import steps  # type: ignore[import-not-found]  # beside this file
from training_turns import Step, serve  # type: ignore[import-not-found]  # beside this file

PAD, BOS, EOS = 0, 2, 3


def start(job: dict[str, Any]) -> tuple[dict[str, Any], Step]:
    warnings.simplefilter("ignore")
    torch.set_num_threads(job["threads"])
    sizes = job["sizes"]
    layers = len(sizes["encoder_widths"])
    config = transformers.MarianConfig(
        vocab_size=sizes["vocabulary"], d_model=sizes["embedding"], encoder_layers=layers, decoder_layers=layers,
        encoder_attention_heads=sizes["heads"], decoder_attention_heads=sizes["heads"],
        encoder_ffn_dim=sizes["hidden"], decoder_ffn_dim=sizes["hidden"], activation_function="relu",
        dropout=sizes["dropout"], scale_embedding=True, max_position_embeddings=512,
        pad_token_id=PAD, bos_token_id=BOS, eos_token_id=EOS, decoder_start_token_id=BOS,
    )  # fmt: skip
    model = transformers.MarianMTModel._from_config(config, attn_implementation="sdpa")

    def loss(batch: dict[str, Tensor]) -> Tensor:
        logits = model(
            input_ids=batch["source"], attention_mask=(batch["source"] != PAD).long(),
            decoder_input_ids=batch["decoder_input"], use_cache=False,
        ).logits  # fmt: skip
        labels = batch["labels"].flatten()
        return F.cross_entropy(logits.flatten(0, 1), labels, ignore_index=PAD, label_smoothing=sizes["smoothing"])

    about, step = steps(job, model, loss)
    about["versions"]["transformers"] = transformers.__version__
    return about, step


serve(start)
