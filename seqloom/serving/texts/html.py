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

from seqloom.serving.texts import sentences
from seqloom.serving.texts.markup import pieces
from seqloom.serving.texts.references import read
from seqloom.serving.texts.sentences import LONGEST, Laid, Place

LINE_END = re.compile(r"[\t\n\f\r]")
SPACES = re.compile(" {2,}")


def split(html: str, language: str = "und", longest: int = LONGEST) -> Laid:
    """Lay out an HTML text; a line end in it is a space, as on a page.

    >>> laid = split('<p class="a">Salt &amp;\\n  pepper.<br>No &lt;')
    >>> laid.sentences
    ['Salt & pepper.', 'No <']
    >>> laid.join(["<i>", "No <"])
    '<p class="a">&lt;i&gt;<br>No &lt;'
    """
    places: list[Place] = []
    touching = False
    for piece in pieces(html):
        if piece.kind == "other":
            touching = False
        if piece.kind != "text":
            continue
        text, begins = read(html[piece.start : piece.end])
        found = sentences.split(LINE_END.sub(" ", text), language, longest).places
        for place in found:
            start, end = piece.start + begins[place.start], piece.start + begins[place.end]
            touches = place.touches or (touching and place.start == 0)
            places.append(Place(start, end, SPACES.sub(" ", place.sentence), touches))
        touching = bool(found) and found[-1].end == len(text)
    return Laid(html, tuple(places), written)


def written(translation: str) -> str:
    """A translation as text of HTML."""
    return escape(translation, quote=False)
