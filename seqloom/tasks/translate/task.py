"""Translate: from one text to another."""

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
from seqloom.models.stage import Example
from seqloom.tasks.batching import ExampleStream, ExampleTrainable, tensors
from seqloom.tasks.inspection import Inspection, InspectOptions
from seqloom.tasks.prefix import prefix_tokens
from seqloom.tasks.requests import Reply, TaskRequest
from seqloom.tasks.review import Reviewed
from seqloom.tasks.task import Evaluation, Task
from seqloom.tasks.trainable import Loss, Plan, ValidationResult
from seqloom.tasks.translate.answering import AT_ONCE, answer_texts
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
from seqloom.tasks.translate.inspect import inspect_translation
from seqloom.tasks.translate.metrics import Answered, evaluation, scores_by_tag, with_tags
from seqloom.tasks.translate.options import TranslateEvaluateOptions, TranslateOptions
from seqloom.tasks.translate.probe import translation_probe
from seqloom.tasks.translate.review import review_translation
from seqloom.tasks.translate.settings import TranslateConfig, TranslateFacts
from seqloom.tasks.translate.stages import translation_example
from seqloom.tasks.translate.task_tags import check_tag, tagged
from seqloom.tasks.writing import write_steps
from seqloom.tokens.pretokenization import word_pattern
from seqloom.tokens.settings import EOS
from seqloom.tokens.tokenizer import Tokenizer, train_pair

WEIGHTS_PER_TOKEN = 100
"""Attention weights that cost as much as one token."""


