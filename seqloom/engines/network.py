"""An engine in the place of a module: so that tasks, evaluation and the server take it as they take any model."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from seqloom.decoding.hypotheses import DecodingUpdate, SampledToken
from seqloom.decoding.settings import DecodingOptions
from seqloom.decoding.writer import SequenceWriter, TextContinuer
from seqloom.engines.engine_module import EngineModule
from seqloom.engines.exported import make_writer, workers
from seqloom.engines.onnx_generation import OnnxContinuer
from seqloom.engines.onnx_session import OnnxSession
from seqloom.engines.settings import CRF, LOGITS, EngineMetadata, damaged
from seqloom.models.crf import LinearChainCRF
from seqloom.storage import ModelFiles
from seqloom.tasks.caption.task import Caption
from seqloom.tasks.classify.task import Classify
from seqloom.tasks.generate.task import Generate
from seqloom.tasks.tag.task import Tag
from seqloom.tasks.task import Task
from seqloom.tasks.translate.task import Translate


def make_network(files: ModelFiles, facts: EngineMetadata, task: Task[Any]) -> nn.Module:
    """The engine of an exported model as a module; an error where its task is not one that the engine is for."""
    if facts.task == task.config.task:
        if facts.engine == "onnx" and isinstance(task, Classify):
            return EngineLogits(files, facts, workers(), task.answers.outputs)
        if facts.engine == "onnx" and isinstance(task, Tag):
            return EngineTagger(files, facts, workers(), len(task.tags), task.head.module())
        if facts.engine == "onnx" and isinstance(task, Generate):
            kind = EngineLanguageModel if task.masked else EngineContinuer
            return kind(files, facts, workers(), task.tokenizer.size)
        if (facts.engine == "onnx" and isinstance(task, Caption)) or isinstance(task, Translate):
            return EngineWriter(make_writer(files, facts, task.tokenizers, workers()))
    what = f"its engine is {facts.engine} for {facts.task:.80}, and its settings are for {task.config.task:.80}"
    raise damaged(files, what)


class EngineWriter(EngineModule, SequenceWriter):
    """A writer that runs in an engine."""

    def __init__(self, writer: SequenceWriter) -> None:
        super().__init__()
        self.writer, self.at_once = writer, writer.at_once

    def write_steps(
        self, sources: Sequence[Any], requests: Sequence[Any], prefix: Sequence[int], options: DecodingOptions
    ) -> Iterator[list[DecodingUpdate]]:
        return self.writer.write_steps(sources, requests, prefix, options)


class EngineLogits(EngineModule):
    """A module whose graph runs in ONNX Runtime: tensors in, logits out."""

    def __init__(self, files: ModelFiles, facts: EngineMetadata, threads: int, outputs: int) -> None:
        super().__init__()
        self.files, self.outputs, self.limit = files, outputs, facts.window or None
        self.session = OnnxSession(files, LOGITS, threads)

    def forward(self, *inputs: Tensor | None) -> Tensor:
        """The logits of a batch; the graph names what it reads by its place among the arguments."""
        given = {f"input_{place}": one.numpy() for place, one in enumerate(inputs) if one is not None}
        found = torch.from_numpy(self.session.run(given)[0])
        batch = next(iter(given.values()))
        shapes = ((len(batch), self.outputs), (*batch.shape[:2], self.outputs))
        if found.dtype != torch.float32 or tuple(found.shape) not in shapes or not found.isfinite().all():
            raise damaged(self.files, f"its graph gives no {self.outputs:,} logits, but {tuple(found.shape)}")
        return found


class EngineTagger(EngineLogits):
    """A tagger; where its tags are chosen together, the transitions between them stand beside the graph."""

    def __init__(
        self, files: ModelFiles, facts: EngineMetadata, threads: int, outputs: int, crf: LinearChainCRF | None
    ) -> None:
        super().__init__(files, facts, threads, outputs)
        self.crf = crf
        if crf is None:
            return
        found = files.tensors(CRF) if CRF in facts.files else {}
        scores = found.get("scores")
        if len(found) != 1 or scores is None or scores.shape != crf.scores.shape or not scores.isfinite().all():
            raise damaged(files, f"it has no transitions between {outputs:,} tags")
        crf.load_state_dict({"scores": scores})


class EngineLanguageModel(EngineLogits):
    """A language model: logits of all places of a text, or of some."""

    def forward(self, *inputs: Tensor | None) -> Tensor:
        """tokens (B, T), lengths (B), and if there are some, the places (B, T) that are asked for."""
        tokens, lengths, *where = inputs
        logits = super().forward(tokens, lengths)
        return logits[where[0]] if where and where[0] is not None else logits


class EngineContinuer(EngineLanguageModel, TextContinuer):
    """One that writes, too."""

    def __init__(self, files: ModelFiles, facts: EngineMetadata, threads: int, outputs: int) -> None:
        super().__init__(files, facts, threads, outputs)
        self.continuer = OnnxContinuer(files, facts, threads, outputs)

    def continue_texts(
        self, texts: Sequence[Sequence[int]], keys: Sequence[str], options: Any, wanted: Callable[[int], bool]
    ) -> Iterator[list[SampledToken]]:
        return self.continuer.continue_texts(texts, keys, options, wanted)
