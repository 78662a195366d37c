"""Sockets: where a server listens, and how many files it may open."""

from __future__ import annotations

import os
import socket
import sys

from seqloom.errors import SeqloomError

BACKLOG = 128
"""Connections that the system holds until they are accepted."""


def bind(host: str, port: int) -> socket.socket:
    """A socket that listens, or an error that says what to do."""
    where = f"{host}:{port}"
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (socket.gaierror, UnicodeError):
        raise SeqloomError("no such address", where=where, remedy="listen at 127.0.0.1, or 0.0.0.0 for all") from None
    family, kind, protocol, _, address = min(found, key=lambda one: one[0] != socket.AF_INET)
    listener = socket.socket(family, kind, protocol)
    try:
        if sys.platform != "win32":  # there it would take a port away from another program
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        remedy = "choose another port, or 0 for a free one; an address has to be one of this machine"
        raise SeqloomError(f"cannot listen: {os.strerror(error.errno or 0)}", where=where, remedy=remedy) from None
    return listener


def url_of(listener: socket.socket) -> str:
    """The address that can be typed into a browser."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def allow_open_files(count: int) -> None:
    """Ask the system for as many open files as there may be connections."""
    if sys.platform == "win32":
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < count:
        most = count if hard == resource.RLIM_INFINITY else min(count, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, most), hard))
