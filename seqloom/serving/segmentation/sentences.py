"""A text as sentences to translate, and the way back.

What stands between sentences (line ends of any kind, blank lines, indentation, spaces) is not translated and comes
back as it was. A line end always ends a sentence: in lists, verses and dialogues it means one. Where the source puts
no space between two sentences and the translations need one, it is added (`spacing.separator`); a space that the source
does have is kept, also in Chinese and Japanese.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from seqloom.serving.segmentation.boundaries import sentence_ends
from seqloom.serving.segmentation.spacing import BLANK, separator

MAX_SENTENCE_LENGTH = 1000
"""Characters of a sentence, unless told otherwise; longer ones are cut."""


@dataclass(frozen=True, slots=True)
class SentenceSpan:
    """A sentence and where it stands."""

    start: int
    end: int
    sentence: str
    """As a model reads it."""
    adjacent: bool
    """Nothing that could be seen stands between it and the sentence before."""


@dataclass(frozen=True, slots=True)
class SegmentedText:
    """A text with its sentences, and the spans where their translations go."""

    text: str
    spans: tuple[SentenceSpan, ...]
    written: Callable[[str], str] = str
    """How a translation is written in this kind of text."""

    @property
    def sentences(self) -> list[str]:
        """What is to be translated; none of them is blank."""
        return [span.sentence for span in self.spans]

    def join(self, translations: Sequence[str]) -> str:
        """The text with a translation in the place of each sentence; the sentences themselves give the text back."""
        if len(translations) != len(self.spans):
            raise ValueError(f"{len(translations)} translations of {len(self.spans)} sentences")
        parts: list[str] = []
        at, before, left = 0, "", ""
        for span, translation in zip(self.spans, translations):
            right = translation.strip()
            if span.adjacent:
                parts.append(separator(before, span.sentence, left, right))
            same = right == span.sentence
            parts += self.text[at : span.start], self.text[span.start : span.end] if same else self.written(right)
            at, before, left = span.end, span.sentence, right
        return "".join([*parts, self.text[at:]])


def split(text: str, language: str = "und", max_length: int = MAX_SENTENCE_LENGTH) -> SegmentedText:
    """Segment a plain text in a language (a code such as "en" or "zh-Hans"; any other is split by the common marks).

    >>> split("  Dr. Wu came.\\r\\n\\r\\nShe left!  ", "en").sentences
    ['Dr. Wu came.', 'She left!']
    """
    if max_length < 1:
        raise ValueError(f"max_length is {max_length}: a sentence has one character or more")
    spans: list[SentenceSpan] = []
    at = 0
    for line in text.splitlines(keepends=True):
        core = line.lstrip(BLANK)
        start = at + len(line) - len(core)
        core = core.rstrip(BLANK)
        at += len(line)
        last = 0
        for end in sentence_ends(core, language, max_length):
            sentence = core[last:end].strip(BLANK)
            if sentence:
                begin = start + core.index(sentence, last)
                adjacent = bool(spans) and spans[-1].end == begin
                spans.append(SentenceSpan(begin, begin + len(sentence), sentence, adjacent))
            last = end
    return SegmentedText(text, tuple(spans))
