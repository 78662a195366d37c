"""Multitask: one encoder that reads, and a head for each of several tasks (Caruana, 1997; Collobert & Weston, 2008).

Every task is the one that it is alone: it encodes its own data, has its own loss, answers, metrics and pages. What is
here only says which of them is meant, and lets their models share the embedding and the encoder.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, Self

import torch
from torch import Tensor, nn

from seqloom.attribution.probe import Probe
from seqloom.config import Config
from seqloom.data.column_roles import TaskColumns
from seqloom.data.corpus import Chunk, Corpus
from seqloom.data.joined import JoinedRecords
from seqloom.data.record import Record
from seqloom.data.splits import Records, join_splits
from seqloom.errors import ConfigError, DataError, quoted
from seqloom.evaluating.baselines.score import BaselineScore
from seqloom.models.shared_encoder import SharedEncoder
from seqloom.models.stage import Example
from seqloom.tasks.inspection import Inspection, InspectOptions
from seqloom.tasks.multitask.batching import MixedTrainable, TaskCorpora
from seqloom.tasks.multitask.settings import MultitaskConfig, MultitaskFacts, MultitaskOptions
from seqloom.tasks.registry import find_task
from seqloom.tasks.requests import Reply, TaskRequest
from seqloom.tasks.task import Evaluation, Facts, Task
from seqloom.tasks.trainable import Plan
from seqloom.tokens.tokenizer import Tokenizer


class Multitask(Task[MultitaskConfig]):
    """Several tasks with one encoder; the tag says which is meant."""

    Settings = MultitaskConfig
    columns = TaskColumns("multitask", ())
    Learned = MultitaskFacts
    Options: ClassVar[type[Config]] = MultitaskOptions

    def __init__(self, config: MultitaskConfig, tokenizers: Mapping[str, Tokenizer], facts: Facts) -> None:
        super().__init__(config, tokenizers, facts)
        self.tasks: dict[str, Task[Any]] = {
            tag: find_task(alone.task)(alone, tokenizers, facts["tasks"].get(tag, {}))
            for tag, alone in config.one_by_one().items()
        }

    @classmethod
    def open_data(cls, config: MultitaskConfig) -> dict[str, Records]:
        """The data of all tasks, each record with the tag of its task."""
        if not config.data.sets:
            raise DataError("no data was given", remedy="name the tasks and their data in tables [[data.sets]]")
        return join_splits({tag: find_task(one.task).open_data(one) for tag, one in config.one_by_one().items()})

    @classmethod
    def learn(cls, config: MultitaskConfig, train: Records, known: Mapping[str, Tokenizer]) -> Self:
        """Train one tokenizer on the texts of all tasks; each learns from its own data what else it needs."""
        assert isinstance(train, JoinedRecords)
        if any("frames" in next(iter(records)).columns for records in train.sets.values()):
            raise DataError("frames cannot share a vocabulary", remedy="train a model for frames by itself")
        tokenizer = known.get("text") or Tokenizer.train(map(text_of, train), config.tokens)
        shared = {"text": tokenizer}
        tasks = {
            tag: find_task(alone.task).learn(alone, train.sets[tag], shared)
            for tag, alone in config.one_by_one().items()
        }
        for tag, task in tasks.items():
            if more := task.tokenizers.keys() - shared.keys():
                what = (
                    f"it would read {', '.join(more)} beside the text, and the encoder is shared with tasks that do not"
                )
                raise ConfigError("settings", [(f"data.sets: {tag}", what, "leave out what adds to its input")])
        return cls(config, shared, {"tasks": {tag: task.facts for tag, task in tasks.items()}})

    def make_model(self) -> SharedEncoder:
        return SharedEncoder({tag: task.make_model() for tag, task in self.tasks.items()})

    # --- data ---------------------------------------------------------------------------------------

    def encode(self, records: list[Record]) -> Chunk:
        raise NotImplementedError("each task encodes its own: see corpus")

    def corpus(self, records: Records, cache: Path, made_of: Mapping[str, Any]) -> TaskCorpora:
        """The corpora of the tasks, each as it would be alone."""
        if not isinstance(records, JoinedRecords):
            what = f"this model has several tasks, {', '.join(self.tasks)}, and the data does not say for which it is"
            raise DataError(what, remedy="measure it on its own data: name none, or --part test")
        data = self.config.one_by_one()
        part = {name: value for name, value in made_of.items() if name == "part"}
        return TaskCorpora({
            tag: self.tasks[tag].corpus(one, cache, {**part, **data[tag].data.model_dump(mode="json")})
            for tag, one in records.sets.items()
        })  # fmt: skip

    # --- training -----------------------------------------------------------------------------------

    def trainable(self, train: Corpus, valid: Corpus | None, plan: Plan) -> MixedTrainable:
        assert isinstance(train, TaskCorpora)
        share = replace(plan, batch_tokens=max(plan.batch_tokens // len(self.tasks), 1))
        tasks = {tag: task.trainable(train.parts[tag], None, share) for tag, task in self.tasks.items()}
        return MixedTrainable(tasks, self.validation(valid, plan))

    def check_teacher(self, teacher: Self) -> None:
        what = "distillation is for models with one task"
        raise ConfigError("settings", [("teacher.model", what, "leave it out")])

    def baseline(self, train: Iterable[Record], valid: Iterable[Record]) -> list[BaselineScore]:
        """What is simple for each task."""
        if not (isinstance(train, JoinedRecords) and isinstance(valid, JoinedRecords)):
            return []
        return [
            replace(score, name=f"{tag}: {score.name}")
            for tag, task in self.tasks.items()
            if tag in valid.sets
            for score in task.baseline(train.sets[tag], valid.sets[tag])
        ]

    def evaluate(self, model: nn.Module, corpus: Corpus, device: torch.device, options: object) -> Evaluation:
        """The metrics of every task under its tag; a checkpoint is selected by the mean of their scores.

        Of one task alone, if the options name its tag, what it would measure by itself.
        """
        assert isinstance(model, SharedEncoder) and isinstance(corpus, TaskCorpora)
        if isinstance(options, MultitaskOptions) and options.task_tag:
            tag, _ = self.meant("", options.task_tag)
            return self.tasks[tag].evaluate(model.head(tag), corpus.parts[tag], device, None)
        found = {
            tag: self.tasks[tag].evaluate(model.head(tag), part, device, None) for tag, part in corpus.parts.items()
        }
        return Evaluation(
            metrics={f"{tag}_{name}": value for tag, one in found.items() for name, value in one.metrics.items()},
            selection_score=sum(one.selection_score for one in found.values()) / len(found),
            tables=[
                replace(table, title=f"{tag}: {table.title}") for tag, one in found.items() for table in one.tables
            ],
            details={tag: dict(one.details) for tag, one in found.items()},
        )

    # --- use ----------------------------------------------------------------------------------------

    def meant(self, given: Any, tag: str = "") -> tuple[str, Any]:
        """The tag of the task that an input is for, and the input without it."""
        if not tag and isinstance(given, str):
            word, _, rest = given.partition(" ")
            tag, given = (word, rest) if word in self.tasks else ("", given)
        if tag not in self.tasks:
            what = f"{tag!r} is not a task of this model" if tag else f"{quoted(given)}: this model has several tasks"
            remedy = f"choose one with --task-tag, or put it before the text: {', '.join(self.tasks)}"
            raise ConfigError("options", [("task_tag", what, remedy)])
        return tag, given

    def opened(self, model: nn.Module, given: Any) -> tuple[Task[Any], nn.Module, Any]:
        """The task that an input is for, its model, and the input; without an input, the first task."""
        assert isinstance(model, SharedEncoder)
        tag, given = self.meant(given) if given is not None else (next(iter(self.tasks)), None)
        return self.tasks[tag], model.head(tag), given

    def input_of(self, record: Record) -> Any:
        tag = str(record.columns["tag"])
        given = self.tasks[tag].input_of(record)
        return f"{tag} {' '.join(given) if isinstance(given, list) else given}"

    def answer_steps(
        self, model: nn.Module, requests: Sequence[TaskRequest], options: Any
    ) -> Iterator[Sequence[Reply]]:
        """What each task answers, those of one task together."""
        assert isinstance(model, SharedEncoder)
        places: dict[str, list[int]] = {}
        asked = []
        for place, request in enumerate(requests):
            tag, given = self.meant(request.input, options.task_tag)
            places.setdefault(tag, []).append(place)
            asked.append(replace(request, input=given))
        steps = (
            (tag, self.tasks[tag].answer_steps(model.head(tag), [asked[place] for place in chosen],
                                               self.tasks[tag].Options()))
            for tag, chosen in places.items()
        )  # fmt: skip
        for tag, replies in steps:
            for step in replies:
                yield [Reply(places[tag][reply.place], reply.answer, reply.whole) for reply in step]

    def inspect(
        self, model: nn.Module, given: Any, options: InspectOptions, wanted: Callable[[], bool] = lambda: True
    ) -> Iterator[Inspection | None]:
        task, network, given = self.opened(model, given)
        return task.inspect(network, given, options, wanted)

    def probe(self, model: nn.Module, given: Any) -> Probe:
        task, network, given = self.opened(model, given)
        return task.probe(network, given)

    def example(self, model: nn.Module, given: Any, device: torch.device) -> Example:
        task, network, given = self.opened(model, given)
        return task.example(network, given, device)

    def vectors(self, model: nn.Module, texts: Sequence[str]) -> Tensor:
        """The vectors of one task's model; a text without a tag is read by the first."""
        first = next(iter(self.tasks))
        found = []
        for text in texts:
            task, network, given = self.opened(model, text if text.split(" ")[0] in self.tasks else f"{first} {text}")
            found.append(task.vectors(network, [given]))
        return torch.cat(found) if found else torch.empty(0, 0)


def text_of(record: Record) -> str:
    """What a model reads of a record: a text, or words with spaces between them."""
    words: Any = record.columns.get("tokens")
    return " ".join(words) if isinstance(words, list) else str(record.columns["text"])
