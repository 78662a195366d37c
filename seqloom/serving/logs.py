"""The server's log: what happened and where, never what a text said."""

from __future__ import annotations

import logging

log = logging.getLogger("seqloom.serving")


def log_error(error: BaseException) -> None:
    """Log a bug of ours: its kind and place, without its message, which may quote a text."""
    last = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    where = f"{last.tb_frame.f_code.co_filename}:{last.tb_lineno}" if last else "an unknown place"
    log.error("%s at %s", type(error).__name__, where)
