"""Counts of one, two and three tokens, interpolated: the baseline for language models.

Paper: I. Witten, T. Bell, The zero-frequency problem: estimating the probabilities of novel events in adaptive text
compression, IEEE Transactions on Information Theory 37, 1991.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence


class NgramLanguageModel:
    """P(w | h) = (count(h w) + kinds(h) P(w | h without its first)) / (count(h) + kinds(h)), down to 1 / V."""

    def __init__(self, tokens: Sequence[int], vocabulary: int, order: int = 3) -> None:
        """Count the n-grams of a text; `vocabulary` is the number of different tokens there could be."""
        self.vocabulary, self.order = vocabulary, order
        self.counts = [Counter(zip(*(tokens[start:] for start in range(n)))) for n in range(1, order + 1)]
        self.kinds = [Counter(gram[:-1] for gram in grams) for grams in self.counts]
        """Different tokens that were seen after a history."""
        self.totals: list[Counter[tuple[int, ...]]] = []
        for grams in self.counts:
            total: Counter[tuple[int, ...]] = Counter()
            for gram, count in grams.items():
                total[gram[:-1]] += count
            self.totals.append(total)

    def probability(self, history: tuple[int, ...], token: int) -> float:
        """P(token | history), of which the last `order` - 1 tokens count."""
        p = 1.0 / self.vocabulary
        for n in range(min(self.order, len(history) + 1)):
            before = history[len(history) - n :]
            kinds = self.kinds[n][before]
            if kinds:
                p = (self.counts[n][(*before, token)] + kinds * p) / (self.totals[n][before] + kinds)
        return p

    def loss(self, tokens: Sequence[int]) -> float:
        """Mean nats for each token of a text."""
        total, reach = 0.0, self.order - 1
        for place, token in enumerate(tokens):
            total -= math.log(self.probability(tuple(tokens[max(place - reach, 0) : place]), token))
        return total / max(len(tokens), 1)
