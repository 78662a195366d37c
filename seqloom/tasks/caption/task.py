"""Caption: from a picture to a text."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any, Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from seqloom.attribution.probe import Probe
from seqloom.data.bucket_sampler import BucketSampler
from seqloom.data.column_roles import COLUMNS
from seqloom.data.corpus import CHUNK_SIZE, Chunk, Corpus
from seqloom.data.length_batches import by_length
from seqloom.data.pictures.decoding import Pixels, as_png, pillow
from seqloom.data.pictures.files import identity_of, pixels_of, shape_of
from seqloom.data.record import Record
from seqloom.data.splits import Records, open_data
from seqloom.data.stratification import Outcomes
from seqloom.decoding.hypotheses import DecodingUpdate
from seqloom.decoding.writer import SequenceWriter
from seqloom.evaluating.translation import TranslationMetrics
from seqloom.evaluating.word_splitting import count_words
from seqloom.layers.embedding import Embedding
from seqloom.models.picture_encoder import PictureEncoder
from seqloom.models.seq2seq.model import Seq2Seq
from seqloom.models.stage import Example
from seqloom.tasks.caption.answers import PictureCaption, caption_of
from seqloom.tasks.caption.corpus_pictures import (
    Shape,
    by_picture,
    captions_of,
    moved,
    picture_chunk,
    picture_in,
    stacked,
)
from seqloom.tasks.caption.inputs import SentPicture, bytes_of, named_pixels, sent_picture
from seqloom.tasks.caption.inspect import inspect_caption
from seqloom.tasks.caption.options import CaptionEvaluateOptions, CaptionOptions
from seqloom.tasks.caption.probe import caption_probe
from seqloom.tasks.caption.review import review_captions
from seqloom.tasks.caption.settings import CaptionConfig
from seqloom.tasks.caption.stages import caption_example
from seqloom.tasks.inspection import Inspection, InspectOptions
from seqloom.tasks.prefix import prefix_tokens
from seqloom.tasks.requests import Reply, TaskRequest
from seqloom.tasks.review import Reviewed
from seqloom.tasks.seq2seq import Seq2SeqBatch, Seq2SeqTask
from seqloom.tasks.seq2seq_decoding import write_steps
from seqloom.tasks.task import Evaluation
from seqloom.tasks.trainable import Plan, ValidationResult
from seqloom.tasks.translate.corpus_text import spread, text_of
from seqloom.tasks.translate.metrics import evaluation
from seqloom.tokens.pretokenization import word_pattern
from seqloom.tokens.tokenizer import Tokenizer
from seqloom.views.document import image_address

AT_ONCE = 64
"""Pictures that are described in one batch."""
LOOKED_AT = 1_000
"""Pictures whose sizes decide what all are scaled to, unless that is set."""
USUAL = 64
"""Rows or columns, where pictures differ or are larger."""
CHUNK_BYTES = 50_000_000
"""Of the pixels of a chunk, which is held in memory while a corpus is made."""


class Caption(Seq2SeqTask[CaptionConfig]):
    """Describe a picture: a photo, a drawing, a line of handwriting."""

    Settings = CaptionConfig
    columns = COLUMNS["caption"]
    Options = CaptionOptions
    EvaluateOptions = CaptionEvaluateOptions
    examples = "captions"

    @property
    def tokenizer(self) -> Tokenizer:
        return self.tokenizers["text"]

    @property
    def shape(self) -> Shape:
        return self.facts["height"], self.facts["width"], self.facts["colours"]

    @property
    def grid(self) -> tuple[int, int]:
        """Rows and columns of regions."""
        return self.config.model.grid(*self.shape[:2])

    @classmethod
    def learn(cls, config: CaptionConfig, train: Records, known: Mapping[str, Tokenizer]) -> Self:
        texts = (text for record in train for text in captions_of(record))
        tokenizer = known["text"] if "text" in known else Tokenizer.train(texts, config.tokens)
        longest = max(len(tokenizer.encode(text)) for record in train for text in captions_of(record))
        height, width, colours = shape_for(config, train)
        config.model.grid(height, width)
        facts = {"height": height, "width": width, "colours": colours, "longest": longest}
        return cls(config, {"text": tokenizer}, facts)

    @classmethod
    def outcomes(cls, config: CaptionConfig) -> Outcomes:
        """The characters and the words of captions."""
        find_words = word_pattern().findall
        return Outcomes(
            lambda record: "".join(captions_of(record)), lambda record: find_words(" ".join(captions_of(record)))
        )

    @classmethod
    def open_data(cls, config: CaptionConfig) -> dict[str, Records]:
        """As for every task; where splits are cut, all captions of a picture fall into one."""
        by = config.data.split_by or ("" if config.data.cut_from == "end" else "image")
        return open_data(config.data.model_copy(update={"split_by": by}), cls.columns, cls.outcomes(config))

    @classmethod
    def check_extras(cls, config: CaptionConfig) -> None:
        pillow()
        super().check_extras(config)

    def make_model(self) -> Seq2Seq:
        return captioner(self.config, self.shape, self.tokenizer.size)

    @classmethod
    def untrained(cls, config: CaptionConfig, vocabulary: int) -> Seq2Seq:
        chosen = config.picture
        colours = 1 if chosen.colours == "grey" else 3
        return captioner(config, (chosen.height or USUAL, chosen.width or USUAL, colours), vocabulary)

    def max_tokens(self, given: Any, options: Any) -> int:
        longest = options.limit(self.facts["longest"])
        return self.answer_cost(options, math.prod(self.grid), longest, weights=options.attention)

    # --- data ---------------------------------------------------------------------------------------

    def encoding_settings(self) -> Mapping[str, Any]:
        return {}  # the size of pictures is a fact

    def encode(self, records: list[Record]) -> Chunk:
        return picture_chunk(records, self.shape, self.tokenizer)

    def corpus(self, records: Records, cache: Path, made_of: Mapping[str, Any]) -> Corpus:
        """As for every task; pictures that change make another corpus, and few are held in memory."""
        return super().corpus(records, cache, {**made_of, "pictures": identity_of(records)})

    def chunk_size(self) -> int:
        return max(1, min(CHUNK_SIZE, CHUNK_BYTES // math.prod(self.shape)))

    def training_batch(
        self, corpus: Corpus, rows: Sequence[int], device: torch.device, random: Random | None
    ) -> Seq2SeqBatch:
        """Pictures, moved a little where a generator is given, and their captions."""
        pictures = [picture_in(corpus, row, self.shape) for row in rows]
        if random is not None and self.config.picture.shift:
            pictures = list(moved(pictures, self.config.picture.shift, random))
        captions = [corpus["caption", row][: self.config.model.length - 1] for row in rows]
        regions = torch.full((len(captions),), math.prod(self.grid), device=device)
        return Seq2SeqBatch.of(stacked(pictures, device), regions, captions, device)

    # --- training -----------------------------------------------------------------------------------

    def lengths(self, corpus: Corpus) -> NDArray[Any]:
        return corpus.lengths("caption") + 1

    def sampler(self, train: Corpus, kept: NDArray[Any], lengths: NDArray[Any], plan: Plan) -> BucketSampler:
        return BucketSampler(lengths + math.prod(self.grid), plan.batch_tokens, plan.seed)

    def sample(self, model: nn.Module, corpus: Corpus) -> str:
        picture = picture_in(corpus, 0, self.shape)
        (answer,) = self.predict(model, [picture], CaptionOptions(beam=1, attention=False))
        return f"{text_of(corpus, 'caption', 0)} → {answer.text}"

    def validate(self, model: nn.Module, valid: Corpus, device: torch.device) -> ValidationResult:
        """Validation while training: the loss of all captions, and metrics of some pictures, described greedily."""
        settings = self.config.caption
        loss = self.corpus_loss(model, valid, device)
        questions = by_picture(valid, range(len(valid)))
        some = [questions[place] for place in spread(min(settings.validate_pictures, len(questions)), len(questions))]
        measured = self.described(model, valid, some, CaptionEvaluateOptions(beam=1, attention=False))
        metrics = {"loss": loss, "exact": measured.exact}
        if settings.measure not in metrics:
            metrics[settings.measure] = measured.score(settings.measure)
        score = metrics[settings.measure]
        return ValidationResult(metrics, -score if settings.measure == "loss" else score)

    def corpus_loss(self, model: nn.Module, corpus: Corpus, device: torch.device) -> float:
        batches = by_length(corpus.lengths("caption"), AT_ONCE)
        return self.mean_loss(model, (self.training_batch(corpus, rows, device, None) for rows in batches))

    # --- use ----------------------------------------------------------------------------------------

    def as_request(self, record: Record) -> str:
        """The picture as the model sees it, as an address that carries it."""
        height, width, colours = self.shape
        return image_address(as_png(pixels_of(record, width, height, colours)))

    def accept(self, given: Any) -> SentPicture:
        return sent_picture(given)

    def input_sizes(self, given: Any) -> Mapping[str, int]:
        pixels = {"picture_pixels": given.pixels} if isinstance(given, SentPicture) else {}
        return {"picture_bytes": bytes_of(given), **pixels}

    def pixels(self, given: Any) -> tuple[str, Pixels]:
        """What a picture is called, and its pixels as the model reads them."""
        height, width, colours = self.shape
        return named_pixels(given, width, height, colours)

    def answer_steps(
        self, model: nn.Module, requests: Sequence[TaskRequest], options: CaptionOptions
    ) -> Iterator[Sequence[Reply]]:
        """Captions, each as soon as it is done."""
        model.eval()
        for first in range(0, len(requests), AT_ONCE):
            batch = requests[first : first + AT_ONCE]
            pictures = [self.pixels(one.input) for one in batch]
            for found in self.decode_steps(model, [pixels for _, pixels in pictures], batch, options):
                yield [
                    Reply(first + number, caption_of(*pictures[number], self.grid, answers, self.tokenizer), whole)
                    for number, answers, whole in found
                ]

    def decode_steps(
        self, model: nn.Module, pictures: Sequence[Pixels], batch: Sequence[TaskRequest], options: CaptionOptions
    ) -> Iterator[list[DecodingUpdate]]:
        """Decode the captions of pictures step by step: by beam search, or by sampling."""
        limited = self.limited(model, options)
        if isinstance(model, SequenceWriter):
            return model.write_steps(pictures, batch, prefix_tokens(self.tokenizer, options.prefix), limited)
        assert isinstance(model, Seq2Seq)
        device = next(model.parameters()).device
        regions = [math.prod(self.grid)] * len(batch)
        with torch.inference_mode():
            lengths = torch.tensor(regions, device=device)
            state = model.start(stacked(pictures, device), lengths, weights=options.attention)
        return write_steps(model, state, regions, batch, self.tokenizer, limited, device)

    def limited(self, model: nn.Module, options: CaptionOptions) -> CaptionOptions:
        """No longer than the captions of training let expect, and than the decoder has learned positions for."""
        most = options.limit(self.facts["longest"])
        limit = model.decoder.limit if isinstance(model, Seq2Seq) else None
        return options.model_copy(update={"max_length": most if limit is None else min(most, limit)})

    def inspect(
        self, model: nn.Module, given: Any, options: InspectOptions, wanted: Callable[[], bool] = lambda: True
    ) -> Iterator[Inspection | None]:
        assert isinstance(model, Seq2Seq)
        return inspect_caption(self, model, given, options, wanted)

    def probe(self, model: nn.Module, given: Any) -> Probe:
        assert isinstance(model, Seq2Seq)
        return caption_probe(self, model, given)

    def review(self, model: nn.Module, records: list[Record]) -> list[Reviewed]:
        assert isinstance(model, Seq2Seq)
        return review_captions(self, model, records)

    def example(self, model: nn.Module, given: Any, device: torch.device) -> Example:
        name, pixels = self.pixels(given) if given is not None else ("white", np.full(self.shape, 255, np.uint8))
        return caption_example(model, name, pixels, self.tokenizer, device)

    def vectors(self, model: nn.Module, texts: Sequence[Any]) -> Tensor:
        """The mean of the regions of each picture (B, D)."""
        assert isinstance(model, Seq2Seq)
        device = next(model.parameters()).device
        model.eval()
        found = []
        for first in range(0, len(texts), AT_ONCE):
            source = stacked([self.pixels(given)[1] for given in texts[first : first + AT_ONCE]], device)
            with torch.no_grad():
                found.append(model.source(source, torch.zeros(len(source), device=device)).last)
        return torch.cat(found) if found else torch.zeros(0, 0)

    # --- evaluation ---------------------------------------------------------------------------------

    def described(
        self, model: nn.Module, corpus: Corpus, questions: Sequence[Sequence[int]], options: CaptionEvaluateOptions
    ) -> TranslationMetrics:
        """The metrics of pictures, described; every caption of a picture is right."""
        answers: list[PictureCaption] = []
        for first in range(0, len(questions), AT_ONCE):
            some = [picture_in(corpus, rows[0], self.shape) for rows in questions[first : first + AT_ONCE]]
            answers += self.predict(model, some, options)
        references = [[text_of(corpus, "caption", row) for row in rows] for rows in questions]
        tokens = self.config.tokens
        return TranslationMetrics.of(
            [answer.text for answer in answers], references, None, self.language,
            cased=options.capitals and not tokens.lower, spaced=tokens.kind == "space",
        )  # fmt: skip

    def evaluate(
        self, model: nn.Module, corpus: Corpus, device: torch.device, options: CaptionEvaluateOptions
    ) -> Evaluation:
        """BLEU, chrF, exact match, error rates, perplexity, and quality by length of the caption."""
        metrics: dict[str, float] = {}
        if not isinstance(model, SequenceWriter):  # a writer has no logits of what others wrote
            loss = self.corpus_loss(model, corpus, device)
            metrics = {"loss": loss, "perplexity": math.exp(min(loss, 50))}
        chosen = options.model_copy(update={"attention": False})
        measured = self.described(model, corpus, by_picture(corpus, range(len(corpus))), chosen)
        measure = options.measure or self.config.caption.measure
        lengths = [count_words(texts[0]) for texts in measured.references]
        return evaluation(measured, metrics, "exact" if measure == "loss" else measure, lengths)


def captioner(config: CaptionConfig, shape: Shape, vocabulary: int) -> Seq2Seq:
    """A model that reads pictures of this shape and writes with a vocabulary of this size."""
    height, width, colours = shape
    source = PictureEncoder(config.model, height, width, colours)
    return Seq2Seq(config.model, source, Embedding(vocabulary, config.model.embedding))


def shape_for(config: CaptionConfig, train: Records) -> Shape:
    """The shape that every picture is brought to: as set, or as the first pictures have it."""
    chosen = config.picture
    looked = [shape_of(record) for record in islice(iter(train), LOOKED_AT)]
    widths, heights, grey = ({*found} for found in zip(*looked, strict=True))
    height, width = (one.pop() if len(one) == 1 else USUAL for one in (heights, widths))
    height, width = (height, width) if max(height, width) <= USUAL else (min(height, USUAL), min(width, USUAL))
    colours = {"grey": 1, "rgb": 3}.get(chosen.colours, 1 if grey == {True} else 3)
    return chosen.height or height, chosen.width or width, colours
