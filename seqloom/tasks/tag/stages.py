"""A tagger at work on one sentence: from token ids to the probabilities of the tags of each word."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor, nn

from seqloom.errors import SeqloomError
from seqloom.models.stage import Example, Stage, StageExample, VocabularyAxis
from seqloom.models.tagger import Tagger
from seqloom.tasks.stages import MOST_FRAMES, bounded, frequent_text, of_another_length, read_words, token_axis
from seqloom.tasks.tag.batch import TagBatch
from seqloom.tasks.tag.inputs import WordSequences

if TYPE_CHECKING:
    from seqloom.tasks.tag.task import Tag


def tagging_example(task: Tag, network: nn.Module, given: Any, device: torch.device) -> Example:
    """The whole tagger, with the characters of each word if it reads them."""
    assert isinstance(network, Tagger)
    inputs = task.inputs
    if given is None:
        given = sample(inputs)
    read = inputs.read(given)
    batch = TagBatch.of(inputs.examples(read.values, [0] * len(read.words))[:1], device)
    if isinstance(inputs, WordSequences):
        tokens = bounded(batch.tokens[0].tolist() if read.words else [])
        words, axes = read_words(inputs.tokenizer, read.text, tokens), [token_axis(inputs.tokenizer, tokens)]
    else:
        bounded(read.words, "frames", MOST_FRAMES)
        words, axes = [word.text for word in read.words], []
    longer = len(words) < task.config.model.length
    w, spelled = batch.tokens[0], batch.spelled[0]
    further = [of_another_length(x, longer=longer) for x in (w, spelled)]
    stage = tagger_stage(network, w, spelled, batch.spellings)
    other = tagger_stage(network, further[0], further[1], batch.spellings)
    tags = VocabularyAxis(task.tags, (), ("Z", "P"), "P", table="")
    example = StageExample(stage, other, words, words, words, [*axes, tags], longer=longer)
    answered = task.predict(network, [given], task.Options())[0]
    return Example(f"{read.text} → {answered}", [example])


def sample(inputs: Any) -> Any:
    """For who gives nothing: frequent words, or the mean frame."""
    if isinstance(inputs, WordSequences):
        return frequent_text(inputs.tokenizer)
    return np.tile(inputs.frames.mean, (4, 1)).astype(np.float32)


def tagger_stage(network: Tagger, w: Tensor, spelled: Tensor, spellings: Tensor) -> Stage:
    """A tagger at work on words w (T); `spelled` (T) says which of the spellings each of them has."""
    if network.characters is None:
        return Stage("tagger", network.part(len(w)), [{"w": w}])
    characters = [row[row != 0] for row in spellings[spelled]]
    if not all(map(len, characters)):
        what = "a tagger that reads parts of words and characters cannot be opened at a part without any"
        raise SeqloomError(what, remedy="give shorter words, which are not cut")
    return Stage("tagger", network.part(len(w)), [{"w": w, "C": characters}])
