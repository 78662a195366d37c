"""Write a trained model for another engine."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice
from pathlib import Path
from typing import Any

from torch import nn

from seqloom.data.corpus import CHUNK_SIZE
from seqloom.data.record import Record
from seqloom.engines.ctranslate2_export import export_translator
from seqloom.engines.ctranslate2_package import SHORTLIST
from seqloom.engines.engine_module import check_in_torch
from seqloom.engines.onnx_generation_export import export_generation, generation_spec
from seqloom.engines.onnx_logits_export import export_logits
from seqloom.engines.settings import CRF, ENGINES, FILE, EngineMetadata
from seqloom.engines.shortlist import learn_shortlist
from seqloom.errors import SeqloomError, UnknownName
from seqloom.layers.positions import Sinusoidal
from seqloom.models.crf import LinearChainCRF
from seqloom.models.language_model import LanguageModel
from seqloom.models.seq2seq.model import Seq2Seq
from seqloom.models.weights import weights_of
from seqloom.storage import write_json, write_tensors
from seqloom.tasks.caption.task import Caption
from seqloom.tasks.classify.task import Classify
from seqloom.tasks.generate.task import Generate
from seqloom.tasks.tag.task import Tag
from seqloom.tasks.task import Task
from seqloom.tasks.translate.task import Translate


def write_engine(
    folder: Path, task: Task[Any], network: nn.Module, engine: str, *, int8: bool, shortlist: int,
    train: Callable[[], Iterable[Record]], made_from: str, mark: str,
) -> None:  # fmt: skip
    """Write the files of an engine, and what it must know, into a folder that gets a manifest.

    shortlist   candidates that each source token has for the target, learned from `train`; 0: every token is one
    train       opens the pairs that the model was trained on
    made_from   the folder of the model, which `mark` says that this user named
    """
    if engine not in ENGINES:
        raise UnknownName("engine", engine, ENGINES)
    if shortlist < 0:
        what = f"shortlist: {shortlist} is no number of candidates"
        raise SeqloomError(what, remedy="give 0, or more for candidates of each source token")
    check_in_torch(network)
    before = {file.name for file in folder.iterdir()}
    if engine == "ctranslate2":
        known = write_ctranslate2(folder, task, network, int8=int8)
        if shortlist:
            text = shortlist_text(task, train(), shortlist)
            (folder / SHORTLIST).write_text(text, encoding="utf-8", newline="\n")
    elif shortlist:
        raise SeqloomError("only CTranslate2 has a shortlist", remedy="leave it out, or export to ctranslate2")
    else:
        known = write_onnx(folder, task, network, int8=int8)
    files = sorted(file.name for file in folder.iterdir() if file.name not in before)
    facts = EngineMetadata(
        engine=engine, int8=int8, shortlist=shortlist, task=task.config.task, files=files, made_from=made_from,
        mark=mark, **known,
    )  # fmt: skip
    write_json(folder / FILE, facts.model_dump())


def write_ctranslate2(folder: Path, task: Task[Any], network: nn.Module, *, int8: bool) -> dict[str, Any]:
    """The files of CTranslate2; how much the model reads and writes at most."""
    if not (isinstance(task, Translate) and isinstance(network, Seq2Seq)):
        what = f"CTranslate2 runs Transformers that translate, and this is a model for {task.config.task}"
        raise SeqloomError(what, remedy="export it with --to onnx")
    if not task.translates:
        what = "CTranslate2 runs models that read texts, and this one reads frames"
        raise SeqloomError(what, remedy="export it with --to onnx")
    config = task.config.model
    export_translator(network, config, task.source_tokenizer, task.target_tokenizer, folder, int8=int8)
    return {"length": config.length, "limit": config.places}


def shortlist_text(task: Task[Any], train: Iterable[Record], per_token: int) -> str:
    """The shortlist of a translator, as CTranslate2 reads it."""
    assert isinstance(task, Translate)
    source, target = task.source_tokenizer, task.target_tokenizer
    records = iter(train)
    chunks = map(task.encode, iter(lambda: list(islice(records, CHUNK_SIZE)), []))
    pairs = (pair for chunk in chunks for pair in zip(chunk["source"], chunk["target"], strict=True))
    found = learn_shortlist(pairs, target.size, per_token, shared=source is target)
    return found.as_text(source.vocabulary, target.vocabulary)


def write_onnx(folder: Path, task: Task[Any], network: nn.Module, *, int8: bool) -> dict[str, Any]:
    """The graph of a model, and what is known of it: one that writes, or one that gives logits for a whole input."""
    if isinstance(task, Translate | Caption) and isinstance(network, Seq2Seq):
        return write_seq2seq(folder, task, network, int8=int8)
    if isinstance(task, Generate) and isinstance(network, LanguageModel):
        return write_language_model(folder, task, network, int8=int8)
    if not isinstance(task, Classify | Tag):
        what = f"a model for {task.config.task} has no form in ONNX that seqloom knows"
        raise SeqloomError(what, remedy="use it with torch as it is")
    export_logits(network, folder, task.config.model.length, int8=int8)
    if isinstance(field := getattr(network, "crf", None), LinearChainCRF):  # it searches outside of the graph
        write_tensors(folder / CRF, weights_of(field))
    return {}


def write_seq2seq(folder: Path, task: Translate | Caption, network: Seq2Seq, *, int8: bool) -> dict[str, Any]:
    """The graph of a model that writes from a source."""
    config = task.config.model
    places = max(config.length, config.places)
    export_generation(generation_spec(network), folder, places, int8=int8)
    bounded = network.decoder.limit is not None or has_sinusoidal_positions(network.decoder)
    known: dict[str, Any] = {"length": config.length, **({"limit": config.places} if bounded else {})}
    if isinstance(task, Caption):
        rows, columns = task.grid
        shape = [*task.shape, rows, columns, task.facts["longest"]]
        return {**known, "reads": "picture", "regions": rows * columns, "picture": shape}
    return {**known, "reads": "text" if task.translates else "frames"}


def write_language_model(folder: Path, task: Generate, network: LanguageModel, *, int8: bool) -> dict[str, Any]:
    """The graph that writes, if the model does, and that of its logits, which perplexity and blanks are taken from."""
    length = task.config.model.length
    export_logits(network, folder, length, int8=int8)
    if not task.masked:
        export_generation(generation_spec(network), folder, length, int8=int8)
    return {"length": length, "window": network.limit or 0}


def has_sinusoidal_positions(network: nn.Module) -> bool:
    """Whether it has sinusoidal positions, of which a graph holds so many."""
    return any(isinstance(module, Sinusoidal) for module in network.modules())
