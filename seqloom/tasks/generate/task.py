"""Generate: what comes next in a text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from seqloom.config import Config
from seqloom.data.corpus import Chunk, Corpus
from seqloom.data.record import Record
from seqloom.data.splits import Records
from seqloom.decoding.hypotheses import Hypothesis
from seqloom.errors import ConfigError, SeqloomError
from seqloom.evaluating.language import Foretold
from seqloom.models.language_model import LanguageModel
from seqloom.tasks.asking import Asked, Said
from seqloom.tasks.batching import by_length, tensors
from seqloom.tasks.generate.answers import Filled, Written, between_blanks, fill
from seqloom.tasks.generate.batch import MASK, Batch, masked_tokens, next_tokens
from seqloom.tasks.generate.settings import GenerateConfig, GenerateOptions
from seqloom.tasks.generate.stream import Segments, SegmentStream, side_by_side
from seqloom.tasks.generate.text import LongText, lines_of, to_text, to_tokens
from seqloom.tasks.generate.work import SegmentWork
from seqloom.tasks.generate.writing import NEVER, write
from seqloom.tasks.task import Facts, Findings, Task
from seqloom.tasks.work import Plan, Score
from seqloom.tokens.settings import SUBWORDS
from seqloom.tokens.tokenizer import Tokenizer

EVALUATED = 4_096
"""Tokens that are evaluated in one batch."""
SAMPLE = GenerateOptions(length=60)
"""What is written to look at while training."""


class Generate(Task[GenerateConfig]):
    """A dictionary."""

    Options: ClassVar[type[Config]] = GenerateOptions

    def __init__(self, config: GenerateConfig, tokenizers: Mapping[str, Tokenizer], facts: Facts) -> None:
        super().__init__(config, tokenizers, facts)
        self.tokenizer = self.tokenizers["text"]
        self.masked = config.generate.objective == "masked"

    @classmethod
    def learn(cls, config: GenerateConfig, train: Records, known: Mapping[str, Tokenizer]) -> Self:
        """The dictionary of training data."""
        if config.tokens.bpe_dropout:
            raise ConfigError(
                "settings", [("tokens.bpe_dropout", "generate cuts its text once, before training", "leave it at 0")]
            )
        texts = lines_of(str(record.columns["text"]) for record in train)
        tokenizer = known["text"] if "text" in known else Tokenizer.train(texts, config.tokens)
        return cls(config, {"text": tokenizer}, {})

    def make_model(self) -> LanguageModel:
        return LanguageModel(self.config.model, self.tokenizer.size, causal=not self.masked)

    # --- data ---------------------------------------------------------------------------------------

    def reads(self) -> Mapping[str, Any]:
        return {}

    def encode(self, records: list[Record]) -> Chunk:
        """Lines as numbers, each with <eos> for its end, and how many characters each has, the end among them."""
        texts = [str(record.columns["text"]) for record in records]
        tokens = [[*line, self.tokenizer.eos] for line in to_tokens(self.tokenizer, texts)]
        return {"text": tokens, "characters": [[len(text) + 1] for text in texts]}

    def batch(self, text: LongText, segments: Segments, device: torch.device, generator: np.random.Generator) -> Batch:
        if self.masked:
            return masked_tokens(text, segments, device, self.tokenizer.size, generator)
        return next_tokens(text, segments, device)

    # --- training -----------------------------------------------------------------------------------

    def work(self, train: Corpus, valid: Corpus | None, plan: Plan) -> SegmentWork:
        text, length = LongText(train, self.tokenizer.eos), self.config.model.length

        def make(segments: Segments, generator: np.random.Generator) -> Batch:
            return self.batch(text, segments, plan.device, generator)

        def evaluate(model: nn.Module) -> Score | None:
            if valid is None:
                return None
            found = self.evaluate(model, valid, plan.device, None)
            return Score(dict(found.figures), found.decides)

        stride, segments = self.config.generate.stride, max(plan.batch_tokens // length, 1)
        stream = SegmentStream(len(text), length, stride, segments, plan.seed, make)
        return SegmentWork(stream, plan.label_smoothing, evaluate, self.sample)

    def sample(self, model: nn.Module) -> str:
        """The start of a text, on one line."""
        if self.masked:
            return ""
        return str(self.predict(model, [""], SAMPLE)[0]).replace("\n", " / ")

    # --- use ----------------------------------------------------------------------------------------

    def answering(self, model: nn.Module, asked: Sequence[Asked], options: GenerateOptions) -> Iterator[Sequence[Said]]:
        """Texts that go on after the inputs; a masked model fills the blanks in them."""
        assert isinstance(model, LanguageModel)
        model.eval()
        return self.filled(model, asked, options) if self.masked else self.written(model, asked, options)

    def written(
        self, model: LanguageModel, asked: Sequence[Asked], options: GenerateOptions
    ) -> Iterator[Sequence[Said]]:
        """A text starts a line: its first token comes after <eos>."""
        tokens = to_tokens(self.tokenizer, [self.accept(one.input) for one in asked])
        read = [[self.tokenizer.eos, *row] for row in tokens]
        for drawn in write(model, read, [one.key for one in asked], options, lambda row: asked[row].wanted):
            yield [
                Said(
                    new.row, self.written_text(asked[new.row].input, tokens[new.row], new.hypothesis, options), new.last
                )
                for new in drawn
                if new.last or asked[new.row].grows
            ]

    def written_text(self, seed: str, before: list[int], last: Hypothesis, options: GenerateOptions) -> Written:
        nodes = list(last.path())[::-1]
        ids = [node.token for node in nodes]
        continuation = to_text(self.tokenizer, before + ids)[len(to_text(self.tokenizer, before)) :]
        if options.lines and ids.count(self.tokenizer.eos) == options.lines:
            continuation = continuation.removesuffix("\n")  # the end of the last line was asked for, not a new one
        likeliest = [{self.shown(id): score for id, score in node.likeliest} for node in nodes]
        return Written(
            seed + continuation, seed, continuation, list(map(self.shown, ids)), [node.log_prob for node in nodes],
            likeliest if options.likeliest else [],
        )  # fmt: skip

    def shown(self, id: int) -> str:
        return "\n" if id == self.tokenizer.eos else self.tokenizer.entries[id]

    def filled(
        self, model: LanguageModel, asked: Sequence[Asked], options: GenerateOptions
    ) -> Iterator[Sequence[Said]]:
        texts = [self.accept(one.input) for one in asked]
        rows = [self.with_blanks(text, model.limit) for text in texts]
        device = next(model.parameters()).device
        count = min(options.candidates, self.tokenizer.size - len(NEVER))
        for places in by_length([len(row) for row, _ in rows]):
            tokens, lengths = tensors([rows[place][0] for place in places], device)
            blank = torch.zeros_like(tokens, dtype=torch.bool)
            for number, place in enumerate(places):
                blank[number, rows[place][1]] = True
            with torch.inference_mode():
                shares = torch.softmax(model(tokens, lengths, blank), -1)
            shares = shares.index_fill(-1, torch.tensor(NEVER, device=device), -1.0)
            best = iter(zip(*(values.tolist() for values in shares.topk(count)), strict=True))
            found = []
            for place in places:
                blanks = [self.candidates(*next(best)) for _ in rows[place][1]]
                text = fill(texts[place], [next(iter(words)) for words in blanks])
                found.append(Said(place, Filled(text, texts[place], blanks)))
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
            what = f"{text!r:.60} has {len(tokens)} tokens with its ends, the model reads {limit}"
            raise SeqloomError(what, remedy="give the words around the blanks only")
        return tokens, places

    def candidates(self, shares: list[float], ids: list[int]) -> dict[str, float]:
        """Tokens and their shares, the best first; a word stands without the space before it."""
        found: dict[str, float] = {}
        for id, share in zip(ids, shares, strict=True):
            name = to_text(self.tokenizer, [id])
            if "\ufffd" in name:  # a part of a letter
                name = self.tokenizer.entries[id]
            if self.tokenizer.config.kind != "character":
                name = name.strip(" ") or name
            found[name] = found.get(name, 0.0) + share  # with and without a space it is one word
        return found

    def evaluate(self, model: nn.Module, corpus: Corpus, device: torch.device, options: object) -> Findings:
        """How well a text is foretold: every token once, or, masked, a share that is always the same."""
        text, length = LongText(corpus, self.tokenizer.eos), self.config.model.length
        segments = side_by_side(len(text), length)
        at_once = max(EVALUATED // length, 1)
        generator = np.random.default_rng(0)  # hides the same tokens every time
        loss, count, right = 0.0, 0, 0
        model.eval()
        with torch.no_grad():
            for first in range(0, len(segments), at_once):
                batch = self.batch(text, segments[first : first + at_once], device, generator)
                where = batch.targets >= 0
                scores, targets = model(batch.tokens, batch.lengths, where), batch.targets[where]
                loss += float(F.cross_entropy(scores, targets, reduction="sum"))
                right += int((scores.argmax(-1) == targets).sum())
                count += len(targets)
        characters = 0 if self.masked else int(corpus.arrays["characters"].sum(dtype=np.int64))
        found = Foretold(loss, count, characters)
        figures = {"loss": found.mean_loss, **found.figures(), "bits_per_token": found.bits_for(count)}
        return Findings({**figures, "accuracy": right / count}, -found.mean_loss, details={"tokens": count})
