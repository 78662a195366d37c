"""The simple baselines of `bench.defaults`, as people write them: scikit-learn, sklearn-crfsuite, counts of characters.

pip install seqloom[bench]
"""

from __future__ import annotations

import csv
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from seqloom.data.source import open_source
from seqloom.evaluating.baselines.frequent_tags import FrequentTags
from seqloom.evaluating.baselines.ngram_language_model import NgramLanguageModel
from seqloom.evaluating.tagging import TaggingMetrics

Score = dict[str, float]
"""`score`, and `seconds` of the processor."""


def timed(measure: Callable[[], float]) -> Score:
    began = time.process_time()
    score = measure()
    return {"score": score, "seconds": time.process_time() - began}


def rows_of(path: Path) -> tuple[list[str], list[str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.reader(stream))[1:]
    return [text for _, text in rows], [label for label, _ in rows]


def classifiers(folder: Path) -> dict[str, Score]:
    """TF-IDF with logistic regression, as it comes, and with pairs of words and C=10."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    texts, labels = rows_of(folder / "train.csv")
    asked, right = rows_of(folder / "test.csv")
    kinds = {
        "TF-IDF, LogReg": make_pipeline(TfidfVectorizer(), LogisticRegression(max_iter=1_000)),
        "TF-IDF bigrams, LogReg C=10": make_pipeline(
            TfidfVectorizer(ngram_range=(1, 2)), LogisticRegression(C=10, max_iter=1_000)
        ),
    }
    return {
        name: timed(lambda kind=kind: float(kind.fit(texts, labels).score(asked, right)))  # type: ignore[misc]
        for name, kind in kinds.items()
    }


def features(words: list[str], place: int) -> dict[str, Any]:
    """What a tutorial on CRFs takes of a word and its neighbours."""
    found: dict[str, Any] = {"bias": 1.0}
    for offset in (-1, 0, 1):
        where = place + offset
        if not 0 <= where < len(words):
            found[f"{offset}:edge"] = True
            continue
        word = words[where]
        found |= {f"{offset}:lower": word.lower(), f"{offset}:title": word.istitle(), f"{offset}:upper": word.isupper()}
        if not offset:
            found |= {"suffix3": word[-3:], "suffix2": word[-2:], "prefix": word[:2], "digit": word.isdigit()}
    return found


def sentences(path: Path, **how: Any) -> Iterator[tuple[list[str], list[str]]]:
    for record in open_source(str(path), task="tag", **how):
        yield list(record.columns["tokens"]), list(record.columns["tags"])  # type: ignore[arg-type]


def taggers(train: Path, test: Path, metric: str, **how: Any) -> dict[str, Score]:
    """The most frequent tag of each word, and a CRF."""
    from sklearn_crfsuite import CRF

    known, asked = list(sentences(train, **how)), list(sentences(test, **how))
    right = [tags for _, tags in asked]

    def score(given: list[list[str]]) -> float:
        if metric == "f1":
            return TaggingMetrics.of(right, given).all_spans.f1
        pairs = [one == other for tags, others in zip(right, given) for one, other in zip(tags, others)]
        return sum(pairs) / len(pairs)

    def frequent() -> float:
        tagger = FrequentTags(known)
        return score([tagger(words) for words, _ in asked])

    def crf() -> float:
        model = CRF(algorithm="lbfgs", c1=0.1, c2=0.1, max_iterations=50)
        model.fit(
            [[features(words, at) for at in range(len(words))] for words, _ in known], [tags for _, tags in known]
        )
        return score(model.predict([[features(words, at) for at in range(len(words))] for words, _ in asked]))

    return {"most frequent tag": timed(frequent), "CRF": timed(crf)}


def language_models(train: Path, test: Path) -> dict[str, Score]:
    """Trigrams of characters."""
    text, asked = train.read_text(encoding="utf-8"), test.read_text(encoding="utf-8")
    ids = {letter: id for id, letter in enumerate(sorted({*text, *asked}))}

    def trigrams() -> float:
        return NgramLanguageModel([ids[letter] for letter in text], len(ids)).loss([ids[letter] for letter in asked])

    return {"trigrams": timed(trigrams)}
