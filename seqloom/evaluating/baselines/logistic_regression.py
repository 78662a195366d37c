"""TF-IDF and logistic regression on words: the baseline for everything that labels texts.

As in scikit-learn: terms are weighted by ln((1 + n) / (1 + df)) + 1, each text has length 1, and the loss of all texts
together and half the squared weights are least.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional as F

from seqloom.tokens.pretokenization import word_pattern

MOST_WEIGHTS = 2_000_000
"""Words times labels: of more words the most frequent ones are known."""
ITERATIONS = 60


@dataclass(frozen=True)
class Bags:
    """Texts as weighted words: those of all texts behind each other, and where each text begins."""

    words: Tensor
    weights: Tensor
    starts: Tensor

    def times(self, W: Tensor) -> Tensor:
        """The product of the matrix of all texts (R, V) with W (V, C)."""
        return F.embedding_bag(self.words, W, self.starts, mode="sum", per_sample_weights=self.weights)


class TfIdf:
    """Weights for the words of texts, learned from training texts."""

    def __init__(self, texts: Sequence[str], size: int) -> None:
        seen = Counter(word for text in texts for word in {*words_of(text)})
        known = sorted(seen, key=lambda word: (-seen[word], word))[:size]
        self.ids = {word: id for id, word in enumerate(known)}
        self.idf = [math.log((1 + len(texts)) / (1 + seen[word])) + 1 for word in known]

    def __call__(self, texts: Sequence[str]) -> Bags:
        words: list[int] = []
        weights: list[float] = []
        starts: list[int] = []
        for text in texts:
            counts = Counter(self.ids[word] for word in words_of(text) if word in self.ids)
            scaled = [count * self.idf[id] for id, count in counts.items()]
            length = math.sqrt(math.fsum(weight * weight for weight in scaled)) or 1.0
            starts.append(len(words))
            words += counts
            weights += [weight / length for weight in scaled]
        return Bags(torch.tensor(words, dtype=torch.int64), torch.tensor(weights), torch.tensor(starts))


class WordRegression:
    """Logits for texts, from their words."""

    def __init__(
        self, texts: Sequence[str], targets: Tensor, outputs: int, loss: Callable[[Tensor, Tensor], Tensor]
    ) -> None:
        """Fit texts to their targets; `loss` is summed over the texts."""
        self.features = TfIdf(texts, max(MOST_WEIGHTS // outputs, 1_000))
        bags = self.features(texts)
        self.W = torch.zeros(max(len(self.features.ids), 1), outputs, requires_grad=True)
        self.b = torch.zeros(outputs, requires_grad=True)
        optimizer = torch.optim.LBFGS([self.W, self.b], max_iter=ITERATIONS, line_search_fn="strong_wolfe")

        def closure() -> Tensor:
            optimizer.zero_grad()
            total = loss(bags.times(self.W) + self.b, targets) + self.W.square().sum() / 2
            total.backward()  # type: ignore[no-untyped-call]
            return total

        optimizer.step(closure)  # type: ignore[no-untyped-call]

    def __call__(self, texts: Sequence[str]) -> Tensor:
        """Logits (B, C)."""
        with torch.no_grad():
            return self.features(texts).times(self.W) + self.b


def words_of(text: str) -> list[str]:
    return word_pattern().findall(text.lower())
