"""A classifier held to examples whose labels are known, each with its loss."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import nn

from seqloom.data.record import Record
from seqloom.tasks.classify.answers.regression import Regression
from seqloom.tasks.classify.answers.single_label import SingleLabel
from seqloom.tasks.review import Reviewed

if TYPE_CHECKING:
    from seqloom.tasks.classify.task import Classify


def review_classification(task: Classify, model: nn.Module, records: list[Record]) -> list[Reviewed]:
    """In one batch; a confusion matrix is for models with one label."""
    answers = task.answers
    batch = task.batch_of(task.encode(records), next(model.parameters()).device)
    with torch.no_grad():
        logits = model(batch.x, batch.lengths, batch.features).float()
    found = []
    for row, (record, true, given) in enumerate(
        zip(records, answers.expected(batch.targets), answers.predicted(logits), strict=True)
    ):
        target = batch.targets[row : row + 1]
        expected, predicted = answers.named(true), answers.named(given)
        paired = isinstance(answers, SingleLabel)
        found.append(
            Reviewed(
                task.input_of(record), expected, predicted,
                float(answers.loss(logits[row : row + 1], target)) / target.numel(), int(batch.lengths[row]),
                None if isinstance(answers, Regression) else true == given,
                [expected] if paired else [], [predicted] if paired else [],
            )
        )  # fmt: skip
    return found
