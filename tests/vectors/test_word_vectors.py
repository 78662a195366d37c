from typing import Any

import numpy as np
import pytest
import torch
from torch.testing import assert_close

from seqloom.errors import DataError, OutputError, SeqloomError, ShapeError, UnknownName
from seqloom.tokens.settings import TokenConfig
from seqloom.tokens.tokenizer import Tokenizer
from seqloom.vectors.word_vectors import WordVectors


def table(V=7, D=4):
    return WordVectors(tuple(f"word{at}" for at in range(V)), torch.randn(V, D))


@pytest.fixture
def royal():
    """Two directions: woman or man, royal or not."""
    rows = {"man": (1, 0.1), "woman": (-1, 0.1), "king": (1, 2), "queen": (-1, 2), "apple": (0.1, -1)}
    return WordVectors(tuple(rows), torch.tensor(list(rows.values())))


def test_a_word_has_its_row(royal):
    assert royal["king"].tolist() == [1, 2]
    assert "king" in royal and "prince" not in royal
    assert (len(royal), royal.width) == (5, 2)


def test_nearest_is_the_order_of_cosines():
    vectors = table()
    rows = vectors.matrix.numpy().astype(float)
    cosines = {
        word: rows[2] @ rows[at] / np.linalg.norm(rows[2]) / np.linalg.norm(rows[at])
        for at, word in enumerate(vectors.words)
        if at != 2
    }
    found = vectors.nearest("word2", 4)
    assert [word for word, _ in found] == sorted(cosines, key=cosines.__getitem__, reverse=True)[:4]
    assert_close([value for _, value in found], [cosines[word] for word, _ in found], atol=1e-6, rtol=0)


def test_a_row_has_its_own_word_for_the_nearest_and_its_length_does_not_matter():
    vectors = table()
    (word, cosine), *_ = vectors.nearest(vectors["word3"] * 40, 1)
    assert word == "word3" and cosine == pytest.approx(1)


def test_no_more_words_come_back_than_there_are():
    vectors = table(V=3)
    assert len(vectors.nearest("word0", 10)) == 2
    assert len(vectors.nearest(torch.ones(4), 10)) == 3


def test_man_is_to_king_as_woman_is_to_queen(royal):
    assert royal.analogy("man", "king", "woman")[0][0] == "queen"
    assert {word for word, _ in royal.analogy("man", "king", "woman", 9)} == {"queen", "apple"}


def test_an_analogy_is_the_order_of_cosines_with_b_minus_a_plus_c():
    vectors = table(V=9)
    rows = vectors.matrix.numpy().astype(float)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    wanted = rows[5] - rows[2] + rows[7]
    cosines = {at: rows[at] @ wanted / np.linalg.norm(wanted) for at in (0, 1, 3, 4, 6, 8)}
    found = vectors.analogy("word2", "word5", "word7", 20)
    assert [word for word, _ in found] == [f"word{at}" for at in sorted(cosines, key=cosines.__getitem__, reverse=True)]
    assert_close([value for _, value in found], sorted(cosines.values(), reverse=True), atol=1e-6, rtol=0)


def test_an_analogy_looks_at_directions_and_not_at_lengths(royal):
    longer = WordVectors(royal.words, royal.matrix * torch.tensor([1.0, 30, 1, 5, 9])[:, None])
    assert longer.analogy("man", "king", "woman")[0][0] == "queen"


def test_an_unknown_word_names_those_that_are_near(royal):
    with pytest.raises(UnknownName, match=r"(?s)no word is called 'quen'.*queen"):
        royal["quen"]
    with pytest.raises(UnknownName, match="king"):
        royal.nearest("KING")


@pytest.mark.parametrize(
    "words, matrix",
    [
        (("a", "b"), torch.zeros(3, 2)),
        (("a", "b"), torch.zeros(2, 2, dtype=torch.float64)),
        (("a", "b"), torch.zeros(2)),
        (("a", "b"), torch.zeros(2, 0)),
        ((), torch.zeros(0, 2)),
    ],
)
def test_words_and_rows_must_fit(words, matrix):
    with pytest.raises(ShapeError, match="one for each word"):
        WordVectors(words, matrix)


def test_a_word_has_one_vector():
    with pytest.raises(DataError, match="'b' has two vectors"):
        WordVectors(("a", "b", "b"), torch.zeros(3, 2))


def test_what_cannot_be_asked(royal):
    with pytest.raises(SeqloomError, match="0 words were asked for"):
        royal.nearest("king", 0)
    with pytest.raises(ShapeError, match="one of 2 numbers"):
        royal.nearest(torch.ones(3))


