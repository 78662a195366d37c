"""The metrics of translations, as numbers and tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from seqloom.evaluating.bootstrap import CountedMetric, bleu_from_counts, interval, mean_metric
from seqloom.evaluating.by_length import by_length
from seqloom.evaluating.phrase_f1 import phrase_f1_metric
from seqloom.evaluating.translation import TranslationMetrics
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


def evaluation(
    measured: TranslationMetrics, metrics: Mapping[str, float], measure: str, lengths: Sequence[int]
) -> Evaluation:
    """All metrics with their signatures, an interval for the one in `measure`, and quality by length of the source."""
    counted = counted_for(measured, measure)
    sure = interval(counted)
    buckets = by_length(counted, lengths)
    name = measure if measure in OWN_METRICS else "bleu"
    rows, scores = measured.rows(), measured.metrics()
    special = special_metrics(measured, measure)
    scores |= special
    rows += [(one, f"{value:.4f}", HOW[one]) for one, value in special.items()]
    computed = ResultTable("", ["metric", "", "how"], rows)
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


def how(measured: TranslationMetrics, name: str) -> str:
    """What must be the same for two models whose metrics are compared."""
    if name == "bleu":
        return measured.bleu.signature
    cased = measured.cased and name != "rouge_l"
    return f"{name}, capitals {'count' if cased else 'do not'}"


def special_metrics(measured: TranslationMetrics, measure: str) -> dict[str, float]:
    """Metrics that make sense for some texts only."""
    if measure == "phrase_f1":
        return {"phrase_f1": measured.phrase_f1}
    return measured.mean_rouge._asdict() if measure == "rouge_l" else {}


def counted_for(measured: TranslationMetrics, measure: str) -> CountedMetric:
    """What can be resampled: whether each answer is right, its phrases, what it shares, or the counts of BLEU."""
    if measure == "exact":
        return mean_metric([float(right) for right in measured.right])
    if measure == "phrase_f1":
        return phrase_f1_metric(measured.phrases)
    if measure == "rouge_l":
        return mean_metric([one.rouge_l for one in measured.rouge])
    return bleu_from_counts(measured.hypotheses, measured.references, measured.language, cased=measured.cased)


@dataclass(frozen=True)
class Answered:
    """Questions of a corpus with what a model answered: all that metrics are made of."""

    rows: Sequence[int]
    """The row of each question in its corpus."""
    answers: Sequence[str]
    references: Sequence[Sequence[str]]
    sources: Sequence[str]
    language: str
    cased: bool
    spaced: bool

    def metrics(self) -> TranslationMetrics:
        return TranslationMetrics.of(
            list(self.answers), [list(each) for each in self.references], list(self.sources), self.language,
            cased=self.cased, spaced=self.spaced,
        )  # fmt: skip

    def of(self, rows: Sequence[int]) -> Answered:
        """Those of some rows."""
        wanted = set(rows)
        kept = [place for place, row in enumerate(self.rows) if row in wanted]
        return replace(
            self,
            rows=[self.rows[place] for place in kept],
            answers=[self.answers[place] for place in kept],
            references=[self.references[place] for place in kept],
            sources=[self.sources[place] for place in kept],
        )


def scores_by_tag(rows_of: Mapping[str, Sequence[int]], answered: Answered, measure: str) -> dict[str, float]:
    """The metric of each task, given by its rows."""
    parts = {tag: answered.of(rows) for tag, rows in rows_of.items()}
    return {f"{tag} {measure}": part.metrics().score(measure) for tag, part in parts.items() if part.answers}


def with_tags(found: Evaluation, by_tag: Mapping[str, float]) -> Evaluation:
    """An evaluation with the metric of each task."""
    table = ResultTable("by task", ["task", ""], [(name, f"{value:.4f}") for name, value in by_tag.items()])
    return replace(found, tables=[*found.tables, table], details={**found.details, "by_task": dict(by_tag)})
