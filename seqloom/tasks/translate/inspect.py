"""A translator looked at while it translates one text: attention, candidates at every step, the tree of beam search."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from seqloom.decoding.beam_search import Followed, beam_search
from seqloom.decoding.constraints import Constraints
from seqloom.decoding.hypotheses import DecodedSequence, DecodingUpdate
from seqloom.decoding.sampling import sample_answers
from seqloom.errors import SeqloomError
from seqloom.models.observed import Observed
from seqloom.models.seq2seq.model import Seq2Seq
from seqloom.tasks.inspection import (
    MOST_TOKENS,
    BeamNode,
    Inspection,
    InspectOptions,
    NamedAttention,
    attention_of,
    self_attention,
    steps_of,
)
from seqloom.tasks.requests import Keys
from seqloom.tasks.translate.answering import answer_of
from seqloom.tasks.translate.options import TranslateOptions
from seqloom.tokens.settings import BOS, EOS, PAD

if TYPE_CHECKING:
    from seqloom.tasks.translate.task import Translate


def inspect_translation(
    task: Translate, model: Seq2Seq, given: Any, options: InspectOptions, wanted: Callable[[], bool]
) -> Iterator[Inspection | None]:
    """Written step by step (None after each), then read once more at teacher forcing, with every head watched."""
    inputs, writes = task.inputs, task.target_tokenizer
    (read,) = inputs.read([given])
    if read.blank:
        raise SeqloomError("there is no word in the text", remedy="give a few words of the kind it was trained on")
    device = next(model.parameters()).device
    seen = read._replace(values=read.values[: MOST_TOKENS - 1])
    row = inputs.row(seen.values)
    check_prefix(options.prefix, writes.size)
    observed = Observed(model, options.heads_off)
    source, lengths = inputs.tensors([row], device)
    chosen_options = inputs.limited(TranslateOptions(beam=options.beam, temperature=options.temperature or 0.0))
    found: list[DecodedSequence] = []
    levels: list[Sequence[Followed]] = []

    def keep(_: int, hypotheses: Sequence[Followed]) -> None:
        levels.append(hypotheses)

    for updates in decode(observed.network, source, lengths, options, chosen_options, read.shown, wanted, keep):
        found += [sequence for update in updates if update.finished for sequence in update.sequences]
        yield None
    best = found[0]
    logits = teacher_forced(observed.network, source, lengths, best.tokens)
    chosen = [*best.tokens, EOS][: len(logits)] if best.ended else best.tokens
    answer = answer_of(inputs, seen, row, found, writes)
    if len(seen.values) < len(read.values):
        answer = replace(answer, cut=True)
    words = inputs.names(seen, row)
    target = [writes.vocabulary[token] for token in best.tokens]
    attention = cross_attention(observed, answer.attention, words, target)
    attention += self_attention(observed, "encoder", "source", words)
    if target:
        attention += decoder_attention(observed, target)
    yield Inspection(
        answer,
        {"source": words, "target": [writes.vocabulary[token] for token in chosen]},
        attention,
        steps_of(logits[: len(chosen)], chosen, writes.vocabulary, options.candidates, never=(PAD, BOS)),
        "target",
        beam_tree(levels, best.tokens, writes.vocabulary),
        temperature=options.temperature or 0.0,
        cut=answer.cut,
    )


def check_prefix(prefix: Sequence[int], size: int) -> None:
    if any(token >= size or token in (PAD, BOS, EOS) for token in prefix):
        what = "the prefix has a token that is never written"
        raise SeqloomError(what, remedy=f"give token ids from 4 to {size - 1}")


def decode(
    network: Any,
    source: Tensor,
    lengths: Tensor,
    options: InspectOptions,
    chosen: TranslateOptions,
    text: str,
    wanted: Callable[[], bool],
    followed: Callable[[int, Sequence[Followed]], None],
) -> Iterator[list[DecodingUpdate]]:
    if chosen.limit(source.shape[1]) > MOST_TOKENS:
        chosen = chosen.model_copy(update={"max_length": MOST_TOKENS})
    constraints = Constraints(EOS, forbidden=(PAD, BOS), prefix=options.prefix)
    with torch.inference_mode():
        state = network.start(source, lengths, weights=True)
    arguments = (network, state, [source.shape[1]], BOS, constraints, chosen, source.device)
    if options.temperature:
        return sample_answers(*arguments, Keys(options.seed).of([text]), lambda _: wanted())
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
    """Of each token that is to be written to those before it, <bos> first."""
    layers = observed.weights.get("decoder", {})
    rows = {number: weights[:, : len(target), : len(target)] for number, weights in layers.items()}
    before = ["<bos>", *target[:-1]]
    return [NamedAttention("decoder", "target", "before", attention_of(rows, target, before))] if rows else []


def beam_tree(levels: Sequence[Sequence[Followed]], answer: Sequence[int], names: Sequence[str]) -> list[BeamNode]:
    """The hypotheses that were followed, parents first."""
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
