"""Texts cut into sentences for a translator, and put together again with everything between them kept.

    segmented = segment(text, "html", source="zh")
    answer = segmented.join(translate(segmented.sentences))

Nothing here knows of models or requests; every function may be called from many threads at once.
"""

from typing import Literal

from seqloom.serving.segmentation import html, sentences
from seqloom.serving.segmentation.languages import LanguageGuess, detect, name_of
from seqloom.serving.segmentation.sentences import MAX_SENTENCE_LENGTH, SegmentedText

__all__ = ["MAX_SENTENCE_LENGTH", "LanguageGuess", "SegmentedText", "detect", "name_of", "segment"]


def segment(
    text: str, format: Literal["text", "html"] = "text", source: str = "und", max_length: int = MAX_SENTENCE_LENGTH
) -> SegmentedText:
    """The sentences of a text in the language `source`, each of at most `max_length` characters, with a way back.

    >>> segmented = segment("One.  Two!\\n\\n- three")
    >>> segmented.sentences
    ['One.', 'Two!', '- three']
    >>> segmented.join(["Eins.", "Zwei!", "- drei"])
    'Eins.  Zwei!\\n\\n- drei'
    """
    split = html.split if format == "html" else sentences.split
    return split(text, source, max_length)
