"""Embeddings that know labels: how much each token speaks for each of them, counted once before training.

    r(w, l) = log( P(w | l) / P(w | not l) ),  P(w | l) ~ 1 + texts of label l in which w stands

A bag of words that begins with them begins as naive Bayes, and learns from there.

S. Wang, C. Manning: Baselines and bigrams: simple, good sentiment and topic classification, ACL 2012.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import torch
from torch import Tensor

SCALE, SMALL = 0.3, 0.02
"""Ratios are between -5 and 5, most of them near 0; embeddings are smaller, and what else they learn begins small."""
STRENGTH = 10.0
"""Of the mean ratio of a text in its logits; naive Bayes adds up the ratios of all tokens."""


def label_ratios(texts: Iterable[tuple[Sequence[int], Sequence[int]]], tokens: int, labels: int) -> Tensor:
    """Log-count ratios of token ids and label ids: (V, L)."""
    found = torch.zeros(tokens, labels)
    for words, answers in texts:
        for label in answers:
            found[list(set(words)), label] += 1
    others = found.sum(dim=1, keepdim=True) - found
    return share(found) - share(others)


def share(counts: Tensor) -> Tensor:
    """The logarithm of the smoothed share of each token: (V, L)."""
    smoothed = counts + 1
    return smoothed.log() - smoothed.sum(dim=0).log()


def label_vectors(ratios: Tensor, width: int) -> Tensor:
    """Embeddings whose first entries are the ratios, one for each label, and the rest small and random: (V, D)."""
    tokens, labels = ratios.shape
    vectors = torch.randn(tokens, width, generator=torch.Generator().manual_seed(0)).mul_(SMALL)
    vectors[:, :labels] = SCALE * ratios
    return vectors


def label_readout(fresh: Tensor, labels: int) -> Tensor:
    """The readout (H, L) of a bag of such embeddings: each label begins with its own entry."""
    readout = fresh.clone()
    readout[:labels] = STRENGTH * torch.eye(labels)
    return readout
