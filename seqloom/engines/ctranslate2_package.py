"""CTranslate2 itself, and the names of its files."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType

from seqloom.extras import require

CONFIG = "ctranslate2.json"
"""What CTranslate2 calls config.json, which in our folders is ours."""
WEIGHTS = "model.bin"
SHORTLIST = "vmap.txt"
"""Its vocabulary map: a line `token<TAB>candidate candidate ...`; the line without a token is for all sources."""


def import_ctranslate2() -> ModuleType:
    """The package, or an error that names the extra."""
    with torch_unseen():
        return require("ctranslate2", "ctranslate2", "the engine ctranslate2")


@contextmanager
def torch_unseen() -> Iterator[None]:
    """CTranslate2 imports torch wherever that is installed, for a second or more, and needs it for no part of ours."""
    if "torch" in sys.modules:
        yield
        return
    sys.modules["torch"] = None  # type: ignore[assignment]  # as Python says it: not to be found
    try:
        yield
    finally:
        del sys.modules["torch"]
