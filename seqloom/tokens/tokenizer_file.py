"""One file for a tokenizer: plain JSON that can be read, compared and checked, and runs nothing."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from seqloom.config import check
from seqloom.errors import ConfigError, DamagedError
from seqloom.storage.checked_json import parse_object
from seqloom.storage.mapped_file import map_file
from seqloom.storage.writing import replace_file
from seqloom.tokens.backend import TokenizerData
from seqloom.tokens.settings import SPECIALS, TokenConfig

FORMAT = 1
"""Counts up when a file can no longer be read by older versions of seqloom."""

AGAIN = "copy the file again, or train the tokenizer anew"


def as_data(data: TokenizerData) -> dict[str, Any]:
    """A tokenizer as JSON has it, without its fingerprint."""
    return {
        "seqloom": "tokenizer",
        "format": FORMAT,
        "settings": data.config.model_dump(mode="json"),
        "tokens": [list(pair) for pair in zip(data.tokens, data.counts)],
        "merges": [list(pair) for pair in data.merges],
        "scores": list(data.scores),
        "typos": dict(data.typos),
    }


def fingerprint(data: Mapping[str, Any]) -> str:
    """SHA-256 of everything but the fingerprint itself."""
    return hashlib.sha256(text_of({key: data[key] for key in data if key != "fingerprint"}).encode()).hexdigest()


def text_of(data: Mapping[str, Any]) -> str:
    """JSON with a line for each part: the same data, the same text."""
    lines = (f"{spelled(key)}: {spelled(value)}" for key, value in data.items())
    return "{\n" + ",\n".join(lines) + "\n}\n"


def spelled(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def write(file: Path, data: TokenizerData) -> None:
    """Write everything into one JSON file, whole or not at all."""
    plain = as_data(data)
    replace_file(file, text_of({**plain, "fingerprint": fingerprint(plain)}).encode())


def read(file: Path) -> tuple[TokenizerData, str]:
    """A tokenizer and its fingerprint, or what is wrong with the file."""
    data = map_file(file)
    if data is None:
        raise DamagedError("there is no such file", where=str(file), remedy="check the path")
    return parse(bytes(data), str(file))


def parse(content: bytes, where: str) -> tuple[TokenizerData, str]:
    """A tokenizer and its fingerprint, or what is wrong with the content of a file."""
    data = parse_object(content, where, remedy=AGAIN)
    if data.get("seqloom") != "tokenizer":
        raise DamagedError(
            "is not a seqloom tokenizer", where=where, remedy="give the *.tokenizer.json of a trained model"
        )
    if data.get("format") != FORMAT:
        raise DamagedError(
            f"has format {data.get('format')!r}, this seqloom reads {FORMAT}",
            where=where,
            remedy="install a newer seqloom",
        )
    try:
        mark = fingerprint(data)
    except (ValueError, RecursionError):  # numbers that are none, half characters
        mark = None
    if mark is None or data.get("fingerprint") != mark:
        raise DamagedError("is damaged: it is not what was written", where=where, remedy=AGAIN)
    return data_of(data, where), mark


def data_of(data: Mapping[str, Any], where: str) -> TokenizerData:
    """Take only what has the right form, whoever wrote it."""

    def sound(name: str, right: bool) -> None:
        if not right:
            raise DamagedError(f"is damaged: its {name} cannot be used", where=where, remedy=AGAIN)

    settings, tokens, typos = data.get("settings"), data.get("tokens"), data.get("typos")
    merges, scores = data.get("merges"), data.get("scores")
    sound("settings", isinstance(settings, dict))
    try:
        config = check(TokenConfig, settings or {}, where=where)
    except ConfigError as error:
        raise DamagedError(f"is damaged: {error.what}", where=where, remedy=AGAIN) from None
    sound("tokens", isinstance(tokens, list) and all(is_token(pair) for pair in tokens))
    words = [word for word, _ in tokens or ()]
    known = words[len(SPECIALS) :]
    sound("tokens", tuple(words[: len(SPECIALS)]) == SPECIALS and 0 < len(set(known)) == len(known))
    sound("merges", isinstance(merges, list) and all(is_merge(pair, len(words)) for pair in merges))
    sound("scores", isinstance(scores, list) and all(isinstance(score, float) for score in scores))
    sound("typos", isinstance(typos, dict) and all(isinstance(word, str) for word in typos.values()))
    sound("typos", set((typos or {}).values()) <= set(known))
    return TokenizerData(
        config,
        tuple(words),
        tuple(count for _, count in tokens or ()),
        merges=tuple((left, right) for left, right in merges or ()),
        scores=tuple(scores or ()),
        typos=typos or {},
    )


def is_token(pair: Any) -> bool:
    """A text, and how often it was seen."""
    return isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], str) and is_count(pair[1])


def is_merge(pair: Any, size: int) -> bool:
    """The ids of two tokens."""
    return isinstance(pair, list) and len(pair) == 2 and all(is_count(id) and id < size for id in pair)


def is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
