"""Which models were trained here: a mark on the data that their settings name, which nobody else can make.

A model folder may come from anyone, and its settings name files. They are opened only where the mark is that of this
user, or the user says so.
"""

from __future__ import annotations

import hmac
import json
import os
import secrets
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from seqloom.data.embedded import is_embedded

SPLITS = ("train", "valid", "test")


def mark_of(data: Any) -> str:
    """The mark of this user on the section [data] of a run; empty where no key can be kept."""
    key = user_key()
    return hmac.new(key, json.dumps(data, sort_keys=True).encode(), "sha256").hexdigest() if key else ""


def is_own(data: Any, mark: str) -> bool:
    """Whether the data that settings name may be opened: it is embedded, or was named in a run of this user's."""
    named = [data.get(split) for split in SPLITS] if isinstance(data, Mapping) else [data]
    if all(not one or is_embedded(one) for one in named):
        return True
    expected = mark_of(data)
    return bool(expected) and hmac.compare_digest(expected.encode(), mark.encode("utf-8", "replace"))


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
