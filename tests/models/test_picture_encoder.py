"""The encoder of pictures computes its equations, and every decoder writes from it."""

import pytest
import torch
from torch.testing import assert_close

from seqloom.config import check
from seqloom.errors import ConfigError
from seqloom.layers.embedding import Embedding
from seqloom.models.picture_encoder import PictureEncoder
from seqloom.models.picture_settings import PictureModelConfig
from seqloom.models.registry import names
from seqloom.models.seq2seq.model import Seq2Seq
from seqloom.testing import assert_same, check_translator, exact

SMALL = {"embedding": 6, "filters": [3, 5], "dropout": 0.0, "decoder_widths": [7], "hidden": 4}


def settings(**changes: object) -> PictureModelConfig:
    return check(PictureModelConfig, {**SMALL, **changes}, where="model", saved=True)


@pytest.mark.parametrize("encoder", ["words", "gru", "transformer"])
@pytest.mark.parametrize("height, width, colours", [(4, 5, 1), (9, 6, 3)])
def test_the_encoder_computes_its_equations(encoder, height, width, colours):
    config = settings(encoder=encoder, encoder_widths=[6], heads=2)
    source = exact(PictureEncoder(config, height, width, colours)).eval()
    pictures = torch.randint(0, 256, (2, height, width, colours), dtype=torch.uint8)
    memory = source(pictures, torch.zeros(2))
    assert memory.hidden.shape == (2, (height // 4) * (width // 4), source.output_size)
    slow = torch.stack([source.part()(picture.double() / 127.5 - 1) for picture in pictures])
    assert_same([memory.hidden], [slow], list(source.parameters()))
    assert_close(memory.last, slow.mean(1))


@pytest.mark.parametrize("name", names("caption"))
def test_the_decoder_computes_its_equations_from_a_picture(name):
    heads = {"heads": 2} if "transformer" in name else {}
    config = settings(name=name, encoder_widths=[6], **heads)
    model = Seq2Seq(config, PictureEncoder(config, 8, 12, 1), Embedding(11, 6))
    picture = torch.randint(0, 256, (8, 12, 1)).tolist()
    check_translator(model, picture, [2, 7, 5])


def test_a_picture_that_the_convolutions_leave_nothing_of_is_refused():
    with pytest.raises(ConfigError, match="are too many for 3 x 12 pixels"):
        settings().grid(3, 12)
