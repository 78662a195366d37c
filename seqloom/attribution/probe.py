"""A model held open between its embeddings and its outputs, so that methods can change what goes in."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class Probe:
    """One input of a model, and the scores of its outputs as a function of the embeddings.

    What a task hands out; the methods know nothing else of it.
    """

    inputs: Sequence[str]
    """S tokens, frames or regions, as a person reads them."""
    outputs: Sequence[str]
    """K outputs: a label, the tags, the tokens that were written."""
    x: Tensor
    """(S, D) the embeddings."""
    scores: Callable[[Tensor, Tensor], Tensor]
    """x (B, S', D) and which of the inputs they are, places (B, S') -> the score of each output (B, K).

    Unless `removable`, all inputs are always there and in order.
    """
    removable: bool
    """Whether an input can be taken out. Where each position has an output of its own it is blanked instead."""
    answer: Any = None
    """The answer of the model, for who wants to show it too."""


def log_odds(logits: Tensor, chosen: Tensor) -> Tensor:
    """log(p / (1 - p)) of the chosen classes: logits (..., V), chosen (...) -> (...).

    >>> log_odds(torch.tensor([2.0, 0.0]), torch.tensor(0))
    tensor(2.)
    """
    own = logits.gather(-1, chosen[..., None])
    others = logits.scatter(-1, chosen[..., None], -torch.inf)
    return own.squeeze(-1) - others.logsumexp(-1)


@contextmanager
def output_replaced(module: nn.Module, x: Tensor, given: Tensor | None = None) -> Iterator[None]:
    """While it lasts, the module answers x; with `given`, only when it is called with this very tensor."""

    def replaced(_: nn.Module, arguments: tuple[Any, ...], __: Any) -> Tensor | None:
        return x if given is None or arguments[0] is given else None

    with removed(module.register_forward_hook(replaced)):
        yield


@contextmanager
def input_replaced(module: nn.Module, x: Tensor) -> Iterator[None]:
    """While it lasts, the module reads x in place of its first argument."""
    with removed(module.register_forward_pre_hook(lambda _, arguments: (x, *arguments[1:]))):
        yield


@contextmanager
def removed(hook: Any) -> Iterator[None]:
    try:
        yield
    finally:
        hook.remove()
