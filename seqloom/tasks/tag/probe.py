"""A tagger held open for attribution: from the vectors of the words to the score of each tag."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from seqloom.attribution.probe import Probe, input_replaced, log_odds
from seqloom.errors import SeqloomError
from seqloom.models.observed import shared_copy
from seqloom.tasks.requests import TaskRequest, answers
from seqloom.tasks.stages import read_words
from seqloom.tasks.tag.batch import IGNORED, TagBatch

if TYPE_CHECKING:
    from seqloom.tasks.tag.task import Tag


def tagging_probe(task: Tag, model: nn.Module, given: Any) -> Probe:
    """The log-odds of each tag at its word; of a CRF, by the logits of the word alone."""
    network: Any = shared_copy(model)
    read = task.inputs.read(task.checked(given))
    examples = task.inputs.examples(read.values, [0] * len(read.words))
    if len(examples) > 1:
        what = f"the sentence has more than {task.config.model.length} tokens"
        raise SeqloomError(what, remedy="attribute a shorter one")
    (answer,) = answers(task.answer_steps(model, [TaskRequest(given)], None), 1)
    if not examples:
        return Probe([], [], torch.zeros(0, 0), lambda x, places: x, False, answer)
    one = TagBatch.of(examples, next(model.parameters()).device)
    tagged = one.tags[0] != IGNORED
    chosen = torch.tensor([task.tag_ids[tag] for tag in answer.tags], device=tagged.device)
    seen: list[Tensor] = []

    with torch.no_grad():
        hook = network.encoder.register_forward_pre_hook(lambda _, arguments: seen.append(arguments[0]))
        one.logits(network)
        hook.remove()

    def scores(x: Tensor, places: Tensor) -> Tensor:
        count = len(x)
        copies = replace(
            one, tokens=one.tokens.expand(count, *one.tokens.shape[1:]), lengths=one.lengths.expand(count),
            spelled=one.spelled.expand(count, -1), tags=one.tags.expand(count, -1),
        )  # fmt: skip
        with input_replaced(network.encoder, x):
            logits = copies.logits(network)[:, tagged]
        return log_odds(logits, chosen.expand(count, -1))

    inputs = [word.text for word in read.words]
    if len(inputs) != one.tokens.shape[1]:  # parts of words
        inputs = read_words(task.tokenizers["text"], read.text, one.tokens[0].tolist())
    outputs = [f"{word.text}: {tag}" for word, tag in zip(read.words, answer.tags, strict=True)]
    return Probe(inputs, outputs, seen[0][0], scores, False, answer)
