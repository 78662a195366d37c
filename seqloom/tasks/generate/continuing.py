"""From texts to their continuations, whatever writes: a model in torch, or an engine without it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from seqloom.decoding.hypotheses import SampledSequence, SampledToken
from seqloom.tasks.generate.answers import GeneratedText
from seqloom.tasks.generate.long_text import to_text, to_tokens
from seqloom.tasks.generate.options import GenerateOptions
from seqloom.tasks.requests import Reply, TaskRequest
from seqloom.tokens.tokenizer import Tokenizer

Write = Callable[[Sequence[Sequence[int]]], Iterator[Sequence[SampledToken]]]
"""Texts as token ids -> step by step, what was written after them."""


def continue_texts(
    tokenizer: Tokenizer, requests: Sequence[TaskRequest], options: GenerateOptions, write: Write
) -> Iterator[Sequence[Reply]]:
    """A text starts a line: its first token comes after <eos>."""
    tokens = to_tokens(tokenizer, [one.input for one in requests])

    def answer(row: int, sequence: SampledSequence) -> GeneratedText:
        return generated_text(tokenizer, requests[row].input, tokens[row], sequence, options)

    for drawn in write([[tokenizer.eos, *row] for row in tokens]):
        asked = (new for new in drawn if new.last or requests[new.row].streaming)
        yield [Reply(new.row, answer(new.row, new.sequence), new.last) for new in asked]


def generated_text(
    tokenizer: Tokenizer, seed: str, before: list[int], sampled: SampledSequence, options: GenerateOptions
) -> GeneratedText:
    ids = list(sampled.tokens)
    continuation = to_text(tokenizer, before + ids)[len(to_text(tokenizer, before)) :]
    if options.lines and ids.count(tokenizer.eos) == options.lines:
        continuation = continuation.removesuffix("\n")  # the end of the last line was asked for, not a new one
    likeliest = [{shown_token(tokenizer, id): score for id, score in top} for top in sampled.likeliest]
    return GeneratedText(
        seed + continuation, seed, continuation, [shown_token(tokenizer, id) for id in ids], list(sampled.log_probs),
        likeliest if options.likeliest else [],
    )  # fmt: skip


def shown_token(tokenizer: Tokenizer, id: int) -> str:
    return "\n" if id == tokenizer.eos else tokenizer.vocabulary[id]
