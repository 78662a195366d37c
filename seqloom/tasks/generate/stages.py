"""A language model at work on one text: at each position the distribution over the vocabulary."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from seqloom.models.language_model import LanguageModel
from seqloom.models.stage import Example, Stage, StageExample, VocabularyAxis
from seqloom.tasks.generate.long_text import to_tokens
from seqloom.tasks.stages import bounded, frequent_text, of_another_length, read_words, token_axis

if TYPE_CHECKING:
    from seqloom.tasks.generate.task import Generate


def generation_example(task: Generate, network: nn.Module, given: Any, device: torch.device) -> Example:
    """The whole language model, over a text that begins a line."""
    assert isinstance(network, LanguageModel)
    tokenizer = task.tokenizer
    text = frequent_text(tokenizer) if given is None else given
    tokens = [tokenizer.eos, *bounded(to_tokens(tokenizer, [text])[0])]
    words = read_words(tokenizer, text, tokens)
    w = torch.tensor(tokens, device=device)
    longer = len(w) < task.config.model.length

    def stage(w: Tensor) -> Stage:
        return Stage("language model", network.part(len(w)), [{"w": w}])

    axes = [VocabularyAxis(tokenizer.vocabulary, (), ("Z", "P"), "P", table=""), token_axis(tokenizer, tokens)]
    other = stage(of_another_length(w, longer=longer))
    return Example(text, [StageExample(stage(w), other, words, words, words, axes, longer=longer)])
