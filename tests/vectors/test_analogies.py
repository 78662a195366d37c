import pytest
import torch

from seqloom.errors import DataError
from seqloom.vectors.analogies import Question, read_questions, solve
from seqloom.vectors.word_vectors import WordVectors


def test_questions_are_read_by_section(write):
    file = write("q.txt.gz", ": capitals\nAthens Greece Oslo Norway\n\n: empty\n: plural\ncat cats dog dogs\n")
    assert read_questions(file) == {
        "capitals": [Question("Athens", "Greece", "Oslo", "Norway")],
        "plural": [Question("cat", "cats", "dog", "dogs")],
    }
    assert read_questions(file, lower=True)["capitals"] == [Question("athens", "greece", "oslo", "norway")]


def test_a_line_that_is_no_question_is_refused(write):
    with pytest.raises(DataError, match=r"q.txt:2: 3 words"):
        read_questions(write("q.txt", ": capitals\nAthens Greece Oslo\n"))


@pytest.mark.parametrize("at_once", [1, 7, 1000])
def test_many_answers_at_once_are_those_of_one_at_a_time(monkeypatch, at_once):
    monkeypatch.setattr("seqloom.vectors.analogies.AT_ONCE", at_once)
    vectors = WordVectors(tuple("abcdefghi"), torch.randn(9, 2))
    asked = [Question(*(vectors.words[at] for at in torch.randperm(9)[:4])) for _ in range(60)]
    right = sum(vectors.analogy(q.a, q.b, q.c)[0][0] == q.d for q in asked)
    assert 0 < right < 60
    found = solve(vectors, [*asked, Question("a", "b", "c", "unknown")])
    assert (found.right, found.asked, found.unknown) == (right, 60, 1)
    assert found.accuracy == right / 60
