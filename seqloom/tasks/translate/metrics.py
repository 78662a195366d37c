"""The metrics of translations, as numbers and tables."""

from __future__ import annotations

from collections.abc import Mapping

from seqloom.evaluating.bootstrap import Counted, counted_bleu, counted_mean, interval
from seqloom.evaluating.by_length import by_length
from seqloom.evaluating.phrases import counted_phrases
from seqloom.evaluating.translation import Translated
from seqloom.evaluating.words import words_in
from seqloom.tasks.task import Evaluation, ResultTable

OWN_METRICS = ("exact", "phrase_f1", "rouge_l")
"""Metrics that are not computed by sacrebleu."""

HOW = {
    "phrase_f1": "F1 of phrases between semicolons",
    "rouge_1": "F1 of words, mean over texts",
    "rouge_2": "F1 of pairs of words, mean over texts",
    "rouge_l": "F1 of words in the same order, mean over texts",
}
"""Metrics that are computed only if they are asked for, and how."""


def evaluation(measured: Translated, metrics: Mapping[str, float], measure: str) -> Evaluation:
    """All metrics with their signatures, an interval for the one in `measure`, and quality by length of the source."""
    counted = counted_for(measured, measure)
    sure = interval(counted)
    buckets = by_length(counted, [words_in(text) for text in measured.sources or ()])
    name = measure if measure in OWN_METRICS else "bleu"
    rows, scores = measured.rows(), measured.figures()
    special = special_metrics(measured, measure)
    scores |= special
    rows += [(one, f"{value:.4f}", HOW[one]) for one, value in special.items()]
    computed = ResultTable("", ["figure", "", "how"], rows)
    details = {
        **measured.json(),
        **scores,
        "interval": {name: sure._asdict()},
        "by_length": [one.json() for one in buckets],
    }
    selection_score = -metrics["loss"] if measure == "loss" else scores[measure]
    return Evaluation(
        {**metrics, **scores}, selection_score, [computed], details, counted, buckets, name, how(measured, name)
    )


def how(measured: Translated, name: str) -> str:
    """What must be the same for two models whose metrics are compared."""
    if name == "bleu":
        return measured.bleu.signature
    cased = measured.cased and name != "rouge_l"
    return f"{name}, capitals {'count' if cased else 'do not'}"


def special_metrics(measured: Translated, measure: str) -> dict[str, float]:
    """Metrics that make sense for some texts only."""
    if measure == "phrase_f1":
        return {"phrase_f1": measured.phrase_f1}
    return measured.mean_rouge._asdict() if measure == "rouge_l" else {}


def counted_for(measured: Translated, measure: str) -> Counted:
    """What can be resampled: whether each answer is right, its phrases, what it shares, or the counts of BLEU."""
    if measure == "exact":
        return counted_mean([float(right) for right in measured.right])
    if measure == "phrase_f1":
        return counted_phrases(measured.phrases)
    if measure == "rouge_l":
        return counted_mean([one.rouge_l for one in measured.rouge])
    return counted_bleu(measured.hypotheses, measured.references, measured.language, cased=measured.cased)
