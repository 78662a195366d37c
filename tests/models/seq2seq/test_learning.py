"""Models that look learn where to look."""

import pytest
import torch
from torch.nn import functional as F

from seqloom.models.seq2seq.model import Seq2Seq
from seqloom.models.seq2seq.settings import Seq2SeqConfig
from tests.sizes import lenient

LETTERS, LENGTH, BOS = 12, 7, 12


def backwards(pairs: int):
    """Letters, and the same letters from the last to the first."""
    source = torch.randint(LETTERS, (pairs, LENGTH))
    return source, source.flip(1)


@pytest.mark.parametrize("name", ["rnn-attention", "conv-seq2seq", "transformer-tiny", "hybrid"])
def test_a_model_with_attention_learns_to_write_backwards(name):
    torch.manual_seed(7)
    size = {"embedding": 32, "encoder_widths": [32] * 2, "decoder_widths": [32] * 2, "hidden": 48, "dropout": 0.0}
    model = Seq2Seq.of_texts(lenient(Seq2SeqConfig, name=name, **size), LETTERS, LETTERS + 1)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.004)
    lengths, real = torch.full((64,), LENGTH), torch.ones(64, LENGTH, dtype=torch.bool)
    for _ in range(150):
        source, target = backwards(64)
        written = F.pad(target[:, :-1], (1, 0), value=BOS)
        scores = model(source, lengths, written, real)
        loss = F.cross_entropy(scores, target.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    source, target = backwards(64)
    scores = model(source, lengths, F.pad(target[:, :-1], (1, 0), value=BOS), real)
    assert (scores.argmax(-1) == target.flatten()).float().mean() > 0.97
