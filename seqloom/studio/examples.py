"""An input to begin with: one that the model was trained for, so that a page shows something at once."""

from __future__ import annotations

from seqloom.errors import SeqloomError
from seqloom.tasks.stages import frequent_text
from seqloom.training.example_inputs import packed_inputs, reads_pictures, training_inputs, training_records
from seqloom.training.model import Model


def example_input(model: Model, *, from_data: bool, number: int = 0) -> str:
    """From the training data, if it may be shown and is still where it was, or from what a pack kept of it; else a few
    frequent words; else nothing. Another `number` is another example.
    """
    if reads_pictures(model):
        return example_picture(model, number) if from_data else ""
    if from_data and (found := training_inputs(model) or packed_inputs(model)):
        return found[number % len(found)]
    return frequent_text(next(iter(model.task.tokenizers.values()))) if model.task.tokenizers else ""


def example_picture(model: Model, number: int) -> str:
    records = training_records(model)
    try:
        return str(model.task.as_request(records[number % len(records)])) if records else ""
    except (SeqloomError, OSError):
        return ""
