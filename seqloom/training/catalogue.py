"""Every architecture that a task can be solved with, by name: what it is, and how large."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from seqloom.errors import ConfigError, UnknownName
from seqloom.models.characters import character_encoder
from seqloom.models.classifier import FLAT, make_classifier
from seqloom.models.encoders import ENCODERS
from seqloom.models.language_model import LanguageModel
from seqloom.models.seq2seq.model import Seq2Seq
from seqloom.models.seq2seq.presets import PRESETS
from seqloom.models.tagger import Tagger
from seqloom.models.token_embedding import TokenEmbedding
from seqloom.training.run_config import RUNS, load_run

VOCABULARY = 10_000
"""Words of the dictionary, where there is no data to count them in."""
LABELS, LETTERS = 2, 100
"""Labels or tags, and letters of the alphabet, in the same way."""

SENTENCES = {
    "logistic": "logistic regression, words end to end",
    "mlp": "one hidden layer, words end to end",
    "words": "no encoder: a bag of words",
    "rnn": "a simple recurrent network",
    "gru": "gated recurrent units",
    "lstm": "long short-term memory",
    "self-attentive-rnn": "an RNN that looks back at its states",
    "cnn": "convolutions over windows of words",
    "mixer": "positions mixed by one matrix",
    "transformer": "self-attention, no recurrence",
    "encoder-decoder": "GRU to GRU by one context",
    "encoder-decoder-every-step": "the same, context in every step",
    "lstm-to-lstm": "the last state starts the writer",
    "rnn-attention": "additive attention (Bahdanau)",
    "dot-attention": "dot attention, input feeding (Luong)",
    "attention-alone": "attention without recurrence",
    "conv-seq2seq": "convolutions on both sides",
    "transformer-tiny": "four narrow layers on both sides",
    "transformer-base": "six layers of 512 (Vaswani et al.)",
    "hybrid": "a Transformer reads, an SSRU writes",
}


@dataclass(frozen=True)
class Entry:
    """An architecture for a task, with its parameters at the sizes that it has by default."""

    task: str
    name: str
    sentence: str
    parameters: int


def names_for(task: str) -> list[str]:
    """The architectures that may be named for a task."""
    if task == "translate":
        return list(PRESETS)
    return [*FLAT, *ENCODERS] if task == "classify" else list(ENCODERS)


def untrained(name: str, task: str | None, changes: Sequence[str], vocabulary: int) -> tuple[str, Any, nn.Module]:
    """The task, the settings of the model, and the model, of an architecture by name; the first task that has it."""
    known = {name: task for task in reversed(RUNS) for name in names_for(task)}
    if name not in (names_for(task) if task in RUNS else known):
        names = names_for(task) if task in RUNS else list(known)
        raise UnknownName("architecture", name, names, remedy="list them with: seqloom summary")
    chosen = task or known[name]
    settings: Any = load_run(None, changes, task=chosen, model__name=name)
    return chosen, settings.model, build(settings, vocabulary)


def build(settings: Any, vocabulary: int) -> nn.Module:
    """A model with fresh weights for a dictionary of that size."""
    config = settings.model
    match settings.task:
        case "classify":
            return make_classifier(config, TokenEmbedding(config, vocabulary), LABELS)
        case "generate":
            return LanguageModel(config, vocabulary, causal=settings.generate.objective == "next")
        case "tag":
            width = settings.tag.characters
            letters = character_encoder(settings.tag.character_kind, LETTERS, width) if width else None
            return Tagger(config, vocabulary, LABELS, letters)
    return Seq2Seq(config, vocabulary, vocabulary)


def catalogue(vocabulary: int = VOCABULARY) -> Iterator[Entry]:
    """Every architecture of every task; the weights are counted, not made."""
    for task in RUNS:
        for name in names_for(task):
            try:
                with torch.device("meta"):
                    _, _, model = untrained(name, task, (), vocabulary)
            except ConfigError:  # it cannot do this: a reader of both sides cannot write what comes next
                continue
            count = sum(weight.numel() for weight in model.parameters())
            yield Entry(task, name, SENTENCES.get(name, ""), count)
