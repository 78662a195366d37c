"""A captioner held open for attribution: from the regions of a picture to the score of each token of its caption."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from seqloom.attribution.probe import Probe, output_replaced
from seqloom.models.observed import shared_copy
from seqloom.models.seq2seq.model import Seq2Seq
from seqloom.tasks.caption.options import CaptionOptions
from seqloom.tasks.requests import TaskRequest, answers
from seqloom.tasks.seq2seq_decoding import written_scores
from seqloom.tokens.settings import EOS

if TYPE_CHECKING:
    from seqloom.tasks.caption.task import Caption


def caption_probe(task: Caption, model: Seq2Seq, given: Any) -> Probe:
    """The log-odds of each token of the caption; what is blanked is a region as the convolutions see it."""
    network: Any = shared_copy(model)
    device = next(model.parameters()).device
    (answer,) = answers(task.answer_steps(model, [TaskRequest(given)], CaptionOptions(attention=False)), 1)
    tokens = [*task.tokenizer.encode(answer.text), EOS]
    score = written_scores(network, tokens, device)
    _, pixels = task.pixels(given)
    picture = torch.from_numpy(pixels.copy()).to(device)[None]
    rows, columns = task.grid
    reader = network.source.reader
    read: list[Tensor] = []
    with torch.no_grad():
        hook = reader.register_forward_hook(lambda _, __, found: read.append(found))
        network.source(picture, torch.tensor([rows * columns], device=device))
        hook.remove()

    def scores(x: Tensor, places: Tensor) -> Tensor:
        copies = picture.expand(len(x), -1, -1, -1)
        grid = x.view(len(x), rows, columns, -1)
        with output_replaced(reader, grid):
            return score(copies, torch.full((len(x),), math.prod(task.grid), device=device))

    inputs = [f"row {row + 1}, column {column + 1}" for row in range(rows) for column in range(columns)]
    outputs = [task.tokenizer.vocabulary[token] for token in tokens]
    return Probe(inputs, outputs, read[0][0].reshape(rows * columns, -1), scores, False, answer)
