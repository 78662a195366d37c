"""One translator for several tasks: the tag before a source says what is asked of it. Needs no torch."""

from __future__ import annotations

from collections.abc import Sequence

from seqloom.errors import ConfigError


def tagged(tag: str, text: str) -> str:
    """A source as the model reads it; what is blank stays blank.

    >>> tagged("<2phones>", "hello"), tagged("", "hello")
    ('<2phones> hello', 'hello')
    """
    return f"{tag} {text}" if tag and text.strip() else text


def check_tag(tag: str, known: Sequence[str], texts: Sequence[str]) -> None:
    """Raise `ConfigError` if a tag is unknown, or if nothing says which task a text is for."""
    there = ", ".join(known)
    if tag and tag not in known:
        what = f"{tag!r} is not a task of this model" if known else "this model was trained for one task alone"
        raise ConfigError("options", [("task_tag", what, f"there are: {there}" if known else "leave it out")])
    unset = [text for text in texts if text.strip() and not text.startswith(tuple(f"{one} " for one in known))]
    if known and not tag and unset:
        what = f"{unset[0][:40]!r}: this model has several tasks"
        raise ConfigError(
            "options", [("task_tag", what, f"choose one with --task-tag, or put it before the text: {there}")]
        )
