"""A text comes back as it was, and only its sentences are translated."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from seqloom.serving.segmentation.sentences import split
from seqloom.serving.segmentation.spacing import BLANK

LANGUAGES = st.sampled_from(["en", "zh", "zh-Hans", "ar", "und", "hi", "", "no such language"])
WRITTEN = st.lists(
    st.sampled_from(
        [
            *"aA.!?。！？ \t“”\"'(),;:1é中\u0301😀\u200b\ufeff\u2028\x85\x0b…\xa0\x00\u3000",
            "Dr.",
            "J. ",
            "\n",
            "\r\n",
            "\r",
        ]
    )
).map("".join)


@given(st.text() | WRITTEN, LANGUAGES, st.integers(1, 40))
@example("\n" * 5000, "en", 7)  # sentencex loses characters of many blank lines
@example("U.S.\u2028.J. J. A\u3000. A\u2003.", "en", 500)  # and panics here
@example("\ud800. A\udfff", "en", 9)  # and cannot read these
def test_the_sentences_themselves_give_the_text_back(text, language, max_length):
    segmented = split(text, language, max_length)
    assert segmented.join(segmented.sentences) == text
    assert all(segmented.text[span.start : span.end] == span.sentence for span in segmented.spans)
    assert all(0 < len(sentence) <= max_length for sentence in segmented.sentences)


@given(st.text() | WRITTEN, LANGUAGES, st.integers(1, 40))
def test_nothing_is_lost_and_no_blank_is_sent(text, language, max_length):
    sentences = split(text, language, max_length).sentences
    assert all(sentence == sentence.strip(BLANK) != "" for sentence in sentences)

    def seen(text: str) -> str:
        return "".join(letter for letter in text if letter not in BLANK)

    assert seen("".join(sentences)) == seen(text)


@given(st.text() | WRITTEN)
def test_what_stands_between_sentences_is_kept(text):
    segmented = split(text)
    joined = segmented.join(["x"] * len(segmented.spans))  # Latin: spaces are added where the source is unspaced
    assert [len(line.strip(BLANK)) > 0 for line in joined.splitlines()] == [
        len(line.strip(BLANK)) > 0 for line in text.splitlines()
    ]
    for ours, theirs in zip(joined.splitlines(keepends=True), text.splitlines(keepends=True)):
        assert ours[: len(ours) - len(ours.lstrip(BLANK))] == theirs[: len(theirs) - len(theirs.lstrip(BLANK))]
        assert ours[len(ours.rstrip(BLANK)) :] == theirs[len(theirs.rstrip(BLANK)) :]


def test_a_letter():
    text = "Dear Dr. Wu,\r\n\r\n\tI came at 5 p.m. on Monday.  You were out!\r\n  - Why?\n\n\nYours, A.  \n"
    segmented = split(text, "en")
    assert segmented.sentences == [
        "Dear Dr. Wu,",
        "I came at 5 p.m. on Monday.",
        "You were out!",
        "- Why?",
        "Yours, A.",
    ]
    assert segmented.join(["1", "2", "3", "4", "5"]) == "1\r\n\r\n\t2  3\r\n  4\n\n\n5  \n"


@pytest.mark.parametrize(
    "language, text, sentences",
    [
        ("en", "He said: “It is late. Go.” Then he left.", ["He said: “It is late. Go.”", "Then he left."]),
        ("en", "Pi is 3.14. See e.g. this one.", ["Pi is 3.14.", "See e.g. this one."]),
        ("de", "Das ist z.B. gut. Am 3. Mai kam er.", ["Das ist z.B. gut.", "Am 3. Mai kam er."]),
        ("zh-Hans", "你好。我是学生！你呢？", ["你好。", "我是学生！", "你呢？"]),
        ("ja", "今日は。はい！", ["今日は。", "はい！"]),
        ("ar", "كيف حالك؟ أنا بخير! شكرا.", ["كيف حالك؟", "أنا بخير!", "شكرا."]),
        ("hi", "यह एक है। यह दो है।", ["यह एक है।", "यह दो है।"]),
        ("und", "Hello. World! 你好。我是。", ["Hello.", "World!", "你好。", "我是。"]),
        ("en", " \r\n\t\u3000\u200b\ufeff\n", []),
        ("en", "", []),
    ],
)
def test_sentences_of_many_languages(language, text, sentences):
    assert split(text, language).sentences == sentences


def test_many_lines():
    lines = [f"Line {i}." for i in range(50)]
    assert split("\r\n\n".join(lines), "en").sentences == lines


def test_a_space_is_added_where_the_source_writes_none():
    segmented = split("你好。我是学生！\n再见。", "zh")
    assert segmented.join(["Hello.", "I am a student!", "Bye."]) == "Hello. I am a student!\nBye."
    assert segmented.join(["こんにちは。", "学生です！", "では。"]) == "こんにちは。学生です！\nでは。"


def test_a_space_of_the_source_is_kept_in_every_language():
    assert split("Hello.  Bye.", "en").join(["你好。", "再见。"]) == "你好。  再见。"
    assert split("One.Two.", "en").join(["Eins.", "Zwei."]) == "Eins.Zwei."


def test_blanks_around_a_translation_are_not_the_texts():
    assert split("One. Two.\n", "en").join([" Eins. \n", "\tZwei."]) == "Eins. Zwei.\n"


def test_each_sentence_has_one_translation():
    with pytest.raises(ValueError, match="1 translations of 2 sentences"):
        split("One. Two.", "en").join(["Eins."])
    with pytest.raises(ValueError, match="max_length is 0"):
        split("One.", "en", 0)
