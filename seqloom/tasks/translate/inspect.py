"""A translator looked at while it translates one text: attention, candidates at every step, the tree of beam search."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from seqloom.errors import SeqloomError
from seqloom.models.observed import Observed
from seqloom.models.seq2seq.model import Seq2Seq
from seqloom.tasks.inspection import MOST_TOKENS, Inspection, InspectOptions, self_attention
from seqloom.tasks.seq2seq_inspection import ObservedText, cross_attention, decoder_attention, write_observed
from seqloom.tasks.translate.answering import answer_of
from seqloom.tasks.translate.options import TranslateOptions

if TYPE_CHECKING:
    from seqloom.tasks.translate.task import Translate


def inspect_translation(
    task: Translate, model: Seq2Seq, given: Any, options: InspectOptions, wanted: Callable[[], bool]
) -> Iterator[Inspection | None]:
    """ObservedText step by step (None after each), then read once more at teacher forcing, with every head watched."""
    inputs, writes = task.inputs, task.target_tokenizer
    (read,) = inputs.read([given])
    if read.blank:
        raise SeqloomError("the text contains no words", remedy="give a few words like those of the training data")
    device = next(model.parameters()).device
    seen = read._replace(values=read.values[: MOST_TOKENS - 1])
    row = inputs.row(seen.values)
    observed = Observed(model, options.heads_off)
    source, lengths = inputs.tensors([row], device)
    decoding = inputs.limited(TranslateOptions(beam=options.beam, temperature=options.temperature or 0.0))
    written = ObservedText()
    yield from write_observed(
        observed, source, lengths, writes.vocabulary, options, decoding, read.shown, wanted, written
    )
    answer = answer_of(inputs, seen, row, written.found, writes)
    if len(seen.values) < len(read.values):
        answer = replace(answer, cut=True)
    words = inputs.names(seen, row)
    attention = cross_attention(observed, answer.attention, words, written.target)
    attention += self_attention(observed, "encoder", "source", words)
    attention += decoder_attention(observed, written.target)
    yield Inspection(
        answer,
        {"source": words, "target": written.row},
        attention,
        written.steps,
        "target",
        written.tree,
        temperature=options.temperature or 0.0,
        cut=answer.cut,
    )
