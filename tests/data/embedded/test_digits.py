from seqloom.data.embedded import EMBEDDED
from seqloom.data.embedded.digits import CHINESE, ENGLISH, cut


def test_no_handwriting_of_one_split_is_in_another():
    written = {split: {(page.tobytes(), digit) for page, digit in found} for split, found in cut().items()}
    assert {split: len(found) for split, found in cut().items()} == {"train": 1297, "valid": 200, "test": 300}
    assert not written["test"] & (written["train"] | written["valid"])
    assert not written["valid"] & written["train"]


def test_both_languages_read_the_same_rows():
    english, chinese = (EMBEDDED[name].splits["valid"] for name in ("digits", "digits-zh"))
    for (page, words), (same, characters) in zip(english[:50], chinese[:50], strict=True):
        assert page is same
        assert [ENGLISH.index(word) for word in str(words).split()] == [CHINESE.index(one) for one in str(characters)]
