"""A translator held open for attribution: from the embeddings of the source to the score of each target token."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from seqloom.attribution.probe import Probe, output_replaced
from seqloom.errors import SeqloomError
from seqloom.models.seq2seq.model import Seq2Seq
from seqloom.models.shared_copy import shared_copy
from seqloom.tasks.requests import TaskRequest
from seqloom.tasks.stages import read_words
from seqloom.tasks.translate.answers import translation
from seqloom.tasks.translate.options import TranslateOptions
from seqloom.tasks.writing_probe import written_scores, written_tokens
from seqloom.tokens.settings import EOS

if TYPE_CHECKING:
    from seqloom.tasks.translate.task import Translate


def translation_probe(task: Translate, model: Seq2Seq, text: str) -> Probe:
    """The log-odds of each token of the translation."""
    text = task.accept(text)
    if not text.strip():
        raise SeqloomError("there is no word in the text", remedy="give a few words of the kind it was trained on")
    network: Any = shared_copy(model)
    reads, writes = task.source_tokenizer, task.target_tokenizer
    device = next(model.parameters()).device
    encoded, longest = reads.encode(text), task.config.model.length - 1
    row = [*encoded[:longest], EOS]
    found = [
        update.sequences
        for updates in task.decode_steps(model, [row], [TaskRequest(text)], TranslateOptions(attention=True))
        for update in updates
        if update.finished
    ][-1]
    answer = translation(text, row, found, reads, writes, copy_unknown=False, cut=len(encoded) > longest)
    tokens = written_tokens(found[0])
    score = written_scores(network, tokens, device)
    source = torch.tensor(row, device=device)
    embedding = network.source.embedding
    with torch.no_grad():
        x = embedding(source[None])[0]

    def scores(x: Tensor, places: Tensor) -> Tensor:
        w = source[places]
        with output_replaced(embedding, x, w):
            return score(w, torch.full((len(w),), w.shape[1], device=device))

    inputs = read_words(reads, text, row)
    return Probe(inputs, [writes.vocabulary[token] for token in tokens], x, scores, True, answer)
