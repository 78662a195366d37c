"""An exported translator, opened without torch: called with texts, it gives the answers that its task gives."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from seqloom.config import check
from seqloom.decoding.hypotheses import DecodingUpdate
from seqloom.decoding.writer import SequenceWriter
from seqloom.engines.facts import ALONE
from seqloom.engines.settings import EngineFacts, engine_of
from seqloom.errors import SeqloomError
from seqloom.storage import ModelFiles, open_files
from seqloom.tasks.prefix import prefix_tokens
from seqloom.tasks.requests import TaskRequest, answers
from seqloom.tasks.translate.answering import answer_sources
from seqloom.tasks.translate.options import TranslateOptions
from seqloom.tasks.translate.task_tags import tagged
from seqloom.tasks.translate.text_reading import TextReading
from seqloom.tokens.model_tokenizers import tokenizers_in
from seqloom.tokens.tokenizer import Tokenizer


class ExportedTranslator:
    """A translator in an engine. Call it with a text or a list of texts, as a model in torch."""

    def __init__(self, writer: SequenceWriter, tokenizers: dict[str, Tokenizer], facts: EngineFacts) -> None:
        self.writer, self.facts = writer, facts
        source, self.target = pair_of(tokenizers)
        self.reading = TextReading(source, facts.length)

    task_name = "translate"

    @property
    def option_names(self) -> Iterable[str]:
        """The options that a call may have."""
        return TranslateOptions.model_fields.keys()

    def options(self, **options: Any) -> TranslateOptions:
        """Check options by name; an unknown one is an error."""
        return check(TranslateOptions, options, where="options")

    def __call__(self, texts: str | Sequence[str], **options: Any) -> Any:
        """Answer one text, or several by a list of answers."""
        if isinstance(texts, str):
            return self.predict([texts], self.options(**options))[0]
        return self.predict(texts, self.options(**options))

    def stream(self, chunks: Iterable[Sequence[str]], **options: Any) -> Iterator[Any]:
        """Answer texts that come in chunks, in constant memory."""
        chosen = self.options(**options)
        for chunk in chunks:
            yield from self.predict(chunk, chosen)

    def predict(self, texts: Sequence[str], options: TranslateOptions) -> list[Any]:
        begin = prefix_tokens(self.target, options.prefix)
        texts = [tagged(options.task_tag, text) for text in texts]

        def decode(read: Sequence[Sequence[int]], batch: Sequence[TaskRequest]) -> Iterator[list[DecodingUpdate]]:
            return self.writer.write_steps(read, batch, begin, options)

        steps = answer_sources(
            self.reading, self.reading.read(texts), [TaskRequest(text) for text in texts], self.target, decode,
            copy_unknown=options.copy_unknown, at_once=self.writer.at_once,
        )  # fmt: skip
        return answers(steps, len(texts))


def pair_of(tokenizers: dict[str, Tokenizer]) -> tuple[Tokenizer, Tokenizer]:
    """The tokenizers of source and target, which may be one."""
    shared = tokenizers.get("text")
    source, target = tokenizers.get("source", shared), tokenizers.get("target", shared)
    if source is None or target is None:
        raise SeqloomError("the exported folder lacks its tokenizers", remedy="export it again")
    return source, target


def workers() -> int:
    """Threads of an engine: as many as OMP_NUM_THREADS says, else one for each core of this process."""
    said = os.environ.get("OMP_NUM_THREADS", "")
    if said.isdigit() and int(said):
        return int(said)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def make_writer(
    files: ModelFiles, facts: EngineFacts, tokenizers: dict[str, Tokenizer], threads: int, *, token_scores: bool = True
) -> SequenceWriter:
    """The engine of an exported translator."""
    from seqloom.engines.ctranslate2_engine import CTranslate2Engine

    return CTranslate2Engine(files, facts, *pair_of(tokenizers), threads, token_scores=token_scores)


def open_alone(place: Path, *, token_scores: bool = True) -> ExportedTranslator:
    """An exported folder of a task that needs no torch; every file is checked first."""
    files = open_files(place)
    files.verify()
    facts = engine_of(files)
    assert facts is not None and facts.task in ALONE
    tokenizers = tokenizers_in(files)
    writer = make_writer(files, facts, tokenizers, workers(), token_scores=token_scores)
    return ExportedTranslator(writer, tokenizers, facts)
