"""A text as sentences to translate, and the way back.

What stands between sentences (line ends of any kind, blank lines, indentation, spaces) is not translated and comes
back as it was. A line end always ends a sentence: in lists, verses and dialogues it means one. Where the source puts
no space between two sentences and the translations need one, it is added (`spacing.seam`); a space that the source
does have is kept, also in Chinese and Japanese.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from seqloom.serving.texts.endings import ends
from seqloom.serving.texts.spacing import BLANK, seam

LONGEST = 1000
"""Characters of a sentence, unless told otherwise; longer ones are cut."""


@dataclass(frozen=True, slots=True)
class Place:
    """A sentence and where it stands."""

    start: int
    end: int
    sentence: str
    """As a model reads it."""
    touches: bool
    """Nothing that could be seen stands between it and the sentence before."""


@dataclass(frozen=True, slots=True)
class Laid:
    """A text laid out: its sentences, and the places where translations of them go."""

    text: str
    places: tuple[Place, ...]
    written: Callable[[str], str] = str
    """How a translation is written in this kind of text."""

    @property
    def sentences(self) -> list[str]:
        """What is to be translated; none of them is blank."""
        return [place.sentence for place in self.places]

    def join(self, translations: Sequence[str]) -> str:
        """The text with a translation in the place of each sentence; the sentences themselves give the text back."""
        if len(translations) != len(self.places):
            raise ValueError(f"{len(translations)} translations of {len(self.places)} sentences")
        parts: list[str] = []
        at, before, left = 0, "", ""
        for place, translation in zip(self.places, translations):
            right = translation.strip()
            if place.touches:
                parts.append(seam(before, place.sentence, left, right))
            same = right == place.sentence
            parts += self.text[at : place.start], self.text[place.start : place.end] if same else self.written(right)
            at, before, left = place.end, place.sentence, right
        return "".join([*parts, self.text[at:]])


def split(text: str, language: str = "und", longest: int = LONGEST) -> Laid:
    """Lay out a plain text in a language (a code such as "en" or "zh-Hans"; any other is split by the common marks).

    >>> split("  Dr. Wu came.\\r\\n\\r\\nShe left!  ", "en").sentences
    ['Dr. Wu came.', 'She left!']
    """
    if longest < 1:
        raise ValueError(f"longest is {longest}: a sentence has one character or more")
    places: list[Place] = []
    at = 0
    for line in text.splitlines(keepends=True):
        core = line.lstrip(BLANK)
        start = at + len(line) - len(core)
        core = core.rstrip(BLANK)
        at += len(line)
        last = 0
        for end in ends(core, language, longest):
            sentence = core[last:end].strip(BLANK)
            if sentence:
                begin = start + core.index(sentence, last)
                touches = bool(places) and places[-1].end == begin
                places.append(Place(begin, begin + len(sentence), sentence, touches))
            last = end
    return Laid(text, tuple(places))
