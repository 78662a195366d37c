"""A language model looked at while it goes on with one text: how surprising every token is, and its attention."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import torch

from seqloom.errors import SeqloomError
from seqloom.models.language_model import LanguageModel
from seqloom.models.observed import Observed
from seqloom.tasks.generate.answers import GeneratedText
from seqloom.tasks.generate.generation import NEVER, write
from seqloom.tasks.generate.long_text import to_text, to_tokens
from seqloom.tasks.generate.options import GenerateOptions
from seqloom.tasks.inspection import MOST_TOKENS, Inspection, InspectOptions, TokenStep, self_attention, steps_of
from seqloom.tasks.requests import Keys, TaskRequest, answers
from seqloom.tasks.stages import read_words

if TYPE_CHECKING:
    from seqloom.tasks.generate.task import Generate


def inspect_generation(
    task: Generate, model: LanguageModel, text: str, options: InspectOptions, wanted: Callable[[], bool]
) -> Iterator[Inspection | None]:
    """Written token by token (None after each), then read once more, with every head watched."""
    observed = Observed(model, options.heads_off)
    if task.masked:
        (answer,) = answers(task.answer_steps(observed.network, [TaskRequest(text)], GenerateOptions()), 1)
        yield Inspection(answer, {})
        return
    network: Any = observed.network
    tokenizer = task.tokenizer
    prompt = [tokenizer.eos, *to_tokens(tokenizer, [text])[0]]
    if any(token >= tokenizer.size or token in NEVER for token in options.prefix):
        what = "the prefix has a token that is never written"
        raise SeqloomError(what, remedy=f"give token ids below {tokenizer.size}")
    begun = [*prompt, *options.prefix]
    length = max(options.length - len(options.prefix), 1)
    how = GenerateOptions(length=length, seed=options.seed)
    if options.temperature is not None:
        how = how.model_copy(update={"temperature": options.temperature})
    new = list(options.prefix)
    for drawn in write(network, [begun], Keys(options.seed).of([text]), how, lambda _: wanted()):
        new.append(drawn[-1].sequence.tokens[-1])
        yield None
    whole = [*prompt, *new]
    limit = min(network.limit or MOST_TOKENS, MOST_TOKENS)
    seen = whole[-limit:]
    left = len(whole) - len(seen)
    names = [task.shown(token) for token in range(tokenizer.size)]
    row = torch.tensor([seen], device=next(model.parameters()).device)
    with torch.inference_mode():
        logits = network(row, torch.tensor([len(seen)], device=row.device))[0]
    read = [names[tokenizer.eos], *read_words(tokenizer, text, prompt)[1:]]
    shown = [*read, *(names[token] for token in new)][left:]
    steps = steps_of(
        logits[:-1], seen[1:], names, options.candidates, never=NEVER, given=max(len(prompt) - left - 1, 0)
    )
    answer = written_text(task, text, prompt[1:], new, steps)
    attention = self_attention(observed, "self", "text", shown)
    yield Inspection(answer, {"text": shown}, attention, steps, "text", temperature=how.temperature, cut=left > 0)


def written_text(
    task: Generate, text: str, prompt: Sequence[int], new: Sequence[int], steps: Sequence[TokenStep]
) -> GeneratedText:
    """What was written behind a prompt, with the probabilities that the steps have."""
    continuation = to_text(task.tokenizer, [*prompt, *new])[len(to_text(task.tokenizer, list(prompt))) :]
    scores = [math.log(max(step.chosen.probability, 1e-30)) for step in steps[-len(new) :]]
    return GeneratedText(text + continuation, text, continuation, [task.shown(token) for token in new], scores)
