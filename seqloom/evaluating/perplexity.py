"""Perplexity of a language model, and bits per character and word."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from seqloom.errors import DataError


@dataclass(frozen=True)
class LanguageModelMetrics:
    """The summed loss of a text, and the tokens, characters and words it is divided by.

    >>> LanguageModelMetrics(loss=8 * math.log(2), tokens=4, characters=16, words=2).metrics()
    {'perplexity': 4.0, 'bits_per_character': 0.5, 'bits_per_word': 4.0}
    """

    loss: float
    """The sum of -ln P(token | those before), over all tokens."""
    tokens: int
    """Predicted tokens, with the ends of texts."""
    characters: int = 0
    """Of the text that the tokens spell; 0 if it is not known."""
    words: int = 0

    def __post_init__(self) -> None:
        if self.tokens < 1:
            raise DataError("no tokens to measure", remedy="give a text of at least one token")

    @property
    def mean_loss(self) -> float:
        """Nats for each token."""
        return self.loss / self.tokens

    @property
    def perplexity(self) -> float:
        """Among how many equally likely tokens the model is as unsure; infinite where floats end."""
        try:
            return math.exp(self.mean_loss)
        except OverflowError:
            return math.inf

    def bits_for(self, count: int) -> float:
        """The loss in bits, spread over so many units; comparable between models that cut a text differently."""
        return self.loss / math.log(2) / count

    def metrics(self) -> dict[str, float]:
        """Perplexity, and bits for what is known of characters and words."""
        found = {"perplexity": self.perplexity}
        if self.characters:
            found["bits_per_character"] = self.bits_for(self.characters)
        if self.words:
            found["bits_per_word"] = self.bits_for(self.words)
        return found

    def json(self) -> dict[str, Any]:
        """Metrics; a perplexity that is not finite is null."""
        finite = {name: value if math.isfinite(value) else None for name, value in self.metrics().items()}
        return {"loss": self.mean_loss, **finite, "tokens": self.tokens}

    def rows(self) -> list[tuple[str, ...]]:
        """For a table: name, value."""
        return [(name.replace("_", " "), f"{value:.4g}") for name, value in self.metrics().items()]
