"""From texts to translations, whatever decodes: a model in torch, or an engine without it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from seqloom.data.length_batches import by_length
from seqloom.decoding.hypotheses import DecodingUpdate
from seqloom.tasks.requests import Reply, TaskRequest
from seqloom.tasks.translate.answers import Translation, translation
from seqloom.tokens.settings import EOS
from seqloom.tokens.tokenizer import Tokenizer

AT_ONCE = 64
"""Sources that are translated in one batch."""

Decode = Callable[[Sequence[Sequence[int]], Sequence[TaskRequest]], Iterator[list[DecodingUpdate]]]
"""Sources as token ids, <eos> last, and the requests that they belong to -> after each step what is ready."""


def answer_texts(
    texts: Sequence[str],
    requests: Sequence[TaskRequest],
    source_tokenizer: Tokenizer,
    tokenizer: Tokenizer,
    length: int,
    decode: Decode,
    *,
    copy_unknown: bool,
    at_once: int = AT_ONCE,
) -> Iterator[Sequence[Reply]]:
    """Translations of the texts of requests, each as soon as it is done; what is blank stays blank.

    length  tokens that are read at most, <eos> among them
    """
    yield [Reply(place, blank_answer(text)) for place, text in enumerate(texts) if not text.strip()]
    filled = [place for place, text in enumerate(texts) if text.strip()]
    encoded = source_tokenizer.encode_batch([texts[place] for place in filled])
    longest = length - 1
    for group in by_length([len(ids) for ids in encoded], at_once):
        read = [[*encoded[number][:longest], EOS] for number in group]
        batch = [requests[filled[number]] for number in group]
        for found in decode(read, batch):
            yield [
                Reply(
                    filled[group[number]],
                    translation(
                        batch[number].input, read[number], answers, source_tokenizer, tokenizer,
                        copy_unknown=copy_unknown, cut=len(encoded[group[number]]) > longest,
                    ),
                    whole,
                )
                for number, answers, whole in found
            ]  # fmt: skip


def blank_answer(text: str) -> Translation:
    return Translation(text, "", [], 0.0, [], None, None, [], cut=False, unseen=0.0)
