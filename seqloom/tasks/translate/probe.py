"""A translator held open for attribution: from the embeddings of the source to the score of each target token."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from seqloom.attribution.probe import Probe, output_replaced
from seqloom.errors import SeqloomError
from seqloom.models.observed import shared_copy
from seqloom.models.seq2seq.model import Seq2Seq
from seqloom.tasks.requests import TaskRequest
from seqloom.tasks.seq2seq_decoding import written_scores, written_tokens
from seqloom.tasks.translate.answering import answer_of
from seqloom.tasks.translate.options import TranslateOptions

if TYPE_CHECKING:
    from seqloom.tasks.translate.task import Translate


def translation_probe(task: Translate, model: Seq2Seq, given: Any) -> Probe:
    """The log-odds of each token of the translation."""
    inputs = task.inputs
    (source,) = inputs.read([given])
    if source.blank:
        raise SeqloomError("the text contains no words", remedy="give a few words like those of the training data")
    network: Any = shared_copy(model)
    writes, options = task.target_tokenizer, TranslateOptions(attention=True)
    device = next(model.parameters()).device
    row = inputs.row(source.values)
    found = [
        update.sequences
        for updates in task.decode_steps(model, [row], [TaskRequest(source.shown)], options)
        for update in updates
        if update.finished
    ][-1]
    answer = answer_of(inputs, source, row, found, writes)
    tokens = written_tokens(found[0])
    score = written_scores(network, tokens, device)
    read = inputs.tensors([row], device)[0][0]
    embedding = network.source.embedding
    with torch.no_grad():
        x = embedding(read[None])[0]

    def scores(x: Tensor, places: Tensor) -> Tensor:
        w = read[places]
        with output_replaced(embedding, x, w):
            return score(w, torch.full((len(w),), w.shape[1], device=device))

    return Probe(inputs.names(source, row), [writes.vocabulary[token] for token in tokens], x, scores, True, answer)
