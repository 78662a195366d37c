"""Forgetting in a trained model: the influence of each word on the last hidden state of the encoder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from seqloom.errors import SeqloomError
from seqloom.explaining.panels import BarChart, Experiment, LineChart, Series
from seqloom.explaining.trained import loaded
from seqloom.models.classifier import FlatClassifier
from seqloom.models.encoders.base import Encoder
from seqloom.models.encoders.recurrent import RecurrentEncoder
from seqloom.models.seq2seq.model import Seq2Seq
from seqloom.models.stage import Example
from seqloom.tokens.settings import SPECIALS
from seqloom.training.model import Model


def forgetting_of(folder: str | Path, sentence: str | None = None) -> Experiment:
    """The influence of every word of a sentence on the last state of the encoder, by its distance from the end."""
    model = loaded(folder)
    words, learned, began = influence_curves(model, sentence)
    distances, encoder = range(len(words)), model.task.config.model.name
    far, near = learned[0], max(learned[-1], 1e-30)
    real = [place for place in distances if words[place] not in SPECIALS] or distances
    strongest = words[max(real, key=learned.__getitem__)]
    kept, kept_at_first = fraction(far / near), fraction(began[0] / max(began[-1], 1e-30))
    text = [
        f"How strongly the state after the last word depends on each of {len(words)} words: the norm of all "
        f"derivatives of the last state of the encoder ({encoder}) with respect to the word's embedding.",
        f"The first word, {len(words) - 1} words back, keeps {kept} of the influence of the last one; before "
        f"training it was {kept_at_first}. Of the words, “{strongest}” matters most.",
        "What is forgotten here cannot be in a single context vector; a decoder with attention can still attend to it.",
    ]
    return Experiment(
        "forgetting",
        "Forgetting in a trained model",
        "How much does each word still matter at the end?",
        text,
        [
            BarChart("Influence on the last state, word by word", "norm of the derivative",
                     [f"{place + 1} {word}" for place, word in enumerate(words)], [("trained", learned)]),
            LineChart(
                "Influence by distance from the end", "distance in words", "norm of the derivative",
                [Series("trained", distances, learned[::-1]), Series("before training", distances, began[::-1])],
                y_scale="log",
            ),
        ],
    )  # fmt: skip


def influence_curves(model: Model, given: Any = None) -> tuple[list[str], list[float], list[float]]:
    """The words of a sentence, and the influence of each: in the trained model, and with the weights it began with."""
    if isinstance(model.network, FlatClassifier):
        what = f"{model.task.config.model.name} concatenates all embeddings: it has no hidden state"
        raise SeqloomError(what, remedy="use a recurrent model")
    words, learned = influence(model, model.network, given)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        fresh = model.task.make_model().to(model.device).eval()
    return words, learned, influence(model, fresh, given)[1]


def influence(model: Model, network: nn.Module, given: Any) -> tuple[list[str], list[float]]:
    """The words of a sentence, and for each the norm of d(last hidden state) / d(its embedding)."""
    with torch.no_grad():
        return influence_in(model.task.example(network, given, model.device), network)


def influence_in(example: Example, network: nn.Module) -> tuple[list[str], list[float]]:
    """The same, of a model at work."""
    first = example.stages[0]
    if not first.words:  # a picture is not read word by word
        return [], []
    with torch.no_grad():
        x = torch.as_tensor(first.stage.whole[0].values["X"])[None]
    encoder: Any = network.source.encoder if isinstance(network, Seq2Seq) else network.encoder
    assert isinstance(encoder, Encoder)

    def last(x: Tensor) -> Tensor:
        hidden: Tensor = encoder(x, torch.full((len(x),), x.shape[1], device=x.device))[:, -1]
        both = isinstance(encoder, RecurrentEncoder) and encoder.both_ways
        return hidden[:, : hidden.shape[1] // 2] if both else hidden  # the half that comes from the left

    with torch.no_grad():
        width = last(x).shape[1]
    with torch.enable_grad():
        copies = x.expand(width, -1, -1).clone().requires_grad_()  # one for each entry of the state: all rows of the
        (slopes,) = torch.autograd.grad(last(copies).diagonal().sum(), copies)  # Jacobian (H, T, D) at once
    return first.words, slopes.square().sum((0, 2)).sqrt().tolist()


def fraction(value: float) -> str:
    """A fraction as percent, with as many digits as it takes to be more than nothing.

    >>> [fraction(value) for value in (0.37, 0.0042, 0.000012, 0.0)]
    ['37%', '0.42%', '0.0012%', '0%']
    """
    return f"{value:.0%}" if value == 0 or value >= 0.01 else f"{float(f'{value:.2g}') * 100:.2g}%"
