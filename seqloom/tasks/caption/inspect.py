"""A captioner looked at while it describes one picture: where it looks for each token, and what else it could say."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import torch

from seqloom.attention.picture_attention import region_names
from seqloom.data.pictures.decoding import as_png
from seqloom.models.observed import Observed
from seqloom.models.seq2seq.model import Seq2Seq
from seqloom.tasks.caption.answers import caption_of
from seqloom.tasks.caption.options import CaptionOptions
from seqloom.tasks.inspection import Inspection, InspectOptions, SeenPicture
from seqloom.tasks.seq2seq_inspection import ObservedText, cross_attention, decoder_attention, write_observed

if TYPE_CHECKING:
    from seqloom.tasks.caption.task import Caption


def inspect_caption(
    task: Caption, model: Seq2Seq, given: Any, options: InspectOptions, wanted: Callable[[], bool]
) -> Iterator[Inspection | None]:
    """ObservedText step by step (None after each), then read once more at teacher forcing, with every head watched."""
    name, pixels = task.pixels(given)
    height, width, _ = task.shape
    device = next(model.parameters()).device
    source = torch.from_numpy(pixels.copy()).to(device)[None]
    lengths = torch.tensor([math.prod(task.grid)], device=device)
    observed, written, tokenizer = Observed(model, options.heads_off), ObservedText(), task.tokenizer
    decoding = task.limited(model, CaptionOptions(beam=options.beam, temperature=options.temperature or 0.0))
    names = tokenizer.vocabulary
    yield from write_observed(observed, source, lengths, names, options, decoding, name, wanted, written)
    answer = caption_of(name, pixels, task.grid, written.found, tokenizer)
    regions = list(region_names(*task.grid))
    attention = cross_attention(observed, answer.attention, regions, written.target)
    yield Inspection(
        answer,
        {"source": regions, "target": written.row},
        [*attention, *decoder_attention(observed, written.target)],
        written.steps,
        "target",
        written.tree,
        temperature=options.temperature or 0.0,
        picture=SeenPicture(as_png(pixels), width, height, *task.grid),
    )
