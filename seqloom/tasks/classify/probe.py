"""A classifier held open for attribution: from the embeddings of one input to the score of its answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from seqloom.attribution.probe import Probe, output_replaced
from seqloom.models.observed import shared_copy
from seqloom.tasks.classify.text_inputs import TextInputs
from seqloom.tasks.stages import read_words

if TYPE_CHECKING:
    from seqloom.tasks.classify.task import Classify


def classification_probe(task: Classify, model: nn.Module, given: Any) -> Probe:
    """The score of what the model says of an input."""
    network: Any = shared_copy(model)
    device = next(model.parameters()).device
    record = task.inputs.record(given)
    (read,) = task.inputs.encode([record])
    rows, _ = task.inputs.tensors([read], device)
    features = torch.from_numpy(task.features(record)).to(device)[None] if len(task.features) else None
    with torch.no_grad():
        x = network.embedding(rows)[0]
        logits = network(rows, torch.tensor([rows.shape[1]], device=device), features)[0]
    outputs, score = task.answers.explained(logits)

    def scores(x: Tensor, places: Tensor) -> Tensor:
        w = rows[0][places]
        lengths = torch.full((len(w),), w.shape[1], device=device)
        with output_replaced(network.embedding, x, w):
            return score(network(w, lengths, None if features is None else features.expand(len(w), -1)))

    shown = task.inputs.shown(record)
    if isinstance(task.inputs, TextInputs):
        inputs = read_words(task.inputs.tokenizer, shown, [int(token) for token in read])
    else:
        inputs = [f"frame {place + 1}" for place in range(len(read))]
    return Probe(inputs, outputs, x, scores, True, task.answers.answer(shown, logits.cpu()))
