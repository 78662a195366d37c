"""Forgetting: how much a token still influences the last hidden state, by its distance, before training."""

from collections.abc import Callable

import torch
from torch import Tensor

from seqloom.explaining.panels import LineChart, Panel, Series
from seqloom.layers.attention_layer import SelfAttention
from seqloom.layers.gru import GRU
from seqloom.layers.lstm import LSTM
from seqloom.layers.simple_rnn import SimpleRNN

QUESTION = "How much does a token still matter when fifty more have been read?"
TOKENS, WIDTH, TRIALS = 51, 32, 20


def run() -> tuple[str, list[str], list[Panel]]:
    readers: dict[str, Callable[[], torch.nn.Module]] = {
        "simple RNN": lambda: LastState(SimpleRNN(WIDTH, WIDTH)),
        "GRU": lambda: LastState(GRU(WIDTH, WIDTH)),
        "LSTM": lambda: LastState(LSTM(WIDTH, WIDTH)),
        "self-attention": lambda: LastAttention(SelfAttention(WIDTH, WIDTH)),
    }
    curves = {name: influence(make) for name, make in readers.items()}
    text = [
        "Influence is measured: the norm of the gradient of the last hidden state with respect to the token at each "
        f"distance, for layers of width {WIDTH} as they are initialised (mean of {TRIALS} draws).",
        f"Fifty tokens back the simple RNN keeps {ratio(curves['simple RNN']):.0e} of the influence of the newest "
        f"token, the GRU {ratio(curves['GRU']):.0e}, the LSTM {ratio(curves['LSTM']):.0e}. The LSTM forgets more "
        "slowly because its forget gates are initialised open.",
        f"Self-attention keeps {ratio(curves['self-attention']):.0%}: every token is one step away, whatever the "
        "distance. It does not know the order either; see `position-matters`.",
    ]
    series = [Series(name, range(TOKENS), values) for name, values in curves.items()]
    chart = LineChart(
        "Influence of a token on the last hidden state",
        "distance in tokens",
        "norm of the gradient",
        series,
        y_scale="log",
    )
    return "Forgetting by distance", text, [chart]


class LastState(torch.nn.Module):
    """The last hidden state of a recurrent layer."""

    def __init__(self, layer: torch.nn.Module) -> None:
        super().__init__()
        self.layer = layer

    def forward(self, x: Tensor) -> Tensor:
        states, _ = self.layer(x)
        return states[:, -1]  # type: ignore[no-any-return]


class LastAttention(torch.nn.Module):
    """The output of self-attention at the last token."""

    def __init__(self, layer: torch.nn.Module) -> None:
        super().__init__()
        self.layer = layer

    def forward(self, x: Tensor) -> Tensor:
        return self.layer(x)[:, -1]  # type: ignore[no-any-return]


def influence(make: Callable[[], torch.nn.Module]) -> list[float]:
    """The mean norm of d(last state) / d(token), by distance from the end."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        total = torch.zeros(TOKENS)
        for _ in range(TRIALS):
            reader = make()
            x = torch.randn(1, TOKENS, WIDTH, requires_grad=True)
            direction = torch.randn(WIDTH) / WIDTH**0.5
            (slope,) = torch.autograd.grad(reader(x)[0] @ direction, x)
            total += slope[0].norm(dim=-1).flip(0)
    return (total / TRIALS).tolist()


def ratio(curve: list[float]) -> float:
    return curve[-1] / curve[0]
