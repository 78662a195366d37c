"""The vectors beside the repository are read as their SOURCE.md says they are."""

import gzip

import numpy as np
import pytest
import torch

from seqloom.vectors.analogies import read_questions, solve
from seqloom.vectors.vector_files import read_vectors, write_vectors


@pytest.mark.parametrize(
    "name, kind, V, D",
    [
        ("glove.6B.100d.top10k.txt.gz", "text", 10_000, 100),
        ("test_glove.txt.gz", "text", 76, 50),
        ("lee_fasttext.vec.gz", "text", 1_762, 10),
        ("euclidean_vectors.bin", "binary", 2_747, 10),
    ],
)
def test_files_of_others(shared_data, name, kind, V, D):
    loaded = read_vectors(shared_data / "word-vectors" / name)
    assert (loaded.kind, loaded.rows, loaded.duplicates) == (kind, V, 0)
    assert loaded.vectors.matrix.shape == (V, D)


def test_numbers_are_those_of_the_file(shared_data):
    file = shared_data / "word-vectors" / "glove.6B.100d.top10k.txt.gz"
    with gzip.open(file, "rt", encoding="utf-8") as stream:
        lines = [line.split(" ") for _, line in zip(range(300), stream)]
    vectors = read_vectors(file, limit=300).vectors
    assert vectors.words == tuple(line[0] for line in lines)
    np.testing.assert_array_equal(vectors.matrix.numpy(), np.array([line[1:] for line in lines], np.float32))


def test_binary_and_text_of_the_same_vectors_are_the_same(shared_data, tmp_path):
    vectors = read_vectors(shared_data / "word-vectors" / "euclidean_vectors.bin").vectors
    write_vectors(vectors, tmp_path / "again.bin", "binary")
    write_vectors(vectors, tmp_path / "again.txt", "text")
    original = (shared_data / "word-vectors" / "euclidean_vectors.bin").read_bytes()
    assert (tmp_path / "again.bin").read_bytes().replace(b"\n", b"") == original.replace(b"\n", b"")
    assert torch.equal(read_vectors(tmp_path / "again.txt").vectors.matrix, vectors.matrix)


def test_glove_knows_what_it_is_known_for(shared_data):
    folder = shared_data / "word-vectors"
    vectors = read_vectors(folder / "glove.6B.100d.top10k.txt.gz").vectors
    assert vectors.analogy("man", "king", "woman")[0][0] == "queen"
    questions = read_questions(folder / "questions-words.txt.gz", lower=True)
    assert sum(map(len, questions.values())) == 19_544
    assert solve(vectors, questions["capital-common-countries"]).accuracy > 0.85
