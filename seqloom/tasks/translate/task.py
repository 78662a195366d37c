"""Translate: from one text to another, or from frames of sound or sensors to a text."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from random import Random
from statistics import fmean
from typing import Any, Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as F

from seqloom.attribution.probe import Probe
from seqloom.data.column_roles import COLUMNS
from seqloom.data.corpus import Chunk, Corpus
from seqloom.data.length_batches import by_length
from seqloom.data.mixed_sampler import mixed
from seqloom.data.record import Record
from seqloom.data.splits import Records, join_splits, open_data
from seqloom.data.stratification import Outcomes
from seqloom.decoding.hypotheses import DecodingUpdate
from seqloom.decoding.writer import SequenceWriter
from seqloom.errors import DataError
from seqloom.evaluating.baselines.score import MOST_MEASURED, BaselineScore
from seqloom.evaluating.translation import TranslationMetrics
from seqloom.extras import require
from seqloom.layers.cross_entropy import total_cross_entropy
from seqloom.models.registry import find
from seqloom.models.seq2seq.model import Seq2Seq
from seqloom.models.seq2seq.source_encoder import context_of
from seqloom.models.stage import Example
from seqloom.tasks.batching import ExampleStream, ExampleTrainable
from seqloom.tasks.frame_inputs import FrameStatistics
from seqloom.tasks.inspection import Inspection, InspectOptions
from seqloom.tasks.prefix import prefix_tokens
from seqloom.tasks.requests import Keys, Reply, TaskRequest, answers
from seqloom.tasks.review import Reviewed
from seqloom.tasks.task import Evaluation, Facts, Task
from seqloom.tasks.trainable import Loss, Plan, ValidationResult
from seqloom.tasks.translate.answering import AT_ONCE, answer_sources
from seqloom.tasks.translate.answers import GivenSource, Translation
from seqloom.tasks.translate.batch import TranslationBatch, translation_batch
from seqloom.tasks.translate.corpus_text import (
    SETS,
    as_bytes,
    questions,
    rows_by_tag,
    set_number,
    source_in,
    spread,
    text_in,
    text_of,
)
from seqloom.tasks.translate.frame_sources import FrameSources
from seqloom.tasks.translate.inputs import SourceKind, TextSources
from seqloom.tasks.translate.inspect import inspect_translation
from seqloom.tasks.translate.metrics import Answered, evaluation, scores_by_tag, with_tags
from seqloom.tasks.translate.options import TranslateEvaluateOptions, TranslateOptions
from seqloom.tasks.translate.probe import translation_probe
from seqloom.tasks.translate.review import review_translation
from seqloom.tasks.translate.settings import TranslateConfig, TranslateFacts
from seqloom.tasks.translate.stages import translation_example
from seqloom.tasks.translate.task_tags import check_tag
from seqloom.tasks.writing import write_steps
from seqloom.tokens.pretokenization import word_pattern
from seqloom.tokens.tokenizer import Tokenizer, train_pair

WEIGHTS_PER_TOKEN = 100
"""Attention weights that cost as much as one token."""


class Translate(Task[TranslateConfig]):
    """Turn a text into another: a translation, a date in another format, a title; or frames into a text."""

    Settings = TranslateConfig
    columns = COLUMNS["translate"]
    Learned = TranslateFacts
    Options = TranslateOptions
    EvaluateOptions = TranslateEvaluateOptions

    def __init__(self, config: TranslateConfig, tokenizers: Mapping[str, Tokenizer], facts: Facts) -> None:
        super().__init__(config, tokenizers, facts)
        frames = facts.get("frames")
        self.inputs: SourceKind = (
            FrameSources(config, frames, facts["longest"])
            if frames
            else TextSources(config, self.source_tokenizer, self.tags)
        )

    @property
    def translates(self) -> bool:
        return self.inputs.is_text

    @property
    def generates_text(self) -> bool:
        return self.inputs.is_text

    @property
    def source_tokenizer(self) -> Tokenizer:
        return self.tokenizers["source" if "source" in self.tokenizers else "text"]

    @property
    def target_tokenizer(self) -> Tokenizer:
        return self.tokenizers["target" if "target" in self.tokenizers else "text"]

    @property
    def tags(self) -> Sequence[str]:
        """The tags of its tasks, if it has several."""
        tags: list[str] = self.facts.get("tags", [])
        return tags

    @classmethod
    def open_data(cls, config: TranslateConfig) -> dict[str, Records]:
        """The pairs of a run; of several sets, all of them with their tags."""
        if not config.data.sets:
            return {**open_data(config.data, cls.columns, cls.outcomes(config))}
        sets = config.data.one_by_one()
        return join_splits({tag: open_data(one, cls.columns, cls.outcomes(config)) for tag, one in sets.items()})

    @classmethod
    def learn(cls, config: TranslateConfig, train: Records, known: Mapping[str, Tokenizer]) -> Self:
        """Train the tokenizers; of frames, measure the scale."""
        if "frames" in next(iter(train)).columns:
            return cls.learn_frames(config, train, known)
        tags = [one.tag for one in config.data.sets]
        facts = {"tags": tags} if tags else {}
        if "text" in known or {"source", "target"} <= known.keys():
            rates = {"target": config.tokens.written.bpe_dropout}
            shared = config.tokens.bpe_dropout
            return cls(config, {name: one.with_dropout(rates.get(name, shared)) for name, one in known.items()}, facts)
        texts = ((source_in(record, tags), text_in(record, "target")) for record in train)
        source, target = train_pair(texts, config.tokens.read, config.tokens.written)
        return cls(config, {"text": source} if config.tokens.joint else {"source": source, "target": target}, facts)

    @classmethod
    def learn_frames(cls, config: TranslateConfig, train: Records, known: Mapping[str, Tokenizer]) -> Self:
        if config.data.sets:
            what = "frames have no text that a tag could stand before"
            raise DataError(what, remedy="train a model for each of data.sets")
        statistics = FrameStatistics()
        for record in train:
            statistics.add(record)
        written = config.tokens.written
        texts = (text_in(record, "target") for record in train)
        tokenizer = known.get("target") or known.get("text") or Tokenizer.train(texts, written)
        longest = max(len(tokenizer.encode(text_in(record, "target"))) for record in train)
        facts = {"frames": statistics.facts(), "longest": max(longest, 1)}
        return cls(config, {"target": tokenizer.with_dropout(written.bpe_dropout)}, facts)

    @classmethod
    def outcomes(cls, config: TranslateConfig) -> Outcomes:
        """The characters and the words of the target."""
        find_words = word_pattern().findall
        return Outcomes(lambda record: text_in(record, "target"), lambda record: find_words(text_in(record, "target")))

    @classmethod
    def check_extras(cls, config: TranslateConfig) -> None:
        if config.translate.measure in ("bleu", "chrf"):
            purpose = f'validation by translate.measure = "{config.translate.measure}"'
            require("sacrebleu", "evaluate", purpose, otherwise="choose another, as --set translate.measure=loss")

    def make_model(self) -> Seq2Seq:
        return self.inputs.make_model(self.target_tokenizer.size)

    @classmethod
    def untrained(cls, config: TranslateConfig, vocabulary: int) -> Seq2Seq:
        return Seq2Seq.of_texts(config.model, vocabulary, vocabulary)

    def max_tokens(self, given: Any, options: Any) -> int:
        """All sequences of the beam at their longest, and attention weights that are kept."""
        model, source = self.config.model, self.inputs.most_read(given)
        cost = 1
        if options.attention or options.copy_unknown:
            heads = model.heads if "heads" in find(model.decoder, "decoder").reads else 1
            cost += len(model.decoder_widths) * heads * source // WEIGHTS_PER_TOKEN
        return int(options.sequences * self.inputs.limited(options).limit(source) * cost)

    # --- data ---------------------------------------------------------------------------------------

    def encoding_settings(self) -> Mapping[str, Any]:
        return self.inputs.encoding_settings()

    def encode(self, records: list[Record]) -> Chunk:
        """Both sides as token ids (of frames, themselves), and as text: for the metrics, and for BPE-dropout."""
        sources = self.inputs.encode(records)
        targets = [text_in(record, "target") for record in records]
        sets = {SETS: [[set_number(record, self.tags)] for record in records]} if self.tags else {}
        return {
            **sets,
            "source": [one.values for one in sources],
            "target": self.target_tokenizer.encode_batch(targets),
            "source_text": [as_bytes(one.shown) for one in sources],
            "target_text": [as_bytes(text) for text in targets],
        }

    def batch(self, corpus: Corpus, rows: Sequence[int], device: torch.device) -> TranslationBatch:
        """Pairs, cut where they are longer than the model reads."""
        sources = [corpus["source", row] for row in rows]
        return self.paired(sources, [corpus["target", row] for row in rows], device)

    def paired(self, sources: Sequence[Any], targets: Sequence[Any], device: torch.device) -> TranslationBatch:
        read = self.inputs.tensors([self.inputs.row(values) for values in sources], device)
        longest = self.config.model.length - 1
        return translation_batch(*read, [target[:longest] for target in targets], device)

    def batch_with_dropout(
        self, corpus: Corpus, rows: Sequence[int], device: torch.device, key: str
    ) -> TranslationBatch:
        """As `batch`, with texts tokenized at random (BPE-dropout); the key is the seed."""
        random = Random(hashlib.blake2b(key.encode(), digest_size=8).digest())
        sources = self.inputs.at_random(corpus, rows, random)
        targets = self.target_tokenizer.encode_batch([text_of(corpus, "target", row) for row in rows], random)
        return self.paired(sources, targets, device)

    # --- training -----------------------------------------------------------------------------------

    def trainable(self, train: Corpus, valid: Corpus | None, plan: Plan) -> ExampleTrainable[TranslationBatch]:
        longer = np.maximum(self.inputs.lengths(train), train.lengths("target") + 1)
        kept = np.flatnonzero(longer <= self.config.model.length)
        if not len(kept):
            what = f"every pair is longer than {self.config.model.length} {self.inputs.counted}"
            raise DataError(what, remedy="raise model.length")
        sets = train.arrays[SETS].ravel()[kept] if self.tags else None
        order = mixed(longer[kept], plan.batch_tokens, plan.seed, sets, self.config.data.mix_temperature)
        at_random = self.config.tokens.bpe_dropout or self.config.tokens.written.bpe_dropout

        def make(rows: Any) -> TranslationBatch:
            places = kept[rows].tolist()
            if not at_random:
                return self.batch(train, places, plan.device)
            return self.batch_with_dropout(train, places, plan.device, f"{plan.seed} {order.epoch} {places}")

        def loss(model: nn.Module, batch: TranslationBatch) -> Loss:
            real = batch.real
            logits = model(batch.source, batch.source_lengths, batch.decoder_input, real)
            wanted = batch.labels[real]
            total = total_cross_entropy(logits, wanted, plan.label_smoothing)
            return Loss(total, len(wanted), logits)

        def sample(model: nn.Module) -> str:
            corpus = valid if valid is not None else train
            (answer,) = self.answers_in(model, corpus, [0], TranslateOptions(beam=1, attention=False))
            return f"{answer.source} → {answer.text}"

        return ExampleTrainable(
            ExampleStream(order, make),
            loss,
            self.validation(valid, plan),
            sample,
            self.notes(longer, valid),
            predicts_tokens=True,
        )

    def notes(self, lengths: NDArray[Any], valid: Corpus | None) -> list[str]:
        """What is left out of training and of validation."""
        settings, length = self.config.translate, self.config.model.length
        left_out, there = int((lengths > length).sum()), 0 if valid is None else len(valid)
        notes = [f"{left_out:,} pairs are longer than {length} {self.inputs.counted} and left out"] if left_out else []
        if settings.measure != "loss" and there > settings.validate_pairs:
            some = f"{settings.validate_pairs:,} of {there:,} pairs"
            notes.append(f"validation translates {some}, word by word; `seqloom evaluate` all of them, with a beam")
        return notes

    def validate(self, model: nn.Module, valid: Corpus, device: torch.device) -> ValidationResult:
        """Validation while training: the loss of all pairs, and the metric of some, translated greedily."""
        settings = self.config.translate
        loss = self.loss_of(model, valid, device)
        metrics = {"loss": loss}
        if settings.measure == "loss":
            return ValidationResult(metrics, -loss)
        rows = spread(min(settings.validate_pairs, len(valid)), len(valid))
        asked = questions(valid, rows, self.inputs.key, together=settings.several_right)
        answered = self.translated(model, valid, asked, TranslateEvaluateOptions(beam=1, attention=False))
        by_tag = scores_by_tag(rows_by_tag(valid, self.tags), answered, settings.measure)
        score = fmean(by_tag.values()) if by_tag else answered.metrics().score(settings.measure)
        return ValidationResult({**metrics, settings.measure: score, **by_tag}, score)

    def loss_of(
        self, model: nn.Module, corpus: Corpus, device: torch.device, some: Sequence[int] = (), tag: str = ""
    ) -> float:
        """The mean loss of a token, <eos> among them; of some pairs, or of all, behind a tag that they lack."""
        total, count = 0.0, 0
        places = np.array(some or range(len(corpus)))
        model.eval()
        with torch.no_grad():
            for chosen in by_length(corpus.lengths("target")[places], AT_ONCE):
                rows = places[chosen].tolist()
                sources = [one.values for one in self.inputs.of_corpus(corpus, rows, tag)]
                batch = self.paired(sources, [corpus["target", row] for row in rows], device)
                real = batch.real
                logits = model(batch.source, batch.source_lengths, batch.decoder_input, real)
                total += float(F.cross_entropy(logits, batch.labels[real], reduction="sum"))
                count += int(real.sum())
        return total / max(count, 1)

    def baseline(self, train: Iterable[Record], valid: Iterable[Record]) -> list[BaselineScore]:
        """The source as it is; of frames, the most frequent target."""
        measure = self.config.translate.measure
        if measure == "loss":
            return []
        records = list(islice(valid, MOST_MEASURED))
        name, given = self.inputs.baseline(train, records)
        written = self.config.tokens.written
        found = TranslationMetrics.of(
            given, [[text_in(record, "target")] for record in records], given, self.language,
            cased=not written.lower, spaced=written.kind == "space",
        )  # fmt: skip
        return [BaselineScore(name, measure, found.score(measure))]

    # --- use ----------------------------------------------------------------------------------------

    def input_of(self, record: Record) -> Any:
        return source_in(record, self.tags) if self.inputs.is_text else record.columns["frames"]

    def accept(self, given: Any) -> Any:
        return self.inputs.accept(given)

    def answer_steps(
        self, model: nn.Module, requests: Sequence[TaskRequest], options: TranslateOptions
    ) -> Iterator[Sequence[Reply]]:
        """Translations, each as soon as it is done; what is blank stays blank."""
        sources = self.inputs.read([one.input for one in requests], options.task_tag)
        yield from self.write_answers(model, sources, requests, options)

    def write_answers(
        self, model: nn.Module, sources: Sequence[GivenSource], requests: Sequence[TaskRequest],
        options: TranslateOptions,
    ) -> Iterator[Sequence[Reply]]:  # fmt: skip
        """The same for sources that were read."""
        if model.training:  # to ask is quicker than to set
            model.eval()
        check_tag(options.task_tag, self.tags, [source.shown for source in sources])

        def decode(read: Sequence[Any], batch: Sequence[TaskRequest]) -> Iterator[list[DecodingUpdate]]:
            return self.decode_steps(model, read, batch, options)

        return answer_sources(
            self.inputs, sources, requests, self.target_tokenizer, decode, copy_unknown=options.copy_unknown,
            at_once=model.at_once if isinstance(model, SequenceWriter) else AT_ONCE,
        )  # fmt: skip

    def answers_in(
        self, model: nn.Module, corpus: Corpus, rows: Sequence[int], options: TranslateOptions
    ) -> list[Translation]:
        """Answers to sources of a corpus."""
        return self.answers_to(model, self.inputs.of_corpus(corpus, rows, options.task_tag), options)

    def answers_to(
        self, model: nn.Module, sources: Sequence[GivenSource], options: TranslateOptions
    ) -> list[Translation]:
        """Answers to sources that were read."""
        keys = Keys(options.seed).of([source.shown for source in sources])
        requests = [TaskRequest(source.shown, key) for source, key in zip(sources, keys, strict=True)]
        return answers(self.write_answers(model, sources, requests, options), len(requests))

    def decode_steps(
        self, model: nn.Module, read: Sequence[Any], batch: Sequence[TaskRequest], options: TranslateOptions
    ) -> Iterator[list[DecodingUpdate]]:
        """Decode rows of sources step by step: by beam search, or by sampling."""
        if isinstance(model, SequenceWriter):
            return model.write_steps(read, batch, prefix_tokens(self.target_tokenizer, options.prefix), options)
        device = next(model.parameters()).device
        source, lengths = self.inputs.tensors(read, device)
        assert isinstance(model, Seq2Seq)
        limit, options = model.decoder.limit, self.inputs.limited(options)
        if limit is not None and options.limit(max(map(len, read))) > limit:  # there are no positions beyond
            options = options.model_copy(update={"max_length": limit})
        with torch.inference_mode():
            state = model.start(source, lengths, weights=options.attention or options.copy_unknown)
        return write_steps(model, state, [len(row) for row in read], batch, self.target_tokenizer, options, device)

    def streams(self, temperature: float | None) -> bool:
        return bool(temperature)  # a beam search may change its mind until the end

    def inspect(
        self, model: nn.Module, given: Any, options: InspectOptions, wanted: Callable[[], bool] = lambda: True
    ) -> Iterator[Inspection | None]:
        assert isinstance(model, Seq2Seq)
        return inspect_translation(self, model, self.accept(given), options, wanted)

    def check_said(self, given: Sequence[Any]) -> None:
        """Raise `ConfigError` if there are several tasks and a text does not say which one it is for."""
        if self.tags:
            check_tag("", self.tags, [self.accept(one) for one in given])

    def probe(self, model: nn.Module, given: Any) -> Probe:
        self.check_said([given])
        assert isinstance(model, Seq2Seq)
        return translation_probe(self, model, given)

    def review(self, model: nn.Module, records: list[Record]) -> list[Reviewed]:
        return review_translation(self, model, records)

    def example(self, model: nn.Module, given: Any, device: torch.device) -> Example:
        self.check_said([] if given is None else [given])
        return translation_example(self.inputs, model, self.target_tokenizer, given, device)

    def vectors(self, model: nn.Module, texts: Sequence[Any]) -> Tensor:
        """The mean of the encoder states of each source (B, D)."""
        assert isinstance(model, Seq2Seq)
        rows = [self.inputs.row(one.values) for one in self.inputs.read(texts)]
        device = next(model.parameters()).device
        found: dict[int, Tensor] = {}
        model.eval()
        for places in by_length([len(row) for row in rows], AT_ONCE):
            with torch.no_grad():
                memory = model.source(*self.inputs.tensors([rows[place] for place in places], device))
            found |= dict(zip(places, context_of(memory, "all").float().cpu(), strict=True))
        return torch.stack([found[place] for place in range(len(texts))]) if found else torch.zeros(0, 0)

    @property
    def language(self) -> str:
        """The language of the targets, empty if it is not said."""
        return self.config.data.target_language.split("-")[0].removeprefix("und")

    def translated(
        self, model: nn.Module, corpus: Corpus, questions: Sequence[Sequence[int]], options: TranslateEvaluateOptions
    ) -> Answered:
        """Pairs, translated; for pairs with the same source, the target of each is right."""
        rows = [same[0] for same in questions]
        found = self.answers_in(model, corpus, rows, options)
        given, sources = [answer.text for answer in found], [answer.source for answer in found]
        references = [[text_of(corpus, "target", row) for row in same] for same in questions]
        written = self.config.tokens.written
        cased, spaced = options.capitals and not written.lower, written.kind == "space"
        return Answered(rows, given, references, sources, self.language, cased=cased, spaced=spaced)

    def evaluate(
        self, model: nn.Module, corpus: Corpus, device: torch.device, options: TranslateEvaluateOptions
    ) -> Evaluation:
        """BLEU, chrF, exact match, error rates, perplexity, and quality by length of the source."""
        metrics: dict[str, float] = {}
        chosen = options.model_copy(update={"attention": False})
        rows: Sequence[int] = range(len(corpus))
        if of_task := rows_by_tag(corpus, self.tags).get(options.task_tag):  # pairs of this task, which have its tag
            rows, chosen = of_task, chosen.model_copy(update={"task_tag": ""})
        if not isinstance(model, SequenceWriter):  # a writer has no logits of what others wrote
            loss = self.loss_of(model, corpus, device, rows, chosen.task_tag)
            metrics = {"loss": loss, "perplexity": math.exp(min(loss, 50))}
        asked = questions(corpus, rows, self.inputs.key, together=self.config.translate.several_right)
        answered = self.translated(model, corpus, asked, chosen)
        measure = options.measure or self.config.translate.measure
        sizes = [self.inputs.size(corpus, row) for row in answered.rows]
        found = evaluation(answered.metrics(), metrics, measure, sizes)
        by_tag = {} if measure == "loss" else scores_by_tag(rows_by_tag(corpus, self.tags), answered, measure)
        return with_tags(found, by_tag) if by_tag else found
