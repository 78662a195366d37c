"""The section [tokens] of a configuration file: how text becomes token ids."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self, TypeVar

from pydantic import BeforeValidator, Field, PositiveInt, model_validator
from pydantic_core import PydanticCustomError

from seqloom.config import Config, problem
from seqloom.tokens.stop_words import STOP_WORDS

SPECIALS = ("<pad>", "<unk>", "<bos>", "<eos>")
"""The first four tokens of every vocabulary: padding, unknown, begin and end of a sentence."""
PAD, UNK, BOS, EOS = range(4)

BYTES = 256
"""The subword kinds keep a token for every byte, so that no text is unknown to them."""

Kind = Literal["word", "ngram", "space", "character", "bpe", "unigram"]
WORDS = ("word", "space")
SUBWORDS = ("bpe", "unigram")


def name_or_words(value: Any) -> Any:
    """One message for what is neither, where pydantic has one for each."""
    if isinstance(value, str) or (isinstance(value, list | tuple) and all(isinstance(word, str) for word in value)):
        return value
    raise PydanticCustomError("name_or_words", "should be a name or a list of words")


class TokenConfig(Config):
    """How text is tokenised, and which tokens enter the vocabulary: the section [tokens]."""

    kind: Kind = "bpe"
    """What a token is: word, ngram (words and pairs of words), space (split at spaces), character, bpe or unigram."""
    size: PositiveInt = 10_000
    """Maximum size of the vocabulary, including the 4 special tokens and, for subwords, the 256 bytes."""
    min_frequency: PositiveInt = 1
    """Minimum frequency of a word, a character or a pair (bpe) to enter the vocabulary."""
    lower: bool = False
    """Lower-case the text."""
    normalise: Literal["none", "nfc", "nfkc"] = "none"
    """Unicode normalisation form: none, nfc, or nfkc."""
    stop_words: Annotated[str | tuple[str, ...], BeforeValidator(name_or_words)] = "none"
    """Stop words to remove: "none", a built-in list ("english"), or a list of words."""
    mend_typos: bool = False
    """Correct typos: read an unknown word as the known word that was meant (goood as good, prinse as prince)."""
    typo_ratio: Annotated[int, Field(ge=2)] = 10
    """How many times more frequent than a rare spelling a word must be to replace it."""
    chinese: Literal["characters", "words"] = "characters"
    """Split Chinese text into characters, or into words with a segmenter (the extra seqloom[chinese])."""
    joint: bool = False
    """One vocabulary shared by source and target instead of two."""
    bpe_dropout: Annotated[float, Field(ge=0, lt=1)] = 0.0
    """BPE-dropout: the probability of skipping a merge when training text is tokenised."""

    @model_validator(mode="after")
    def the_vocabulary_has_room(self) -> Self:
        taken = len(SPECIALS) + (BYTES if self.kind in SUBWORDS else 0)
        if self.size <= taken:
            beside = f"the {len(SPECIALS)} special tokens" + (f" and {BYTES} bytes" if self.kind in SUBWORDS else "")
            raise problem("size", f"{self.size} is too small for {beside}", remedy=f"set it above {taken}")
        return self

    @model_validator(mode="after")
    def options_of_words_are_for_words(self) -> Self:
        options = {"stop_words": bool(self.stop_list), "mend_typos": self.mend_typos}
        for name, wanted in options.items():
            if wanted and self.kind not in WORDS:
                raise problem(name, f"needs words, and kind is {self.kind!r}", remedy='set kind = "word"')
        if self.chinese == "words" and self.kind != "word":
            raise problem("chinese", f'"words" needs kind "word", not {self.kind!r}', remedy='set kind = "word"')
        return self

    @model_validator(mode="after")
    def options_of_subwords_are_for_subwords(self) -> Self:
        if self.bpe_dropout and self.kind != "bpe":
            raise problem("bpe_dropout", f"needs merges, and kind is {self.kind!r}", remedy='set kind = "bpe"')
        if self.min_frequency > 1 and self.kind == "unigram":
            raise problem("min_frequency", "unigram chooses its parts by likelihood", remedy="leave it out; set size")
        return self

    @model_validator(mode="after")
    def stop_words_are_known(self) -> Self:
        if isinstance(self.stop_words, str) and self.stop_words not in ("none", *STOP_WORDS):
            known = ", ".join(["none", *STOP_WORDS])
            raise problem(
                "stop_words",
                f"there is no list called {self.stop_words!r}",
                remedy=f"there are: {known}; or give the words themselves, as a list",
            )
        return self

    @property
    def stop_list(self) -> frozenset[str]:
        """The words to leave out, in small letters."""
        words = STOP_WORDS.get(self.stop_words, ()) if isinstance(self.stop_words, str) else self.stop_words
        return frozenset(word.lower() for word in words)


T = TypeVar("T", bound=TokenConfig)


def written_one_by_one(config: T) -> T:
    """For a task that writes: word pairs overlap, so they cannot stand one behind the other."""
    if config.kind == "ngram":
        what = "n-grams overlap, so they cannot be generated one after the other"
        raise problem("kind", what, remedy="choose word, character, bpe or unigram")
    return config