@pytest.mark.parametrize("V, D", [(9, 4), (4, 9), (5, 2), (3, 1), (1, 5)])
def test_two_coordinates_are_the_principal_components(V, D):
    vectors = table(V, D)
    rows = vectors.matrix.numpy().astype(float)
    centred = rows - rows.mean(0)
    values, axes = np.linalg.eigh(centred.T @ centred)
    expected = np.zeros((V, 2))
    expected[:, : min(2, D)] = centred @ axes[:, ::-1][:, :2]
    got = vectors.pca_2d().numpy()
    assert got.shape == (V, 2) and vectors.pca_2d().dtype == torch.float32
    np.testing.assert_allclose(np.abs(got), np.abs(expected), atol=1e-5)
    np.testing.assert_allclose((got**2).sum(0)[: min(2, D)], values[::-1][:2].clip(0), atol=1e-4)


def test_the_word_farthest_out_is_on_the_positive_side():
    for plane in (table(9, 4).pca_2d(), table(4, 9).pca_2d()):
        assert (plane.gather(0, plane.abs().argmax(0, keepdim=True)) > 0).all()


@pytest.mark.parametrize("suffix, magic", [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")])
def test_a_plot_is_a_picture(royal, tmp_path, suffix, magic):
    file = tmp_path / f"plane.{suffix}"
    royal.plot(file, ["people", "people", "royals", "royals", "fruit"])
    assert file.read_bytes().startswith(magic)


def test_a_plot_shows_the_words_that_are_asked_for_and_the_labels(royal, monkeypatch, tmp_path):
    seen: dict[str, tuple[Any, ...]] = {}
    monkeypatch.setattr("seqloom.vectors.plot.scatter_plot", lambda *given: seen.update(given=given))
    royal.plot(tmp_path / "x.png", ["fruit", "royals"], words=["apple", "king"])
    path, words, places, labels = seen["given"]
    assert (path.name, words, labels) == ("x.png", ("apple", "king"), ["fruit", "royals"])
    assert_close(torch.tensor(places), royal.pca_2d()[[4, 2]])


def test_what_cannot_be_drawn(royal, tmp_path):
    with pytest.raises(SeqloomError, match="1 labels for 5 words"):
        royal.plot(tmp_path / "x.png", ["people"])
    with pytest.raises(SeqloomError, match="unknown picture format"):
        royal.plot(tmp_path / "x.docx")
    with pytest.raises(OutputError, match="cannot write"):
        royal.plot(tmp_path / "nowhere" / "x.png")


@pytest.fixture
def tokenizer():
    return Tokenizer.train(["the King sat", "the king saw zebra zebra zebra"], TokenConfig(kind="word"))


def test_rows_for_a_tokenizer(tokenizer):
    vectors = WordVectors(("king", "the", "<pad>", "sat"), torch.randn(4, 3) + 5)
    rows = vectors.for_tokenizer(tokenizer, seed=1)
    place = {token: at for at, token in enumerate(tokenizer.vocabulary)}
    assert rows.matrix.shape == (tokenizer.size, 3) and rows.matrix.dtype == torch.float32
    for token, word in {"the": "the", "king": "king", "King": "king", "sat": "sat"}.items():
        assert torch.equal(rows.matrix[place[token]], vectors[word])
    assert rows.matrix[tokenizer.pad].tolist() == [0, 0, 0]
    assert (rows.found, rows.lowered, rows.drawn) == (4, 1, 5)  # drawn: <unk> <bos> <eos> saw zebra
    assert rows.covered == pytest.approx(5 / 9)


def test_a_spelling_of_its_own_goes_before_the_small_one(tokenizer):
    vectors = WordVectors(("king", "King"), torch.tensor([[1.0], [2.0]]))
    rows = vectors.for_tokenizer(tokenizer)
    assert float(rows.matrix[tokenizer.vocabulary.index("King")]) == 2
    assert rows.lowered == 0


def test_unknown_rows_are_drawn_as_wide_as_the_table_and_by_the_seed():
    names = [f"unknown{at}" for at in range(4000)]
    tokenizer = Tokenizer.train([" ".join(names)], TokenConfig(kind="space", size=5000))
    spread, middle = torch.tensor([0.1, 3.0]), torch.tensor([7.0, -2.0])
    vectors = WordVectors(tuple(map(str, range(3000))), torch.randn(3000, 2) * spread + middle)
    rows = vectors.for_tokenizer(tokenizer, seed=3)
    assert (rows.found, rows.covered) == (0, 0)
    assert_close(rows.matrix[4:].std(0), spread, rtol=0.06, atol=0)
    assert_close(rows.matrix[4:].mean(0), middle, rtol=0.06, atol=0)
    assert torch.equal(rows.matrix, vectors.for_tokenizer(tokenizer, seed=3).matrix)
    assert not torch.equal(rows.matrix, vectors.for_tokenizer(tokenizer, seed=4).matrix)


def test_parts_of_words_are_looked_up_without_the_mark_of_their_space():
    tokenizer = Tokenizer.train(["a cat and a cat and a cat"] * 5, TokenConfig(kind="bpe", size=280))
    place = {token: at for at, token in enumerate(tokenizer.vocabulary)}
    rows = WordVectors(("cat",), torch.tensor([[4.0, 2.0]])).for_tokenizer(tokenizer)
    assert rows.matrix[place["▁cat"]].tolist() == [4, 2]
