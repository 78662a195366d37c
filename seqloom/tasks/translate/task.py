"""Translate: from one text to another, or from frames of sound or sensors to a text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from random import Random
from typing import Any, Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from seqloom.attribution.probe import Probe
from seqloom.data.bucket_sampler import BucketSampler
from seqloom.data.column_roles import COLUMNS
from seqloom.data.corpus import Chunk, Corpus
from seqloom.data.mixed_sampler import mixed
from seqloom.data.record import Record
from seqloom.data.splits import Records, join_splits, open_data
from seqloom.data.stratification import Outcomes
from seqloom.decoding.hypotheses import DecodingUpdate
from seqloom.decoding.writer import SequenceWriter
from seqloom.evaluating.baselines.score import MOST_MEASURED, BaselineScore
from seqloom.evaluating.translation import TranslationMetrics
from seqloom.models.seq2seq.model import Seq2Seq
from seqloom.models.seq2seq.source_encoder import context_of
from seqloom.models.stage import Example
from seqloom.tasks.batching import vectors_by_length
from seqloom.tasks.inspection import Inspection, InspectOptions
from seqloom.tasks.prefix import prefix_tokens
from seqloom.tasks.requests import Keys, Reply, TaskRequest, answers
from seqloom.tasks.review import Reviewed
from seqloom.tasks.seq2seq import Seq2SeqBatch, Seq2SeqTask
from seqloom.tasks.seq2seq_decoding import write_steps
from seqloom.tasks.task import Evaluation, Facts
from seqloom.tasks.trainable import Plan, ValidationResult
from seqloom.tasks.translate.answering import AT_ONCE, answer_sources
from seqloom.tasks.translate.answers import GivenSource, Translation
from seqloom.tasks.translate.corpus_text import SETS, as_bytes, set_number, source_in, text_in, text_of
from seqloom.tasks.translate.evaluation import evaluate_translation, validate_translation
from seqloom.tasks.translate.fit_preprocessing import fit_frame_scaling, fit_tokenizers
from seqloom.tasks.translate.frame_sources import FrameSources
from seqloom.tasks.translate.inputs import SourceKind, TextSources
from seqloom.tasks.translate.inspect import inspect_translation
from seqloom.tasks.translate.options import TranslateEvaluateOptions, TranslateOptions
from seqloom.tasks.translate.probe import translation_probe
from seqloom.tasks.translate.review import review_translation
from seqloom.tasks.translate.settings import TranslateConfig, TranslateFacts
from seqloom.tasks.translate.stages import translation_example
from seqloom.tasks.translate.task_tags import check_tag
from seqloom.tokens.pretokenization import word_pattern
from seqloom.tokens.tokenizer import Tokenizer


class Translate(Seq2SeqTask[TranslateConfig]):
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
        with_frames = "frames" in next(iter(train)).columns
        return cls(config, *(fit_frame_scaling if with_frames else fit_tokenizers)(config, train, known))

    @classmethod
    def outcomes(cls, config: TranslateConfig) -> Outcomes:
        """The characters and the words of the target."""
        find_words = word_pattern().findall
        return Outcomes(lambda record: text_in(record, "target"), lambda record: find_words(text_in(record, "target")))

    def make_model(self) -> Seq2Seq:
        return self.inputs.make_model(self.target_tokenizer.size)

    @classmethod
    def untrained(cls, config: TranslateConfig, vocabulary: int) -> Seq2Seq:
        return Seq2Seq.of_texts(config.model, vocabulary, vocabulary)

    @property
    def counted(self) -> str:
        return self.inputs.counted

    def max_tokens(self, given: Any, options: Any) -> int:
        source, weights = self.inputs.most_read(given), options.attention or options.copy_unknown
        return self.answer_cost(options, source, self.inputs.limited(options).limit(source), weights=weights)

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

    def paired(self, sources: Sequence[Any], targets: Sequence[Any], device: torch.device) -> Seq2SeqBatch:
        """Encoded sources and targets as a batch, cut where they are longer than the model reads."""
        read = self.inputs.tensors([self.inputs.row(values) for values in sources], device)
        longest = self.config.model.length - 1
        return Seq2SeqBatch.of(*read, [target[:longest] for target in targets], device)

    # --- training -----------------------------------------------------------------------------------

    def lengths(self, corpus: Corpus) -> NDArray[Any]:
        longer: NDArray[Any] = np.maximum(self.inputs.lengths(corpus), corpus.lengths("target") + 1)
        return longer

    def sampler(self, train: Corpus, kept: NDArray[Any], lengths: NDArray[Any], plan: Plan) -> BucketSampler:
        sets = train.arrays[SETS].ravel()[kept] if self.tags else None
        return mixed(lengths, plan.batch_tokens, plan.seed, sets, self.config.data.mix_temperature)

    def training_batch(self, corpus: Corpus, rows: Sequence[int], device: torch.device, random: Random) -> Seq2SeqBatch:
        """Pairs as they are encoded; with BPE-dropout, their texts tokenized anew."""
        if not (self.config.tokens.bpe_dropout or self.config.tokens.written.bpe_dropout):
            return self.paired([corpus["source", row] for row in rows], [corpus["target", row] for row in rows], device)
        sources = self.inputs.at_random(corpus, rows, random)
        targets = self.target_tokenizer.encode_batch([text_of(corpus, "target", row) for row in rows], random)
        return self.paired(sources, targets, device)

    def sample(self, model: nn.Module, corpus: Corpus) -> str:
        (answer,) = self.answers_in(model, corpus, [0], TranslateOptions(beam=1, attention=False))
        return f"{answer.source} → {answer.text}"

    def notes(self, left_out: int, valid: int) -> list[str]:
        settings, notes = self.config.translate, super().notes(left_out, valid)
        if settings.measure != "loss" and valid > settings.validate_pairs:
            some = f"{settings.validate_pairs:,} of {valid:,} pairs"
            notes.append(f"validation translates {some}, word by word; `seqloom evaluate` all of them, with a beam")
        return notes

    def validate(self, model: nn.Module, valid: Corpus, device: torch.device) -> ValidationResult:
        return validate_translation(self, model, valid, device)

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
            prefix = prefix_tokens(self.target_tokenizer, options.prefix)
            return model.write_steps(read, batch, prefix, self.inputs.limited(options))
        device = next(model.parameters()).device
        source, lengths = self.inputs.tensors(read, device)
        assert isinstance(model, Seq2Seq)
        limit, options = model.decoder.limit, self.inputs.limited(options)
        if limit is not None and options.limit(max(map(len, read))) > limit:  # there are no positions beyond
            options = options.model_copy(update={"max_length": limit})
        with torch.inference_mode():
            state = model.start(source, lengths, weights=options.attention or options.copy_unknown)
        return write_steps(model, state, [len(row) for row in read], batch, self.target_tokenizer, options, device)

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
        source, read = model.source, [self.inputs.row(one.values) for one in self.inputs.read(texts)]
        device = next(model.parameters()).device
        model.eval()

        def compute(places: list[int]) -> Tensor:
            return context_of(source(*self.inputs.tensors([read[place] for place in places], device)), "all")

        return vectors_by_length([len(row) for row in read], compute, AT_ONCE)

    def evaluate(
        self, model: nn.Module, corpus: Corpus, device: torch.device, options: TranslateEvaluateOptions
    ) -> Evaluation:
        return evaluate_translation(self, model, corpus, device, options)
