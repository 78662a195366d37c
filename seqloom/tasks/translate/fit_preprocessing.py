"""What is fitted to the training data of a translator before its first step: tokenizers, and the scaling of frames."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from seqloom.data.splits import Records
from seqloom.errors import DataError
from seqloom.tasks.frame_inputs import FrameStatistics
from seqloom.tasks.translate.corpus_text import source_in, text_in
from seqloom.tasks.translate.settings import TranslateConfig
from seqloom.tokens.tokenizer import Tokenizer, train_pair

Fitted = tuple[Mapping[str, Tokenizer], dict[str, Any]]
"""Tokenizers by name, and the facts of the task."""


def fit_tokenizers(config: TranslateConfig, train: Records, known: Mapping[str, Tokenizer]) -> Fitted:
    """One tokenizer for both sides, or one for each."""
    tags = [one.tag for one in config.data.sets]
    facts = {"tags": tags} if tags else {}
    if "text" in known or {"source", "target"} <= known.keys():
        rates = {"target": config.tokens.written.bpe_dropout}
        shared = config.tokens.bpe_dropout
        return {name: one.with_dropout(rates.get(name, shared)) for name, one in known.items()}, facts
    texts = ((source_in(record, tags), text_in(record, "target")) for record in train)
    source, target = train_pair(texts, config.tokens.read, config.tokens.written)
    return {"text": source} if config.tokens.joint else {"source": source, "target": target}, facts


def fit_frame_scaling(config: TranslateConfig, train: Records, known: Mapping[str, Tokenizer]) -> Fitted:
    """A tokenizer of the targets, the scale of the frames, and the length of the longest target."""
    if config.data.sets:
        what = "frames have no text that a tag could stand before"
        raise DataError(what, remedy="train a model for each of data.sets")
    written = config.tokens.written
    texts = (text_in(record, "target") for record in train)
    tokenizer = known.get("target") or known.get("text") or Tokenizer.train(texts, written)
    longest = max(len(tokenizer.encode(text_in(record, "target"))) for record in train)
    facts = {"frames": FrameStatistics.of(train).facts(), "longest": max(longest, 1)}
    return {"target": tokenizer.with_dropout(written.bpe_dropout)}, facts
