"""Generation token by token, over a sliding window where the context of a model is limited."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import torch
from torch import Tensor

from seqloom.data.length_batches import AT_ONCE
from seqloom.decoding.constraints import Constraints
from seqloom.decoding.hypotheses import SampledSequence, SampledToken
from seqloom.decoding.sampling import sample
from seqloom.decoding.stepper import Step, join_rows, select_rows
from seqloom.layers.packed_weights import packed_weights
from seqloom.models.language_model import LanguageModel
from seqloom.tasks.generate.options import GenerateOptions
from seqloom.tokens.settings import BOS, EOS, PAD, UNK

NEVER = (PAD, UNK, BOS)
"""Tokens that are never generated."""


class GenerationState(NamedTuple):
    """The window of tokens that a model still sees, and its hidden state after them."""

    window: Tensor  # (R, T); empty for a model without a limit
    state: object


class Writer:
    """A language model as a `Stepper`. When its window is full, it is run again on the newer half."""

    def __init__(self, model: LanguageModel) -> None:
        self.model, self.packed = model, packed_weights(model)

    def start(self, tokens: Tensor) -> Step:
        """tokens (R, T): the text so far, one token at least."""
        limit = self.model.limit
        window = tokens[:, -limit:] if limit else tokens[:, :0]
        return self.read(window if limit else tokens, window, None)

    def step(self, tokens: Tensor, state: GenerationState) -> Step:
        limit = self.model.limit
        if limit is None:
            return self.read(tokens[:, None], state.window, state.state)
        window = torch.cat([state.window, tokens[:, None]], dim=1)
        if window.shape[1] > limit:
            return self.start(window[:, -max(limit // 2, 1) :])
        return self.read(tokens[:, None], window, state.state)

    def read(self, tokens: Tensor, window: Tensor, state: object) -> Step:
        with self.packed.used(tokens.numel()):
            logits, state = self.model.read(tokens, state)
        return Step(logits, GenerationState(window, state))

    def select(self, state: GenerationState, rows: Tensor, inputs: Tensor | None = None) -> GenerationState:
        return select_rows(state, rows, inputs)  # type: ignore[no-any-return]


def write(
    model: LanguageModel,
    texts: Sequence[Sequence[int]],
    keys: Sequence[str],
    options: GenerateOptions,
    wanted: Callable[[int], bool] = lambda row: True,
) -> Iterator[list[SampledToken]]:
    """What comes after texts of one token at least, step by step; for each of them a key decides what is drawn.

    Texts of one length are read together. What was read of a recurrent model has no length, so all go on together; of a
    model with a window, each length goes on by itself, and they take turns.
    """
    writer = Writer(model)
    device = next(model.parameters()).device

    def last(row: int, sequence: SampledSequence) -> bool:
        tokens = sequence.tokens
        if len(tokens) >= options.length:
            return True
        return tokens[-1] == EOS and options.lines > 0 and tokens.count(EOS) == options.lines

    groups: list[tuple[list[int], Step]] = []
    for places in equally_long(texts):
        with torch.inference_mode():
            groups.append((places, writer.start(torch.tensor([texts[place] for place in places], device=device))))
    turns = []
    for places, step in together(groups):
        constraints, own = Constraints(EOS, forbidden=NEVER), [keys[place] for place in places]
        drawing = sample(writer, step, own, constraints, options, numbered(places, last), numbered(places, wanted))
        turns.append((places, drawing))
    while turns:
        drawn: list[SampledToken] = []
        for turn in list(turns):
            places, drawing = turn
            if (new := next(drawing, None)) is None:
                turns.remove(turn)
            else:
                drawn += [replace(one, row=places[one.row]) for one in new]
        if drawn:
            yield drawn


def together(groups: list[tuple[list[int], Step]]) -> list[tuple[list[int], Step]]:
    """The groups as one, if what was read of them fits together."""
    state = join_rows([step.state for _, step in groups]) if len(groups) > 1 else None
    if state is None:
        return groups
    logits = torch.cat([step.logits for _, step in groups])
    return [([place for places, _ in groups for place in places], Step(logits, state))]


def numbered(places: list[int], ask: Callable[..., bool]) -> Callable[..., bool]:
    """A question about a text, asked by its index in a group."""
    return lambda row, *more: ask(places[row], *more)


def equally_long(rows: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """Indices of texts in batches of exactly equal length: they are read without padding."""
    places: dict[int, list[int]] = defaultdict(list)
    for place, row in enumerate(rows):
        places[len(row)].append(place)
    for group in places.values():
        for first in range(0, len(group), AT_ONCE):
            yield group[first : first + AT_ONCE]
