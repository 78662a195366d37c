"""Sentences with mistakes, the same on every machine."""

from random import Random

WORDS = ["the", "a", "cat", "dog", "sat", "on", "mat", "house", "red", "green", "ran", "under"]


def sentences(count: int, seed: int = 0, longest: int = 14) -> list[str]:
    random = Random(seed)
    return [" ".join(random.choices(WORDS, k=random.randint(1, longest))) + " ." for _ in range(count)]


def with_mistakes(texts: list[str], share: float, seed: int) -> list[str]:
    random = Random(seed)
    return [
        " ".join(random.choice(WORDS) if random.random() < share else word for word in text.split()) for text in texts
    ]
