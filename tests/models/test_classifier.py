"""From words or frames to scores."""

from typing import Any

import pytest
import torch
from torch.testing import assert_close

from seqloom.layers.output_layers import logistic_regression, mlp
from seqloom.models.classifier import Classifier, Features, FlatClassifier, make_classifier
from seqloom.models.frame_projection import FrameProjection
from seqloom.models.settings import ModelConfig
from seqloom.models.token_embedding import TokenEmbedding
from tests.sizes import lenient

NAMES = ["logistic", "mlp", "rnn", "gru", "lstm", "self-attentive-rnn", "cnn", "mixer", "transformer"]


def made(config: ModelConfig, embedding: Features, scores: int, features: int = 0) -> Any:
    return make_classifier(config, embedding, scores, features).eval()


def small(name: str, **changes: Any) -> ModelConfig:
    sizes: dict[str, Any] = {"embedding": 4, "widths": [6], "heads": 2, "hidden": 5, "length": 7, "dropout": 0.0}
    return lenient(ModelConfig, name=name, **sizes | changes)


@pytest.mark.parametrize("name", NAMES)
def test_frames_give_the_same_scores_alone_and_beside_longer_ones(name):
    config = small(name)
    model = made(config, FrameProjection(3, config.embedding), 2)
    torch.nn.init.normal_(next(model.parameters()))
    frames = [torch.randn(length, 3) for length in (2, 7, 5)]
    together = torch.nn.utils.rnn.pad_sequence(frames, batch_first=True)
    scores = model(together, torch.tensor([2, 7, 5]))
    for row, alone in zip(scores, frames, strict=True):
        assert_close(model(alone[None], torch.tensor([len(alone)]))[0], row)


@pytest.mark.parametrize("name", NAMES)
def test_features_count_and_a_vector_is_what_is_read_out(name):
    config = small(name)
    model = made(config, TokenEmbedding(config, 11), 3, features=2)
    w, lengths = torch.randint(1, 11, (5, 7)), torch.tensor([7, 1, 3, 0, 6])
    without = model(w, lengths, torch.zeros(5, 2))
    beside = torch.randn(5, 2)
    vectors = model.vectors(w, lengths)
    weights: Any = model.beside if isinstance(model, FlatClassifier) else model.readout
    assert_close(model(w, lengths, beside), without + beside @ weights.W_hy[-2:])
    if isinstance(model, Classifier):
        assert_close(
            torch.cat([vectors, beside], 1) @ model.readout.W_hy + model.readout.b_y, model(w, lengths, beside)
        )
    elif name == "mlp":
        assert_close(vectors @ model.head.W_2 + model.head.b_2, without)
    else:
        assert_close(vectors @ model.head.W_hy + model.head.b_y, without)


def test_logistic_regression_has_161_parameters_and_computes_its_definition():
    config = small("logistic", length=20, embedding=8)
    model = made(config, TokenEmbedding(config, 30), 1)
    assert sum(weight.numel() for weight in model.head.parameters()) == 161
    torch.nn.init.normal_(model.head.w)
    torch.nn.init.normal_(model.head.b)
    w = torch.randint(1, 30, (3, 20))
    rows = model.embedding(w)
    expected = [logistic_regression(row, **model.head.symbols()) for row in rows]
    scores = model(w, torch.full((3,), 20))
    assert scores.shape == (3, 1)
    assert_close(torch.sigmoid(scores[:, 0]), torch.stack(expected))


def test_the_mlp_computes_its_definition():
    config = small("mlp")
    model = made(config, TokenEmbedding(config, 13), 3)
    w = torch.randint(1, 13, (4, 7))
    expected = [mlp(row, **model.head.symbols()) for row in model.embedding(w)]
    assert_close(model(w, torch.full((4,), 7)), torch.stack(expected))


def test_one_hot_words_times_a_matrix_are_a_look_up():
    config = small("gru", one_hot=True)
    table = torch.randn(9, 4)
    w = torch.randint(0, 9, (2, 5))
    assert_close(TokenEmbedding(config, 9).eval()(w) @ table, table[w])
