"""What a model gets wrong on data that training held out: each mistake with what was right, and how sure it was."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import islice
from typing import Any

from seqloom.data.record import Record
from seqloom.errors import SeqloomError
from seqloom.explaining.walkthrough import check_wanted
from seqloom.studio.examples import as_text
from seqloom.training.model import Model

LOOKED_AT = 400
"""Held-out examples that are answered."""
AT_ONCE = 40
"""Examples between two looks whether anybody still waits."""
SHOWN = 100
"""Mistakes that are listed."""
LABELS = 12
"""Labels of the confusion matrix: the most frequent ones."""
RIGHT = ("label", "labels", "tags", "target")
"""Columns that hold a right answer."""


def mistakes_data(model: Model, wanted: Callable[[], bool]) -> dict[str, Any]:
    """Answers to the first held-out examples: how many are right, which are not, and the confusion of labels."""
    records = [record for record in islice(model.kept_aside("valid"), LOOKED_AT) if right_answer(record)]
    if not records:
        what = f"data for {model.config.task} has no right answers that could be compared"
        raise SeqloomError(what, remedy="use a model that classifies, tags or translates")
    inputs = [model.task.input_of(record) for record in records]
    fields = model.task.Options.model_fields
    options = model.options(**{name: value for name, value in (("beam", 1), ("attention", False)) if name in fields})
    answers: list[Any] = []
    for first in range(0, len(inputs), AT_ONCE):
        check_wanted(wanted)
        answers += model.task.predict(model.network, inputs[first : first + AT_ONCE], options)
    rows = [
        mistake(as_text(given), right_answer(record), answer.json())
        for given, record, answer in zip(inputs, records, answers, strict=True)
    ]
    wrong = [row for row in rows if row["right"] != row["answer"]]
    wrong.sort(key=lambda row: -row["sure"])
    return {"examples": len(rows), "wrong": len(wrong), "mistakes": wrong[:SHOWN], **confusion(rows)}


def right_answer(record: Record) -> str:
    return next((as_text(record.columns[name]) for name in RIGHT if name in record.columns), "")


def mistake(given: str, right: str, answer: dict[str, Any]) -> dict[str, Any]:
    """An example as it is listed; `sure` is the probability of the answer that was given."""
    scores = answer.get("scores")
    if isinstance(scores, dict):
        said = str(answer.get("label", " ".join(answer.get("labels", ()))))
        sure = scores.get(said, 0.0)
    elif "tags" in answer:
        said, sure = " ".join(answer["tags"]), min(scores or [0.0])
    else:
        said, sure = str(answer["text"]), answer.get("certainty", 0.0)
    return {"input": given, "right": right, "answer": said, "sure": round(float(sure), 4), "length": len(given.split())}


def confusion(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """How often each label was taken for each other; nothing where answers are texts."""
    counted = Counter(row["right"] for row in rows)
    labels = [label for label, _ in counted.most_common(LABELS)]
    if len(counted) > max(3, len(rows) / 4):
        return {"labels": [], "confusion": []}
    pairs = Counter((row["right"], row["answer"]) for row in rows)
    return {"labels": labels, "confusion": [pairs[right, said] for right in labels for said in labels]}
