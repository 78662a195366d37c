"""Models by name: settings that go beneath the user's own."""

from __future__ import annotations

from typing import Any

PRESETS: dict[str, dict[str, Any]] = {
    "encoder-decoder": {"encoder": "gru", "decoder": "gru", "bridge": "projected"},
    "encoder-decoder-every-step": {"encoder": "gru", "decoder": "gru", "bridge": "projected", "every_step": True},
    "lstm-to-lstm": {"encoder": "lstm", "decoder": "lstm", "bridge": "last"},
    "rnn-attention": {"encoder": "gru", "bidirectional": True, "decoder": "gru", "score": "additive"},
    "dot-attention": {
        "encoder": "lstm", "decoder": "lstm", "score": "dot", "order": "state-first", "input_feeding": True,
    },
    "attention-alone": {"encoder": "words", "decoder": "attention", "embedding": 256},
    "conv-seq2seq": {
        "encoder": "cnn", "decoder": "cnn", "score": "scaled_dot", "embedding": 256, "encoder_widths": [256] * 4,
        "decoder_widths": [256] * 3,
    },
    "transformer-tiny": {
        "encoder": "transformer", "decoder": "transformer", "embedding": 128, "encoder_widths": [128] * 4,
        "decoder_widths": [128] * 4, "heads": 4, "hidden": 256,
    },
    "transformer": {
        "encoder": "transformer", "decoder": "transformer", "embedding": 256, "encoder_widths": [256] * 3,
        "decoder_widths": [256] * 3, "heads": 8, "hidden": 1024,
    },
    "transformer-base": {
        "encoder": "transformer", "decoder": "transformer", "embedding": 512, "encoder_widths": [512] * 6,
        "decoder_widths": [512] * 6, "heads": 8, "hidden": 2048,
    },
    "hybrid": {
        "encoder": "transformer", "decoder": "ssru", "embedding": 256, "encoder_widths": [256] * 6,
        "decoder_widths": [256] * 2, "heads": 8, "hidden": 1024,
    },
}  # fmt: skip
"""Widths that a preset does not name are those of the settings themselves."""
