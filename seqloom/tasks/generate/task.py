"""Generate: what comes next in a text."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, islice
from typing import Any, ClassVar, Self, cast

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from seqloom.attribution.probe import Probe
from seqloom.config import Config
from seqloom.data.column_roles import COLUMNS
from seqloom.data.corpus import Chunk, Corpus
from seqloom.data.length_batches import by_length
from seqloom.data.record import Record
from seqloom.data.splits import Records
from seqloom.decoding.writer import TextContinuer
from seqloom.errors import ConfigError, SeqloomError, quoted
from seqloom.evaluating.baselines.ngram_language_model import NgramLanguageModel
from seqloom.evaluating.baselines.score import BaselineScore
from seqloom.evaluating.bootstrap import CountedMetric, ratio
from seqloom.evaluating.perplexity import LanguageModelMetrics
from seqloom.layers.cross_entropy import total_cross_entropy
from seqloom.models.language_model import LanguageModel
from seqloom.models.stage import Example
from seqloom.tasks.batching import ExampleTrainable, tensors, vectors_by_length
from seqloom.tasks.facts import NoFacts
from seqloom.tasks.generate.answers import FilledText, between_blanks, fill
from seqloom.tasks.generate.batch import MASK, LanguageModelBatch, masked_tokens, next_tokens
from seqloom.tasks.generate.continuing import continue_texts, shown_token
from seqloom.tasks.generate.generation import NEVER, write
from seqloom.tasks.generate.inspect import inspect_generation
from seqloom.tasks.generate.long_text import LongText, lines_of, to_text, to_tokens
from seqloom.tasks.generate.options import GenerateOptions
from seqloom.tasks.generate.probe import generation_probe
from seqloom.tasks.generate.review import review_generation
from seqloom.tasks.generate.settings import GenerateConfig
from seqloom.tasks.generate.stages import generation_example
from seqloom.tasks.generate.stream import Segments, SegmentStream, side_by_side
from seqloom.tasks.inspection import Inspection, InspectOptions
from seqloom.tasks.requests import Reply, TaskRequest
from seqloom.tasks.review import Reviewed
from seqloom.tasks.task import Evaluation, Facts, Task
from seqloom.tasks.trainable import Loss, Plan
from seqloom.tokens.settings import SUBWORDS
from seqloom.tokens.tokenizer import Tokenizer

EVALUATED = 4_096
"""Tokens that are evaluated in one batch."""
COUNTED, MEASURED = 1_000_000, 100_000
"""Tokens that a baseline counts, and those it is measured on."""
NGRAMS = {"unigrams": 1, "trigrams": 3}
SAMPLE = GenerateOptions(length=60)
"""How the sample that is shown while training is generated."""


class Generate(Task[GenerateConfig]):
    """Continue a text token by token, or fill the blanks in one."""

    Settings = GenerateConfig
    columns = COLUMNS["generate"]
    Learned = NoFacts
    Options: ClassVar[type[Config]] = GenerateOptions

    def __init__(self, config: GenerateConfig, tokenizers: Mapping[str, Tokenizer], facts: Facts) -> None:
        super().__init__(config, tokenizers, facts)
        self.tokenizer = self.tokenizers["text"]
        self.masked = config.generate.objective == "masked"

    @classmethod
    def learn(cls, config: GenerateConfig, train: Records, known: Mapping[str, Tokenizer]) -> Self:
        """Train the tokenizer."""
        if config.tokens.bpe_dropout:
            raise ConfigError(
                "settings", [("tokens.bpe_dropout", "the text is tokenised once, before training", "leave it at 0")]
            )
        texts = lines_of(str(record.columns["text"]) for record in train)
        tokenizer = known["text"] if "text" in known else Tokenizer.train(texts, config.tokens)
        return cls(config, {"text": tokenizer}, {})

    def make_model(self) -> LanguageModel:
        return LanguageModel(self.config.model, self.tokenizer.size, causal=not self.masked)

    @classmethod
    def untrained(cls, config: GenerateConfig, vocabulary: int) -> LanguageModel:
        return LanguageModel(config.model, vocabulary, causal=config.generate.objective == "next")

    # --- data ---------------------------------------------------------------------------------------

    def encoding_settings(self) -> Mapping[str, Any]:
        return {}

    def encode(self, records: list[Record]) -> Chunk:
        """Lines as token ids, each with <eos> for its end, and how many characters each has, the end among them."""
        texts = [str(record.columns["text"]) for record in records]
        tokens = [[*line, self.tokenizer.eos] for line in to_tokens(self.tokenizer, texts)]
        return {"text": tokens, "characters": [[len(text) + 1] for text in texts]}

    def batch(
        self, text: LongText, segments: Segments, device: torch.device, generator: np.random.Generator
    ) -> LanguageModelBatch:
        if self.masked:
            return masked_tokens(text, segments, device, self.tokenizer.size, generator, self.config.generate.mask_rate)
        return next_tokens(text, segments, device)

    def tokens_of(self, records: Iterable[Record], most: int) -> list[int]:
        """The first tokens of a text."""
        lines = chain.from_iterable(line for record in records for line in self.encode([record])["text"])
        return list(islice(lines, most))

    # --- training -----------------------------------------------------------------------------------

    def check_teacher(self, teacher: Self) -> None:
        own, other = self.config.generate.objective, teacher.config.generate.objective
        if own != other:
            what = f"{own}, and the teacher learned {other}"
            raise ConfigError("settings", [("generate.objective", what, f"set it to {other}")])

    def baseline(self, train: Iterable[Record], valid: Iterable[Record]) -> list[BaselineScore]:
        """Counts of single tokens, and of three."""
        if self.masked:
            return []
        learned, measured = self.tokens_of(train, COUNTED), self.tokens_of(valid, MEASURED)
        models = {name: NgramLanguageModel(learned, self.tokenizer.size, n) for name, n in NGRAMS.items()}
        return [BaselineScore(name, "perplexity", math.exp(model.loss(measured))) for name, model in models.items()]

    def trainable(self, train: Corpus, valid: Corpus | None, plan: Plan) -> ExampleTrainable[LanguageModelBatch]:
        text, length = LongText(train, self.tokenizer.eos), self.config.model.length

        def make(segments: Segments, generator: np.random.Generator) -> LanguageModelBatch:
            return self.batch(text, segments, plan.device, generator)

        def loss(model: nn.Module, batch: LanguageModelBatch) -> Loss:
            where = batch.targets >= 0
            logits, targets = model(batch.tokens, batch.lengths, where), batch.targets[where]
            return Loss(total_cross_entropy(logits, targets, plan.label_smoothing), len(targets), logits)

        stride, segments = self.config.generate.stride, max(plan.batch_tokens // length, 1)
        stream = SegmentStream(len(text), length, stride, segments, plan.seed, make)
        return ExampleTrainable(stream, loss, self.validation(valid, plan), self.sample, predicts_tokens=True)

    def sample(self, model: nn.Module) -> str:
        """The start of a text, on one line."""
        if self.masked:
            return ""
        return str(self.predict(model, [""], SAMPLE)[0]).replace("\n", " / ")

    # --- use ----------------------------------------------------------------------------------------

    def answer_steps(
        self, model: nn.Module, requests: Sequence[TaskRequest], options: GenerateOptions
    ) -> Iterator[Sequence[Reply]]:
        """Continuations of the inputs; a masked model fills the blanks in them."""
        if model.training:  # to ask is quicker than to set
            model.eval()
        return (
            self.fill_blanks(model, requests, options) if self.masked else self.continue_texts(model, requests, options)
        )

    def continue_texts(
        self, model: nn.Module, requests: Sequence[TaskRequest], options: GenerateOptions
    ) -> Iterator[Sequence[Reply]]:
        """What comes after the inputs."""
        for one in requests:
            self.accept(one.input)
        go_on = model.continue_texts if isinstance(model, TextContinuer) else partial(write, cast(LanguageModel, model))
        keys = [one.key for one in requests]
        return continue_texts(
            self.tokenizer,
            requests,
            options,
            lambda texts: go_on(texts, keys, options, lambda row: requests[row].wanted),
        )

    def shown(self, id: int) -> str:
        return shown_token(self.tokenizer, id)

    def fill_blanks(
        self, model: nn.Module, requests: Sequence[TaskRequest], options: GenerateOptions
    ) -> Iterator[Sequence[Reply]]:
        texts = [self.accept(one.input) for one in requests]
        encoded = [self.with_blanks(text, getattr(model, "limit", None)) for text in texts]
        device = next(model.parameters()).device
        count = min(options.candidates, self.tokenizer.size - len(NEVER))
        for places in by_length([len(row) for row, _ in encoded]):
            tokens, lengths = tensors([encoded[place][0] for place in places], device)
            blank = torch.zeros_like(tokens, dtype=torch.bool)
            for number, place in enumerate(places):
                blank[number, encoded[place][1]] = True
            with torch.inference_mode():
                probabilities = torch.softmax(model(tokens, lengths, blank), -1)
            probabilities = probabilities.index_fill(-1, torch.tensor(NEVER, device=device), -1.0)
            best = iter(zip(*(values.tolist() for values in probabilities.topk(count)), strict=True))
            found = []
            for place in places:
                blanks = [self.candidates(*next(best)) for _ in encoded[place][1]]
                text = fill(texts[place], [next(iter(words)) for words in blanks])
                found.append(Reply(place, FilledText(text, texts[place], blanks)))
            yield found

    def with_blanks(self, text: str, limit: int | None) -> tuple[list[int], list[int]]:
        """A line with the mask in its blanks, between line breaks; and where the blanks are."""
        parts = between_blanks(text)
        if self.tokenizer.config.kind in SUBWORDS:  # there a space belongs to the token behind it
            parts = [part.rstrip(" ") for part in parts[:-1]] + parts[-1:]
        tokens, places = [self.tokenizer.eos], []
        for number, part in enumerate(to_tokens(self.tokenizer, parts)):
            if number:
                places.append(len(tokens))
                tokens.append(MASK)
            tokens += part
        tokens.append(self.tokenizer.eos)
        if limit is not None and len(tokens) > limit:
            what = f"{quoted(text)} has {len(tokens)} tokens including its ends, and the model reads {limit}"
            raise SeqloomError(what, remedy="give the words around the blanks only")
        return tokens, places

    def candidates(self, probabilities: list[float], ids: list[int]) -> dict[str, float]:
        """Tokens and their probabilities, the best first; a word stands without the space before it."""
        found: dict[str, float] = {}
        for id, probability in zip(ids, probabilities, strict=True):
            name = to_text(self.tokenizer, [id])
            if "\ufffd" in name:  # a part of a letter
                name = self.tokenizer.vocabulary[id]
            if self.tokenizer.config.kind != "character":
                name = name.strip(" ") or name
            found[name] = found.get(name, 0.0) + probability  # with and without a space it is one word
        return found

    def vectors(self, model: nn.Module, texts: Sequence[Any]) -> Tensor:
        """The mean of the hidden states of each text (B, H); of a long one, of its last tokens."""
        assert isinstance(model, LanguageModel)
        device, limit = next(model.parameters()).device, self.config.model.length
        read = to_tokens(self.tokenizer, [self.accept(text) for text in texts])
        encoded = [[self.tokenizer.eos, *tokens][-limit:] for tokens in read]
        return vectors_by_length(
            [len(one) for one in encoded],
            lambda places: model.vectors(*tensors([encoded[place] for place in places], device)),
        )

    def inspect(
        self, model: nn.Module, given: Any, options: InspectOptions, wanted: Callable[[], bool] = lambda: True
    ) -> Iterator[Inspection | None]:
        assert isinstance(model, LanguageModel)
        return inspect_generation(self, model, self.accept(given), options, wanted)

    def probe(self, model: nn.Module, given: Any) -> Probe:
        assert isinstance(model, LanguageModel)
        return generation_probe(self, model, given)

    def review(self, model: nn.Module, records: list[Record]) -> list[Reviewed]:
        return review_generation(self, model, records)

    def example(self, model: nn.Module, given: Any, device: torch.device) -> Example:
        return generation_example(self, model, given, device)

    @property
    def generates_text(self) -> bool:
        return not self.masked

    def streams(self, temperature: float | None) -> bool:
        return not self.masked

    def completion_options(self, max_tokens: int | None, temperature: float | None) -> dict[str, Any]:
        """As at OpenAI: 16 tokens, drawn at temperature 1."""
        return {"length": max_tokens or 16, "temperature": 1.0 if temperature is None else temperature}

    def max_tokens(self, given: Any, options: Any) -> int:
        return int(options.length)

    def evaluate(self, model: nn.Module, corpus: Corpus, device: torch.device, options: object) -> Evaluation:
        """Perplexity and accuracy: of every token once, or, masked, of a sample that is always the same."""
        text, length = LongText(corpus, self.tokenizer.eos), self.config.model.length
        segments = side_by_side(len(text), length)
        at_once = max(EVALUATED // length, 1)
        generator = np.random.default_rng(0)  # masks the same tokens every time
        ends = np.cumsum(corpus.lengths("text"))
        losses = np.zeros((len(ends), 2))  # of each text: the sum, and the tokens predicted
        right = 0
        model.eval()
        with torch.no_grad():
            for first in range(0, len(segments), at_once):
                batch = self.batch(text, segments[first : first + at_once], device, generator)
                where = batch.targets >= 0
                logits, targets = model(batch.tokens, batch.lengths, where), batch.targets[where]
                right += int((logits.argmax(-1) == targets).sum())
                chosen = segments[first : first + at_once]
                read = np.concatenate([np.arange(*segment) for segment in chosen])
                inside = torch.arange(where.shape[1], device=device) < batch.lengths[:, None]
                places = np.searchsorted(ends, read[where[inside].cpu().numpy()], "right")
                loss = F.cross_entropy(logits, targets, reduction="none").double().cpu().numpy()
                losses += np.stack([np.bincount(places, each, len(ends)) for each in (loss, np.ones(len(loss)))], 1)
        total, count = float(losses[:, 0].sum()), int(losses[:, 1].sum())
        characters = 0 if self.masked else int(corpus.arrays["characters"].sum(dtype=np.int64))
        found = LanguageModelMetrics(total, count, characters)
        metrics = {"loss": found.mean_loss, **found.metrics(), "bits_per_token": found.bits_for(count)}
        if self.masked:  # which tokens are masked depends on the tokenizer
            counted, measure, how = CountedMetric(losses, ratio), "loss", f"tokens of {self.tokenizer.fingerprint}"
        else:
            bits = np.stack([losses[:, 0] / np.log(2), corpus.arrays["characters"].ravel()], 1)
            counted, measure, how = CountedMetric(bits, ratio), "bits_per_character", "bits per character"
        return Evaluation(
            {**metrics, "accuracy": right / count}, -found.mean_loss, details={"tokens": count},
            counted=counted, measure=measure, lower_is_better=True, how=how,
        )  # fmt: skip
