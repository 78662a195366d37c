"""The bounds of a server, each in the unit it counts."""

from __future__ import annotations

import os

from pydantic import Field, PositiveFloat, PositiveInt

from seqloom.config import Config


class Bounds(Config):
    """Limits of requests; an error names the limit that was exceeded."""

    body_bytes: PositiveInt = 1 << 20
    """Maximum size of a request body in bytes."""
    body_seconds: PositiveFloat = 10.0
    """Timeout for receiving a request body, in seconds."""
    requests: PositiveInt = 256
    """Maximum number of concurrent requests."""
    text_characters: PositiveInt = 10_000
    """Maximum length of a text in characters."""
    picture_bytes: PositiveInt = 700_000
    """Maximum size of a picture file in bytes; its base64 must fit into `body_bytes`."""
    picture_pixels: PositiveInt = 16_000_000
    """Maximum number of pixels of a picture, checked in its header before it is decoded."""
    texts: PositiveInt = 64
    """Maximum number of texts per request."""
    beam: PositiveInt = 16
    """Maximum beam size, or number of answers, per text."""
    work: PositiveInt = 200_000
    """Maximum number of tokens to compute per request: for each text, beam times the longest answer."""
    queue: PositiveInt = 512
    """Maximum number of texts in the scheduler's queue."""
    seconds: PositiveFloat = 30.0
    """Timeout of a request, in seconds."""
    explanations: PositiveInt = 4
    """Maximum number of explanations in progress or waiting: each takes seconds, and they run one at a time."""
    batch: PositiveInt = 256
    """Maximum batch size in sequences (texts times beam)."""
    model_bytes: PositiveInt = Field(default_factory=lambda: memory() // 2)
    """Maximum size of all loaded weights in bytes; the least recently used model is unloaded first."""


class HTTPSettings(Config):
    """Where the server listens, and the limits of a connection."""

    host: str = "127.0.0.1"
    """Host name or address to listen on; 127.0.0.1 is reachable from this machine only."""
    port: int = Field(8000, ge=0, le=65_535)
    """Port to listen on; 0: any free one."""
    header_seconds: PositiveInt = 10
    """Timeout for receiving the headers of a request, in seconds."""
    header_bytes: PositiveInt = 65_536
    """Maximum size of the headers of a request in bytes, including the first line."""
    connections: PositiveInt = 1_000
    """Maximum number of open connections."""
    keep_alive_seconds: PositiveInt = 15
    """Timeout of an idle connection, in seconds."""
    send_seconds: PositiveInt = 30
    """Timeout for a client to read 16 KiB of an answer, or the rest of it, in seconds."""
    grace_seconds: PositiveInt = 30
    """Grace period for accepted requests when the server stops, in seconds."""


def memory() -> int:
    """Bytes that this machine has."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
