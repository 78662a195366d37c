"""A classifier at work on one input: from token ids or frames to the prediction."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import nn

from seqloom.equations import Part
from seqloom.models.classifier import Classifier, FlatClassifier, classifier_stage
from seqloom.models.predictions import ANSWERS
from seqloom.models.stage import Example, StageExample, VocabularyAxis
from seqloom.tasks.classify.answers.regression import Regression
from seqloom.tasks.frame_inputs import FrameInputs
from seqloom.tasks.stages import LONGEST, MOST_FRAMES, bounded, frequent_text, of_another_length, read_words, token_axis

if TYPE_CHECKING:
    from seqloom.tasks.classify.task import Classify


def classification_example(task: Classify, network: nn.Module, given: Any, device: torch.device) -> Example:
    """The whole classifier, with the feature columns that came with the input."""
    assert isinstance(network, Classifier | FlatClassifier)
    given = sample(task) if given is None else given
    record = task.inputs.record(given)
    frames = isinstance(task.inputs, FrameInputs)
    limits = ("frames", MOST_FRAMES) if frames else ("tokens", LONGEST)
    read = bounded(task.inputs.encode([record])[0], *limits)
    w = torch.as_tensor(np.array(read), device=device)
    features = {"f": torch.from_numpy(task.features(record)).to(device)} if len(task.features) else {}
    longer = len(w) < task.config.model.length
    answer = answer_part(task, device)
    stage, other = (classifier_stage(network, answer, x, features) for x in (w, of_another_length(w, longer=longer)))
    if frames:
        words, axes = [str(number) for number in range(1, len(w) + 1)], []
    else:
        tokenizer = task.tokenizers["text"]
        words, axes = read_words(tokenizer, task.inputs.shown(record), read), [token_axis(tokenizer, read)]
    answered = task.predict(network, [given], task.Options())[0]
    names = task.features.names if len(task.features) else []
    example = StageExample(stage, other, words, words, words, [*axes, *label_axes(task)], names, longer=longer)
    return Example(f"{task.inputs.shown(record)} → {answered}", [example])


def answer_part(task: Classify, device: torch.device) -> Part:
    """What the logits stand for."""
    kind = task.config.classify.answer
    if isinstance(task.answers, Regression):
        scale = {"mu": task.answers.mean, "sigma": task.answers.deviation}
        return Part(ANSWERS[kind], {name: torch.tensor(value, device=device) for name, value in scale.items()})
    return Part(ANSWERS["pair" if kind == "label" and task.answers.outputs == 1 else kind])


def label_axes(task: Classify) -> list[VocabularyAxis]:
    """The labels that the prediction is chosen from; none for a number."""
    if "labels" not in task.facts:
        return []
    pair = task.config.classify.answer == "label" and task.answers.outputs == 1
    return [VocabularyAxis(task.facts["labels"], (), ("p",) if pair else ("z", "p"), "p", table="")]


def sample(task: Classify) -> Any:
    """For who gives nothing: frequent words, or the mean frame; beside them what is the mean in training data."""
    inputs, features = task.inputs, task.features
    given = np.tile(inputs.mean, (4, 1)) if isinstance(inputs, FrameInputs) else frequent_text(task.tokenizers["text"])
    beside: dict[str, Any] = {column: mean for column, (mean, _) in features.scales.items()}
    beside |= dict.fromkeys(features.binary, 0)
    return {inputs.field: given, **beside} if len(features) else given
