"""BLEU and chrF as sacrebleu computes them, always with the signature that says how."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from seqloom.extras import require

if TYPE_CHECKING:
    from sacrebleu.metrics.bleu import BLEU
    from sacremoses import MosesTokenizer  # type: ignore[import-untyped]

References = Sequence[Sequence[str]]
"""The right answers of each sentence: one or several."""


@dataclass(frozen=True)
class CorpusScore:
    """A score from 0 to 100 and the signature that says how it was computed."""

    score: float
    signature: str


def bleu(hypotheses: Sequence[str], references: References, language: str = "", *, cased: bool = True) -> CorpusScore:
    """BLEU (Papineni et al., 2002) of texts as people read them; `language` is that of the hypotheses, as `zh`.

    Not `cased`: both sides are lower-cased.
    """
    metric = metric_for(language, cased=cased)
    score = metric.corpus_score(hypotheses, streams(references)).score
    return CorpusScore(score, metric.get_signature().format())


def chrf(hypotheses: Sequence[str], references: References, *, cased: bool = True) -> CorpusScore:
    """chrF2 (Popović, 2015): F of character n-grams; needs no tokenizer."""
    require("sacrebleu", "evaluate", "chrF")
    from sacrebleu.metrics.chrf import CHRF

    metric = CHRF(lowercase=not cased)
    score = metric.corpus_score(hypotheses, streams(references)).score
    return CorpusScore(score, metric.get_signature().format())


def moses_bleu(hypotheses: Sequence[str], references: References, language: str) -> CorpusScore:
    """BLEU on lower-cased Moses tokens, the metric published for Multi30k; compare it with no other BLEU."""
    said = [moses_tokens(text, language) for text in hypotheses]
    right = [[moses_tokens(text, language) for text in texts] for texts in references]
    metric = bleu_metric(tokenize="none", force=True)
    score = metric.corpus_score(said, streams(right)).score
    return CorpusScore(score, f"{metric.get_signature().format()}|pre:lower+moses-{language}")


def metric_for(language: str, *, cased: bool = True) -> BLEU:
    """sacrebleu's own choice of tokenizer for a language: characters for Chinese, 13a for most.

    Japanese and Korean are cut by dictionaries; where these are not installed, by character. The signature says so.
    """
    settings: dict[str, Any] = {
        "force": True,
        "lowercase": not cased,
    }  # force: no warning about texts that look tokenised
    try:
        return bleu_metric(trg_lang=language, **settings)
    except RuntimeError:
        return bleu_metric(tokenize="char", **settings)


def bleu_metric(**settings: Any) -> BLEU:
    """sacrebleu's BLEU, imported when it is first needed."""
    require("sacrebleu", "evaluate", "BLEU")
    from sacrebleu.metrics.bleu import BLEU

    return BLEU(**settings)


def streams(references: References) -> list[list[Any]]:
    """As sacrebleu wants them: all first references, then all second ones; None where there is no more."""
    most = max(map(len, references))
    return [[texts[place] if place < len(texts) else None for texts in references] for place in range(most)]


@cache
def moses(language: str) -> MosesTokenizer:
    require("sacremoses", "evaluate", "BLEU on Moses tokens")
    from sacremoses import MosesTokenizer

    return MosesTokenizer(lang=language)


def moses_tokens(text: str, language: str) -> str:
    return str(moses(language).tokenize(text.lower(), return_str=True, escape=False))


# --- from counts --------------------------------------------------------------------------------


def bleu_counts(hypotheses: Sequence[str], references: References, metric: BLEU) -> NDArray[np.float64]:
    """Of each sentence: its length, that of the nearest reference, n-grams that match and n-grams in all. (B, 10)"""
    one = bleu_metric(tokenize=metric.tokenizer_signature, force=True, effective_order=True, lowercase=metric.lowercase)
    rows = []
    for said, right in zip(hypotheses, references, strict=True):
        score = one.sentence_score(said, right)
        rows.append([score.sys_len, score.ref_len, *score.counts, *score.totals])
    return np.array(rows, np.float64)


def bleu_of_counts(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """BLEU of summed counts (..., 10) -> (...), smoothed as sacrebleu does by default."""
    length, near, matches, ngrams = counts[..., 0], counts[..., 1], counts[..., 2:6], counts[..., 6:10]
    missed = np.cumsum((matches == 0) & (ngrams > 0), -1)  # each order without a match counts half of the one before
    with np.errstate(divide="ignore", invalid="ignore"):
        precision = np.where(matches > 0, matches, 0.5**missed) / ngrams
        brevity = np.minimum(0.0, 1 - near / length)
        score = 100 * np.exp(np.log(precision).mean(-1) + brevity)
    there = (matches.sum(-1) > 0) & (ngrams > 0).all(-1)
    return np.where(there, score, 0.0)
