"""Write on: token by token, for as long as is asked, over a window that rolls where a model cannot see further."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from seqloom.decoding.answer import Node
from seqloom.decoding.drawing import Drawn, draw
from seqloom.decoding.rules import Rules
from seqloom.decoding.state import select_rows
from seqloom.decoding.stepping import Step
from seqloom.models.language_model import LanguageModel
from seqloom.tasks.generate.settings import GenerateOptions
from seqloom.tokens.settings import BOS, EOS, PAD, UNK

NEVER = (PAD, UNK, BOS)
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


def write(
    model: LanguageModel,
    tokens: Tensor,
    keys: Sequence[str],
    options: GenerateOptions,
    wanted: Callable[[int], bool] = lambda row: True,
) -> Iterator[list[Drawn]]:
    """What comes after tokens (R, T), step by step; for each row a key decides what is drawn."""
    writer = Writer(model)

    def last(row: int, node: Node) -> bool:
        if node.length >= options.length:
            return True
        return node.token == EOS and options.lines > 0 and node.tokens().count(EOS) == options.lines

    with torch.inference_mode():
        step = writer.start(tokens)
    yield from draw(writer, step, keys, Rules(EOS, never=NEVER), options, last, wanted)
