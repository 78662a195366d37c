"""Write a trained model for another engine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from torch import nn

from seqloom.engines.ctranslate2_export import export_translator
from seqloom.engines.in_engine import check_in_torch
from seqloom.engines.onnx_export import export_logits
from seqloom.engines.settings import ENGINES, FILE, EngineFacts
from seqloom.errors import SeqloomError, UnknownName
from seqloom.models.seq2seq.model import Seq2Seq
from seqloom.storage import write_json
from seqloom.tasks.classify.task import Classify
from seqloom.tasks.tag.task import Tag
from seqloom.tasks.task import Task
from seqloom.tasks.translate.task import Translate


def write_engine(
    folder: Path, task: Task[Any], network: nn.Module, engine: str, *, int8: bool, made_from: Path | None
) -> None:
    """Write the files of an engine, and what it must know, into a folder that gets a manifest."""
    if engine not in ENGINES:
        raise UnknownName("engine", engine, ENGINES, remedy=f"there are: {', '.join(ENGINES)}")
    check_in_torch(network)
    before = {file.name for file in folder.iterdir()}
    write = write_ctranslate2 if engine == "ctranslate2" else write_onnx
    limits = write(folder, task, network, int8=int8)
    files = sorted(file.name for file in folder.iterdir() if file.name not in before)
    facts = EngineFacts(
        engine=engine, int8=int8, task=task.config.task, files=files,
        made_from="" if made_from is None else str(made_from.resolve()), **limits,
    )  # fmt: skip
    write_json(folder / FILE, facts.model_dump())


def write_ctranslate2(folder: Path, task: Task[Any], network: nn.Module, *, int8: bool) -> dict[str, int]:
    """The files of CTranslate2; how much the model reads and writes at most."""
    if not (isinstance(task, Translate) and isinstance(network, Seq2Seq)):
        what = f"CTranslate2 runs Transformers that translate, and this is a model for {task.config.task}"
        raise SeqloomError(what, remedy="models that classify or tag can be exported with --to onnx")
    if not task.translates:
        what = "CTranslate2 runs models that read texts, and this one reads frames"
        raise SeqloomError(what, remedy="serve the folder as it is")
    config = task.config.model
    export_translator(network, config, task.source_tokenizer, task.target_tokenizer, folder, int8=int8)
    return {"length": config.length, "limit": config.places}


def write_onnx(folder: Path, task: Task[Any], network: nn.Module, *, int8: bool) -> dict[str, int]:
    """The graph of a model that gives logits for a whole input."""
    if not isinstance(task, Classify | Tag):
        what = f"only models that classify or tag are exported to ONNX so far, and this is one for {task.config.task}"
        raise SeqloomError(what, remedy="a Transformer that translates can be exported with --to ctranslate2")
    if getattr(network, "crf", None) is not None:
        what = "tag.head = crf searches outside of the graph, so it is not exported to ONNX"
        raise SeqloomError(what, remedy="use it with torch, or train with --set tag.head=softmax")
    export_logits(network, folder, int8=int8)
    return {}