class Translate(Task[TranslateConfig]):
    """Turn a text into another: a translation, a date in another format, a title."""

    Settings = TranslateConfig
    columns = COLUMNS["translate"]
    Learned = TranslateFacts
    Options = TranslateOptions
    EvaluateOptions = TranslateEvaluateOptions

    translates = True
    generates_text = True

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
        return Seq2Seq.of_texts(self.config.model, self.source_tokenizer.size, self.target_tokenizer.size)

    @classmethod
    def untrained(cls, config: TranslateConfig, vocabulary: int) -> Seq2Seq:
        return Seq2Seq.of_texts(config.model, vocabulary, vocabulary)

    def max_tokens(self, given: Any, options: Any) -> int:
        """All sequences of the beam at their longest, and attention weights that are kept; a byte may be a token."""
        model = self.config.model
        source = min(len(given.encode()) + 1, model.length)
        cost = 1
        if options.attention or options.copy_unknown:
            heads = model.heads if "heads" in find(model.decoder, "decoder").reads else 1
            cost += len(model.decoder_widths) * heads * source // WEIGHTS_PER_TOKEN
        return int(options.sequences * options.limit(source) * cost)

    # --- data ---------------------------------------------------------------------------------------

    def encoding_settings(self) -> Mapping[str, Any]:
        return {}

    def encode(self, records: list[Record]) -> Chunk:
        """Both sides as token ids, and as text: for the metrics, and for BPE-dropout."""
        sources = [source_in(record, self.tags) for record in records]
        targets = [text_in(record, "target") for record in records]
        sets = {SETS: [[set_number(record, self.tags)] for record in records]} if self.tags else {}
        return {
            **sets,
            "source": self.source_tokenizer.encode_batch(sources),
            "target": self.target_tokenizer.encode_batch(targets),
            "source_text": [as_bytes(text) for text in sources],
            "target_text": [as_bytes(text) for text in targets],
        }

    def batch(self, corpus: Corpus, rows: Sequence[int], device: torch.device) -> TranslationBatch:
        return translation_batch(
            [corpus["source", row] for row in rows], [corpus["target", row] for row in rows], device
        )

    def batch_with_dropout(
        self, corpus: Corpus, rows: Sequence[int], device: torch.device, key: str
    ) -> TranslationBatch:
        """As `batch`, with texts tokenized at random (BPE-dropout); the key is the seed."""
        random = Random(hashlib.blake2b(key.encode(), digest_size=8).digest())
        sources = self.source_tokenizer.encode_batch([text_of(corpus, "source", row) for row in rows], random)
        targets = self.target_tokenizer.encode_batch([text_of(corpus, "target", row) for row in rows], random)
        longest = self.config.model.length - 1
        return translation_batch([row[:longest] for row in sources], [row[:longest] for row in targets], device)

    # --- training -----------------------------------------------------------------------------------

    def trainable(self, train: Corpus, valid: Corpus | None, plan: Plan) -> ExampleTrainable[TranslationBatch]:
        longer = np.maximum(train.lengths("source"), train.lengths("target")) + 1
        kept = np.flatnonzero(longer <= self.config.model.length)
        if not len(kept):
            raise DataError(f"every pair is longer than {self.config.model.length} tokens", remedy="raise model.length")
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
            (answer,) = self.predict(model, [text_of(corpus, "source", 0)], TranslateOptions(beam=1, attention=False))
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
        notes = [f"{left_out:,} pairs are longer than {length} tokens and left out"] if left_out else []
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
        asked, greedy = questions(valid, rows, together=settings.several_right), {"beam": 1, "attention": False}
        answered = self.translated(model, valid, asked, TranslateEvaluateOptions.model_validate(greedy))
        by_tag = scores_by_tag(rows_by_tag(valid, self.tags), answered, settings.measure)
        score = fmean(by_tag.values()) if by_tag else answered.metrics().score(settings.measure)
        return ValidationResult({**metrics, settings.measure: score, **by_tag}, score)

    def loss_of(
        self, model: nn.Module, corpus: Corpus, device: torch.device, some: Sequence[int] = (), tag: str = ""
    ) -> float:
        """The mean loss of a token, <eos> among them; of some pairs, or of all, behind a tag that they lack."""
        total, count = 0.0, 0
        longest = self.config.model.length - 1
        places = np.array(some or range(len(corpus)))
        model.eval()
        with torch.no_grad():
            for chosen in by_length(corpus.lengths("target")[places], AT_ONCE):
                rows = places[chosen].tolist()
                sources = [row[:longest] for row in self.sources(corpus, rows, tag)]
                batch = translation_batch(sources, [corpus["target", row][:longest] for row in rows], device)
                real = batch.real
                logits = model(batch.source, batch.source_lengths, batch.decoder_input, real)
                total += float(F.cross_entropy(logits, batch.labels[real], reduction="sum"))
                count += int(real.sum())
        return total / max(count, 1)

    def sources(self, corpus: Corpus, rows: Sequence[int], tag: str) -> Sequence[Any]:
        """The token ids of sources, as they are or behind a tag."""
        if not tag:
            return [corpus["source", row] for row in rows]
        return self.source_tokenizer.encode_batch([tagged(tag, text_of(corpus, "source", row)) for row in rows])

    def baseline(self, train: Iterable[Record], valid: Iterable[Record]) -> list[BaselineScore]:
        """The source as it is: what names, numbers and common words give."""
        measure = self.config.translate.measure
        if measure == "loss":
            return []
        pairs = [(str(one.columns["source"]), str(one.columns["target"])) for one in islice(valid, MOST_MEASURED)]
        sources = [source for source, _ in pairs]
        written = self.config.tokens.written
        found = TranslationMetrics.of(
            sources, [[target] for _, target in pairs], sources, self.language,
            cased=not written.lower, spaced=written.kind == "space",
        )  # fmt: skip
        return [BaselineScore("the source as it is", measure, found.score(measure))]

    # --- use ----------------------------------------------------------------------------------------

    def answer_steps(
        self, model: nn.Module, requests: Sequence[TaskRequest], options: TranslateOptions
    ) -> Iterator[Sequence[Reply]]:
        """Translations, each as soon as it is done; what is blank stays blank."""
        if model.training:  # to ask is quicker than to set
            model.eval()
        texts = [self.accept(one.input) for one in requests]
        check_tag(options.task_tag, self.tags, texts)
        texts = [tagged(options.task_tag, text) for text in texts]
        reading = self.source_tokenizer, self.target_tokenizer, self.config.model.length

        def decode(read: Sequence[Sequence[int]], batch: Sequence[TaskRequest]) -> Iterator[list[DecodingUpdate]]:
            return self.decode_steps(model, read, batch, options)

        at_once = model.at_once if isinstance(model, SequenceWriter) else AT_ONCE
        yield from answer_texts(texts, requests, *reading, decode, copy_unknown=options.copy_unknown, at_once=at_once)

    def decode_steps(
        self, model: nn.Module, read: Sequence[Sequence[int]], batch: Sequence[TaskRequest], options: TranslateOptions
    ) -> Iterator[list[DecodingUpdate]]:
        """Decode sources that were tokenized, step by step: by beam search, or by sampling."""
        if isinstance(model, SequenceWriter):
            return model.write_steps(read, batch, prefix_tokens(self.target_tokenizer, options.prefix), options)
        device = next(model.parameters()).device
        source, lengths = tensors(read, device)
        assert isinstance(model, Seq2Seq)
        limit = model.decoder.limit
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

    def input_of(self, record: Record) -> Any:
        return source_in(record, self.tags)

    def probe(self, model: nn.Module, given: Any) -> Probe:
        check_tag("", self.tags, [self.accept(given)])
        assert isinstance(model, Seq2Seq)
        return translation_probe(self, model, given)

    def review(self, model: nn.Module, records: list[Record]) -> list[Reviewed]:
        return review_translation(self, model, records)

    def example(self, model: nn.Module, given: Any, device: torch.device) -> Example:
        check_tag("", self.tags, [] if given is None else [self.accept(given)])
        reads, writes = self.source_tokenizer, self.target_tokenizer
        return translation_example(model, reads, writes, given, self.config.model.length, device)

    def vectors(self, model: nn.Module, texts: Sequence[str]) -> Tensor:
        """The mean of the encoder states of each text (B, D)."""
        assert isinstance(model, Seq2Seq)
        encoded = self.source_tokenizer.encode_batch(list(texts))
        longest = self.config.model.length - 1
        device = next(model.parameters()).device
        found: dict[int, Tensor] = {}
        model.eval()
        for places in by_length([len(ids) for ids in encoded], AT_ONCE):
            source, lengths = tensors([[*encoded[place][:longest], EOS] for place in places], device)
            with torch.no_grad():
                memory = model.source(source, lengths)
            weights = memory.mask[..., None].to(memory.hidden.dtype)
            means = (memory.hidden * weights).sum(1) / weights.sum(1)
            found |= dict(zip(places, means, strict=True))
        return torch.stack([found[place] for place in range(len(texts))]) if found else torch.zeros(0, 0)

    @property
    def language(self) -> str:
        """The language of the targets, empty if it is not said."""
        return self.config.data.target_language.split("-")[0].removeprefix("und")

    def translated(
        self, model: nn.Module, corpus: Corpus, questions: Sequence[Sequence[int]], options: TranslateEvaluateOptions
    ) -> Answered:
        """Pairs, translated; for pairs with the same source, the target of each is right."""
        sources = [text_of(corpus, "source", rows[0]) for rows in questions]
        answers = [answer.text for answer in self.predict(model, sources, options)]
        references = [[text_of(corpus, "target", row) for row in rows] for rows in questions]
        written = self.config.tokens.written
        cased, spaced = options.capitals and not written.lower, written.kind == "space"
        return Answered(
            [rows[0] for rows in questions], answers, references, sources, self.language, cased=cased, spaced=spaced
        )

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
        answered = self.translated(
            model, corpus, questions(corpus, rows, together=self.config.translate.several_right), chosen
        )
        measure = options.measure or self.config.translate.measure
        found = evaluation(answered.metrics(), metrics, measure)
        by_tag = {} if measure == "loss" else scores_by_tag(rows_by_tag(corpus, self.tags), answered, measure)
        return with_tags(found, by_tag) if by_tag else found
