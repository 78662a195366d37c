"""A student and its teacher: the loss of a task with the teacher's distribution in it.

The teacher is read and never written. Which one it was is kept in the run, so that a run goes on with the same.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any, Generic, TypeVar

import torch
from torch import Tensor, nn

from seqloom.data.corpus import Corpus
from seqloom.layers.distillation import total_distillation
from seqloom.storage import ModelFiles, open_files, write_json
from seqloom.tasks.task import Task
from seqloom.tasks.trainable import Loss, Plan, Stream, Trainable, ValidationResult
from seqloom.tokens.model_tokenizers import tokenizers_in
from seqloom.tokens.tokenizer import Tokenizer
from seqloom.training.loading import load
from seqloom.training.teacher_settings import TeacherConfig, by_answers, saved_settings, unfit

FILE = "teacher.json"
B = TypeVar("B")


class DistilledTrainable(Generic[B]):
    """A task as the trainer sees it, whose loss has the teacher's share in it; all else is as it was."""

    predicts_tokens = False  # the exponential of this loss is no perplexity

    def __init__(self, inner: Trainable[B], teacher: Callable[[B], Tensor | None], config: TeacherConfig) -> None:
        self.inner, self.teacher, self.config = inner, teacher, config
        self.stream: Stream[B] = inner.stream
        self.notes: Sequence[str] = inner.notes

    def split(self, batch: B, count: int) -> list[B]:
        return self.inner.split(batch, count)

    def repeated(self, batch: B) -> B:
        return self.inner.repeated(batch)

    def size(self, batch: B) -> int:
        return self.inner.size(batch)

    def token_count(self, batch: B) -> int:
        return self.inner.token_count(batch)

    def evaluate(self, model: nn.Module) -> ValidationResult | None:
        return self.inner.evaluate(model)

    def sample(self, model: nn.Module) -> str:
        return self.inner.sample(model)

    def loss(self, model: nn.Module, batch: B) -> Loss:
        """The definition `distillation`, summed over labels or tokens; the first term is the loss of the task."""
        loss, teacher_logits = self.inner.loss(model, batch), self.teacher(batch)
        if loss.logits is None or teacher_logits is None:
            what = "a regression has no distribution to distil"
            raise unfit(what, "leave the teacher out")
        total = total_distillation(loss.total, loss.logits, teacher_logits, self.config.temperature, self.config.share)
        return replace(loss, total=total)


def with_teacher(
    inner: Trainable[Any], student: Task[Any], corpus: Corpus, plan: Plan, config: TeacherConfig
) -> Trainable[Any]:
    """The trainable of a student; the teacher sees the same batches, without dropout."""
    model = load(config.model)
    check_fit(model.task, student, config)
    network = model.network.to(plan.device).requires_grad_(False).eval()
    losses = model.task.trainable(corpus, None, plan)

    def logits(batch: Any) -> Tensor | None:
        with torch.no_grad():
            return losses.loss(network, batch).logits

    return DistilledTrainable(inner, logits, config)


def check_fit(teacher: Task[Any], student: Task[Any], config: TeacherConfig) -> None:
    """Raise `ConfigError` unless a batch of the student means the same to the teacher."""
    student.check_teacher(teacher)
    task, where = student.config.task, config.model
    for name, tokenizer in teacher.tokenizers.items():
        own = student.tokenizers.get(name)
        if own is None or own.with_dropout(0.0) != tokenizer.with_dropout(0.0):
            what = f"the tokenizer {name} of {where} differs from that of this model"
            raise unfit(what, f"leave [tokens] and start.model out, or choose them alike{by_answers(task, where)}")
    for name in dict.fromkeys([*teacher.facts, *student.facts]):
        if teacher.facts.get(name) != student.facts.get(name):
            what = f"{where} learned other {name} from its data: {shown(teacher.facts.get(name))}"
            remedy = f"here they are {shown(student.facts.get(name))}; train both on data with the same"
            raise unfit(what, remedy)
    longest, read = (getattr(getattr(one.config, "model", None), "length", 0) for one in (teacher, student))
    if read > longest:
        what = f"{where} reads {longest} tokens at most, this model {read}"
        raise unfit(what, f"set model.length={longest}")


def shown(fact: Any) -> str:
    text = ", ".join(map(str, fact)) if isinstance(fact, list) else json.dumps(fact, ensure_ascii=False)
    return text if len(text) <= 80 else f"{text[:77]}..."


# --- what a run keeps of it ---------------------------------------------------------------------------


def tokenizers_of(config: TeacherConfig) -> dict[str, Tokenizer]:
    """The tokenizers of the teacher, which the student takes over."""
    return tokenizers_in(open_files(Path(config.model))) if config.model else {}


def signature_of(config: TeacherConfig) -> Mapping[str, str]:
    """Which model it is: its place, and a hash of all that its manifest names."""
    saved_settings(Path(config.model))  # raises where there is no model
    hashes = dict(sorted(open_files(Path(config.model)).hashes.items()))
    return {"model": config.model, "sha256": sha256(json.dumps(hashes).encode()).hexdigest()}


def write_teacher(folder: Path, config: TeacherConfig) -> None:
    """Write down who teaches, before the first step."""
    if config.model:
        write_json(folder / FILE, signature_of(config))


def check_teacher(setup: ModelFiles, config: TeacherConfig) -> None:
    """Raise `ConfigError` if the teacher is not what it was when the run began."""
    if config.model and FILE in setup and setup.json(FILE) != signature_of(config):
        what = f"{config.model} has changed since this run began"
        raise unfit(what, "put it back as it was, or train in another folder (out)")
