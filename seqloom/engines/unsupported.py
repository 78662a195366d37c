"""What an engine cannot do, said before it is asked to."""

from __future__ import annotations

from typing import Any

from seqloom.errors import ConfigError


def check_options(engine: str, options: Any, **able: Any) -> None:
    """Raise an error that names every option which is not as the engine has it.

    able  the only value of an option that the engine knows
    """
    mistakes = [
        (name, f"the engine {engine} has no other than {value}", "leave it out, or predict with the torch folder")
        for name, value in able.items()
        if getattr(options, name, value) != value
    ]
    if mistakes:
        raise ConfigError("options", mistakes)
