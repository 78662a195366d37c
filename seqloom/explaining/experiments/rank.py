"""Rank of the attention matrix: of the scores, and of the attention weights."""

import torch

from seqloom.explaining.panels import HeatMap, LineChart, Panel, Series
from seqloom.explaining.values import value_of

QUESTION = "Is the attention matrix of low rank?"
TOKENS = 32
WIDTHS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48)


def run() -> tuple[str, list[str], list[Panel]]:
    scores = {width: draw(width) for width in WIDTHS}
    before = [rank(scores[width]) for width in WIDTHS]
    after = [rank(torch.softmax(scores[width], -1)) for width in WIDTHS]
    narrow = WIDTHS.index(4)
    text = [
        "A transposed linear layer mixes positions by a matrix W that is learned once and may have any rank. "
        "Attention computes its matrix from the tokens: the scores Q Kᵀ are a product of two thin matrices, so their "
        f"rank is at most d. With {TOKENS} tokens and d = 4 we measure {before[narrow]}.",
        "It is often said that softmax(Q Kᵀ) therefore has rank at most d as well. It need not: softmax is not "
        f"linear, and a plane does not stay one. The same scores give attention weights of rank {after[narrow]}. The "
        "bound holds for the scores, not for the attention weights. (Ranks are numerical: singular values below "
        "rounding are not counted, so the weights of very narrow heads have a higher rank than is drawn.)",
    ]
    series = [
        Series("scores Q Kᵀ / √d", WIDTHS, before),
        Series("their softmax", WIDTHS, after),
        Series("d, at most the number of tokens", WIDTHS, [min(width, TOKENS) for width in WIDTHS]),
    ]
    values = torch.linalg.svdvals(torch.softmax(scores[4], -1))
    panels: list[Panel] = [
        LineChart(f"Rank with {TOKENS} tokens", "width d", "numerical rank", series),
        LineChart(
            "Singular values, d = 4",
            "index",
            "singular value",
            [
                Series("scores", range(1, TOKENS + 1), torch.linalg.svdvals(scores[4]).clamp_min(1e-17).tolist()),
                Series("their softmax", range(1, TOKENS + 1), values.tolist()),
            ],
            y_scale="log",
        ),
        HeatMap("The softmax of the first 12 tokens, d = 4", value_of(torch.softmax(scores[4], -1)[:12, :12])),
    ]
    return "Rank of scores and of their softmax", text, panels


def draw(width: int) -> torch.Tensor:
    """Scores of random queries and keys, in double precision so that a rank can be told."""
    generator = torch.Generator().manual_seed(width)
    q, k = torch.randn(2, TOKENS, width, generator=generator, dtype=torch.float64)
    scores: torch.Tensor = q @ k.T / width**0.5
    return scores


def rank(matrix: torch.Tensor) -> int:
    return int(torch.linalg.matrix_rank(matrix))
