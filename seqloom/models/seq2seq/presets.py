"""Whole translators by name: settings that go beneath the user's own."""

from __future__ import annotations

from typing import Any

from seqloom.models.registry import Architecture, register


def translator(name: str, sentence: str, **preset: Any) -> None:
    """Register a name for a choice of encoder, bridge and decoder; widths that it leaves out keep their defaults."""
    register(Architecture(name, sentence, "model", tasks=("translate",), preset=preset))


# fmt: off
translator("encoder-decoder", "GRU to GRU by one context", encoder="gru", decoder="gru", bridge="projected")
translator(
    "encoder-decoder-every-step", "the same, context in every step",
    encoder="gru", decoder="gru", bridge="projected", every_step=True,
)
translator("lstm-to-lstm", "the last state starts the decoder", encoder="lstm", decoder="lstm", bridge="last")
translator(
    "rnn-attention", "additive attention (Bahdanau)",
    encoder="gru", bidirectional=True, decoder="gru", score="additive",
)
translator(
    "dot-attention", "dot attention, input feeding (Luong)",
    encoder="lstm", decoder="lstm", score="dot", order="state-first", input_feeding=True,
)
translator("attention-alone", "attention without recurrence", encoder="words", decoder="attention", embedding=256)
translator(
    "conv-seq2seq", "convolutions on both sides", encoder="cnn", decoder="cnn", score="scaled_dot",
    embedding=256, encoder_widths=[256] * 4, decoder_widths=[256] * 3,
)
translator(
    "transformer-tiny", "four narrow layers on both sides", encoder="transformer", decoder="transformer",
    embedding=128, encoder_widths=[128] * 4, decoder_widths=[128] * 4, heads=4, hidden=256,
)
translator(
    "transformer", "self-attention, no recurrence", encoder="transformer", decoder="transformer",
    embedding=256, encoder_widths=[256] * 3, decoder_widths=[256] * 3, heads=8, hidden=1024,
)
translator(
    "transformer-base", "six layers of 512 (Vaswani et al.)", encoder="transformer", decoder="transformer",
    embedding=512, encoder_widths=[512] * 6, decoder_widths=[512] * 6, heads=8, hidden=2048,
)
translator(
    "hybrid", "a Transformer encoder, an SSRU decoder", encoder="transformer", decoder="ssru",
    embedding=256, encoder_widths=[256] * 6, decoder_widths=[256] * 2, heads=8, hidden=1024,
)
# fmt: on
