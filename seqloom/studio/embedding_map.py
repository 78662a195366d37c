"""The map of words: embeddings of frequent tokens on their two principal components, and the neighbours of one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from seqloom.attention.weave_data import as_numbers
from seqloom.errors import SeqloomError, quoted
from seqloom.layers.embedding import Embedding
from seqloom.tokens.settings import SPECIALS
from seqloom.tokens.tokenizer import Tokenizer
from seqloom.training.model import Model
from seqloom.vectors.pca import pca_2d

SHOWN = 300
"""Tokens on the map: the most frequent ones."""
NEIGHBOURS = 12


def embedding_map_data(model: Model, side: str = "", word: str = "") -> dict[str, Any]:
    """The map of one vocabulary (`side`: source or target, where there are two), and the neighbours of a word."""
    tables = embeddings(model)
    if not tables:
        what = f"{model.config.task}: this model has no learned embeddings"
        raise SeqloomError(what, remedy="use one that learns a vector for each token")
    if side and side not in tables:
        raise SeqloomError(f"no vocabulary {quoted(side)}", remedy=f"choose one of {', '.join(tables)}")
    side = side or next(iter(tables))
    tokenizer, table = tables[side]
    frequency = torch.as_tensor(tokenizer.frequency, dtype=torch.float64)[len(SPECIALS) :]
    order = (frequency.argsort(descending=True, stable=True) + len(SPECIALS))[:SHOWN]
    near = neighbours(tokenizer, table, word) if word else []
    shown = list(dict.fromkeys([*order.tolist(), *(token for token, _ in near)]))
    return {
        "sides": list(tables),
        "side": side,
        "tokens": [tokenizer.vocabulary[token] for token in shown],
        "frequency": [int(tokenizer.frequency[token]) for token in shown],
        "places": as_numbers(map_coordinates(table[shown])),
        "labels": labels_of(model, [tokenizer.vocabulary[token] for token in shown]),
        "word": word,
        "near": [[tokenizer.vocabulary[token], round(cosine, 4)] for token, cosine in near],
    }


def labels_of(model: Model, tokens: Sequence[str]) -> list[str]:
    """What the model says of each token alone: its label, or its tag; nothing of a model that gives none."""
    if not (model.task.labels or model.config.task == "tag"):
        return []
    model.network.eval()
    texts = [token.strip("▁ ") or "?" for token in tokens]
    answers = model.task.predict(model.network, texts, model.task.Options())
    return [str(getattr(answer, "label", "") or next(iter(getattr(answer, "tags", ())), "")) for answer in answers]


def embeddings(model: Model) -> dict[str, tuple[Tokenizer, Tensor]]:
    """The vocabularies of a model with their learned vectors (V, D), by the name of the tokenizer."""
    modules = dict(model.network.named_modules())
    found = {}
    for name, tokenizer in model.task.tokenizers.items():
        fits = [
            (path, module.E.detach().float().cpu())
            for path, module in modules.items()
            if isinstance(module, Embedding) and len(module.E) == tokenizer.size
        ]
        own = [table for path, table in fits if path.startswith("source") is (name == "source")]
        if own or fits:
            found[name] = tokenizer, own[0] if own else fits[0][1]
    return found


def neighbours(tokenizer: Tokenizer, table: Tensor, word: str) -> list[tuple[int, float]]:
    """A word and the tokens whose vectors have the smallest angle to its own."""
    ids = {token: number for number, token in enumerate(tokenizer.vocabulary)}
    own = next((ids[each] for each in (word, word.lower(), f"▁{word}") if each in ids), None)
    if own is None:
        raise SeqloomError(f"{quoted(word)} is not in the vocabulary", remedy="choose a word of the map")
    cosines = F.normalize(table, dim=1) @ F.normalize(table[own], dim=0)
    cosines[: len(SPECIALS)] = -2.0
    cosines[own] = 2.0
    best = cosines.topk(min(NEIGHBOURS + 1, len(table) - len(SPECIALS)))
    return [(int(token), min(float(cosine), 1.0)) for token, cosine in zip(best.indices, best.values, strict=True)]


def map_coordinates(vectors: Tensor) -> Tensor:
    """vectors (V, D) -> (V, 2): their first two principal components, each from -1 to 1."""
    plane = pca_2d(vectors)
    return plane / plane.abs().amax(0).clamp(min=1e-12)
