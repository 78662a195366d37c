"""A translator held to pairs whose target is known, each with its loss."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import nn

from seqloom.data.record import Record
from seqloom.tasks.review import Reviewed, mean_losses
from seqloom.tasks.translate.batch import translation_batch
from seqloom.tasks.translate.corpus_text import source_in, text_in
from seqloom.tasks.translate.options import TranslateOptions

if TYPE_CHECKING:
    from seqloom.tasks.translate.task import Translate


def review_translation(task: Translate, model: nn.Module, records: list[Record]) -> list[Reviewed]:
    """The loss of the target that is right, and what is written instead, found as `predict` does."""
    sources = [source_in(record, task.tags) for record in records]
    targets = [text_in(record, "target") for record in records]
    longest = task.config.model.length - 1
    read = [ids[:longest] for ids in task.source_tokenizer.encode_batch(sources)]
    written = [ids[:longest] for ids in task.target_tokenizer.encode_batch(targets)]
    batch = translation_batch(read, written, next(model.parameters()).device)
    with torch.no_grad():
        logits = model(batch.source, batch.source_lengths, batch.decoder_input, batch.real)
    losses = mean_losses(logits, batch.labels[batch.real], batch.real)
    answers = task.predict(model, sources, TranslateOptions(attention=False))
    lower = task.config.tokens.written.lower
    return [
        Reviewed(source, target, answer.text, loss, len(ids), same(answer.text, target, lower=lower))
        for source, target, answer, loss, ids in zip(sources, targets, answers, losses, read, strict=True)
    ]


def same(one: str, other: str, *, lower: bool) -> bool:
    """Whether two texts are the same but for spaces, and for capitals where a model writes none."""
    first, second = " ".join(one.split()), " ".join(other.split())
    return first.lower() == second.lower() if lower else first == second
