"""Encoders for corpora, in a module that other processes load quickly."""

from __future__ import annotations

import os
import signal
from dataclasses import dataclass
from pathlib import Path

from seqloom.data.chunks import Chunk
from seqloom.data.record import Place, Record
from seqloom.errors import ConfigError

TEXTS = [f"{'a b c d e'[: k % 9]}\t{k}" for k in range(57)]


@dataclass(frozen=True)
class Codes:
    """Characters as numbers. Refuses a text, or ends its process, where it is told to."""

    refused: str = ""
    fatal: str = ""

    def encode(self, records: list[Record]) -> Chunk:
        for record in records:
            if record.columns["text"] == self.refused:
                raise ConfigError(str(record.place), [("text", "refused", "mend it")])
            if record.columns["text"] == self.fatal:
                os.kill(os.getpid(), signal.SIGKILL)
        return {"text": [[ord(letter) for letter in str(record.columns["text"])] for record in records]}


def source(texts: list[str] = TEXTS) -> list[Record]:
    return [Record({"text": text, "split": None}, Place("a.txt", number)) for number, text in enumerate(texts, 1)]


@dataclass(frozen=True)
class Logged:
    """Characters as numbers; the first line of every chunk is written down."""

    log: Path

    def encode(self, records: list[Record]) -> Chunk:
        with self.log.open("a") as stream:
            stream.write(f"{records[0].place.line}\n")
        return Codes().encode(records)


class Whose:
    """The process that was there."""

    def encode(self, records: list[Record]) -> Chunk:
        return {"process": [[os.getpid()] for _ in records]}


def content(folder: Path) -> dict[str, bytes]:
    """The files of a folder."""
    return {file.name: file.read_bytes() for file in folder.iterdir()}
