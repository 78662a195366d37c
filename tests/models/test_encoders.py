"""Every encoder: padding changes nothing, causal ones cannot see ahead and go on word by word."""

import pytest
import torch
from torch import Tensor

from seqloom.errors import ConfigError
from seqloom.models.encoders import Encoder, make_encoder
from seqloom.models.registry import architectures, names
from seqloom.models.settings import ModelConfig
from tests.sizes import lenient

B, T, D = 3, 7, 8
CAUSAL = [found.name for found in architectures("encoder") if found.causal]


def make(name: str, *, causal: bool = False, **settings: object) -> Encoder:
    chosen = {"name": name, "embedding": D, "widths": [6, 5], "heads": 2, "hidden": 9, "length": 12, **settings}
    return make_encoder(lenient(ModelConfig, **chosen), D, causal=causal).eval()


def words() -> Tensor:
    return torch.randn(B, T, D)


@pytest.mark.parametrize("name", names("encoder"))
def test_rows_come_out_one_a_word(name):
    encoder = make(name)
    y = encoder(words(), torch.tensor([T, 4, 0]))
    assert y.shape == (B, T, encoder.output_size)
    assert y[1, 4:].abs().sum() == 0
    assert y[2].abs().sum() == 0
    assert torch.isfinite(y).all()


@pytest.mark.parametrize("name", names("encoder"))
def test_padding_changes_nothing(name):
    encoder, x = make(name), words()
    lengths = torch.tensor([5, 3, 1])
    alone = encoder(x[:, :5], lengths)
    garbage = torch.cat([x[:, :5], torch.full((B, 4, D), 7.0)], dim=1)
    torch.testing.assert_close(encoder(garbage, lengths)[:, :5], alone, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("name", CAUSAL)
def test_causal_encoders_cannot_see_the_future(name):
    encoder, x = make(name, causal=True), words()
    changed = x.clone()
    changed[:, 4:] = torch.randn(B, T - 4, D)
    full = torch.full((B,), T)
    torch.testing.assert_close(encoder(x, full)[:, :4], encoder(changed, full)[:, :4])
    assert not torch.allclose(encoder(x, full)[:, 4:], encoder(changed, full)[:, 4:])


@pytest.mark.parametrize("name", CAUSAL)
@pytest.mark.parametrize("cuts", [[1] * T, [3, 4], [1, 5, 1]])
def test_word_by_word_gives_what_all_at_once_gives(name, cuts):
    encoder, x = make(name, causal=True), words()
    whole = encoder(x, torch.full((B,), T))
    state, rows, start = None, [], 0
    for size in cuts:
        y, state = encoder.step(x[:, start : start + size], state)
        rows.append(y)
        start += size
    torch.testing.assert_close(torch.cat(rows, dim=1), whole, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("name", ["rnn", "gru", "lstm", "self-attentive-rnn"])
def test_widths_may_differ_and_both_directions_are_put_side_by_side(name):
    assert make(name, widths=[6, 5, 4]).output_size == 4
    assert make(name, widths=[6, 5], bidirectional=True).output_size == 10


def test_what_cannot_be_built_says_why():
    with pytest.raises(ConfigError, match="mixer is not causal"):
        make("mixer", causal=True)
    with pytest.raises(ConfigError, match="a bidirectional model sees the words it should predict"):
        make("lstm", causal=True, bidirectional=True)
    with pytest.raises(ConfigError, match=r"did you mean lstm .*there are: .*transformer"):
        make("lsmt")
