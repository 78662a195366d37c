"""The settings of a translator."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import PositiveInt, model_validator

from seqloom.config import Config, problem
from seqloom.decoding.settings import Search
from seqloom.models.seq2seq.settings import Seq2SeqConfig
from seqloom.tasks.settings import TaskConfig
from seqloom.tokens.settings import TokenConfig


class PairTokens(TokenConfig):
    """Tokens to read and to write with."""

    size: PositiveInt = 8_000
    """Entries of a dictionary at most, with the four special ones and, for parts of words, the 256 bytes."""
    joint: bool = True
    """One dictionary for both sides instead of two."""


class TranslateSettings(Config):
    """What is asked of a translator while it learns: the section [translate]."""

    measure: Literal["bleu", "chrf", "exact", "loss"] = "bleu"
    """What decides which checkpoint is the best."""
    validate_pairs: PositiveInt = 500
    """Validation pairs that are translated at each evaluation, word by word; all count for the loss."""


class TranslateConfig(TaskConfig):
    """A text and the text that it becomes."""

    task: Literal["translate"] = "translate"
    tokens: PairTokens = PairTokens()
    """How text is cut into tokens."""
    model: Seq2SeqConfig = Seq2SeqConfig()
    """Which encoder, which bridge, which decoder, and how large."""
    translate: TranslateSettings = TranslateSettings()
    """What is asked of it while it learns."""

    @model_validator(mode="after")
    def one_matrix_needs_one_dictionary(self) -> Self:
        if self.model.tied == "all" and not self.tokens.joint:
            what = "source and target words cannot be one matrix with two dictionaries"
            raise problem("model.tied", what, remedy='set tokens.joint=true, or tie "target" alone')
        return self


class TranslateOptions(Search):
    """How an answer is found, and what is told of it."""

    attention: bool = True
    """Whether the answer says what was looked at, if the model looks at all."""
    copy_unknown: bool = False
    """Write the word of the source that was looked at where the answer has an unknown one."""
