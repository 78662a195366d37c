"""Tag: one tag for each word."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as F

from seqloom.data.bucket_sampler import Rows
from seqloom.data.column_roles import COLUMNS
from seqloom.data.corpus import Chunk, Corpus
from seqloom.data.record import Record
from seqloom.data.splits import Records
from seqloom.data.stratification import Outcomes
from seqloom.errors import DataError, suggestion
from seqloom.evaluating.tagging import marks_spans
from seqloom.models.characters import character_encoder
from seqloom.models.stage import Example
from seqloom.models.tagger import Tagger
from seqloom.models.word_dropout import WordDropout
from seqloom.tasks.batching import ExampleTrainable, by_length, example_stream
from seqloom.tasks.inspection import Inspection, InspectOptions
from seqloom.tasks.requests import Reply, TaskRequest
from seqloom.tasks.tag.answers import TaggedText
from seqloom.tasks.tag.batch import IGNORED, TagBatch
from seqloom.tasks.tag.examples import LETTERS, TagExample, examples_of, whole
from seqloom.tasks.tag.inspect import inspect_tagging
from seqloom.tasks.tag.metrics import Predictions, evaluation
from seqloom.tasks.tag.settings import TagConfig
from seqloom.tasks.tag.span_decoding import SpanDecoder, is_well_formed
from seqloom.tasks.tag.stages import tagging_example
from seqloom.tasks.tag.word_splitting import Word, learn_words, words_of
from seqloom.tasks.task import Evaluation, Facts, Task
from seqloom.tasks.trainable import Loss, Plan
from seqloom.tokens.settings import SPECIALS, UNK, WORDS, TokenConfig
from seqloom.tokens.tokenizer import Tokenizer

AT_ONCE = 64
"""Sentences that are predicted or evaluated in one batch: the letters of their words take room."""
ALPHABET = 100
"""Letters of the alphabet, where there is no data to count them in."""


class Tag(Task[TagConfig]):
    """Give each word of a sentence its tag."""

    Settings = TagConfig
    columns = COLUMNS["tag"]

    def __init__(self, config: TagConfig, tokenizers: Mapping[str, Tokenizer], facts: Facts) -> None:
        super().__init__(config, tokenizers, facts)
        self.tokenizer, self.characters = self.tokenizers["text"], self.tokenizers.get("characters")
        self.tags: list[str] = self.facts["tags"]
        self.tag_ids = {tag: id for id, tag in enumerate(self.tags)}
        self.marks_spans = marks_spans(self.tags)
        self.decode = SpanDecoder(self.tags) if facts.get("whole_spans") else likeliest

    @classmethod
    def learn(cls, config: TagConfig, train: Records, known: Mapping[str, Tokenizer]) -> Self:
        """Train the tokenizers of words and of characters, and collect the tags."""
        found: Counter[str] = Counter(tag for record in train for tag in tags_of(record))
        check_tags(found, train.source_name)
        tokenizers = {"text": known.get("text") or learn_words(map(words_in, train), config.tokens)}
        if config.tag.characters:
            letters = ("".join(words_in(record)) for record in train)
            characters = known.get("characters") or Tokenizer.train(letters, TokenConfig(kind="character"))
            tokenizers["characters"] = characters
        whole_spans = is_well_formed(map(tags_of, train))  # then a prediction is, too
        return cls(config, tokenizers, {"tags": sorted(found), **({"whole_spans": True} if whole_spans else {})})

    @classmethod
    def outcomes(cls, config: TagConfig) -> Outcomes:
        return Outcomes(tags_of)

    def make_model(self) -> nn.Module:
        settings = self.config.tag
        characters = None
        if self.characters is not None:
            dropout = word_dropout(self.characters, settings.word_dropout)
            size, width = self.characters.size, settings.characters
            characters = character_encoder(settings.character_kind, size, width, dropout)
        of_words = self.tokenizer.config.kind in WORDS  # parts of words are never unknown
        dropout = word_dropout(self.tokenizer, settings.word_dropout) if of_words else None
        return Tagger(self.config.model, self.tokenizer.size, len(self.tags), characters, dropout)

    @classmethod
    def untrained(cls, config: TagConfig, vocabulary: int) -> nn.Module:
        width = config.tag.characters
        letters = character_encoder(config.tag.character_kind, ALPHABET, width) if width else None
        return Tagger(config.model, vocabulary, 2, letters)

    # --- data ---------------------------------------------------------------------------------------

    def encoding_settings(self) -> Mapping[str, Any]:
        return {"length": self.config.model.length, "letters": LETTERS}

    def encode(self, records: list[Record]) -> Chunk:
        """Words, characters and tags as ids; a long sentence becomes several examples."""
        examples = [example for record in records for example in self.examples(words_in(record), self.tags_in(record))]
        return {field: [getattr(example, field) for example in examples] for field in TagExample._fields}

    def examples(self, words: Sequence[str], tags: Sequence[int]) -> list[TagExample]:
        return list(examples_of(words, tags, self.tokenizer, self.characters, self.config.model.length))

    def tags_in(self, record: Record) -> list[int]:
        for word, tag in zip(words_in(record), tags_of(record), strict=True):
            if tag not in self.tag_ids:
                raise DataError(
                    f"the tag {tag!r} of {word!r} was never seen in training",
                    where=str(record.place),
                    remedy=f"{suggestion(tag, self.tags)}mend it, or train with examples of it; "
                    f"known: {', '.join(self.tags[:10])}",
                )
        return [self.tag_ids[tag] for tag in tags_of(record)]

    def batch(self, corpus: Corpus, rows: Sequence[int] | Rows, device: torch.device) -> TagBatch:
        return TagBatch.of(
            [TagExample(*(corpus[field, int(row)] for field in TagExample._fields)) for row in rows], device
        )

    # --- training -----------------------------------------------------------------------------------

    def trainable(self, train: Corpus, valid: Corpus | None, plan: Plan) -> ExampleTrainable[TagBatch]:
        def make(corpus: Corpus, rows: Sequence[int] | Rows) -> TagBatch:
            return self.batch(corpus, rows, plan.device)

        def loss(model: nn.Module, batch: TagBatch) -> Loss:
            logits = batch.logits(model)
            tagged = logits[batch.tags != IGNORED]
            return Loss(loss_of(logits, batch, plan.label_smoothing), len(tagged), tagged)

        return ExampleTrainable(example_stream(train, "text", plan, make), loss, self.validation(valid, plan))

    # --- use ----------------------------------------------------------------------------------------

    def accept(self, given: Any) -> Any:
        """A text, or its words."""
        words = isinstance(given, list | tuple) and all(isinstance(word, str) for word in given)
        return given if words else super().accept(given)

    def answer_steps(
        self, model: nn.Module, requests: Sequence[TaskRequest], options: object
    ) -> Iterator[Sequence[Reply]]:
        """Tags for sentences, each a text or a list of words; there is nothing to say of one without words."""
        device = next(model.parameters()).device
        cut = [self.cut(self.accept(one.input)) for one in requests]
        examples = [self.examples([word.text for word in words], [0] * len(words)) for _, words in cut]
        flat = [one for of_one in examples for one in of_one]
        tagged: dict[int, list[Any]] = {}
        for places in by_length([len(row.text) for row in flat], AT_ONCE):
            batch = TagBatch.of([flat[place] for place in places], device)
            with torch.no_grad():
                probabilities = torch.softmax(batch.logits(model), -1).cpu().numpy()
            for place, row, tags in zip(places, probabilities, batch.tags.cpu().numpy(), strict=True):
                tagged[place] = list(row[tags != IGNORED])
            yield []
        by_sentence = whole(tagged, [bool(row.goes_on[0]) for row in flat])
        yield [
            Reply(place, self.tagged(text, words, found))
            for place, ((text, words), found) in enumerate(zip(cut, by_sentence, strict=True))
        ]

    def tagged(self, text: str, words: Sequence[Word], found: Sequence[Any]) -> TaggedText:
        """From the probabilities of the tags of each word."""
        ids = self.decode(np.stack(found)) if found else []
        return TaggedText(
            text,
            [word.text for word in words],
            [word.start for word in words],
            [self.tags[id] for id in ids],
            [float(row[id]) for row, id in zip(found, ids, strict=True)],
            self.marks_spans,
        )

    def cut(self, given: str | Sequence[str]) -> tuple[str, list[Word]]:
        """A text and its words; a list of words stands for the text with spaces between them."""
        if isinstance(given, str):
            return given, words_of(self.tokenizer, given)
        starts = np.cumsum([0, *(len(word) + 1 for word in given)])
        return " ".join(given), [Word(word, int(start)) for word, start in zip(given, starts)]

    def inspect(
        self, model: nn.Module, given: Any, options: InspectOptions, wanted: Callable[[], bool] = lambda: True
    ) -> Iterator[Inspection | None]:
        return inspect_tagging(self, model, self.accept(given), options)

    def example(self, model: nn.Module, given: Any, device: torch.device) -> Example:
        return tagging_example(self, model, given, device)

    def evaluate(self, model: nn.Module, corpus: Corpus, device: torch.device, options: object) -> Evaluation:
        """Accuracy, of all words and of unknown ones; for BIO tags precision, recall and F1 of spans."""
        true: dict[int, list[int]] = {}
        given: dict[int, list[Any]] = {}
        unknown: dict[int, list[bool]] = {}
        loss = 0.0
        model.eval()
        with torch.no_grad():
            for places in by_length(corpus.lengths("text"), AT_ONCE):
                batch = self.batch(corpus, places, device)
                logits = batch.logits(model)
                loss += float(loss_of(logits, batch))
                for row, place in enumerate(places):
                    tagged = batch.tags[row] != IGNORED
                    true[place] = batch.tags[row, tagged].tolist()
                    given[place] = list(torch.softmax(logits[row, tagged], -1).cpu().numpy())
                    unknown[place] = (batch.tokens[row, tagged] == UNK).tolist()
        goes_on = [bool(corpus["goes_on", row][0]) for row in range(len(corpus))]
        decoded = [self.decode(np.stack(rows)) if rows else [] for rows in whole(given, goes_on)]
        predictions = Predictions(whole(true, goes_on), decoded, whole(unknown, goes_on), loss)
        return evaluation(predictions, self.tags, self.marks_spans)


def likeliest(probabilities: NDArray[np.float64]) -> list[int]:
    """The likeliest tag of each word."""
    return [int(tag) for tag in probabilities.argmax(-1)]


def words_in(record: Record) -> list[str]:
    return list(record.columns["tokens"])  # type: ignore[arg-type]  # a list of words for this task: see data.roles


def tags_of(record: Record) -> list[str]:
    return list(record.columns["tags"])  # type: ignore[arg-type]


def check_tags(found: Counter[str], where: str) -> None:
    """Two tags at least, and not a new one for every other word."""
    if len(found) < 2:
        remedy = "a tagger needs two tags at least; check data.columns.tags"
        raise DataError(f"every word has the tag {next(iter(found))!r}", where=where, remedy=remedy)
    count = found.total()
    if count >= 20 and len(found) > count / 2:
        raise DataError(
            f"{len(found)} different tags for {count} words: is that the column of tags?",
            where=where,
            remedy="say which is which, as in data.columns.tokens=1 data.columns.tags=2",
        )


def word_dropout(tokenizer: Tokenizer, strength: float) -> WordDropout | None:
    return WordDropout(strength, tokenizer.frequency, len(SPECIALS), UNK) if strength else None


def loss_of(logits: Tensor, batch: TagBatch, smoothing: float = 0.0) -> Tensor:
    """Summed over the words that have a tag."""
    flat, tags = logits.flatten(0, 1), batch.tags.flatten()
    return F.cross_entropy(flat, tags, ignore_index=IGNORED, reduction="sum", label_smoothing=smoothing)
