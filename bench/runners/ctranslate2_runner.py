"""CTranslate2, from the same Marian model; float32 or int8 as the job says."""

from __future__ import annotations

import tempfile
from importlib.metadata import version
from pathlib import Path
from typing import Any

import ctranslate2  # in the environment of this runner
import transformers  # type: ignore[import-not-found]
from ctranslate2.converters import transformers as converters
from serve import Translate, serve  # type: ignore[import-not-found]  # beside this file

NAMES = {0: "<pad>", 1: "<unk>", 2: "<s>", 3: "</s>"}


def start(job: dict[str, Any]) -> tuple[dict[str, str], Translate]:
    folder = Path(tempfile.mkdtemp(prefix="seqloom-bench-"))
    convert(job["marian"], folder)
    threads = job["threads"]
    several = ctranslate2.Translator(
        str(folder / "model"), compute_type=job["compute_type"], inter_threads=threads, intra_threads=1
    )
    one = ctranslate2.Translator(
        str(folder / "model"), compute_type=job["compute_type"], inter_threads=1, intra_threads=threads
    )

    def translate(batch: list[list[int]], beam: int) -> list[list[int]]:
        sources = [[NAMES.get(token, str(token)) for token in row] for row in batch]
        translator, size = (one, 1) if len(batch) == 1 else (several, -(-len(batch) // threads))
        found = translator.translate_batch(
            sources, beam_size=beam, max_batch_size=size,
            max_decoding_length=job["max_length"], min_decoding_length=max(job["min_length"], 1),
        )  # fmt: skip
        numbers = {name: number for number, name in NAMES.items()}
        return [[numbers.get(token) or int(token) for token in one.hypotheses[0]] for one in found]

    return {"ctranslate2": version("ctranslate2")}, translate


class Loader(converters.MarianMTLoader):  # type: ignore[misc]  # from another environment
    """Marian's converter for a decoder that begins with <s>, and a vocabulary without a <pad> at its end."""

    set_decoder = converters.BartLoader.set_decoder
    get_vocabulary = converters.BartLoader.get_vocabulary

    def get_model_spec(self, model: Any) -> Any:
        model.config.normalize_before = model.config.normalize_embedding = False
        return converters.BartLoader.get_model_spec(self, model)

    def set_config(self, config: Any, model: Any, tokenizer: Any) -> None:
        config.decoder_start_token, config.eos_token, config.unk_token = "<s>", "</s>", "<unk>"


def convert(marian: str, folder: Path) -> None:
    """The model of a folder in CTranslate2's own format; its tokens are written as their numbers."""
    loader = Loader()
    model = transformers.MarianMTModel.from_pretrained(marian)
    names = [NAMES.get(token, str(token)) for token in range(model.config.vocab_size)]

    class Tokens:
        """As much of a tokenizer as the converter asks for."""

        bos_token, eos_token, unk_token = "<s>", "</s>", "<unk>"

        def get_vocab(self) -> dict[str, int]:
            return {name: number for number, name in enumerate(names)}

        def convert_ids_to_tokens(self, number: int) -> str:
            return names[number]

    spec = loader(model, Tokens())
    spec.validate()
    spec.optimize(quantization=None)
    (folder / "model").mkdir()
    spec.save(str(folder / "model"))


serve(start)
