import pytest
import torch
from torch.testing import assert_close

from seqloom.config import check
from seqloom.errors import ConfigError
from seqloom.layers.dropout import Dropout, draw_from
from seqloom.layers.gru import GRU, GRUResetAfter
from seqloom.layers.lstm import LSTM
from seqloom.layers.simple_rnn import LinearRNN, SimpleRNN
from seqloom.models.encoders import make_encoder
from seqloom.models.seq2seq.settings import Seq2SeqConfig
from seqloom.models.settings import ModelConfig
from tests.layers.scan import randn, random_biases, scan

CELLS = [SimpleRNN, LinearRNN, GRU, GRUResetAfter, LSTM]


@pytest.mark.parametrize("cls", CELLS)
@pytest.mark.parametrize("lengths", [None, torch.tensor([4, 2])])
def test_some_recurrent_weights_are_dropped_for_a_whole_sequence(cls, lengths):
    layer, x = random_biases(cls(3, 7, weight_dropout=0.5)).double(), randn(2, 4, 3)
    draw_from(torch.Generator().manual_seed(5), layer)
    dropout = Dropout(0.5)
    draw_from(torch.Generator().manual_seed(5), dropout)
    kept = dropout(torch.ones_like(layer.weight_h))
    assert 0 < (kept == 0).sum() < kept.numel()
    y, _ = layer(x, None, lengths)
    layer.weight_h.grad = None
    y.square().sum().backward()
    assert (layer.weight_h.grad[kept == 0] == 0).all() and (layer.weight_h.grad[kept > 0] != 0).any()

    plain = cls(3, 7).double()
    plain.load_state_dict({**layer.state_dict(), "weight_h": layer.weight_h * kept})
    states = [torch.zeros(2, 7, dtype=torch.float64) for _ in plain.definition.body.states]
    expected, _ = scan(cls.definition, x, states, plain.symbols())
    if lengths is not None:
        expected = expected.masked_fill(torch.arange(4)[None, :, None] >= lengths[:, None, None], 0)
    assert_close(y, expected)


@pytest.mark.parametrize("cls", CELLS)
def test_nothing_is_dropped_once_it_is_trained(cls):
    layer, x = cls(3, 7, weight_dropout=0.5).eval(), torch.randn(2, 4, 3)
    plain = cls(3, 7)
    plain.load_state_dict(layer.state_dict())
    assert torch.equal(layer(x)[0], plain(x)[0])


@pytest.mark.parametrize("bidirectional", [False, True])
def test_the_setting_reaches_every_layer(bidirectional):
    config = ModelConfig(name="lstm", widths=[5, 6], inner_dropout=0.25, bidirectional=bidirectional)
    rates = [module.rate for module in make_encoder(config, 4, causal=False).modules() if isinstance(module, Dropout)]
    assert rates.count(0.25) == (4 if bidirectional else 2)


def test_a_decoder_does_not_take_it():
    given = {"name": "encoder-decoder", "encoder": "cnn", "decoder": "gru", "bridge": "projected", "inner_dropout": 0.5}
    with pytest.raises(ConfigError, match="inner_dropout"):
        check(Seq2SeqConfig, given, where="settings")
