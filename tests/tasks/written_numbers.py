"""Pairs that a small model can learn in seconds: numbers as digits, and as words."""

from pathlib import Path

WORDS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]


def spoken(number: int) -> str:
    return " ".join(WORDS[int(digit)] for digit in str(number))


def write_pairs(file: Path, numbers: range = range(0, 1000, 3)) -> Path:
    """digits <tab> words, one pair a line."""
    lines = (f"{' '.join(str(number))}\t{spoken(number)}\n" for number in numbers)
    file.write_text("".join(lines), encoding="utf-8")
    return file
