"""Which models were trained here: a mark on the files that their settings name, which nobody else can make.

A model folder may come from anyone, and its settings name files. They are opened only where the mark is that of this
user, or the user says so.
"""

from __future__ import annotations

import hmac
import json
import os
import secrets
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from seqloom.data.embedded import is_embedded

SPLITS = ("train", "valid", "test")


def signature_of(settings: Mapping[str, Any]) -> str:
    """The mark of this user on the files that the settings of a run name."""
    return mark_on(naming_files(settings))


def is_own(settings: Mapping[str, Any], mark: str) -> bool:
    """Whether the files that settings name may be opened: there are none, or a run of this user's named them."""
    if all(not one or is_embedded(one) for one in named_files(settings)):
        return True
    return is_marked(naming_files(settings), mark)


def mark_on(named: Any) -> str:
    """The mark of this user on names of files; empty where no key can be kept."""
    key = user_key()
    return hmac.new(key, json.dumps(named, sort_keys=True).encode(), "sha256").hexdigest() if key else ""


def is_marked(named: Any, mark: str) -> bool:
    """Whether a mark is that of this user on these names."""
    expected = mark_on(named)
    return bool(expected) and hmac.compare_digest(expected.encode(), mark.encode("utf-8", "replace"))


def naming_files(settings: Mapping[str, Any]) -> Any:
    """What of the settings names files that are opened after the first step: the data, and a teacher."""
    teacher = settings.get("teacher")
    model = teacher.get("model") if isinstance(teacher, Mapping) else teacher
    return [settings.get("data"), model] if model else settings.get("data")


def named_files(settings: Mapping[str, Any]) -> Iterator[Any]:
    """Every path in the settings: of the splits, of those of each of several sets, and of the teacher."""
    data, teacher = settings.get("data"), settings.get("teacher")
    sets = (data.get("sets") if isinstance(data, Mapping) else None) or []
    for one in [data, *(sets if isinstance(sets, list) else [str(sets)])]:
        yield from (one.get(split) for split in SPLITS) if isinstance(one, Mapping) else [one]
    yield teacher.get("model") if isinstance(teacher, Mapping) else teacher


def user_key() -> bytes:
    """A random secret of this user's, made once; it never leaves this machine."""
    home = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    file = Path(home) / "seqloom" / "key"
    with suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        new = file.with_name(f".key.{os.getpid()}.{secrets.token_hex(4)}")
        if not file.exists():
            descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "wb") as stream:
                stream.write(secrets.token_bytes(32))
            with suppress(FileExistsError):
                os.link(new, file)  # whole, and the first one wins
            new.unlink()
        key = file.read_bytes()
        return key if len(key) == 32 else b""
    return b""
