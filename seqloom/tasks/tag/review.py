"""A tagger held to sentences whose tags are known, each with its loss."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import nn

from seqloom.data.record import Record
from seqloom.tasks.review import Reviewed
from seqloom.tasks.tag.batch import IGNORED, TagBatch
from seqloom.tasks.tag.examples import whole

if TYPE_CHECKING:
    from seqloom.tasks.tag.task import Tag


def review_tagging(task: Tag, model: nn.Module, records: list[Record]) -> list[Reviewed]:
    """In one batch; a sentence longer than the model reads is several rows of it."""
    right = [task.tags_in(record) for record in records]
    rows = [
        example
        for record, tags in zip(records, right, strict=True)
        for example in task.inputs.examples(task.inputs.values(record), tags)
    ]
    batch = TagBatch.of(rows, next(model.parameters()).device)
    with torch.no_grad():
        logits = batch.logits(model)
        losses = {
            row: [float(task.head.loss(model, logits[row : row + 1], batch.select([row])))] for row in range(len(rows))
        }
    of_words = {row: list(logits[row, batch.tags[row] != IGNORED]) for row in range(len(rows))}
    goes_on = [bool(row.goes_on[0]) for row in rows]
    chosen = task.choose(model, whole(of_words, goes_on))
    found = []
    for record, tags, sentence, loss in zip(records, right, chosen, whole(losses, goes_on), strict=True):
        true, given = ([task.tags[id] for id in ids] for ids in (tags, sentence.tags))
        found.append(
            Reviewed(
                task.input_of(record), " ".join(true), " ".join(given), sum(loss) / max(len(true), 1), len(true),
                true == given, true, given,
            )
        )  # fmt: skip
    return found
