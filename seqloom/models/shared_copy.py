"""A copy of a network that shares its weights."""

from __future__ import annotations

import copy
from typing import Any

from torch import nn


def shared_copy(network: nn.Module) -> nn.Module:
    """The same network around the same weights: hooks of the copy are seen by nobody else who uses it."""
    shared: dict[int, Any] = {id(tensor): tensor for tensor in (*network.parameters(), *network.buffers())}
    return copy.deepcopy(network, shared).eval()
