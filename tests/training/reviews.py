"""A few hundred made-up reviews that anything can learn to tell apart."""

import random
from pathlib import Path

GOOD, BAD = ["fine", "lovely", "warm", "great", "moving"], ["dull", "poor", "cold", "bad", "tedious"]
OTHER = ["the", "a", "film", "story", "and", "of", "it", "very", "with", "cast"]


def write_reviews(file: Path, count: int = 240, seed: int = 0) -> Path:
    """label <tab> text, one a line."""
    chance = random.Random(seed)
    lines = []
    for number in range(count):
        label, words = (("pos", GOOD), ("neg", BAD))[number % 2]
        text = [chance.choice(OTHER) for _ in range(chance.randint(2, 9))]
        text.insert(chance.randint(0, len(text)), chance.choice(words))
        lines.append(f"{label}\t{' '.join(text)}\n")
    file.write_text("".join(lines), encoding="utf-8")
    return file
