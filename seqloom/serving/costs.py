"""What a request may cost at most, known before it is computed: sequences, tokens, attention weights that are kept."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from seqloom.decoding.settings import DecodingOptions
from seqloom.models.registry import find
from seqloom.models.seq2seq.settings import Seq2SeqConfig
from seqloom.tasks.generate.settings import GenerateOptions

WEIGHTS_PER_TOKEN = 100
"""Attention weights that cost as much as one token."""


def sequences_per_text(options: Any) -> int:
    """Sequences that are decoded side by side for one text: the beam, or the samples."""
    if not isinstance(options, DecodingOptions):
        return 1
    return options.n_best if options.temperature else max(options.beam, options.n_best)


def max_tokens_of_request(texts: Iterable[Any], options: Any, model: Any) -> int:
    """Tokens that may have to be computed for all texts; `model` is its settings."""
    return sum(sequences_per_text(options) * max_tokens_of(text, options, model) for text in texts)


def max_tokens_of(text: Any, options: Any, model: Any) -> int:
    """Tokens of the longest answer to a text; a text has at most one token per byte."""
    if isinstance(options, GenerateOptions):
        return options.length
    if not isinstance(options, DecodingOptions):
        return 1
    assert isinstance(model, Seq2SeqConfig)
    source = min(len(text.encode()) + 1, model.length)
    cost = 1
    if getattr(options, "attention", False) or getattr(options, "copy_unknown", False):
        heads = model.heads if "heads" in find(model.decoder, "decoder").reads else 1
        cost += len(model.decoder_widths) * heads * source // WEIGHTS_PER_TOKEN
    return options.limit(source) * cost


def characters_in(value: Any) -> int:
    """Characters in a text, in a list of words, in the columns of an object; a number has none."""
    if isinstance(value, str):
        return len(value)
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return sum(map(characters_in, parts))
