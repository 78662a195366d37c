"""Every architecture that a task can be solved with, by name: what it is, and how large."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from seqloom.errors import UnknownName
from seqloom.models.characters import character_encoder
from seqloom.models.classifier import label_logits, make_classifier
from seqloom.models.language_model import LanguageModel
from seqloom.models.registry import architectures, find
from seqloom.models.seq2seq.model import Seq2Seq
from seqloom.models.tagger import Tagger
from seqloom.models.token_embedding import TokenEmbedding
from seqloom.training.run_config import RUNS, load_run

VOCABULARY = 10_000
"""Words of the dictionary, where there is no data to count them in."""
LABELS, LETTERS = 2, 100
"""Labels or tags, and letters of the alphabet, in the same way."""


@dataclass(frozen=True)
class CatalogueEntry:
    """An architecture for a task, with its parameters at the sizes that it has by default."""

    task: str
    name: str
    sentence: str
    parameters: int


def untrained(name: str, task: str | None, changes: Sequence[str], vocabulary: int) -> tuple[str, Any, nn.Module]:
    """The task, the settings of the model, and the model, of an architecture by name; the first task that has it."""
    if task is not None and task not in RUNS:
        raise UnknownName("task", task, RUNS, remedy=f"there are: {', '.join(RUNS)}")
    found = find(name, task) if task else find(name, *RUNS)
    chosen = task or next(task for task in RUNS if task in found.tasks)
    settings: Any = load_run(None, changes, task=chosen, model__name=name)
    return chosen, settings.model, build(settings, vocabulary)


def build(settings: Any, vocabulary: int) -> nn.Module:
    """A model with fresh weights for a dictionary of that size."""
    config = settings.model
    match settings.task:
        case "classify":
            return make_classifier(config, TokenEmbedding(config, vocabulary), label_logits(config.name, LABELS))
        case "generate":
            return LanguageModel(config, vocabulary, causal=settings.generate.objective == "next")
        case "tag":
            width = settings.tag.characters
            letters = character_encoder(settings.tag.character_kind, LETTERS, width) if width else None
            return Tagger(config, vocabulary, LABELS, letters)
    return Seq2Seq.of_texts(config, vocabulary, vocabulary)


def catalogue(vocabulary: int = VOCABULARY) -> Iterator[CatalogueEntry]:
    """Every architecture of every task; the weights are counted, not made."""
    for task in RUNS:
        for found in architectures(task):
            if task == "generate" and not found.causal:  # it can fill gaps, but not write on
                continue
            with torch.device("meta"):
                _, _, model = untrained(found.name, task, (), vocabulary)
            count = sum(weight.numel() for weight in model.parameters())
            yield CatalogueEntry(task, found.name, found.sentence, count)
