"""An input to begin with: one that the model was trained for, so that a page shows something at once."""

from __future__ import annotations

from itertools import islice

from seqloom.data.source import open_source
from seqloom.errors import SeqloomError
from seqloom.tasks.stages import frequent_text
from seqloom.training.model import Model

LOOKED_AT = 40
"""Records of the training data among which one is chosen."""
GOOD_LENGTH = range(14, 64)
"""Characters of an input that is neither dull nor long."""
PROMPT_WORDS = 3
"""Words of a text that a language model goes on with."""


def example_input(model: Model, *, from_data: bool, number: int = 0) -> str:
    """From the training data, if it may be shown and is still where it was; else a few frequent words; else nothing.

    The files that a model of somebody else's names are not opened. Another `number` is another example.
    """
    found = in_training_data(model, number) if from_data and model.own else ""
    if found or not model.task.tokenizers or reads_pictures(model):
        return found
    return frequent_text(next(iter(model.task.tokenizers.values())))


def in_training_data(model: Model, number: int) -> str:
    data = model.config.data
    if not data.train:
        return ""
    try:
        source = open_source(data.train, task=model.task.columns, **data.how())
        records = list(islice(source, LOOKED_AT))
        if records and reads_pictures(model):
            return str(model.task.as_request(records[number % len(records)]))
        texts = [text for record in records if (text := str(model.task.as_request(record)))]
    except (SeqloomError, OSError):
        return ""
    if model.task.generates_text and "text" in model.task.columns.roles:
        texts = [" ".join(text.split()[:PROMPT_WORDS]) for text in texts]
    good = [text for text in texts if len(text) in GOOD_LENGTH] or texts
    return good[number % len(good)] if good else ""


def reads_pictures(model: Model) -> bool:
    return "image" in model.task.columns.roles
