"""An HTML text as sentences to translate, and the way back.

Only text between tags is translated. Tags, attributes, comments, scripts, styles, code, whitespace and references such
as `&nbsp;` come back as they were written, and so does every sentence that the translator leaves as it is; what it
changes is escaped, so that a translation can bring no markup.

A tag ends a sentence, inline ones too: in "a <b>red</b> house" three texts are translated by themselves. Carrying the
tags through the model with markers, as LibreTranslate does, reads better where a model learned to copy them; ours have
not. `translate="yes"` inside an element with `translate="no"` is not looked at.
"""

import re
from html import escape

from seqloom.serving.segmentation import sentences
from seqloom.serving.segmentation.entities import read
from seqloom.serving.segmentation.markup import pieces
from seqloom.serving.segmentation.sentences import MAX_SENTENCE_LENGTH, SegmentedText, SentenceSpan

LINE_END = re.compile(r"[\t\n\f\r]")
SPACES = re.compile(" {2,}")


def split(html: str, language: str = "und", max_length: int = MAX_SENTENCE_LENGTH) -> SegmentedText:
    """Segment an HTML text; a line end in it is a space, as on a page.

    >>> segmented = split('<p class="a">Salt &amp;\\n  pepper.<br>No &lt;')
    >>> segmented.sentences
    ['Salt & pepper.', 'No <']
    >>> segmented.join(["<i>", "No <"])
    '<p class="a">&lt;i&gt;<br>No &lt;'
    """
    spans: list[SentenceSpan] = []
    adjacent_so_far = False
    for piece in pieces(html):
        if piece.kind == "other":
            adjacent_so_far = False
        if piece.kind != "text":
            continue
        text, begins = read(html[piece.start : piece.end])
        found = sentences.split(LINE_END.sub(" ", text), language, max_length).spans
        for span in found:
            start, end = piece.start + begins[span.start], piece.start + begins[span.end]
            adjacent = span.adjacent or (adjacent_so_far and span.start == 0)
            spans.append(SentenceSpan(start, end, SPACES.sub(" ", span.sentence), adjacent))
        adjacent_so_far = bool(found) and found[-1].end == len(text)
    return SegmentedText(html, tuple(spans), written)


def written(translation: str) -> str:
    """A translation as text of HTML."""
    return escape(translation, quote=False)
