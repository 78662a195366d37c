"""A made-up text that goes round and round, with blank lines: soon foretold by anything that looks back."""

from pathlib import Path

LINES = ["row row the boat", "down the stream", "", "merrily row", "life is a dream", ""]


def write_song(file: Path, rounds: int = 40, lines: list[str] = LINES) -> Path:
    file.write_text("".join(f"{line}\n" for line in lines * rounds), encoding="utf-8")
    return file
