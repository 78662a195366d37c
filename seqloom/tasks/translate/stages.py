"""A translator at work on one sentence, stage by stage: encoder, bridge, decoder."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from seqloom.models.seq2seq.model import Seq2Seq
from seqloom.models.stage import Example, StageExample, VocabularyAxis
from seqloom.tasks.stages import LONGEST, of_another_length
from seqloom.tasks.translate.inputs import SourceKind
from seqloom.tokens.settings import BOS, EOS, PAD
from seqloom.tokens.tokenizer import Tokenizer


def translation_example(
    inputs: SourceKind, network: nn.Module, writes: Tokenizer, given: Any, device: torch.device
) -> Example:
    """A source is translated greedily, token by token; as much of it as the model reads."""
    assert isinstance(network, Seq2Seq)
    (read,) = inputs.read([given if given is not None else inputs.sample()])
    row = inputs.row(inputs.bounded(read.values))
    source = inputs.tensors([row], device)[0][0]
    written = greedy(network, source)
    stages = network.stages(source[None], [BOS, *written[:-1]])
    longer = len(source) < inputs.config.model.length
    others = network.stages(of_another_length(source, longer=longer)[None], [BOS, BOS])
    words = inputs.names(read, row)
    labels = [writes.vocabulary[token] for token in written]
    fed = [writes.vocabulary[token] for token in (BOS, *written[:-1])]
    found = [
        StageExample(stage, other, words, words, words, inputs.axes(row), longer=longer)
        for stage, other in zip(stages[:-1], others[:-1], strict=True)
    ]
    used = sorted({BOS, *written})
    axis = VocabularyAxis(writes.vocabulary, used, lines=("z", "p"), probabilities="p")
    found.append(StageExample(stages[-1], others[-1], words, labels, fed, [axis], longer=longer))
    return Example(f"{read.shown} → {writes.decode(written)}", found)


def greedy(network: Seq2Seq, source: Tensor) -> list[int]:
    """The most probable token in every step, <eos> last unless it goes on and on."""
    state: Any = network.start(source[None], torch.tensor([len(source)], device=source.device))
    never = torch.tensor([PAD, BOS], device=source.device)
    written = [BOS]
    while written[-1] != EOS and len(written) <= LONGEST:
        step = network.step(torch.tensor(written[-1:], device=source.device), state)
        state = step.state
        written.append(int(step.logits[0].index_fill(0, never, -torch.inf).argmax()))
    return written[1:]
