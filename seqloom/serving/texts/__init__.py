"""A text as a translator sees it: which parts are translated, and everything between them kept.

    laid = lay(text, "html", source="zh")
    answer = laid.join(translate(laid.sentences))

Nothing here knows of models or requests; every function may be called from many threads at once.
"""

from typing import Literal

from seqloom.serving.texts import html, sentences
from seqloom.serving.texts.languages import Detected, detect, name_of
from seqloom.serving.texts.sentences import LONGEST, Laid

__all__ = ["LONGEST", "Detected", "Laid", "detect", "lay", "name_of"]


def lay(text: str, format: Literal["text", "html"] = "text", source: str = "und", longest: int = LONGEST) -> Laid:
    """The sentences of a text in the language `source`, each of at most `longest` characters, with a way back.

    >>> laid = lay("One.  Two!\\n\\n- three")
    >>> laid.sentences
    ['One.', 'Two!', '- three']
    >>> laid.join(["Eins.", "Zwei!", "- drei"])
    'Eins.  Zwei!\\n\\n- drei'
    """
    split = html.split if format == "html" else sentences.split
    return split(text, source, longest)
