"""Made-up sentences with a tag for each word: what a word is, its neighbour and its ending tell."""

import random
from pathlib import Path

THINGS = ["can", "fish", "run", "play"]
BEFORE = {"NOUN": ["the", "a", "my"], "VERB": ["you", "we", "they"]}
TAG = {"the": "DET", "a": "DET", "my": "DET", "you": "PRON", "we": "PRON", "they": "PRON"}
STEMS = ["bl", "cr", "dr", "fl", "gr", "kl", "pl", "pr", "sk", "sl", "sn", "sp", "st", "str", "tr", "tw"]
VOWELS = ["a", "e", "i", "o", "u", "ea", "oo", "ou"]
ENDINGS = {"ing": "VERB", "ly": "ADV", "ness": "NOUN", "ous": "ADJ"}
NAMES = ["Ada", "Bo", "Cy", "Dee"]
Sentence = list[tuple[str, str]]


def by_neighbour(chance: random.Random) -> Sentence:
    """A word that is a noun or a verb: the one before it says which."""
    found: Sentence = []
    for _ in range(chance.randint(1, 4)):
        tag = chance.choice(list(BEFORE))
        before = chance.choice(BEFORE[tag])
        found += [(before, TAG[before]), (chance.choice(THINGS), tag)]
    return found


def by_ending(chance: random.Random) -> Sentence:
    """Words that are seldom seen twice: their last letters say what they are."""
    found: Sentence = []
    for _ in range(chance.randint(1, 6)):
        ending = chance.choice(list(ENDINGS))
        word = chance.choice(STEMS) + chance.choice(VOWELS) + chance.choice(STEMS) + chance.choice(VOWELS) + ending
        found.append((word, ENDINGS[ending]))
    return found


def names(chance: random.Random) -> Sentence:
    """A name of one word or two, tagged BIO: a person, or after `in` a place."""
    found: Sentence = []
    for _ in range(chance.randint(1, 3)):
        kind, before = chance.choice([("PER", chance.choice(["with", "by"])), ("LOC", "in")])
        found += [(before, "O"), (chance.choice(NAMES), f"B-{kind}")]
        if chance.random() < 0.5:
            found.append((chance.choice(NAMES), f"I-{kind}"))
        found.append((chance.choice(["now", "then"]), "O"))
    return found


def write_tagged(file: Path, kind: str = "neighbour", count: int = 120, seed: int = 0) -> Path:
    """Word <tab> tag, one a line, a blank line after each sentence; name it *.conll."""
    make = {"neighbour": by_neighbour, "ending": by_ending, "names": names}[kind]
    chance = random.Random(seed)
    sentences = (make(chance) for _ in range(count))
    lines = ("".join(f"{word}\t{tag}\n" for word, tag in sentence) + "\n" for sentence in sentences)
    file.write_text("".join(lines), encoding="utf-8")
    return file
