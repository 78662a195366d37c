"""Small sizes for any architecture: settings that it does not read are left out."""

from typing import Any, TypeVar

from seqloom.config import Config, check
from seqloom.errors import ConfigError
from seqloom.training.run_config import RunConfig, load_run

C = TypeVar("C", bound=Config)


def lenient(kind: type[C], **settings: Any) -> C:
    """A section of settings, some of which may not be read."""
    return check(kind, settings, where="settings", saved=True)


def load_fitting(changes: list[str], **flags: Any) -> RunConfig:
    """The settings of a run with those of the changes that its architecture reads."""
    return load_run(None, read_of(changes, **flags), **flags)


def read_of(changes: list[str], **flags: Any) -> list[str]:
    """Those of the changes that an architecture reads."""
    while True:
        try:
            load_run(None, changes, **flags)
            return changes
        except ConfigError as error:
            unread = {setting for setting, what, _ in error.mistakes if "does not use it" in what}
            kept = [change for change in changes if change.partition("=")[0] not in unread]
            if kept == changes:
                return changes
            changes = kept
