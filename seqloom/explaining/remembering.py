"""Forgetting in a trained model: how much each token still influences the last hidden state."""

from __future__ import annotations

from pathlib import Path

import torch
from torch import Tensor, nn

from seqloom.errors import SeqloomError
from seqloom.explaining.panels import BarChart, Experiment, LineChart, Series
from seqloom.explaining.trained import checked, frequent, loaded, read_by, sample
from seqloom.models.classifier import FlatClassifier
from seqloom.models.encoders.base import Encoder
from seqloom.models.encoders.recurrent import RecurrentEncoder
from seqloom.models.seq2seq.model import Seq2Seq
from seqloom.tasks.translate.task import Translate
from seqloom.tokens.settings import EOS, SPECIALS
from seqloom.training.model import Model


def forgetting_of(folder: str | Path, sentence: str | None = None) -> Experiment:
    """The influence of every word of a sentence on the last state of the encoder, by its distance from the end."""
    model = loaded(folder)
    if isinstance(model.network, FlatClassifier):
        what = f"{model.task.config.model.name} puts all words end to end: it has no state that could forget"
        raise SeqloomError(what, remedy="use a model that reads word by word")
    words, learned = influence(model, model.network, sentence)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        fresh = model.task.make_model().to(model.device).eval()
    _, began = influence(model, fresh, sentence)
    distances, encoder = range(len(words)), model.task.config.model.name
    far, near = learned[0], max(learned[-1], 1e-30)
    real = [place for place in distances if words[place] not in SPECIALS] or distances
    strongest = words[max(real, key=learned.__getitem__)]
    text = [
        f"How strongly the state after the last word depends on each of {len(words)} words: the length of all "
        f"derivatives of the last state of the encoder ({encoder}) with respect to the word's row.",
        f"The first word, {len(words) - 1} words back, keeps {far / near:.0%} of the influence of the last one; before "
        f"training it was {began[0] / max(began[-1], 1e-30):.0%}. Of the words, “{strongest}” matters most.",
        "What is forgotten here cannot be in a context of one row; a decoder with attention can still look at it.",
    ]
    return Experiment(
        "forgetting",
        "Forgetting in a trained model",
        "How much does each word still matter at the end?",
        text,
        [
            BarChart("Influence on the last state, word by word", "length of the derivative",
                     [f"{place + 1} {word}" for place, word in enumerate(words)], [("trained", learned)]),
            LineChart(
                "Influence by distance from the end", "distance in words", "length of the derivative",
                [Series("trained", distances, learned[::-1]), Series("before training", distances, began[::-1])],
                y_scale="log",
            ),
        ],
    )  # fmt: skip


def influence(model: Model, network: nn.Module, sentence: str | None) -> tuple[list[str], list[float]]:
    """The words of a sentence, and for each the length of d(last state) / d(its row)."""
    encoder, words, x = rows_of(model, network, sentence)

    def last(x: Tensor) -> Tensor:
        rows: Tensor = encoder(x, torch.tensor([x.shape[1]], device=x.device))[0, -1]
        both = isinstance(encoder, RecurrentEncoder) and encoder.both_ways
        return rows[: len(rows) // 2] if both else rows  # the half that comes from the left

    slopes = torch.autograd.functional.jacobian(last, x)[:, 0]  # type: ignore[no-untyped-call]  # (H, T, D)
    return words, slopes.square().sum((0, 2)).sqrt().tolist()


def rows_of(model: Model, network: nn.Module, sentence: str | None) -> tuple[Encoder, list[str], Tensor]:
    """An encoder, the words of a sentence as the model cuts them, and their rows (1, T, D)."""
    task = model.task
    if isinstance(task, Translate):
        assert isinstance(network, Seq2Seq)
        tokenizer = task.source_tokenizer
        text = sentence if sentence is not None else frequent(tokenizer)
        tokens = [*checked(tokenizer.encode(text)), EOS]
        source = torch.tensor([tokens], device=model.device)
        x = network.reader.places(network.reader.words(source))
        return network.reader.encoder, [tokenizer.vocabulary[token] for token in tokens], x.detach()
    read = read_by(Model(model.config, task, network), sample(task) if sentence is None else sentence)
    encoder = network.encoder
    assert isinstance(encoder, Encoder)
    return encoder, read.words, read.x.detach()
