"""The bounds of a server, each in the unit it counts."""

from __future__ import annotations

import os

from pydantic import Field, PositiveFloat, PositiveInt

from seqloom.config import Config


class Bounds(Config):
    """Limits of requests; an error names the one that was passed."""

    body_bytes: PositiveInt = 1 << 20
    """Bytes of a request's body."""
    body_seconds: PositiveFloat = 10.0
    """Seconds in which a body has to arrive."""
    requests: PositiveInt = 256
    """Requests that are read or answered at the same time."""
    text_characters: PositiveInt = 10_000
    """Characters of one text."""
    picture_bytes: PositiveInt = 700_000
    """Bytes of the file of one picture; in base64 it has to fit into `body_bytes`."""
    picture_pixels: PositiveInt = 16_000_000
    """Pixels of one picture, as its header says: it is refused before it is decoded."""
    texts: PositiveInt = 64
    """Texts of one request."""
    beam: PositiveInt = 16
    """Beam size, or number of answers, for one text."""
    work: PositiveInt = 200_000
    """Tokens that may have to be computed for one request: for each text, beam times the longest answer."""
    queue: PositiveInt = 512
    """Texts in the scheduler's queue."""
    seconds: PositiveFloat = 30.0
    """Seconds in which a request is answered."""
    explanations: PositiveInt = 4
    """Explanations that are made or waited for: each takes seconds, one after the other."""
    batch: PositiveInt = 256
    """Batch size: sequences (texts times beam) that are computed together."""
    model_bytes: PositiveInt = Field(default_factory=lambda: memory() // 2)
    """Bytes of weights that are held in memory together; the least recently used model is dropped first."""


class HTTPSettings(Config):
    """Where the server listens, and what one connection may do."""

    host: str = "127.0.0.1"
    """The name or address to listen at; 127.0.0.1 is reached from this machine only."""
    port: int = Field(8000, ge=0, le=65_535)
    """The port to listen at; 0 takes a free one."""
    header_seconds: PositiveInt = 10
    """Seconds in which the headers of a request have to arrive."""
    header_bytes: PositiveInt = 65_536
    """Bytes of a request's headers, its first line among them."""
    connections: PositiveInt = 1_000
    """Connections that are open at the same time."""
    keep_alive_seconds: PositiveInt = 15
    """Seconds that a connection may stay open without a request."""
    send_seconds: PositiveInt = 30
    """Seconds in which a client has to read 16 KiB of an answer, or what is left of it."""
    grace_seconds: PositiveInt = 30
    """Seconds in which accepted requests are finished when the server stops."""


def memory() -> int:
    """Bytes that this machine has."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
