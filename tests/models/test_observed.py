"""A network that is watched: it computes the same, says where it looks, and nobody else sees that it is watched."""

import pytest
import torch
from torch.testing import assert_close

from seqloom.errors import SeqloomError
from seqloom.layers.multi_head import MultiHead
from seqloom.models.observed import Head, Observed
from seqloom.models.seq2seq.model import Seq2Seq
from seqloom.models.seq2seq.settings import Seq2SeqConfig
from tests.sizes import lenient

SIZES = {"embedding": 8, "encoder_widths": [8], "decoder_widths": [8, 8], "heads": 2, "hidden": 12, "dropout": 0.1}


@pytest.fixture
def network() -> Seq2Seq:
    config = lenient(Seq2SeqConfig, name="transformer", encoder="transformer", decoder="transformer", **SIZES)
    return Seq2Seq.of_texts(config, 11, 13).eval()


@pytest.fixture
def batch() -> tuple[torch.Tensor, ...]:
    source, written = torch.randint(4, 11, (1, 5)), torch.randint(4, 13, (1, 3))
    return source, torch.tensor([5]), written, torch.ones(1, 3, dtype=torch.bool)


def test_it_computes_the_same_and_hands_out_the_weights_of_every_head(network, batch):
    watched = Observed(network)
    with torch.no_grad():
        assert_close(watched.network(*batch), network(*batch))
    shapes = {group: [tuple(a.shape) for a in layers.values()] for group, layers in watched.weights.items()}
    assert shapes == {"encoder": [(2, 5, 5)], "cross": [(2, 3, 5)] * 2, "decoder": [(2, 3, 3)] * 2}
    for layers in watched.weights.values():
        for a in layers.values():
            assert_close(a.sum(-1), torch.ones(a.shape[:-1]))
    assert watched.weights["decoder"][0].triu(1).max() == 0, "no token looks ahead"


def test_weights_are_shared_and_the_network_itself_stays_as_it_is(network, batch):
    watched = Observed(network, [Head("cross", 0, 1)])
    assert {p.data_ptr() for p in watched.network.parameters()} == {p.data_ptr() for p in network.parameters()}
    assert not any(module._forward_hooks for module in network.modules())


def test_a_head_that_is_off_counts_as_if_its_output_weights_were_zero(network, batch):
    off = Observed(network, [Head("cross", 1, 0), Head("encoder", 0, 1)])
    with torch.no_grad():
        found = off.network(*batch)
        layers = [module for module in network.modules() if isinstance(module, MultiHead)]
        by_name = dict(network.named_modules())
        for path, head in (("decoder.blocks.1.cross_attention", 0), ("source.encoder.blocks.0.attention", 1)):
            width = by_name[path].width // by_name[path].heads
            by_name[path].W_O[head * width : (head + 1) * width] = 0
        assert len(layers) == 5
        assert_close(found, network(*batch))


@pytest.mark.parametrize("name, words", [("cross.2.0", "no head cross.2.0"), ("self.0.0", "no head self.0.0")])
def test_a_head_that_is_not_there_is_named_with_those_that_are(network, name, words):
    with pytest.raises(SeqloomError, match=words) as error:
        Observed(network, [Head.named(name)])
    assert "encoder (1 x 2), decoder (2 x 2), cross (2 x 2)" in str(error.value)


def test_what_names_no_head_says_how_to_write_one():
    with pytest.raises(SeqloomError, match=r"'cross-1' names no head\n.*cross.0.3"):
        Head.named("cross-1")
