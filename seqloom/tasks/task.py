"""What a task is: the one interface between a problem and everything else (trainer, command line, server)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Generic, Self, TypeVar

import torch
from rich.console import Group
from rich.table import Table
from rich.text import Text
from torch import Tensor, nn

from seqloom.attribution.probe import Probe
from seqloom.config import Config
from seqloom.data.bad_records import Report
from seqloom.data.column_roles import TaskColumns
from seqloom.data.corpus import CHUNK_SIZE, Chunk, Corpus, fingerprint, prepare
from seqloom.data.record import Record
from seqloom.data.splits import Records, open_data
from seqloom.data.stratification import Outcomes
from seqloom.errors import DamagedError, DataError, SeqloomError, UnknownName, quoted
from seqloom.evaluating.baselines.score import BaselineScore
from seqloom.evaluating.bootstrap import CountedMetric
from seqloom.evaluating.by_length import LengthBucket
from seqloom.evaluating.tables import as_text, html_table, metric_text, rich_table
from seqloom.models.stage import Example
from seqloom.tasks.facts import AnyFacts
from seqloom.tasks.inspection import Inspection, InspectOptions
from seqloom.tasks.requests import Keys, Reply, TaskRequest, answers
from seqloom.tasks.review import Reviewed
from seqloom.tasks.settings import TaskConfig
from seqloom.tasks.trainable import Plan, Trainable, ValidationResult
from seqloom.tokens.tokenizer import Tokenizer

C = TypeVar("C", bound=TaskConfig)
Facts = Mapping[str, Any]
ROWS_SHOWN = 20
"""Of a table, where an evaluation shows itself; `tables` has all."""


@dataclass(frozen=True)
class ResultTable:
    """A table of metrics."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]

    def rich(self, limit: int | None = None) -> Table:
        """For a terminal; of many rows those up to a limit."""
        return rich_table(self.title, self.header, self.rows, limit)


@dataclass(frozen=True, repr=False)
class Evaluation:
    """How a model does on data: metrics by name, and tables of the details."""

    metrics: Mapping[str, float]
    selection_score: float
    """The score that selects the best checkpoint (higher is better)."""
    tables: Sequence[ResultTable] = ()
    details: Facts = field(default_factory=dict)
    """What else `evaluate --json` prints."""
    counted: CountedMetric | None = None
    """The metric that two models can be compared by, example by example."""
    by_length: Sequence[LengthBucket] = ()
    """That metric by length of the input."""
    measure: str = ""
    """Its name."""
    how: str = ""
    """How it was measured; what was measured in different ways cannot be compared."""
    confidence: Sequence[tuple[float, bool]] = ()
    """For each example the probability that the model gave its answer, and whether it was right."""
    left_out: Report = field(default_factory=Report)
    """What of the data could not be used."""
    lengths: Sequence[int] = ()
    """The length of each example that is counted, where `by_length` was not made of them yet."""
    lower_is_better: bool = False
    """Whether a smaller value of the metric is better, as of a loss."""

    def json(self) -> dict[str, Any]:
        """Everything that is plain data, as one object."""
        return {**self.metrics, **self.details, **({"left_out": self.left_out.counts} if self.left_out else {})}

    def plot(self, path: Path | str, kind: str = "") -> Path:
        """Draw the confusion matrix, how well probabilities are calibrated, or the metric by length (.png or .svg).

        kind    confusion, calibration or length; default: the first of these that there is
        """
        from seqloom.evaluating.plots import (  # here: it brings matplotlib
            plot_by_length,
            plot_calibration,
            plot_confusion,
        )

        draw = {
            "confusion": lambda: plot_confusion(self.details["labels"], self.details["confusion"], path),
            "calibration": lambda: plot_calibration(self.confidence, path),
            "length": lambda: plot_by_length({self.measure: self.by_length}, path, self.measure),
        }
        there = {"confusion": "confusion" in self.details, "calibration": self.confidence, "length": self.by_length}
        known = [name for name, found in there.items() if found]
        if not known:
            remedy = "a confusion matrix is for models with one label, metrics by length for models that generate text"
            raise SeqloomError("this evaluation has nothing to plot", remedy=remedy)
        if kind and kind not in known:
            raise UnknownName("plot of this evaluation", kind, known)
        return draw[kind or known[0]]()

    def __rich__(self) -> Group:
        """Metrics and tables for a terminal; of long tables the beginning."""
        metrics = Text("   ".join(f"{name} {metric_text(value)}" for name, value in self.metrics.items()))
        left_out = [Text(str(self.left_out))] if self.left_out else []
        return Group(metrics, *left_out, *(table.rich(ROWS_SHOWN) for table in self.tables))

    def __repr__(self) -> str:
        return as_text(self)

    def _repr_html_(self) -> str:
        """The same for a notebook."""
        return html_table("Evaluation", [(name, metric_text(value)) for name, value in self.metrics.items()]) + "".join(
            html_table(table.title, table.rows[:ROWS_SHOWN], table.header) for table in self.tables
        )


