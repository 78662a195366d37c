"""Forgetting: how much a word still matters to the last state, by its distance (E12, at initialisation)."""

from collections.abc import Callable

import torch
from torch import Tensor

from seqloom.explaining.panels import LineChart, Panel, Series
from seqloom.layers.attention_layer import SelfAttention
from seqloom.layers.gru import GRU
from seqloom.layers.lstm import LSTM
from seqloom.layers.simple_rnn import SimpleRNN

QUESTION = "How much does a word still matter when fifty more have been read?"
WORDS, WIDTH, TRIALS = 51, 32, 20


def run() -> tuple[str, list[str], list[Panel]]:
    readers: dict[str, Callable[[], torch.nn.Module]] = {
        "simple RNN": lambda: Recurrent(SimpleRNN(WIDTH, WIDTH)),
        "GRU": lambda: Recurrent(GRU(WIDTH, WIDTH)),
        "LSTM": lambda: Recurrent(LSTM(WIDTH, WIDTH)),
        "self-attention": lambda: Attentive(SelfAttention(WIDTH, WIDTH)),
    }
    curves = {name: influence(make) for name, make in readers.items()}
    text = [
        "Influence is measured, not guessed: the gradient of the last state with respect to the word at each "
        f"distance, as a length, for layers of width {WIDTH} as they are before training (mean of {TRIALS} draws).",
        f"Fifty words back the simple RNN keeps {share(curves['simple RNN']):.0e} of the influence of the newest "
        f"word, the GRU {share(curves['GRU']):.0e}, the LSTM {share(curves['LSTM']):.0e}. The LSTM forgets more "
        "slowly because its forget gates begin open.",
        f"Self-attention keeps {share(curves['self-attention']):.0%}: every word is one step away, whatever the "
        "distance. It has no sense of order either; see `position-matters`.",
    ]
    series = [Series(name, range(WORDS), values) for name, values in curves.items()]
    chart = LineChart(
        "Influence of a word on the last state",
        "distance in words",
        "length of the gradient",
        series,
        y_scale="log",
    )
    return "Forgetting by distance", text, [chart]


class Recurrent(torch.nn.Module):
    """The last state of a recurrent layer."""

    def __init__(self, layer: torch.nn.Module) -> None:
        super().__init__()
        self.layer = layer

    def forward(self, x: Tensor) -> Tensor:
        states, _ = self.layer(x)
        return states[:, -1]  # type: ignore[no-any-return]


class Attentive(torch.nn.Module):
    """The last word after it has looked at all words."""

    def __init__(self, layer: torch.nn.Module) -> None:
        super().__init__()
        self.layer = layer

    def forward(self, x: Tensor) -> Tensor:
        return self.layer(x)[:, -1]  # type: ignore[no-any-return]


def influence(make: Callable[[], torch.nn.Module]) -> list[float]:
    """The mean length of d(last state) / d(word), by distance from the end."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        total = torch.zeros(WORDS)
        for _ in range(TRIALS):
            reader = make()
            x = torch.randn(1, WORDS, WIDTH, requires_grad=True)
            direction = torch.randn(WIDTH) / WIDTH**0.5
            (slope,) = torch.autograd.grad(reader(x)[0] @ direction, x)
            total += slope[0].norm(dim=-1).flip(0)
    return (total / TRIALS).tolist()


def share(curve: list[float]) -> float:
    return curve[-1] / curve[0]
