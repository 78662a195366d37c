"""Where two translations need a space between them."""

import pytest

from seqloom.serving.segmentation.spacing import separator


@pytest.mark.parametrize(
    "before, after, left, right, space",
    [
        ("你好。", "再见。", "Hello.", "Bye.", " "),
        ("你好。", "再见。", "Hello.", "(Bye.)", " "),
        ("你好。", "再见。", "Hello.", "“Bye.”", " "),
        ("我爱北京", "。", "I love Beijing", ".", ""),  # no space before a full stop
        ("（", "你好", "(", "hello", ""),  # nor after a bracket
        ("用", "Python", "use", "Python", " "),
        ("Python", "写", "Python", "writes", " "),  # one unspaced side is enough
        ("你好。", "再见。", "你好。", "Bye.", ""),
        ("你好。", "再见。", "Hello.", "再见。", ""),
        ("One.", "Two.", "Eins.", "Zwei.", ""),  # the source could have written one
        ("你好。", "再见。", "", "Bye.", ""),
        ("你好。", "再见。", "Hello.", "", ""),
        ("สวัสดี", "ครับ", "Hello", "sir", " "),
        ("안녕.", "잘 가.", "Hello.", "Bye.", ""),  # Korean writes spaces
    ],
)
def test_seam(before, after, left, right, space):
    assert separator(before, after, left, right) == space
