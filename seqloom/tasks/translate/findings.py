"""How good translations are, as figures and tables."""

from __future__ import annotations

from collections.abc import Mapping

from seqloom.evaluating.bootstrap import Counted, counted_bleu, counted_mean, interval
from seqloom.evaluating.by_length import by_length, words_in
from seqloom.evaluating.phrases import counted_phrases
from seqloom.evaluating.translation import Translated
from seqloom.tasks.task import Findings, Table

SHARES = ("exact", "phrase_f1")
"""Measures that are not made by sacrebleu."""


def findings(measured: Translated, figures: Mapping[str, float], measure: str) -> Findings:
    """All figures with their signatures, an interval for the one that decides, and quality by length of the source."""
    counted = counted_for(measured, measure)
    sure = interval(counted)
    buckets = by_length(counted, [words_in(text) for text in measured.sources or ()])
    name = measure if measure in SHARES else "bleu"
    rows, scores = measured.rows(), measured.figures()
    if measure == "phrase_f1":
        scores["phrase_f1"] = measured.phrase_f1
        rows.append(("phrase_f1", f"{measured.phrase_f1:.4f}", "F1 of phrases between semicolons"))
    computed = Table("", ["figure", "", "how"], rows)
    details = {
        **measured.json(),
        **scores,
        "interval": {name: sure._asdict()},
        "by_length": [one.json() for one in buckets],
    }
    decides = -figures["loss"] if measure == "loss" else scores[measure]
    how = measured.bleu.signature if name == "bleu" else f"{name}, capitals {'count' if measured.cased else 'do not'}"
    return Findings({**figures, **scores}, decides, [computed], details, counted, buckets, name, how)


def counted_for(measured: Translated, measure: str) -> Counted:
    """What can be resampled: whether each answer is right, its phrases, or the counts of BLEU."""
    if measure == "exact":
        return counted_mean([float(right) for right in measured.right])
    if measure == "phrase_f1":
        return counted_phrases(measured.phrases)
    return counted_bleu(measured.hypotheses, measured.references, measured.language, cased=measured.cased)
