"""A caption: its text, its probability, and where in the picture the model looked for each word."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from seqloom.attention.html import attention_run
from seqloom.attention.picture_attention import PictureAttention, region_names
from seqloom.data.pictures.decoding import Pixels
from seqloom.decoding.hypotheses import DecodedSequence
from seqloom.tasks.notebook import ShownInNotebook
from seqloom.tasks.pieces import Pieces
from seqloom.tasks.written_answer import WrittenAnswer, likeliest_tokens
from seqloom.tokens.tokenizer import Tokenizer


class PictureCaption(WrittenAnswer[PictureAttention], ShownInNotebook):
    """The caption of a picture; `plot` lays the attention weights of each word over the picture."""

    @property
    def title(self) -> list[str]:
        return [self.text]

    def json(self) -> dict[str, Any]:
        return {"text": self.text, "picture": self.source, **self.scores_json(), **self.alternatives_json()}

    def run(self) -> dict[str, Any]:
        if self.words is None:
            return super().run()
        return {**attention_run(self.words, self.title), "answer": self.json(), "text": self.text}


def caption_of(
    name: str, picture: Pixels, grid: tuple[int, int], found: Sequence[DecodedSequence], tokenizer: Tokenizer
) -> PictureCaption:
    """From what was written for a picture, the best answer first."""

    def one(written: DecodedSequence, others: list[PictureCaption]) -> PictureCaption:
        tokens = [tokenizer.vocabulary[token] for token in written.tokens]
        attention, words = None, None
        if written.attention is not None and written.tokens:
            weights = np.asarray(written.attention, np.float32)
            layers = tuple(f"layer {number + 1}" for number in range(len(weights)))
            by_token = PictureAttention(region_names(*grid), tuple(tokens), weights, layers, picture, *grid)
            wrote = Pieces.of(tokenizer, written.tokens)
            attention = by_token.by_target_word(wrote.indices, wrote.texts)
            words = by_token.by_target_word(wrote.word_indices, wrote.words())
        text = tokenizer.decode(written.tokens)
        return PictureCaption(
            name, text, tokens, written.score, written.token_scores, attention, words, others,
            likeliest=likeliest_tokens(written, tokenizer),
        )  # fmt: skip

    return one(found[0], [one(written, []) for written in found[1:]])
