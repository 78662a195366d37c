"""Write a trained model for another engine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from torch import nn

from seqloom.decoding.writer import SequenceWriter
from seqloom.engines.ctranslate2_export import export_translator
from seqloom.engines.settings import ENGINES, FILE, EngineFacts
from seqloom.errors import SeqloomError, UnknownName
from seqloom.models.seq2seq.model import Seq2Seq
from seqloom.storage import write_json
from seqloom.tasks.task import Task
from seqloom.tasks.translate.task import Translate


def write_engine(
    folder: Path, task: Task[Any], network: nn.Module, engine: str, *, int8: bool, made_from: Path | None
) -> None:
    """Write the files of an engine, and what it must know, into a folder that gets a manifest."""
    if engine not in ENGINES:
        raise UnknownName("engine", engine, ENGINES, remedy=f"there are: {', '.join(ENGINES)}")
    if isinstance(network, SequenceWriter):
        what = "this model is exported already, and its weights cannot be read any more"
        raise SeqloomError(what, remedy="export the folder that it was made from, which its engine.json names")
    before = {file.name for file in folder.iterdir()}
    if not (isinstance(task, Translate) and isinstance(network, Seq2Seq)):
        what = f"CTranslate2 runs Transformers that translate, and this is a model for {task.config.task}"
        raise SeqloomError(what, remedy="export it with --to onnx, which takes every task")
    config = task.config.model
    export_translator(network, config, task.source_tokenizer, task.target_tokenizer, folder, int8=int8)
    files = sorted(file.name for file in folder.iterdir() if file.name not in before)
    facts = EngineFacts(
        engine=engine, int8=int8, task=task.config.task, files=files, length=config.length, limit=config.places,
        made_from="" if made_from is None else str(made_from.resolve()),
    )  # fmt: skip
    write_json(folder / FILE, facts.model_dump())
