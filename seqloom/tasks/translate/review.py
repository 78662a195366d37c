"""A translator held to pairs whose target is known, each with its loss."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import nn

from seqloom.data.record import Record
from seqloom.tasks.review import Reviewed, mean_losses
from seqloom.tasks.translate.corpus_text import text_in
from seqloom.tasks.translate.options import TranslateOptions

if TYPE_CHECKING:
    from seqloom.tasks.translate.task import Translate


def review_translation(task: Translate, model: nn.Module, records: list[Record]) -> list[Reviewed]:
    """The loss of the target that is right, and what is written instead, found as `predict` does."""
    sources, targets = task.inputs.encode(records), [text_in(record, "target") for record in records]
    written = task.target_tokenizer.encode_batch(targets)
    batch = task.paired([one.values for one in sources], written, next(model.parameters()).device)
    with torch.no_grad():
        losses = mean_losses(*batch.predicted(model))
    found = task.answers_to(model, sources, TranslateOptions(attention=False))
    lower = task.config.tokens.written.lower
    return [
        Reviewed(source.shown, target, answer.text, loss, len(source.values), same(answer.text, target, lower=lower))
        for source, target, answer, loss in zip(sources, targets, found, losses, strict=True)
    ]


def same(one: str, other: str, *, lower: bool) -> bool:
    """Whether two texts are the same but for spaces, and for capitals where a model writes none."""
    first, second = " ".join(one.split()), " ".join(other.split())
    return first.lower() == second.lower() if lower else first == second
