"""A decoder writes from anything that becomes a memory: here from pictures cut into patches."""

import pytest
import torch
from torch import Tensor
from torch.testing import assert_close

from seqloom.layers.embedding import Embedding
from seqloom.layers.linear import Linear
from seqloom.layers.masks import lengths_to_mask
from seqloom.models.registry import names
from seqloom.models.seq2seq.model import Seq2Seq
from seqloom.models.seq2seq.source_encoder import Memory, SourceReader
from seqloom.models.stage import Stage
from tests.models.seq2seq.test_seq2seq import settings

PIXELS, WIDTH, V = 9, 6, 11


class Patches(SourceReader):
    """Each patch of a picture, projected."""

    output_size = WIDTH

    def __init__(self) -> None:
        super().__init__()
        self.project = Linear(PIXELS, WIDTH)

    def forward(self, x: Tensor, lengths: Tensor) -> Memory:
        hidden = self.project(x)
        return Memory(hidden, lengths_to_mask(lengths, x.shape[1]), hidden[:, -1])

    def stage(self, x: Tensor) -> Stage:
        return Stage("patches", self.project.part(), [{"x": x}])

    def example(self, B: int, S: int) -> Tensor:
        return torch.zeros(B, S, PIXELS)


@pytest.mark.parametrize("decoder", names("decoder"))
def test_every_decoder_writes_from_pictures(decoder):
    config = settings(name="rnn-attention", decoder=decoder, bidirectional=False, decoder_widths=[WIDTH])
    model = Seq2Seq(config, Patches(), Embedding(V, WIDTH)).double().eval()
    picture, written = torch.randn(1, 4, PIXELS, dtype=torch.float64), [2, 7, 5]
    logits = model(picture, torch.tensor([4]), torch.tensor([written]), torch.ones(1, 3, dtype=torch.bool))
    state = model.start(picture, torch.tensor([4]), weights=True)
    for token, expected in zip(written, logits, strict=True):
        step = model.step(torch.tensor([token]), state)
        state = step.state
        assert_close(step.logits[0], expected)
        assert step.attention[0].shape[-1] == 4, "attention to the patches"
    patches, *_, last = model.stages(picture, written)
    assert_close(patches.traces()[0].results[0], model.source(picture, torch.tensor([4])).hidden[0])
    assert_close(last.traces()[-1].results[-1], logits[-1].softmax(-1))


@pytest.mark.parametrize("name", names("translate"))
def test_every_translator_reads_frames(name):
    config = settings(name=name, encoder_widths=[WIDTH], decoder_widths=[WIDTH])
    model = Seq2Seq.of_frames(config, 3, V).double().eval()
    frames, lengths = torch.randn(2, 5, 3, dtype=torch.float64), torch.tensor([5, 4])
    written, real = torch.tensor([[2, 7], [2, 5]]), torch.ones(2, 2, dtype=torch.bool)
    logits = model(frames, lengths, written, real)
    frames[1, 4] = 9.0
    assert_close(model(frames, lengths, written, real), logits)  # padding is not read
    source, *_ = model.stages(frames[:1], [2, 7])
    assert_close(source.traces()[0].results[0], model.source(frames[:1], lengths[:1]).hidden[0])
    assert model.source.example(2, 4).shape == (2, 4, 3)
