"""Exported models that write, opened without torch: they give the answers that their tasks give."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

from seqloom.config import Config, check
from seqloom.decoding.hypotheses import DecodingUpdate
from seqloom.decoding.writer import SequenceWriter
from seqloom.engines.metadata import answers_alone
from seqloom.engines.settings import EngineMetadata, engine_of
from seqloom.errors import SeqloomError
from seqloom.storage import ModelFiles, open_files
from seqloom.tasks.prefix import prefix_tokens
from seqloom.tasks.requests import Keys, Reply, TaskRequest, answers
from seqloom.tasks.translate.answering import answer_sources
from seqloom.tasks.translate.options import TranslateOptions
from seqloom.tasks.translate.task_tags import tagged
from seqloom.tasks.translate.text_reading import TextReading
from seqloom.tokens.model_tokenizers import tokenizers_in
from seqloom.tokens.tokenizer import Tokenizer


class ExportedModel(ABC):
    """A model in an engine. Call it with an input or a list of them, as a model in torch."""

    task_name: ClassVar[str]
    Options: ClassVar[type[Config]]

    def __init__(self, facts: EngineMetadata) -> None:
        self.facts = facts

    @property
    def option_names(self) -> Iterable[str]:
        """The options that a call may have."""
        return self.Options.model_fields.keys()

    def options(self, **options: Any) -> Any:
        """Check options by name; an unknown one is an error."""
        return check(self.Options, options, where="options")

    def __call__(self, inputs: Any, **options: Any) -> Any:
        """Answer one input, or several by a list of answers."""
        if not isinstance(inputs, list | tuple):
            return self.predict([inputs], self.options(**options))[0]
        return self.predict(inputs, self.options(**options))

    def stream(self, chunks: Iterable[Sequence[Any]], **options: Any) -> Iterator[Any]:
        """Answer inputs that come in chunks, in constant memory; sampling does not depend on the size of the chunks."""
        chosen = self.options(**options)
        keys = Keys(chosen.seed)
        for chunk in chunks:
            yield from self.predict(chunk, chosen, keys)

    def predict(self, inputs: Sequence[Any], options: Any, keys: Keys | None = None) -> list[Any]:
        seeds = (keys or Keys(options.seed)).of(inputs)
        requests = [TaskRequest(one, key) for one, key in zip(inputs, seeds, strict=True)]
        return answers(self.answer_steps(requests, options), len(requests))

    @abstractmethod
    def answer_steps(self, requests: Sequence[TaskRequest], options: Any) -> Iterable[Sequence[Reply]]:
        """Answers, as the task of the model gives them."""


class ExportedTranslator(ExportedModel):
    """A translator of texts."""

    task_name, Options = "translate", TranslateOptions

    def __init__(self, writer: SequenceWriter, tokenizers: dict[str, Tokenizer], facts: EngineMetadata) -> None:
        super().__init__(facts)
        self.writer = writer
        source, self.target = pair_of(tokenizers)
        self.reading = TextReading(source, facts.length)

    def answer_steps(self, requests: Sequence[TaskRequest], options: TranslateOptions) -> Iterator[Sequence[Reply]]:
        begin = prefix_tokens(self.target, options.prefix)
        texts = [tagged(options.task_tag, one.input) for one in requests]

        def decode(read: Sequence[Sequence[int]], batch: Sequence[TaskRequest]) -> Iterator[list[DecodingUpdate]]:
            return self.writer.write_steps(read, batch, begin, options)

        return answer_sources(
            self.reading, self.reading.read(texts), requests, self.target, decode,
            copy_unknown=options.copy_unknown, at_once=self.writer.at_once,
        )  # fmt: skip


def pair_of(tokenizers: dict[str, Tokenizer]) -> tuple[Tokenizer, Tokenizer]:
    """The tokenizers of source and target, which may be one."""
    shared = tokenizers.get("text")
    source, target = tokenizers.get("source", shared), tokenizers.get("target", shared)
    if target is None or source is None:
        raise SeqloomError("the exported folder lacks its tokenizers", remedy="export it again")
    return source, target


def workers() -> int:
    """Threads of an engine: as many as OMP_NUM_THREADS says, else one for each core of this process."""
    said = os.environ.get("OMP_NUM_THREADS", "")
    if said.isdigit() and int(said):
        return int(said)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def make_writer(
    files: ModelFiles,
    facts: EngineMetadata,
    tokenizers: dict[str, Tokenizer],
    threads: int,
    *,
    token_scores: bool = True,
) -> SequenceWriter:
    """The engine of an exported model that writes from a source."""
    if facts.engine == "onnx":
        from seqloom.engines.onnx_generation import OnnxGenerator

        return OnnxGenerator(files, facts, threads, (tokenizers.get("target") or tokenizers["text"]).size)
    from seqloom.engines.ctranslate2_engine import CTranslate2Engine

    return CTranslate2Engine(files, facts, *pair_of(tokenizers), threads, token_scores=token_scores)


def open_alone(place: Path, *, token_scores: bool = True) -> ExportedModel:
    """An exported folder of a task that needs no torch; every file is checked first."""
    files = open_files(place)
    files.verify()
    facts = engine_of(files)
    assert facts is not None and answers_alone(facts)
    tokenizers = tokenizers_in(files)
    if facts.task == "generate":
        from seqloom.engines.exported_generator import ExportedGenerator

        return ExportedGenerator(files, tokenizers["text"], facts, workers())
    writer = make_writer(files, facts, tokenizers, workers(), token_scores=token_scores)
    if facts.task == "caption":
        from seqloom.engines.exported_captioner import ExportedCaptioner

        return ExportedCaptioner(writer, tokenizers["text"], facts)
    return ExportedTranslator(writer, tokenizers, facts)
