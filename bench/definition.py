"""A definition that runs itself, beside a loop written by hand and the fused kernel: python -m bench.definition

One forward and backward pass at B = 32, T = 64, D = H = 128, all three run in turn, on one thread and in
seconds of the processor, so that others on the machine do not count. The ratio is the time of the other
over that of the definition: above 1, the definition is faster.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from seqloom.equations import Equations, equations, sigmoid
from seqloom.layers.derived import cell_from
from seqloom.layers.gru import gru
from seqloom.layers.lstm import lstm

B, T, D, H = 32, 64, 128, 128


@equations
def min_gru(x, h, *, W_z, b_z, W_h, b_h):  # type: ignore[no-untyped-def]
    """Minimal gated recurrent unit.

    x    (D)     the input
    h    (H)     the hidden state
    W_*  (D, H)  from the input to a gate
    b_*  (H)     the bias of a gate
    """
    z = sigmoid(x @ W_z + b_z)  # the update gate
    h_tilde = x @ W_h + b_h  # the candidate
    h = (1 - z) * h + z * h_tilde  # the new state
    return h


class Loop(nn.Module):
    """A recurrent layer as it is usually written: a loop over the steps, the gates of one step in one product."""

    def __init__(self, from_input: int, from_state: int) -> None:
        super().__init__()
        self.W = nn.Parameter(torch.randn(D, from_input * H) / D**0.5)
        self.U = nn.Parameter(torch.randn(H, from_state * H) / H**0.5)
        self.b = nn.Parameter(torch.zeros(from_input * H))

    def step(self, x: Tensor, *state: Tensor) -> tuple[Tensor, ...]:
        raise NotImplementedError

    def forward(self, x: Tensor) -> Tensor:
        state = tuple(x.new_zeros(len(x), H) for _ in range(self.states))
        steps = []
        for t in range(x.shape[1]):
            state = self.step(x[:, t], *state)
            steps.append(state[0])
        return torch.stack(steps, 1)

    states = 1


class MinGRULoop(Loop):
    def __init__(self) -> None:
        super().__init__(2, 0)

    def step(self, x: Tensor, *state: Tensor) -> tuple[Tensor, ...]:
        z, h_tilde = torch.addmm(self.b, x, self.W).chunk(2, 1)
        z = torch.sigmoid(z)
        return ((1 - z) * state[0] + z * h_tilde,)


class GRULoop(Loop):
    def __init__(self) -> None:
        super().__init__(3, 3)

    def step(self, x: Tensor, *state: Tensor) -> tuple[Tensor, ...]:
        (h,) = state
        to_gates, to_h = torch.split(torch.addmm(self.b, x, self.W), [2 * H, H], 1)
        U_gates, U_h = torch.split(self.U, [2 * H, H], 1)
        r, z = torch.sigmoid(to_gates + h @ U_gates).chunk(2, 1)
        h_tilde = torch.tanh(to_h + (r * h) @ U_h)
        return (z * h + (1 - z) * h_tilde,)


class LSTMLoop(Loop):
    states = 2

    def __init__(self) -> None:
        super().__init__(4, 4)

    def step(self, x: Tensor, *state: Tensor) -> tuple[Tensor, ...]:
        h, c = state
        i, f, g, o = (torch.addmm(self.b, x, self.W) + h @ self.U).chunk(4, 1)
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        return torch.sigmoid(o) * torch.tanh(c), c


PAIRS: list[tuple[Equations[..., Any], Callable[[], Loop], Callable[..., nn.Module]]] = [
    (min_gru, MinGRULoop, nn.LSTM),
    (gru, GRULoop, nn.GRU),
    (lstm, LSTMLoop, nn.LSTM),
]


def seconds(run: Callable[[], None]) -> float:
    began = time.process_time()
    run()
    return time.process_time() - began


def training(module: nn.Module, x: Tensor) -> Callable[[], None]:
    """One forward and one backward pass."""

    def run() -> None:
        y = module(x)
        (y[0] if isinstance(y, tuple) else y).sum().backward()

    return run


def alternately(runs: Sequence[Callable[[], None]], rounds: int = 15) -> list[float]:
    """The median time of each, all of them run in turn: what else the machine does falls on all."""
    for run in runs:
        run()
    times = [[seconds(run) for run in runs] for _ in range(rounds)]
    return [statistics.median(column) for column in zip(*times, strict=True)]


def main() -> None:
    torch.manual_seed(0)
    torch.set_num_threads(1)
    x = torch.randn(B, T, D)
    print(f"forward and backward, B={B}, T={T}, D=H={H}, one thread")
    print(f"{'':10} {'definition':>12} {'loop by hand':>13} {'ratio':>6}   fused kernel   ratio")
    for definition, loop, kernel in PAIRS:
        modules = [cell_from(definition, D, H), loop(), kernel(D, H, batch_first=True)]
        own, by_hand, fused = alternately([training(module, x) for module in modules])
        times = f"{own * 1000:9.1f} ms {by_hand * 1000:10.1f} ms {by_hand / own:6.2f}"
        print(
            f"{definition.label:10} {times}   {fused * 1000:6.1f} ms {type(modules[2]).__name__:4} {fused / own:6.2f}"
        )


if __name__ == "__main__":
    main()
