"""What a task is: the one interface between a problem and everything else (trainer, command line, server)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Generic, Self, TypeVar

import torch
from torch import Tensor, nn

from seqloom.config import Config
from seqloom.data.bad_records import Report
from seqloom.data.corpus import Chunk, Corpus, fingerprint, prepare
from seqloom.data.record import Record
from seqloom.data.splits import Records
from seqloom.errors import DataError, SeqloomError
from seqloom.evaluating.bootstrap import Counted
from seqloom.evaluating.by_length import Bucket
from seqloom.tasks.asking import Asked, Keys, Said, answers
from seqloom.tasks.settings import TaskConfig
from seqloom.tasks.work import Plan, Work
from seqloom.tokens.tokenizer import Tokenizer

C = TypeVar("C", bound=TaskConfig)
Facts = Mapping[str, Any]


@dataclass(frozen=True)
class Table:
    """Figures in rows."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Findings:
    """How a model does on data: figures by name, the one that decides (higher is better), tables, and the rest."""

    figures: Mapping[str, float]
    decides: float
    tables: Sequence[Table] = ()
    details: Facts = field(default_factory=dict)
    counted: Counted | None = None
    """The figure that two models can be compared by, example by example."""
    by_length: Sequence[Bucket] = ()
    """That figure by length of the input."""
    measure: str = ""
    """Its name."""
    how: str = ""
    """How it was measured; what was measured in different ways cannot be compared."""
    left_out: Report = field(default_factory=Report)
    """What of the data could not be used."""

    def json(self) -> dict[str, Any]:
        return {**self.figures, **self.details, **({"left_out": self.left_out.counts} if self.left_out else {})}


class Options(Config):
    """What may be said when a model is asked; a task with choices has its own."""


class Task(ABC, Generic[C]):
    """Settings, and what was learned from the data before the first step: dictionaries, labels."""

    Options: ClassVar[type[Config]] = Options
    Measuring: ClassVar[type[Config] | None] = None
    """What may be said when a model is measured, if that is more."""

    def __init__(self, config: C, tokenizers: Mapping[str, Tokenizer], facts: Facts) -> None:
        self.config, self.tokenizers, self.facts = config, dict(tokenizers), dict(facts)

    @classmethod
    @abstractmethod
    def learn(cls, config: C, train: Records, known: Mapping[str, Tokenizer]) -> Self:
        """From training data; dictionaries that are `known` already, by name, are taken as they are."""

    @classmethod
    def check_extras(cls, config: C) -> None:
        """Raise `MissingExtra` if training with these settings needs a package that is not installed."""

    @abstractmethod
    def make_model(self) -> nn.Module:
        """The model with fresh weights."""

    # --- data ---------------------------------------------------------------------------------------

    @abstractmethod
    def encode(self, records: list[Record]) -> Chunk:
        """Records as numbers: what is kept of them on disk."""

    @abstractmethod
    def reads(self) -> Mapping[str, Any]:
        """The settings that decide what `encode` gives, beside the dictionaries."""

    def corpus(self, records: Records, cache: Path, made_of: Mapping[str, Any]) -> Corpus:
        """Records as numbers on disk, made once for the same files and settings (`made_of`: how they are chosen)."""
        settings = {
            "task": self.config.task,
            "records": {**made_of, "identity": records.identity},
            "tokenizers": {name: tokenizer.fingerprint for name, tokenizer in self.tokenizers.items()},
            "facts": self.facts,
            "reads": self.reads(),
        }
        return prepare(cache / fingerprint(records.files, settings), records, self.encode)

    # --- training -----------------------------------------------------------------------------------

    @abstractmethod
    def work(self, train: Corpus, valid: Corpus | None, plan: Plan) -> Work[Any]:
        """The task as the trainer sees it."""

    # --- use ----------------------------------------------------------------------------------------

    def accept(self, given: Any) -> Any:
        """An input that came as JSON from a stranger, as `answering` takes it; never the name of a file."""
        if not isinstance(given, str):
            raise DataError(f"{given!r:.60} is not a text", remedy="give a string")
        return given

    @abstractmethod
    def answering(self, model: nn.Module, asked: Sequence[Asked], options: Any) -> Iterator[Sequence[Said]]:
        """Work on inputs, one step after the other: what is known after each. `options` is of the kind `Options`."""

    def predict(
        self, model: nn.Module, inputs: Sequence[Any], options: Any, keys: Sequence[str] | None = None
    ) -> list[Any]:
        """An answer for every input, in order; `keys` decide what is drawn, if not the seed of the options alone."""
        drawn = Keys(getattr(options, "seed", 0)).of(inputs) if keys is None else keys
        asked = [Asked(given, key) for given, key in zip(inputs, drawn, strict=True)]
        return answers(self.answering(model, asked, options), len(asked))

    @abstractmethod
    def evaluate(self, model: nn.Module, corpus: Corpus, device: torch.device, options: Any) -> Findings:
        """How good the model is on data it may not have seen."""

    def vectors(self, model: nn.Module, texts: Sequence[str]) -> Tensor:
        """One row a text (B, H), near for texts of like sense."""
        raise SeqloomError(f"a model for {self.config.task} has no vectors of texts", remedy="use one that classifies")
