"""A language model held to texts that it has not seen: how much each surprises it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import nn

from seqloom.data.record import Record
from seqloom.tasks.generate.batch import IGNORED, batch_of, mask
from seqloom.tasks.generate.long_text import to_tokens
from seqloom.tasks.review import Reviewed, mean_losses

if TYPE_CHECKING:
    from seqloom.tasks.generate.task import Generate


def review_generation(task: Generate, model: nn.Module, records: list[Record]) -> list[Reviewed]:
    """The loss of each text by itself, of its first tokens if it is long; masked tokens are always the same ones."""
    texts = [str(record.columns["text"]) for record in records]
    eos, longest = task.tokenizer.eos, task.config.model.length
    rows = [np.array([eos, *row, eos][: longest + 1], np.int64) for row in to_tokens(task.tokenizer, texts)]
    if task.masked:
        generator, rate = np.random.default_rng(0), task.config.generate.mask_rate
        read, wanted = zip(*(mask(row[:longest], task.tokenizer.size, generator, rate) for row in rows), strict=True)
        batch = batch_of(list(read), list(wanted), next(model.parameters()).device)
    else:
        batch = batch_of([row[:-1] for row in rows], [row[1:] for row in rows], next(model.parameters()).device)
    where = batch.targets != IGNORED
    with torch.no_grad():
        logits = model(batch.tokens, batch.lengths, where)
    losses = mean_losses(logits, batch.targets[where], where)
    return [
        Reviewed(text, "", "", loss, len(row) - 2, None) for text, loss, row in zip(texts, losses, rows, strict=True)
    ]
