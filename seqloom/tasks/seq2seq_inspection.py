"""Models that write, looked at while they write: every step and head, the tree of beam search."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from seqloom.decoding.beam_search import Extension, beam_search
from seqloom.decoding.constraints import Constraints
from seqloom.decoding.hypotheses import DecodedSequence, DecodingUpdate
from seqloom.decoding.sampling import sample_answers
from seqloom.decoding.settings import DecodingOptions
from seqloom.errors import SeqloomError
from seqloom.models.observed import Observed
from seqloom.tasks.inspection import (
    MOST_TOKENS,
    BeamNode,
    Candidate,
    InspectOptions,
    NamedAttention,
    TokenStep,
    attention_of,
    steps_of,
)
from seqloom.tasks.requests import Keys
from seqloom.tokens.settings import BOS, EOS, PAD


@dataclass
class ObservedText:
    """What was seen of a text that was written, once it is."""

    found: list[DecodedSequence] = field(default_factory=list)
    """Answers, the best first."""
    target: list[str] = field(default_factory=list)
    """Its tokens, <eos> not among them."""
    row: list[str] = field(default_factory=list)
    """Its tokens, <eos> among them if it ended by itself."""
    steps: list[TokenStep] = field(default_factory=list)
    tree: list[BeamNode] = field(default_factory=list)


def write_observed(
    observed: Observed,
    source: Tensor,
    lengths: Tensor,
    names: Sequence[str],
    options: InspectOptions,
    decoding: DecodingOptions,
    key: str,
    wanted: Callable[[], bool],
    seen: ObservedText,
) -> Iterator[None]:
    """Fill `seen`: written step by step (None after each), then read once more at teacher forcing."""
    check_prefix(options.prefix, len(names))
    levels: list[Sequence[Extension]] = []

    def keep(_: int, hypotheses: Sequence[Extension]) -> None:
        levels.append(hypotheses)

    for updates in decode(observed.network, source, lengths, options, decoding, key, wanted, keep):
        seen.found += [sequence for update in updates if update.finished for sequence in update.sequences]
        yield None
    best = seen.found[0]
    logits = teacher_forced(observed.network, source, lengths, best.tokens)
    chosen = [*best.tokens, EOS][: len(logits)] if best.ended else best.tokens
    seen.target = [names[token] for token in best.tokens]
    seen.row = [names[token] for token in chosen]
    seen.steps = steps_of(logits[: len(chosen)], chosen, names, options.candidates, never=(PAD, BOS))
    seen.tree = beam_tree(levels, best.tokens, names)
    if best.ended and sum(node.best for node in seen.tree) == len(best.tokens) > 0:
        seen.tree.append(end_of(seen.tree, seen.steps[-1].chosen))


def check_prefix(prefix: Sequence[int], size: int) -> None:
    if any(token >= size or token in (PAD, BOS, EOS) for token in prefix):
        what = "the prefix has a token that is never written"
        raise SeqloomError(what, remedy=f"give token ids from 4 to {size - 1}")


def decode(
    network: Any,
    source: Tensor,
    lengths: Tensor,
    options: InspectOptions,
    chosen: DecodingOptions,
    key: str,
    wanted: Callable[[], bool],
    followed: Callable[[int, Sequence[Extension]], None],
) -> Iterator[list[DecodingUpdate]]:
    length = int(lengths[0])
    if chosen.limit(length) > MOST_TOKENS:
        chosen = chosen.model_copy(update={"max_length": MOST_TOKENS})
    constraints = Constraints(EOS, forbidden=(PAD, BOS), prefix=options.prefix)
    with torch.inference_mode():
        state = network.start(source, lengths, weights=True)
    arguments = (network, state, [length], BOS, constraints, chosen, source.device)
    if options.temperature:
        return sample_answers(*arguments, Keys(options.seed).of([key]), lambda _: wanted())
    return beam_search(*arguments, wanted=lambda _: wanted(), followed=followed)


def teacher_forced(network: Any, source: Tensor, lengths: Tensor, tokens: Sequence[int]) -> Tensor:
    """The logits before each of the tokens and behind the last (T, V), all at once."""
    written = torch.tensor([[BOS, *tokens]], device=source.device)
    with torch.inference_mode():
        logits: Tensor = network(source, lengths, written, torch.ones_like(written, dtype=torch.bool))
    return logits


def cross_attention(observed: Observed, written: Any, source: Sequence[str], target: Sequence[str]) -> list[Any]:
    """From target to source: what the decoder handed out while it wrote; by heads where it has them."""
    layers = observed.weights.get("cross", {})
    if layers and target:
        rows = {number: weights[:, : len(target)] for number, weights in layers.items()}
        return [NamedAttention("cross", "target", "source", attention_of(rows, target, source))]
    return [] if written is None else [NamedAttention("cross", "target", "source", written)]


def decoder_attention(observed: Observed, target: Sequence[str]) -> list[NamedAttention]:
    """Of each token that is to be written to those before it, <bos> first; none where nothing was written."""
    layers = observed.weights.get("decoder", {})
    rows = {number: weights[:, : len(target), : len(target)] for number, weights in layers.items()}
    if not rows or not target:
        return []
    before = ["<bos>", *target[:-1]]
    return [NamedAttention("decoder", "target", "before", attention_of(rows, target, before))]


def beam_tree(levels: Sequence[Sequence[Extension]], answer: Sequence[int], names: Sequence[str]) -> list[BeamNode]:
    """The hypotheses that went on, parents first."""
    nodes: list[BeamNode] = []
    above: list[tuple[int, float, bool]] = [(-1, 0.0, True)]  # of the level before: number, total, leads to the answer
    for depth, level in enumerate(levels):
        numbers = []
        for one in level:
            parent, before, leads = above[one.parent]
            best = leads and answer[depth : depth + 1] == [one.token]
            numbers.append((len(nodes), one.total, best))
            nodes.append(BeamNode(parent, names[one.token], one.token, math.exp(one.total - before), one.total, best))
        above = numbers
    return nodes


def end_of(tree: Sequence[BeamNode], end: Candidate) -> BeamNode:
    """The end of the answer, after the last token of the path that leads to it."""
    last = max(number for number, node in enumerate(tree) if node.best)
    total = tree[last].total + math.log(max(end.probability, 1e-30))
    return BeamNode(last, end.token, end.id, end.probability, total, best=True)
