"""Maps for tests: small, of sizes that all differ."""

from collections.abc import Sequence

import numpy as np

from seqloom.attention.attention_weights import AttentionMap, attention_map

HOSTILE = ["<script>alert(1)</script>", "\"&'", "</script><img src=x onerror=alert(2)>", "$5_{x}$", "a\nb\x1b[31m"]
CHINESE = ["我", "爱", "机器", "学习", "。"]
HEBREW = ["שלום", "עולם", "גדול"]


def random_weights(*shape: int, seed: int = 0) -> np.ndarray:
    """Random rows that sum to 1."""
    scores = np.exp(2 * np.random.default_rng(seed).normal(size=shape))
    return np.asarray(scores / scores.sum(-1, keepdims=True), np.float32)


def example(source: Sequence[str], target: Sequence[str], layers: int = 1, heads: int = 1) -> AttentionMap:
    return attention_map(source, target, random_weights(layers, heads, len(target), len(source)))
