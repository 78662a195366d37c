"""seqloom, as it is installed: token ids to token ids, through the same search as `seqloom predict`."""

from __future__ import annotations

from typing import Any

import torch
from serve import Translate, serve  # type: ignore[import-not-found]  # beside this file

import seqloom
from seqloom.decoding.beam_search import beam_search
from seqloom.decoding.constraints import Constraints
from seqloom.decoding.settings import DecodingOptions
from seqloom.tasks.batching import tensors
from seqloom.tokens.settings import BOS, EOS, PAD


def start(job: dict[str, Any]) -> tuple[dict[str, str], Translate]:
    torch.set_num_threads(job["threads"])
    model = seqloom.load(job["model"]).network
    constraints = Constraints(EOS, forbidden=(PAD, BOS), min_length=job["min_length"])
    device = torch.device("cpu")

    def translate(batch: list[list[int]], beam: int) -> list[list[int]]:
        options = DecodingOptions(beam=beam, max_length=job["max_length"], min_length=job["min_length"])
        with torch.inference_mode():
            state = model.start(*tensors(batch, device))  # type: ignore[operator]
        lengths = [len(row) for row in batch]
        steps = beam_search(model, state, lengths, BOS, constraints, options, device)  # type: ignore[arg-type]
        found = {one.number: one.sequences[0].tokens for step in steps for one in step}
        return [found[number] for number in range(len(batch))]

    return {"torch": torch.__version__}, translate


serve(start)
