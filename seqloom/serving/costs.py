"""What a request may cost before it is known what it will: rows side by side, tokens, attention that is kept."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from seqloom.decoding.settings import DecodingOptions
from seqloom.models.registry import find
from seqloom.models.seq2seq.settings import Seq2SeqConfig
from seqloom.tasks.generate.settings import GenerateOptions

KEPT = 100
"""Numbers of attention that cost as much as one token."""


def rows_of(options: Any) -> int:
    """Answers that are followed side by side for one text."""
    if not isinstance(options, DecodingOptions):
        return 1
    return options.n_best if options.temperature else max(options.beam, options.n_best)


def work_of(texts: Iterable[Any], options: Any, model: Any) -> int:
    """Tokens that may have to be computed for all texts; `model` is its settings."""
    return sum(rows_of(options) * tokens_of(text, options, model) for text in texts)


def tokens_of(text: Any, options: Any, model: Any) -> int:
    """Tokens of the longest answer to a text, which has a byte at least for each of its own."""
    if isinstance(options, GenerateOptions):
        return options.length
    if not isinstance(options, DecodingOptions):
        return 1
    assert isinstance(model, Seq2SeqConfig)
    source = min(len(text.encode()) + 1, model.length)
    weighs = 1
    if getattr(options, "attention", False) or getattr(options, "copy_unknown", False):
        heads = model.heads if "heads" in find(model.decoder, "decoder").reads else 1
        weighs += len(model.decoder_widths) * heads * source // KEPT
    return options.limit(source) * weighs


def letters_of(given: Any) -> int:
    """Characters in a text, in a list of words, in the columns of an object; a number has none."""
    if isinstance(given, str):
        return len(given)
    parts = given.values() if isinstance(given, dict) else given if isinstance(given, list) else ()
    return sum(map(letters_of, parts))
