"""Source of modules that every CPython has: plain Python, somewhat over a megabyte."""

from __future__ import annotations

from importlib.abc import InspectLoader
from importlib.util import find_spec

from seqloom.errors import DataError

MODULES = (
    "argparse", "base64", "bisect", "calendar", "collections", "configparser", "contextlib", "copy", "csv",
    "dataclasses", "difflib", "enum", "fileinput", "fnmatch", "fractions", "functools", "getopt", "gzip", "heapq",
    "json.decoder", "json.encoder", "numbers", "optparse", "pprint", "random", "reprlib", "sched",
    "selectors", "shelve", "shlex", "shutil", "smtplib", "statistics", "string", "tempfile", "textwrap",
    "threading", "timeit", "tokenize", "trace", "traceback", "unittest.case", "urllib.parse", "uuid", "weakref",
)  # fmt: skip
"""None that Python keeps frozen, for those come without their source."""


def source_of(module: str) -> str:
    """The text of a module, wherever it is kept; it is not run."""
    spec = find_spec(module)
    loader = spec.loader if spec else None
    text = loader.get_source(module) if isinstance(loader, InspectLoader) else None
    if text is None:
        remedy = "use a full installation of CPython"
        raise DataError(f"this Python installation lacks the source of {module}", remedy=remedy)
    return text