def characters_in(value: Any) -> int:
    """Characters in a text, in a list of words, in the columns of an object; a number has none."""
    if isinstance(value, str):
        return len(value)
    parts = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    return sum(map(characters_in, parts))


def text_sizes(given: Any) -> dict[str, int]:
    """The size of what is text, or words and columns of text."""
    return {"text_characters": characters_in(given)}


class Options(Config):
    """The options of a prediction; a task with options defines its own class."""


class NamedTokenizers(dict[str, Tokenizer]):
    """The tokenizers of a task; one that is asked for and not there is missing from the model."""

    def __missing__(self, name: str) -> Tokenizer:
        raise DamagedError(f"there is no tokenizer {name}", remedy=f"the model lacks {name}.tokenizer.json")


class Task(ABC, Generic[C]):
    """What a model is trained for: how data becomes batches, the model, the loss, the predictions and the metrics.

    A task holds its settings and what it learned from the training data before the first step: tokenizers, and other
    facts as plain JSON (labels, means). All of it is saved in the model folder.
    """

    Settings: ClassVar[type[TaskConfig]] = TaskConfig
    """The class of its settings, a subclass of `TaskConfig`."""
    columns: ClassVar[TaskColumns] = TaskColumns("this task", ())
    """The columns of its data, e.g. `TaskColumns("pairs", ("label", "first", "second"))`."""
    Options: ClassVar[type[Config]] = Options
    """The options of a prediction."""
    EvaluateOptions: ClassVar[type[Config] | None] = None
    """The options of an evaluation, if they differ from `Options`."""
    Learned: ClassVar[type[Config]] = AnyFacts
    """The schema of its facts, checked when a model is loaded; default: any JSON."""

    def __init__(self, config: C, tokenizers: Mapping[str, Tokenizer], facts: Facts) -> None:
        """Restore a task from its settings, its trained tokenizers by name, and its facts."""
        self.config, self.tokenizers, self.facts = config, NamedTokenizers(tokenizers), dict(facts)

    @classmethod
    @abstractmethod
    def learn(cls, config: C, train: Records, known: Mapping[str, Tokenizer]) -> Self:
        """Train the tokenizers and collect the facts from training data; tokenizers in `known` are used as they are."""

    @classmethod
    def outcomes(cls, config: C) -> Outcomes | None:
        """What must occur in the training split when valid and test are split off; None: nothing in particular."""
        return None

    @classmethod
    def open_data(cls, config: C) -> dict[str, Records]:
        """The splits of a run: train, and valid and test as given, found, or split off."""
        return open_data(config.data, cls.columns, cls.outcomes(config))

    @classmethod
    def check_extras(cls, config: C) -> None:
        """Raise `MissingExtra` if training with these settings needs a package that is not installed."""

    @abstractmethod
    def make_model(self) -> nn.Module:
        """A new model with initial weights."""

    @classmethod
    def untrained(cls, config: C, vocabulary: int) -> nn.Module:
        """A model for a vocabulary of this size without any data: what `seqloom summary NAME` shows."""
        what = f"the size of a model for {config.task} is not known without data"
        raise SeqloomError(what, remedy="train it, and give its folder; or implement Task.untrained")

    # --- data ---------------------------------------------------------------------------------------

    @abstractmethod
    def encode(self, records: list[Record]) -> Chunk:
        """Records as lists of token ids or vectors by field name, as they are stored on disk."""

    def encoding_settings(self) -> Mapping[str, Any]:
        """The settings that `encode` depends on besides the tokenizers: when they change, data is encoded again.

        By default all but [data], [tokens], [train], [start] and [teacher]; a task that names fewer encodes less often.
        """
        return self.config.model_dump(mode="json", exclude={"data", "tokens", "train", "start", "teacher"})

    def corpus(self, records: Records, cache: Path, made_of: Mapping[str, Any]) -> Corpus:
        """Encoded records on disk, cached for the same files and settings (`made_of`: how records are selected)."""
        settings = {
            "task": self.config.task,
            "records": {**made_of, "identity": records.identity},
            "tokenizers": {name: tokenizer.fingerprint for name, tokenizer in self.tokenizers.items()},
            "facts": self.facts,
            "reads": self.encoding_settings(),
        }
        return prepare(cache / fingerprint(records.files, settings), records, self.encode, size=self.chunk_size())

    def chunk_size(self) -> int:
        """Number of records that are encoded together in memory."""
        return CHUNK_SIZE

    # --- training -----------------------------------------------------------------------------------

    @abstractmethod
    def trainable(self, train: Corpus, valid: Corpus | None, plan: Plan) -> Trainable[Any]:
        """The task as the trainer sees it: batches of `train`, the loss, and the evaluation on `valid`."""

    def validate(self, model: nn.Module, valid: Corpus, device: torch.device) -> ValidationResult:
        """Validation during training, with the score that selects the best checkpoint."""
        found = self.evaluate(model, valid, device, None)
        return ValidationResult(dict(found.metrics), found.selection_score)

    def validation(self, valid: Corpus | None, plan: Plan) -> Callable[[nn.Module], ValidationResult | None]:
        """`validate` as the trainer calls it; returns None without validation data."""
        return lambda model: None if valid is None else self.validate(model, valid, plan.device)

    def check_teacher(self, teacher: Self) -> None:
        """Raise `ConfigError` if a teacher's logits do not match what is learned here."""

    @property
    def labels(self) -> Sequence[str]:
        """The labels of a whole example; empty if predictions are not labels."""
        return ()

    def labels_of(self, record: Record) -> Sequence[int]:
        """The ids of the true labels of a record."""
        return ()

    def baseline(self, train: Iterable[Record], valid: Iterable[Record]) -> list[BaselineScore]:
        """Scores of simple baselines on validation data, trained in seconds; empty if there are none."""
        return []

    # --- use ----------------------------------------------------------------------------------------

    def input_of(self, record: Record) -> Any:
        """The input of a record; by default its first column."""
        return record.columns[self.columns.roles[0]]

    def as_request(self, record: Record) -> Any:
        """The input in a record as a request would send it; empty where it is neither a text nor words."""
        value = self.input_of(record)
        return " ".join(map(str, value)) if isinstance(value, list | tuple) else value if isinstance(value, str) else ""

    def accept(self, given: Any) -> Any:
        """Check an input that came as JSON over the network; it is never treated as a file name."""
        if not isinstance(given, str):
            raise DataError(f"{quoted(given)} is not a text", remedy="give a string")
        return given

    @abstractmethod
    def answer_steps(
        self, model: nn.Module, requests: Sequence[TaskRequest], options: Any
    ) -> Iterator[Sequence[Reply]]:
        """Answer requests step by step: yields the replies that are ready after each step (`options` is an `Options`).

        A server runs the steps of several batches in turn; a step should take a fraction of a second.
        """

    def predict(
        self, model: nn.Module, inputs: Sequence[Any], options: Any, keys: Sequence[str] | None = None
    ) -> list[Any]:
        """A prediction for every input, in order; `keys` seed the sampling of each, by default from the options."""
        seeds = Keys(getattr(options, "seed", 0)).of(inputs) if keys is None else keys
        requests = [TaskRequest(given, key) for given, key in zip(inputs, seeds, strict=True)]
        return answers(self.answer_steps(model, requests, options), len(requests))

    def inspect(
        self, model: nn.Module, given: Any, options: InspectOptions, wanted: Callable[[], bool] = lambda: True
    ) -> Iterator[Inspection | None]:
        """Inspect a prediction for one input: yields None after each step, and finally what was observed.

        `wanted` says whether the result is still needed. By default only the answer is shown.
        """
        (answer,) = self.predict(model, [given], self.Options())
        yield Inspection(answer, {})

    # --- serving ------------------------------------------------------------------------------------

    @property
    def translates(self) -> bool:
        """Whether it translates texts, so that LibreTranslate's API can serve it."""
        return False

    @property
    def generates_text(self) -> bool:
        """Whether it generates text token by token, so that OpenAI's API can serve it."""
        return False

    def streams(self, temperature: float | None) -> bool:
        """Whether an answer can be streamed while it is generated; None is the default temperature."""
        return False

    def completion_options(self, max_tokens: int | None, temperature: float | None) -> dict[str, Any]:
        """The parameters of OpenAI's completion API as options of this task; None: not given."""
        return {"temperature": temperature, "max_length": max_tokens}

    def input_sizes(self, given: Any) -> Mapping[str, int]:
        """The size of an input that came over the network, by the name of the server limit that applies to it.

        Called before `accept` and again with its result, so before anything is computed.
        """
        return text_sizes(given)

    def max_tokens(self, given: Any, options: Any) -> int:
        """The maximum cost of an answer in generated tokens; 1 for a task that generates none."""
        return 1

    # --- evaluation ---------------------------------------------------------------------------------

    @abstractmethod
    def evaluate(self, model: nn.Module, corpus: Corpus, device: torch.device, options: Any) -> Evaluation:
        """The metrics of a model on encoded data (`options` is an `EvaluateOptions`, or an `Options` without one)."""

    def review(self, model: nn.Module, records: list[Record]) -> list[Reviewed]:
        """Per-example predictions, targets and losses of a model on a few records."""
        what = f"predictions of a model for {self.config.task} cannot be reviewed example by example"
        raise SeqloomError(what, remedy="measure it with `seqloom evaluate`; or implement Task.review")

    def example(self, model: nn.Module, given: Any, device: torch.device) -> Example:
        """The computation for one input (None: an example input), stage by stage as equations."""
        what = f"a model for {self.config.task} has no equations to show"
        raise SeqloomError(what, remedy="implement Task.example")

    def probe(self, model: nn.Module, given: Any) -> Probe:
        """The function from the embeddings of one input to the scores of its outputs, for attribution."""
        what = f"a model for {self.config.task} cannot be attributed"
        raise SeqloomError(what, remedy="implement Task.probe")

    def vectors(self, model: nn.Module, texts: Sequence[str]) -> Tensor:
        """One vector for each text (B, H); texts of similar meaning have similar vectors."""
        raise SeqloomError(f"a model for {self.config.task} has no text vectors", remedy="use a classifier")
