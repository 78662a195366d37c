"""Metrics of generated texts against references: BLEU, chrF, ROUGE, exact match, token error rate."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from seqloom.errors import DataError
from seqloom.evaluating.bleu import CorpusScore, bleu, chrf, moses_bleu
from seqloom.evaluating.classification import check_same_length
from seqloom.evaluating.edit_distance import Edits, fewest_edits
from seqloom.evaluating.phrase_f1 import PhraseMatches, most_phrases, phrase_f1_metric
from seqloom.evaluating.rouge import RougeScores, rouge
from seqloom.evaluating.word_splitting import words_and_punctuation

NO_MOSES = {"", "ja", "ko", "zh"}
"""Languages without spaces between words, or none given: Moses cuts at spaces."""


@dataclass(frozen=True)
class TranslationMetrics:
    """Answers, each with one right answer or several."""

    hypotheses: tuple[str, ...]
    references: tuple[tuple[str, ...], ...]
    sources: tuple[str, ...] | None = None
    language: str = ""
    """Code of the language that was written, as `de` or `zh`; decides how BLEU cuts words."""
    cased: bool = True
    """Whether capitals count: not for a model that writes none."""
    spaced: bool = False
    """Whether a token is what stands between spaces, as phonemes do; else words, signs and Chinese characters are."""

    @classmethod
    def of(
        cls,
        hypotheses: Sequence[str],
        references: Sequence[str | Sequence[str]],
        sources: Sequence[str] | None = None,
        language: str = "",
        *,
        cased: bool = True,
        spaced: bool = False,
    ) -> TranslationMetrics:
        """From lists in the same order; a reference is a text, or several that are all right."""
        check_same_length(hypotheses, references, "hypotheses")
        if sources is not None:
            check_same_length(sources, references, "sources")
        several = tuple((right,) if isinstance(right, str) else tuple(right) for right in references)
        if () in several:
            raise DataError(
                "a hypothesis has no reference", where=f"sentence {several.index(()) + 1}", remedy="give at least one"
            )
        return cls(tuple(hypotheses), several, None if sources is None else tuple(sources), language, cased, spaced)

    @cached_property
    def bleu(self) -> CorpusScore:
        return bleu(self.hypotheses, self.references, self.language, cased=self.cased)

    @cached_property
    def chrf(self) -> CorpusScore:
        return chrf(self.hypotheses, self.references, cased=self.cased)

    @cached_property
    def moses_bleu(self) -> CorpusScore:
        """As published for Multi30k; needs `language`."""
        if not self.language:
            raise DataError("Moses cuts words by language", remedy="give `language`, as 'de'")
        return moses_bleu(self.hypotheses, self.references, self.language)

    @cached_property
    def right(self) -> tuple[bool, ...]:
        """Whether each answer is one of its references, token by token: spaces around signs aside."""
        return tuple(said in texts for said, texts in self.in_tokens)

    @property
    def exact(self) -> float:
        """The share of answers that are fully right. 1 - exact is the word error rate of pronunciations."""
        return sum(self.right) / len(self.right)

    @cached_property
    def edits(self) -> tuple[Edits, ...]:
        """Edits of each answer, against its nearest reference."""
        return tuple(fewest_edits(said, texts) for said, texts in self.in_tokens)

    @cached_property
    def in_tokens(self) -> list[tuple[list[str], list[list[str]]]]:
        """Each answer and its references, as tokens."""
        cut = str.split if self.spaced else words_and_punctuation
        return [(cut(said), [cut(text) for text in texts]) for said, texts in self.compared()]

    @cached_property
    def phrases(self) -> tuple[PhraseMatches, ...]:
        """Phrases of each answer that are right, where texts are phrases with semicolons between them."""
        return tuple(most_phrases(said, texts) for said, texts in self.compared())

    @property
    def phrase_f1(self) -> float:
        """F1 of all phrases counted together."""
        return phrase_f1_metric(self.phrases).value

    @cached_property
    def rouge(self) -> tuple[RougeScores, ...]:
        """What each answer shares with its references; capitals never count."""
        return tuple(rouge(said, texts) for said, texts in zip(self.hypotheses, self.references, strict=True))

    @property
    def mean_rouge(self) -> RougeScores:
        """The mean over answers."""
        return RougeScores(*(sum(column) / len(self.rouge) for column in zip(*self.rouge, strict=True)))

    @property
    def rouge_l(self) -> float:
        return self.mean_rouge.rouge_l

    def compared(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Each answer and its references, lower-cased where capitals do not count."""
        for said, texts in zip(self.hypotheses, self.references, strict=True):
            yield (said, texts) if self.cased else (said.lower(), tuple(text.lower() for text in texts))

    @property
    def token_error_rate(self) -> float:
        """Edits over tokens of the references: WER of words, PER of phonemes, CER of Chinese."""
        return sum(e.count for e in self.edits) / max(sum(e.length for e in self.edits), 1)

    def score(self, measure: str) -> float:
        """One metric by name: bleu, chrf, exact, phrase_f1, rouge_l."""
        found: float | CorpusScore = getattr(self, measure)
        return found.score if isinstance(found, CorpusScore) else found

    def measures(self) -> dict[str, CorpusScore]:
        """What sacrebleu measures, with signatures."""
        found = {"bleu": self.bleu, "chrf": self.chrf}
        return {**found, "moses_bleu": self.moses_bleu} if self.language not in NO_MOSES else found

    def metrics(self) -> dict[str, float]:
        scores = {name: measure.score for name, measure in self.measures().items()}
        return {**scores, "exact": self.exact, "token_error_rate": self.token_error_rate}

    def json(self) -> dict[str, Any]:
        signatures = {name: measure.signature for name, measure in self.measures().items()}
        return {**self.metrics(), "sentences": len(self.hypotheses), "signatures": signatures}

    def rows(self) -> list[tuple[str, ...]]:
        """For a table: name, value, how it was computed."""
        rates = {
            "exact": (self.exact, "answers that are fully right"),
            "token_error_rate": (self.token_error_rate, "edits / tokens of the reference"),
        }
        scored: list[tuple[str, ...]] = [
            (name, f"{measure.score:.2f}", measure.signature) for name, measure in self.measures().items()
        ]
        return scored + [(name, f"{rate:.4f}", sense) for name, (rate, sense) in rates.items()]
