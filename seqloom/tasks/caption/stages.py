"""A picture described step by step: encoder, bridge, decoder, each as equations with the numbers of the picture."""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import nn

from seqloom.data.pictures.decoding import Pixels, as_png
from seqloom.models.picture_encoder import PictureEncoder
from seqloom.models.seq2seq.model import Seq2Seq
from seqloom.models.stage import Example, Stage, StageExample, VocabularyAxis
from seqloom.tasks.translate.stages import greedy
from seqloom.tokens.settings import BOS
from seqloom.tokens.tokenizer import Tokenizer


def caption_example(network: nn.Module, name: str, pixels: Pixels, writes: Tokenizer, device: torch.device) -> Example:
    """A picture is described greedily, token by token."""
    assert isinstance(network, Seq2Seq) and isinstance(network.source, PictureEncoder)
    source = torch.from_numpy(pixels.copy()).to(device)
    written = greedy(network, source)
    *before, decoder = network.stages(source[None], [BOS, *written[:-1]])
    rows, columns = network.source.grid
    places = [f"{row},{column}" for row in range(1, rows + 1) for column in range(1, columns + 1)]
    found = [StageExample(stage, stage, [], [], []) for stage in before]
    labels = [writes.vocabulary[token] for token in written]
    fed = [writes.vocabulary[token] for token in (BOS, *written[:-1])]
    axis = VocabularyAxis(writes.vocabulary, sorted({BOS, *written}), lines=("z", "p"), probabilities="p")
    shorter = with_fewer_regions(decoder)
    found.append(StageExample(decoder, shorter, places, labels, fed, [axis], longer=False))
    return Example(f"{name} → {writes.decode(written)}", found, picture=as_png(pixels))


def with_fewer_regions(stage: Stage) -> Stage:
    """The same steps with one region less: what differs runs over regions."""
    return replace(stage, given={key: value[:-1] if key == "H" else value for key, value in stage.given.items()})
