"""Tag: one tag for each word."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Self

import torch
from torch import Tensor, nn

from seqloom.attribution.probe import Probe
from seqloom.data.bucket_sampler import Rows
from seqloom.data.column_roles import COLUMNS
from seqloom.data.corpus import Chunk, Corpus
from seqloom.data.length_batches import by_length
from seqloom.data.record import Record
from seqloom.data.splits import Records
from seqloom.data.stratification import Outcomes
from seqloom.errors import ConfigError, DataError, suggestion
from seqloom.evaluating.baselines.frequent_tags import FrequentTags
from seqloom.evaluating.baselines.score import MOST_EXAMPLES, MOST_MEASURED, BaselineScore
from seqloom.evaluating.tagging import marks_spans
from seqloom.models.characters import character_encoder
from seqloom.models.stage import Example
from seqloom.models.tagger import Tagger
from seqloom.tasks.batching import ExampleTrainable, example_stream
from seqloom.tasks.frame_inputs import FrameStatistics
from seqloom.tasks.inspection import Inspection, InspectOptions
from seqloom.tasks.requests import Reply, TaskRequest
from seqloom.tasks.review import Reviewed
from seqloom.tasks.tag.answers import TaggedText
from seqloom.tasks.tag.batch import IGNORED, TagBatch
from seqloom.tasks.tag.examples import LETTERS, TagExample, whole
from seqloom.tasks.tag.heads import HEADS, TaggedSentence
from seqloom.tasks.tag.inputs import FrameSequences, GivenSequence, TagInputs, WordSequences, words_in
from seqloom.tasks.tag.inspect import inspect_tagging
from seqloom.tasks.tag.metrics import Predictions, evaluation
from seqloom.tasks.tag.probe import tagging_probe
from seqloom.tasks.tag.review import review_tagging
from seqloom.tasks.tag.settings import TagConfig, TagFacts
from seqloom.tasks.tag.span_decoding import is_well_formed
from seqloom.tasks.tag.stages import tagging_example
from seqloom.tasks.tag.word_splitting import learn_words
from seqloom.tasks.task import Evaluation, Facts, Task
from seqloom.tasks.trainable import Loss, Plan
from seqloom.tokens.settings import TokenConfig
from seqloom.tokens.tokenizer import Tokenizer

AT_ONCE = 64
"""Sentences that are predicted or evaluated in one batch: the letters of their words take room."""
ALPHABET = 100
"""Letters of the alphabet, where there is no data to count them in."""


class Tag(Task[TagConfig]):
    """Give each word of a sentence its tag."""

    Settings = TagConfig
    columns = COLUMNS["tag"]
    Learned = TagFacts

    def __init__(self, config: TagConfig, tokenizers: Mapping[str, Tokenizer], facts: Facts) -> None:
        super().__init__(config, tokenizers, facts)
        frames = facts.get("frames")
        self.inputs: TagInputs = FrameSequences(config, frames) if frames else WordSequences(config, self.tokenizers)
        self.tags: list[str] = self.facts["tags"]
        self.tag_ids = {tag: id for id, tag in enumerate(self.tags)}
        self.marks_spans = marks_spans(self.tags)
        self.head = HEADS[config.tag.head](self.tags, bool(facts.get("whole_spans")))

    @classmethod
    def learn(cls, config: TagConfig, train: Records, known: Mapping[str, Tokenizer]) -> Self:
        """Train the tokenizers of words and of characters, or measure the frames; collect the tags."""
        found: Counter[str] = Counter(tag for record in train for tag in tags_of(record))
        check_tags(found, train.source_name)
        facts: dict[str, Any] = {"tags": sorted(found)}
        if is_well_formed(map(tags_of, train)):  # then a prediction is, too
            facts["whole_spans"] = True
        if "frames" in next(iter(train)).columns:
            return cls(config, {}, {**facts, "frames": FrameStatistics.of(train).facts()})
        tokenizers = {"text": known.get("text") or learn_words(map(words_in, train), config.tokens)}
        if config.tag.characters:
            letters = ("".join(words_in(record)) for record in train)
            characters = known.get("characters") or Tokenizer.train(letters, TokenConfig(kind="character"))
            tokenizers["characters"] = characters
        return cls(config, tokenizers, facts)

    @classmethod
    def outcomes(cls, config: TagConfig) -> Outcomes:
        return Outcomes(tags_of)

    def make_model(self) -> nn.Module:
        return self.inputs.make_model(len(self.tags), self.head.module())

    @classmethod
    def untrained(cls, config: TagConfig, vocabulary: int) -> nn.Module:
        width = config.tag.characters
        letters = character_encoder(config.tag.character_kind, ALPHABET, width) if width else None
        return Tagger(config.model, vocabulary, 2, letters, crf=HEADS[config.tag.head](["A", "B"], False).module())

    # --- data ---------------------------------------------------------------------------------------

    def encoding_settings(self) -> Mapping[str, Any]:
        return {"length": self.config.model.length, "letters": LETTERS}

    def encode(self, records: list[Record]) -> Chunk:
        """Words, characters and tags as ids; a long sentence becomes several examples."""
        values = [(self.inputs.values(record), self.tags_in(record)) for record in records]
        examples = [example for one in values for example in self.inputs.examples(*one)]
        return {field: [getattr(example, field) for example in examples] for field in TagExample._fields}

    def tags_in(self, record: Record) -> list[int]:
        shown = record.columns.get("tokens") or [f"frame {n}" for n in range(1, len(tags_of(record)) + 1)]
        for word, tag in zip(shown, tags_of(record), strict=True):  # type: ignore[arg-type]
            if tag not in self.tag_ids:
                raise DataError(
                    f"the tag {tag!r} of {word!r} was never seen in training",
                    where=str(record.place),
                    remedy=f"{suggestion(tag, self.tags)}fix it, or train with examples of it; "
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
            return Loss(self.head.loss(model, logits, batch, plan.label_smoothing), len(tagged), tagged)

        return ExampleTrainable(example_stream(train, "text", plan, make), loss, self.validation(valid, plan))

    def check_teacher(self, teacher: Self) -> None:
        if "crf" in (self.config.tag.head, teacher.config.tag.head):
            what = "a conditional random field has no per-word distribution to distil"
            raise ConfigError("settings", [("tag.head", what, "use softmax for teacher and student")])

    def baseline(self, train: Iterable[Record], valid: Iterable[Record]) -> list[BaselineScore]:
        """The most frequent tag, of each word or of all frames."""
        counted = self.inputs.counted
        tagger = FrequentTags((counted(record), self.tags_in(record)) for record in islice(train, MOST_EXAMPLES))
        records = list(islice(valid, MOST_MEASURED))
        true = [self.tags_in(record) for record in records]
        given = [tagger(counted(record)) for record in records]
        known = [[False] * len(tags) for tags in true]
        name = "the most frequent tag" + " of each word" * isinstance(self.inputs, WordSequences)
        found = evaluation(Predictions(true, given, known, 0.0), self.tags, self.marks_spans)
        return [BaselineScore(name, found.measure, found.metrics[found.measure])]

    # --- use ----------------------------------------------------------------------------------------

    def input_of(self, record: Record) -> Any:
        return record.columns["frames"] if "frames" in record.columns else words_in(record)

    def accept(self, given: Any) -> Any:
        return self.inputs.accept(given)

    def answer_steps(
        self, model: nn.Module, requests: Sequence[TaskRequest], options: object
    ) -> Iterator[Sequence[Reply]]:
        """Tags for sentences, each a text or a list of words; there is nothing to say of one without words."""
        device = next(model.parameters()).device
        asked = self.read([one.input for one in requests])
        flat = [example for one in asked for example in self.examples(one)]
        tagged: dict[int, list[Any]] = {}
        for places in by_length([len(row.text) for row in flat], AT_ONCE):
            batch = TagBatch.of([flat[place] for place in places], device)
            with torch.no_grad():
                logits = batch.logits(model)
            for place, row, tags in zip(places, logits, batch.tags, strict=True):
                tagged[place] = list(row[tags != IGNORED])
            yield []
        by_sentence = self.choose(model, whole(tagged, [bool(row.goes_on[0]) for row in flat]))
        yield [
            Reply(place, self.tagged(one, found))
            for place, (one, found) in enumerate(zip(asked, by_sentence, strict=True))
        ]

    def read(self, given: Sequence[Any]) -> list[GivenSequence]:
        return [self.inputs.read(self.checked(one)) for one in given]

    def examples(self, one: GivenSequence) -> list[TagExample]:
        """A sequence whose tags are not known."""
        return self.inputs.examples(one.values, [0] * len(one.words))

    def choose(self, model: nn.Module, sentences: Sequence[Sequence[Tensor]]) -> list[TaggedSentence]:
        """The tags of sentences, each given by the logits (V) of its words."""
        device = next((row.device for rows in sentences for row in rows), torch.device("cpu"))
        nothing = torch.zeros(0, len(self.tags), device=device)
        found: dict[int, TaggedSentence] = {}
        for places in by_length([len(rows) for rows in sentences], AT_ONCE):
            logits = [torch.stack(list(sentences[place])) if sentences[place] else nothing for place in places]
            with torch.no_grad():
                found |= dict(zip(places, self.head.choose(model, logits), strict=True))
        return [found[place] for place in range(len(sentences))]

    def checked(self, given: Any) -> Any:
        """Of frames, the name of a file is fine where it does not come over the network."""
        return given if isinstance(self.inputs, FrameSequences) else self.accept(given)

    def tagged(self, given: GivenSequence, found: TaggedSentence) -> TaggedText:
        return self.inputs.answer_kind(
            given.text,
            [word.text for word in given.words],
            [word.start for word in given.words],
            [self.tags[id] for id in found.tags],
            found.scores,
            self.marks_spans,
        )

    def inspect(
        self, model: nn.Module, given: Any, options: InspectOptions, wanted: Callable[[], bool] = lambda: True
    ) -> Iterator[Inspection | None]:
        return inspect_tagging(self, model, self.accept(given), options)

    def probe(self, model: nn.Module, given: Any) -> Probe:
        return tagging_probe(self, model, given)

    def review(self, model: nn.Module, records: list[Record]) -> list[Reviewed]:
        return review_tagging(self, model, records)

    def example(self, model: nn.Module, given: Any, device: torch.device) -> Example:
        return tagging_example(self, model, given, device)

    def vectors(self, model: nn.Module, texts: Sequence[Any]) -> Tensor:
        """The mean of the encoder states of each sentence (B, H); zeros for one without words."""
        assert isinstance(model, Tagger)
        device = next(model.parameters()).device
        flat = [example for one in self.read(texts) for example in self.examples(one)]
        sums: dict[int, list[Tensor]] = {}
        model.eval()
        for places in by_length([len(row.text) for row in flat], AT_ONCE):
            with torch.no_grad():
                found = TagBatch.of([flat[place] for place in places], device).sums(model).float().cpu()
            sums |= {place: [row] for place, row in zip(places, found, strict=True)}
        goes_on = [bool(row.goes_on[0]) for row in flat]
        counts = whole({place: [len(row.text)] for place, row in enumerate(flat)}, goes_on)
        means = [
            torch.stack(rows).sum(0) / max(sum(n), 1) for rows, n in zip(whole(sums, goes_on), counts, strict=True)
        ]
        return torch.stack(means) if means else torch.zeros(0, 0)

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
                loss += float(self.head.loss(model, logits, batch))
                for row, place in enumerate(places):
                    tagged = batch.tags[row] != IGNORED
                    true[place] = batch.tags[row, tagged].tolist()
                    given[place] = list(logits[row, tagged])
                    unknown[place] = self.inputs.unknown(batch.tokens[row, tagged]).tolist()
        goes_on = [bool(corpus["goes_on", row][0]) for row in range(len(corpus))]
        decoded = [found.tags for found in self.choose(model, whole(given, goes_on))]
        predictions = Predictions(whole(true, goes_on), decoded, whole(unknown, goes_on), loss)
        return evaluation(predictions, self.tags, self.marks_spans)


def tags_of(record: Record) -> list[str]:
    return list(record.columns["tags"])  # type: ignore[arg-type]


def check_tags(found: Counter[str], where: str) -> None:
    """Two tags at least, and not a new one for every other word."""
    if len(found) < 2:
        remedy = "a tagger needs at least two tags; check data.columns.tags"
        raise DataError(f"every word has the tag {next(iter(found))!r}", where=where, remedy=remedy)
    count = found.total()
    if count >= 20 and len(found) > count / 2:
        raise DataError(
            f"{len(found)} different tags for {count} words: is that the column of tags?",
            where=where,
            remedy="name the columns, as in data.columns.tokens=1 data.columns.tags=2",
        )
