"""What a classifier has to beat: the answer that is right most often, and logistic regression on words."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Any

import numpy as np
import torch
from torch import Tensor

from seqloom.data.record import Record
from seqloom.evaluating.baselines.logistic_regression import WordRegression
from seqloom.evaluating.baselines.score import MOST_EXAMPLES, MOST_MEASURED, BaselineScore
from seqloom.tasks.classify.answers.base import Answers

CONSTANT = {"label": "the most frequent label", "labels": "the most frequent labels", "number": "the mean"}
ON_WORDS = {"number": "linear regression on words"}


def baselines(answers: Answers, train: Iterable[Record], valid: Iterable[Record]) -> list[BaselineScore]:
    """Scores on the validation data; with frames instead of texts of the constant answer alone."""
    learned, measured = list(islice(train, MOST_EXAMPLES)), list(islice(valid, MOST_MEASURED))
    targets, expected = targets_of(answers, learned), targets_of(answers, measured)
    answer = answers.config.classify.answer
    found = []
    for name, with_words in ((CONSTANT[answer], False), (ON_WORDS.get(answer, "logistic regression on words"), True)):
        if with_words and "text" not in learned[0].columns:
            continue
        texts, asked = ([text_of(one) if with_words else "" for one in records] for records in (learned, measured))
        logits = WordRegression(texts, targets, answers.outputs, answers.loss)(asked)
        evaluated = answers.evaluation(answers.expected(expected), answers.predicted(logits), 0.0)
        found.append(BaselineScore(name, evaluated.measure, evaluated.metrics[evaluated.measure]))
    return found


def targets_of(answers: Answers, records: list[Record]) -> Tensor:
    rows: list[Any] = [np.asarray(answers.encode(record)) for record in records]
    return answers.targets(rows, torch.device("cpu"))


def text_of(record: Record) -> str:
    return str(record.columns["text"])
