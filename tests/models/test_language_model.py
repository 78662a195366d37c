"""Language models: the same scores all at once and word by word, never a look ahead."""

import math

import pytest
import torch
from torch.nn import functional as F

from seqloom.decoding.stepper import select_rows
from seqloom.errors import ConfigError
from seqloom.models.language_model import LanguageModel
from seqloom.models.settings import ModelConfig
from tests.sizes import lenient

B, T, V = 3, 7, 11
CAUSAL = ["rnn", "gru", "lstm", "self-attentive-rnn", "cnn", "transformer"]


def make(name: str, *, causal: bool = True, vocab: int = V, **settings: object) -> LanguageModel:
    chosen = {"name": name, "embedding": 8, "widths": [6, 5], "heads": 2, "hidden": 9, "length": 12, **settings}
    return LanguageModel(lenient(ModelConfig, **chosen), vocab, causal=causal).double().eval()


def tokens() -> torch.Tensor:
    return torch.randint(V, (B, T))


@pytest.mark.parametrize("name, changes", [*((name, {}) for name in CAUSAL), ("transformer", {"norm": "after"})])
@pytest.mark.parametrize("cuts", [[1] * T, [3, 4], [1, 5, 1]])
def test_word_by_word_gives_what_all_at_once_gives(name, changes, cuts):
    model, w = make(name, **changes), tokens()
    whole = model(w, torch.full((B,), T))
    assert whole.shape == (B, T, V)
    state, start = None, 0
    for size in cuts:
        scores, state = model.read(w[:, start : start + size], state)
        start += size
        torch.testing.assert_close(scores, whole[:, start - 1])


@pytest.mark.parametrize("name", CAUSAL)
def test_rows_of_a_state_go_on_by_themselves(name):
    model, w = make(name), tokens()
    _, state = model.read(w[:, :4])
    rows = torch.tensor([2, 0, 2])
    scores, _ = model.read(w[rows, 4:], select_rows(state, rows))
    torch.testing.assert_close(scores, model(w[rows], torch.full((3,), T))[:, -1])


@pytest.mark.parametrize("name", CAUSAL)
def test_the_words_to_come_are_not_seen(name):
    model, w = make(name), tokens()
    changed = w.clone()
    changed[:, 4:] = (changed[:, 4:] + 1) % V
    full = torch.full((B,), T)
    torch.testing.assert_close(model(w, full)[:, :4], model(changed, full)[:, :4])
    assert not torch.allclose(model(w, full)[:, 4], model(changed, full)[:, 4])


@pytest.mark.parametrize("name", ["cnn", "mixer", "transformer"])
def test_a_masked_model_sees_both_sides(name):
    model, w = make(name, causal=False), tokens()
    changed = w.clone()
    changed[:, 4] = (changed[:, 4] + 1) % V
    full = torch.full((B,), T)
    assert not torch.allclose(model(w, full)[:, 3], model(changed, full)[:, 3])


@pytest.mark.parametrize("name", CAUSAL)
def test_scores_of_some_places_are_those_of_all(name):
    model, w = make(name), tokens()
    lengths = torch.tensor([T, 2, 5])
    where = torch.rand(B, T) < 0.4
    torch.testing.assert_close(model(w, lengths, where), model(w, lengths)[where])


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("name", CAUSAL)
def test_nothing_is_foretold_before_anything_is_learned(name, tied):
    model = make(name, vocab=97, embedding=32, widths=[32], tied=tied)
    w = torch.randint(97, (5, 12))
    loss = F.cross_entropy(model(w, torch.full((5,), 12)).flatten(0, 1), torch.randint(97, (60,)))
    assert loss.item() == pytest.approx(math.log(97), abs=0.1)


def test_tied_weights_are_there_once_and_learn_from_both_ends():
    tied, apart = make("lstm", widths=[8], tied=True), make("lstm", widths=[8])
    count = [sum(weight.numel() for weight in model.parameters()) for model in (tied, apart)]
    assert count[1] - count[0] == 8 * V
    rows = torch.randn(2, 8, dtype=torch.float64)
    torch.testing.assert_close(tied.logits(rows), rows @ tied.embedding.table.get_parameter("E").T)


def test_one_hot_words_are_read_and_not_learned():
    model = make("lstm", one_hot=True, vocab=V)
    assert model.embedding.width == V
    table = model.embedding.table.get_parameter("E")
    assert torch.equal(table, torch.eye(V, dtype=torch.float64))
    assert not table.requires_grad
    assert model(tokens(), torch.full((B,), T)).shape == (B, T, V)


def test_only_what_has_places_has_a_limit():
    limits = {name: make(name).limit for name in CAUSAL}
    assert limits == {**dict.fromkeys(CAUSAL, None), "transformer": 12}
    assert make("mixer", causal=False).limit == 12


@pytest.mark.parametrize(
    "settings, message",
    [
        ({"name": "mixer"}, "mixer is not causal"),
        ({"name": "mixer"}, "use one of: rnn, gru, .*self-attentive-rnn, cnn, transformer, words"),
        ({"name": "lstm", "bidirectional": True}, "sees the words it should predict"),
        ({"name": "lstm", "tied": True}, "model.tied: the last layer has width 5, the embeddings 8"),
        ({"name": "lstm", "tied": True, "one_hot": True}, "one-hot vectors have no weights to tie"),
    ],
)
def test_what_cannot_be_built_says_why(settings, message):
    with pytest.raises(ConfigError, match=message):
        make(**settings)
