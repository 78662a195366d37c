"""Which language a text is in, and what languages are called."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock
from typing import Protocol

MAX_CHARACTERS = 2_000
"""Characters that are enough to detect a language; the rest of a text is not read."""

MACROLANGUAGES = {"yue": "zh", "wuu": "zh", "ary": "ar", "arz": "ar", "nn": "no", "uzs": "uz"}
"""Languages that count as their macrolanguage unless they are asked for themselves."""

CODE_ALIASES = {"nb": "no", "iw": "he", "in": "id", "cmn": "zh", "fil": "tl"}
"""Codes that py3langid has under another name."""


@dataclass(frozen=True, slots=True)
class LanguageGuess:
    """A language that a text may be in."""

    language: str
    confidence: float
    """0 to 100: the probability among all the languages that can be told apart."""


class Identifier(Protocol):
    """What a `py3langid.langid.LanguageIdentifier` is."""

    def rank(self, text: str) -> list[tuple[str, float]]: ...


def base(code: str) -> str:
    """The language of a code, without script and region: "zh" of "zh-Hans"."""
    return re.split("[-_]", code, maxsplit=1)[0].lower()


def detect(text: str, among: Sequence[str]) -> list[LanguageGuess]:
    """The languages `among`, the most likely first; among equals, in the order given.

    A confidence is not shared out among the few languages asked for: English is not German with certainty because a
    model reads nothing else. A code that cannot be told from a text ("und", or an unknown one) has the confidence of a
    guess. All have 0 where a text says nothing: a blank one, numbers, signs. Of no languages, "und" is the answer.
    """
    codes = list(dict.fromkeys(among)) or ["und"]
    text = text.strip()[:MAX_CHARACTERS]
    found = probabilities(text) if any(letter.isalpha() for letter in text) else {}
    if not found:
        return [LanguageGuess(code, 0.0) for code in codes]
    named = [base(code) for code in codes]
    asked = {CODE_ALIASES.get(name, name) for name in named}
    probability: dict[str, float] = {}
    for language, p in found.items():
        name = language if language in asked else MACROLANGUAGES.get(language, language)
        probability[name] = probability.get(name, 0.0) + p
    guess = 1 / len(found)
    answers = [
        (min(1.0, probability.get(CODE_ALIASES.get(name, name), guess)), code) for code, name in zip(codes, named)
    ]
    answers.sort(key=lambda answer: -answer[0])
    return [LanguageGuess(code, round(100 * p, 1)) for p, code in answers]


def probabilities(text: str) -> dict[str, float]:
    """The probability of every language that can be told; none where the text has nothing that tells."""
    ranked = identifier().rank(text)
    lowest, middle = ranked[-1][1], ranked[len(ranked) // 2][1]
    return {} if lowest == middle > 0 else dict(ranked)  # equal: only what holds before the text is read


_loading = Lock()
_identifier: list[Identifier] = []


def identifier() -> Identifier:
    """py3langid's, loaded when the first text comes (0.7 s), once for all threads. It is never restricted to some
    languages: that would be a change for all."""
    with _loading:
        if not _identifier:
            from py3langid.langid import MODEL_FILE, LanguageIdentifier

            _identifier.append(LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True))
        return _identifier[0]


@lru_cache(maxsize=512)
def name_of(code: str) -> str:
    """The English name of a language; a code that nobody knows is its own name.

    >>> name_of("zh-Hans"), name_of("pt-BR"), name_of("und"), name_of("qqq")
    ('Chinese (Simplified)', 'Portuguese (Brazil)', 'Undetermined', 'qqq')
    """
    from babel import Locale, UnknownLocaleError

    if base(code) == "und":
        return "Undetermined"
    try:
        name = Locale.parse(code.replace("_", "-"), sep="-").get_display_name("en")
    except (UnknownLocaleError, ValueError):
        name = Locale("en").languages.get(base(code))
    return name or code
