"""The tagger: padding changes nothing, letters are read as they should be, every weight learns."""

from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.testing import assert_close

from seqloom.errors import SeqloomError
from seqloom.layers.dropout import draw_from
from seqloom.models.characters import CHARACTER, CharacterKind, character_encoder
from seqloom.models.registry import names
from seqloom.models.settings import ModelConfig
from seqloom.models.tagger import Tagger
from seqloom.models.word_dropout import WordDropout
from tests.sizes import lenient

V, LETTERS, TAGS = 11, 9, 3
KINDS: list[CharacterKind] = ["cnn", "lstm"]


def make(name: str, kind: CharacterKind | None = "cnn", **settings: object) -> Tagger:
    chosen = {"name": name, "embedding": 6, "widths": [5, 7], "heads": 2, "hidden": 9, "length": 8, **settings}
    letters = character_encoder(kind, LETTERS, 4) if kind is not None else None
    return Tagger(lenient(ModelConfig, **chosen), V, TAGS, letters).double().eval()


def spelling(*words: list[int]) -> Tensor:
    longest = max(map(len, words))
    return torch.tensor([word + [0] * (longest - len(word)) for word in words])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", names("encoder"))
def test_a_batch_gives_what_each_sentence_alone_gives(name, kind):
    tagger = make(name, kind, bidirectional=True)
    sentences = [([4, 5, 6, 7], [1, 2, 1, 3]), ([8], [3]), ([9, 10], [2, 2])]
    spellings = [[], [2, 5, 3], [2, 6, 7, 8, 4, 3], [2, 3]]
    lengths = torch.tensor([4, 1, 2])
    w = torch.full((3, 6), 5)  # rubbish behind the end of each
    spelled = torch.full((3, 6), 1)
    for row, (words, places) in enumerate(sentences):
        w[row, : len(words)] = torch.tensor(words)
        spelled[row, : len(words)] = torch.tensor(places)
    together = tagger(w, lengths, spelled, spelling(*spellings))
    assert together.shape == (3, 6, TAGS)
    for row, (words, places) in enumerate(sentences):
        own = spelling(*[spellings[place] for place in places])  # no longer than its own longest word
        alone = tagger(torch.tensor([words]), lengths[row : row + 1], torch.arange(len(words))[None], own)
        assert_close(together[row, : len(words)], alone[0])


@pytest.mark.parametrize("name", names("encoder"))
def test_every_weight_learns_even_from_a_sentence_without_words(name):
    tagger = make(name, bidirectional=True).train()
    empty = torch.zeros(1, 1, dtype=torch.int64)
    tagger(empty, torch.tensor([0]), empty, torch.zeros(1, 1, dtype=torch.int64)).sum().backward()
    assert [name for name, weight in tagger.named_parameters() if weight.grad is None] == []


def test_without_letters_spelling_says_nothing():
    tagger = make("lstm", None)
    w, lengths = torch.tensor([[4, 5, 6]]), torch.tensor([3])
    one = tagger(w, lengths, torch.tensor([[0, 0, 0]]), spelling([2, 3]))
    other = tagger(w, lengths, torch.tensor([[0, 1, 0]]), spelling([2, 3], [2, 7, 3]))
    assert_close(one, other)
    assert not torch.allclose(
        make("lstm")(w, lengths, torch.tensor([[0, 0, 0]]), spelling([2, 3])),
        make("lstm")(w, lengths, torch.tensor([[0, 1, 0]]), spelling([2, 3], [2, 7, 3])),
    )


def test_a_name_that_reads_no_sentence_is_refused():
    with pytest.raises(SeqloomError, match="logistic cannot be an encoder"):
        make("logistic")


# --- letters --------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_a_word_without_letters_is_zero_and_filling_says_nothing(kind):
    letters = character_encoder(kind, LETTERS, 4).double()
    words = spelling([], [2, 5, 3], [2, 6, 7, 8, 3])
    rows = letters(words)
    assert rows.shape == (3, 4)
    assert rows[0].tolist() == [0, 0, 0, 0]
    assert_close(letters(words[:2, :3]), rows[:2])
    assert not torch.allclose(rows[1], rows[2])


def test_letters_by_convolution_are_the_strongest_windows():
    letters = character_encoder("cnn", LETTERS, 4).double()
    word = torch.tensor([[2, 6, 7, 3]])
    x = nn.functional.pad(letters.table(word)[0], (0, 0, 2, 2))  # (8, CHARACTER)
    reader: Any = letters
    weights = reader.convolution.symbols()
    windows = torch.stack([torch.einsum("kd,kdh->h", x[t : t + 5], weights["W"]) + weights["b"] for t in range(4)])
    assert_close(letters(word)[0], windows.clamp_min(0).amax(0))


def test_letters_from_both_ends_are_the_last_states_of_two_readers():
    letters = character_encoder("lstm", LETTERS, 4).double()
    word = torch.tensor([[2, 6, 7, 3]])
    x = letters.table(word)
    both: Any = letters.readers
    halves = []
    for layer, seen in ((both.fwd, x), (both.bwd, x.flip(1))):
        oracle = nn.LSTM(CHARACTER, 2, batch_first=True).double()
        weights = [layer.weight_x, layer.weight_h, layer.bias, torch.zeros_like(layer.bias)]
        for name, weight in zip(("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0"), weights):
            getattr(oracle, name).data.copy_(weight.data)
        halves.append(oracle(seen)[1][0][0])
    assert_close(letters(word), torch.cat(halves, -1))


# --- forgetting -----------------------------------------------------------------------------------


def forgetful(strength: float = 1.0) -> WordDropout:
    return WordDropout(strength, frequency=[0, 7, 0, 0, 1, 3, 99], specials=4, unknown=1)


def test_rare_words_are_forgotten_as_often_as_they_should_be():
    w = torch.arange(7).repeat(20_000, 1)
    seen = forgetful()(w)
    share = (seen != w).double().mean(0)
    assert_close(share, torch.tensor([0, 0, 0, 0, 1 / 2, 1 / 4, 1 / 100], dtype=torch.float64), atol=0.015, rtol=0)
    assert set(seen[seen != w].tolist()) == {1}


def test_nothing_is_forgotten_when_a_model_is_used():
    w = torch.arange(7).repeat(50, 1)
    assert torch.equal(forgetful().eval()(w), w)


def test_what_is_forgotten_comes_from_the_generator_of_the_model_and_is_not_saved():
    forget, w = forgetful(), torch.full((40,), 4)
    draws = []
    for seed in (3, 3, 4):
        draw_from(torch.Generator().manual_seed(seed), forget)
        draws.append(forget(w))
    assert torch.equal(draws[0], draws[1])
    assert not torch.equal(draws[0], draws[2])
    assert forget.state_dict() == {}
