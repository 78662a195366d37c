"""Write on: token by token, for as long as is asked, over a window that rolls where a model cannot see further."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from seqloom.decoding.sampling import choose
from seqloom.decoding.state import select_rows
from seqloom.decoding.stepping import Step
from seqloom.models.language_model import LanguageModel
from seqloom.tasks.generate.settings import GenerateOptions
from seqloom.tokens.settings import BOS, EOS, PAD, UNK

NEVER = [PAD, UNK, BOS]
"""What is never written: it stands for nothing that a reader could see."""


class Reading(NamedTuple):
    """What a model has read, and what it made of it."""

    window: Tensor  # (R, T), what it still sees; empty for a model that sees any number
    state: object


class Writer:
    """A language model as a `Stepper`. At the end of its window it goes on with the newer half, read afresh."""

    def __init__(self, model: LanguageModel) -> None:
        self.model = model

    def start(self, tokens: Tensor) -> Step:
        """tokens (R, T): the text so far, one token at least."""
        limit = self.model.limit
        window = tokens[:, -limit:] if limit else tokens[:, :0]
        scores, state = self.model.read(window if limit else tokens)
        return Step(scores, Reading(window, state))

    def step(self, tokens: Tensor, state: Reading) -> Step:
        limit = self.model.limit
        if limit is None:
            scores, inner = self.model.read(tokens[:, None], state.state)
            return Step(scores, Reading(state.window, inner))
        window = torch.cat([state.window, tokens[:, None]], dim=1)
        if window.shape[1] > limit:
            return self.start(window[:, -max(limit // 2, 1) :])
        scores, inner = self.model.read(tokens[:, None], state.state)
        return Step(scores, Reading(window, inner))

    def select(self, state: Reading, rows: Tensor) -> Reading:
        return select_rows(state, rows)  # type: ignore[no-any-return]


class Token(NamedTuple):
    """A token that was written, and the logarithm of its share."""

    id: int
    score: float


def write(
    model: LanguageModel, tokens: Tensor, options: GenerateOptions, generators: Sequence[torch.Generator]
) -> list[list[Token]]:
    """What comes after tokens (R, T), for each row; what is drawn for it comes from its own generator."""
    writer = Writer(model)
    written: list[list[Token]] = [[] for _ in range(len(tokens))]
    rows, ends = list(range(len(tokens))), [0] * len(tokens)
    step = writer.start(tokens)
    while rows:
        never = torch.tensor(NEVER, device=tokens.device)
        draws = torch.stack([torch.rand((), generator=generators[row], dtype=torch.float64) for row in rows])
        chosen = choose(step.scores.index_fill(-1, never, -torch.inf), options, draws.to(tokens.device))
        shares = torch.log_softmax(step.scores, -1).gather(-1, chosen[:, None])[:, 0].tolist()
        for row, id, share in zip(rows, chosen.tolist(), shares, strict=True):
            written[row].append(Token(id, share))
            ends[row] += id == EOS
        going = [
            place
            for place, row in enumerate(rows)
            if len(written[row]) < options.length and not (options.lines and ends[row] == options.lines)
        ]
        rows = [rows[place] for place in going]
        if rows:
            kept = torch.tensor(going, device=tokens.device)
            step = writer.step(chosen[kept], writer.select(step.state, kept))
    return written
