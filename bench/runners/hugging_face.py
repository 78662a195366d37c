"""Hugging Face transformers: `MarianMTModel.generate`, with its cache and its fastest ending of a beam search."""

from __future__ import annotations

import warnings
from typing import Any

import torch
import transformers  # type: ignore[import-not-found]  # in the environment of this runner
from serve import Translate, serve  # type: ignore[import-not-found]  # beside this file

PAD, BOS, EOS = 0, 2, 3


def start(job: dict[str, Any]) -> tuple[dict[str, str], Translate]:
    warnings.simplefilter("ignore")
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    torch.set_num_threads(job["threads"])
    model = transformers.MarianMTModel.from_pretrained(job["marian"], attn_implementation="sdpa").eval()

    def translate(batch: list[list[int]], beam: int) -> list[list[int]]:
        longest = max(map(len, batch))
        source = torch.tensor([[*row, *[PAD] * (longest - len(row))] for row in batch])
        with torch.inference_mode():
            found = model.generate(
                input_ids=source, attention_mask=(source != PAD).long(), num_beams=beam, do_sample=False,
                max_new_tokens=job["max_length"], min_new_tokens=job["min_length"], early_stopping=beam > 1,
            )  # fmt: skip
        return [[token for token in row[1:] if token not in (PAD, EOS)] for row in found.tolist()]

    return {"transformers": transformers.__version__, "torch": torch.__version__}, translate


serve(start)
