"""Kinds of answer by the name that the settings give them. A new one is one new file and one line here."""

from __future__ import annotations

from seqloom.tasks.classify.answers.base import Answers, Learner
from seqloom.tasks.classify.answers.multi_label import MultiLabel
from seqloom.tasks.classify.answers.regression import Regression
from seqloom.tasks.classify.answers.single_label import SingleLabel

__all__ = ["ANSWERS", "Answers", "Learner"]

ANSWERS: dict[str, type[Answers]] = {"label": SingleLabel, "labels": MultiLabel, "number": Regression}
