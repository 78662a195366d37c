"""A captioner held to pictures whose captions are known, each with its loss."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import torch

from seqloom.data.pictures.files import pixels_of
from seqloom.data.record import Record
from seqloom.models.seq2seq.model import Seq2Seq
from seqloom.tasks.caption.corpus_pictures import captions_of, stacked
from seqloom.tasks.caption.options import CaptionOptions
from seqloom.tasks.review import Reviewed, mean_losses
from seqloom.tasks.seq2seq import Seq2SeqBatch
from seqloom.tasks.translate.review import same

if TYPE_CHECKING:
    from seqloom.tasks.caption.task import Caption


def review_captions(task: Caption, model: Seq2Seq, records: list[Record]) -> list[Reviewed]:
    """The loss of the first caption of each picture, and what is written instead; any of its captions is right."""
    height, width, colours = task.shape
    pictures = [pixels_of(record, width, height, colours) for record in records]
    captions = [captions_of(record) for record in records]
    device = next(model.parameters()).device
    regions = torch.full((len(records),), math.prod(task.grid), device=device)
    encoded = [task.tokenizer.encode(texts[0])[: task.config.model.length - 1] for texts in captions]
    batch = Seq2SeqBatch.of(stacked(pictures, device), regions, encoded, device)
    with torch.no_grad():
        losses = mean_losses(*batch.predicted(model))
    found = task.predict(model, pictures, CaptionOptions(attention=False))
    lower = task.config.tokens.lower
    return [
        Reviewed(
            task.as_request(record), texts[0], answer.text, loss, len(tokens),
            any(same(answer.text, text, lower=lower) for text in texts),
        )
        for record, texts, answer, loss, tokens in zip(records, captions, found, losses, encoded, strict=True)
    ]  # fmt: skip
