"""Kinds of answer by the name that the settings give them. A new one is one new file and one line here."""

from __future__ import annotations

from seqloom.tasks.classify.answers.base import Answers, Learner
from seqloom.tasks.classify.answers.label import OneLabel
from seqloom.tasks.classify.answers.labels import AnyLabels
from seqloom.tasks.classify.answers.number import OneNumber

__all__ = ["ANSWERS", "Answers", "Learner"]

ANSWERS: dict[str, type[Answers]] = {"label": OneLabel, "labels": AnyLabels, "number": OneNumber}
