"""An exported language model, opened without torch: called with texts, it continues them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from seqloom.engines.exported import ExportedModel
from seqloom.engines.onnx_generation import OnnxContinuer
from seqloom.engines.settings import EngineMetadata
from seqloom.storage import ModelFiles
from seqloom.tasks.generate.continuing import continue_texts
from seqloom.tasks.generate.options import GenerateOptions
from seqloom.tasks.requests import Reply, TaskRequest
from seqloom.tokens.tokenizer import Tokenizer


class ExportedGenerator(ExportedModel):
    """A language model that writes."""

    task_name, Options = "generate", GenerateOptions

    def __init__(self, files: ModelFiles, tokenizer: Tokenizer, facts: EngineMetadata, threads: int) -> None:
        super().__init__(facts)
        self.tokenizer, self.continuer = tokenizer, OnnxContinuer(files, facts, threads, tokenizer.size)

    def answer_steps(self, requests: Sequence[TaskRequest], options: GenerateOptions) -> Iterator[Sequence[Reply]]:
        keys = [one.key for one in requests]
        return continue_texts(
            self.tokenizer, requests, options,
            lambda texts: self.continuer.continue_texts(texts, keys, options, lambda row: requests[row].wanted),
        )  # fmt: skip
