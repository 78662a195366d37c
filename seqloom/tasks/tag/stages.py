"""A tagger at work on one sentence: from token ids to the probabilities of the tags of each word."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from seqloom.errors import SeqloomError
from seqloom.models.stage import Example, Stage, StageExample, VocabularyAxis
from seqloom.models.tagger import Tagger
from seqloom.tasks.stages import bounded, frequent_text, of_another_length, read_words, token_axis
from seqloom.tasks.tag.batch import TagBatch

if TYPE_CHECKING:
    from seqloom.tasks.tag.task import Tag


def tagging_example(task: Tag, network: nn.Module, given: Any, device: torch.device) -> Example:
    """The whole tagger, with the characters of each word if it reads them."""
    assert isinstance(network, Tagger)
    given = frequent_text(task.tokenizer) if given is None else given
    shown, cut = task.cut(given)
    batch = TagBatch.of(task.examples([word.text for word in cut], [0] * len(cut))[:1], device)
    tokens = bounded(batch.tokens[0].tolist() if cut else [])
    words = read_words(task.tokenizer, shown, tokens)
    longer = len(tokens) < task.config.model.length
    w, spelled = batch.tokens[0], batch.spelled[0]
    further = [of_another_length(x, longer=longer) for x in (w, spelled)]
    stage = tagger_stage(network, w, spelled, batch.spellings)
    other = tagger_stage(network, further[0], further[1], batch.spellings)
    tags = VocabularyAxis(task.tags, (), ("Z", "P"), "P", table="")
    example = StageExample(stage, other, words, words, words, [token_axis(task.tokenizer, tokens), tags], longer=longer)
    answered = task.predict(network, [given], task.Options())[0]
    return Example(f"{shown} → {answered}", [example])


def tagger_stage(network: Tagger, w: Tensor, spelled: Tensor, spellings: Tensor) -> Stage:
    """A tagger at work on words w (T); `spelled` (T) says which of the spellings each of them has."""
    if network.characters is None:
        return Stage("tagger", network.part(len(w)), [{"w": w}])
    characters = [row[row != 0] for row in spellings[spelled]]
    if not all(map(len, characters)):
        what = "a tagger that reads parts of words and characters cannot be opened at a part without any"
        raise SeqloomError(what, remedy="give shorter words, which are not cut")
    return Stage("tagger", network.part(len(w)), [{"w": w, "C": characters}])
