"""Long sentences are cut where it hurts least, and sentencex is not trusted."""

import pytest

from seqloom.serving.segmentation import boundaries
from seqloom.serving.segmentation.boundaries import sentence_ends
from seqloom.serving.segmentation.sentences import split


@pytest.mark.parametrize(
    "text, parts",
    [
        ("one two, three four five", ["one two,", "three four five"]),  # after a clause
        ("one two three four five", ["one two three", "four five"]),  # else after a word
        ("onetwo1,000threefour", ["onetwo1,000thre", "efour"]),  # else anywhere; not in a number
        ("一二三四五六七八九，十一二三四五六", ["一二三四五六七八九，", "十一二三四五六"]),
        ("a, bcdefghijklmnopqr", ["a, bcdefghijklm", "nopqr"]),  # a clause before the half is too early
    ],
)
def test_where_a_long_sentence_is_cut(text, parts):
    assert split(text, "en", 15).sentences == parts


def test_a_letter_is_not_cut_from_its_marks():
    assert split("abcdefghi" + "e\u0301\u0302" + "xyz", "en", 11).sentences == ["abcdefghi", "e\u0301\u0302xyz"]
    assert split("abcdefg👩\u200d💻xyz", "en", 9).sentences == ["abcdefg", "👩\u200d💻xyz"]
    assert split("e" + "\u0301" * 25, "en", 10).sentences == ["e" + "\u0301" * 9, "\u0301" * 10, "\u0301" * 6]


def test_a_sentence_of_just_the_length_is_whole():
    text = "A bc, def gh. I jk lm no."
    assert split(text, "en", 13).sentences == ["A bc, def gh.", "I jk lm no."]
    assert split("A bc, def gh.  ", "en", 13).sentences == ["A bc, def gh."]


def test_a_window_does_not_cut_sentences():
    sentences = [f"Number {i} is {'very ' * (i % 7)}good." for i in range(200)]
    assert split(" ".join(sentences), "en", 60).sentences == sentences


@pytest.mark.parametrize("text", ["你好。" * 3000, "a" * 9000, "“a. " * 2000, "A b, c. " + "d" * 8000, ". " * 4000])
def test_sentencex_reads_each_character_a_few_times_and_little_at_once(monkeypatch, text):
    real, given = boundaries.sentencex(), list[int]()

    def counted(language: str, text: str) -> list[str]:
        given.append(len(text))
        return real(language, text)

    monkeypatch.setattr(boundaries, "sentencex", lambda: counted)
    assert list(sentence_ends(text, "en", 100))[-1] == len(text)
    assert max(given) <= 200
    assert sum(given) <= 4 * len(text) + 200


def test_sentencex_cannot_hold_up_the_work(monkeypatch):
    given = list[int]()

    def stingy(language: str, text: str) -> list[str]:
        given.append(len(text))
        return [text[:1], text[1:]]

    monkeypatch.setattr(boundaries, "sentencex", lambda: stingy)
    assert list(sentence_ends("a" * 9000, "en", 100))[-1] == 9000
    assert sum(given) <= 4 * 9000 + 200


def test_odd_spaces_are_no_panic(capfd):
    assert split("Dr.\u2003Wu came. J. A\u3000. He\xa0left.", "en").sentences[0] == "Dr.\u2003Wu came."
    assert capfd.readouterr().err == ""  # where a panic would write, and what the text was


class PanicException(BaseException):
    pass


def test_a_panic_is_one_sentence(monkeypatch):
    def panics(language: str, text: str) -> list[str]:
        raise PanicException

    monkeypatch.setattr(boundaries, "sentencex", lambda: panics)
    assert split("One. Two.\nThree.", "en").sentences == ["One. Two.", "Three."]


def test_other_errors_are_not_hidden(monkeypatch):
    def stops(language: str, text: str) -> list[str]:
        raise KeyboardInterrupt

    monkeypatch.setattr(boundaries, "sentencex", lambda: stops)
    with pytest.raises(KeyboardInterrupt):
        split("One.", "en")


def test_lost_characters_are_noticed(monkeypatch):
    monkeypatch.setattr(boundaries, "sentencex", lambda: lambda language, text: [text[:3], text[4:]])
    assert split("One. Two.", "en").sentences == ["One. Two."]
