"""How good translations are, as figures and tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from seqloom.evaluating.bootstrap import Counted, counted_bleu, counted_mean, interval
from seqloom.evaluating.by_length import by_length
from seqloom.evaluating.translation import Translated
from seqloom.tasks.task import Findings, Table


def findings(measured: Translated, figures: Mapping[str, float], lengths: Sequence[int], measure: str) -> Findings:
    """All figures with their signatures, an interval for the one that decides, and quality by length of the source."""
    counted = counted_for(measured, measure)
    sure = interval(counted)
    buckets = by_length(counted, lengths)
    name = "exact" if measure == "exact" else "bleu"
    computed = Table("", ["figure", "", "how"], measured.rows())
    details = {
        **measured.json(),
        "interval": {name: sure._asdict()},
        "by_length": [one.json() for one in buckets],
    }
    decides = -figures["loss"] if measure == "loss" else measured.figures()[measure]
    return Findings({**figures, **measured.figures()}, decides, [computed], details, counted, buckets)


def counted_for(measured: Translated, measure: str) -> Counted:
    """What can be resampled: whether each answer is right, or the counts of BLEU."""
    if measure == "exact":
        return counted_mean([float(right) for right in measured.right])
    return counted_bleu(measured.hypotheses, measured.references, measured.language, cased=measured.cased)
