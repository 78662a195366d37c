"""An engine in the place of a module: the base class, and how to tell it from one whose weights are there."""

from __future__ import annotations

import torch
from torch import nn

from seqloom.errors import SeqloomError


class EngineModule(nn.Module):
    """What runs in an engine; its only parameter is empty, and says that it is on the CPU."""

    def __init__(self) -> None:
        super().__init__()
        self.nowhere = nn.Parameter(torch.empty(0), requires_grad=False)


def check_in_torch(network: nn.Module) -> None:
    """Raise an error for an exported model, where more is asked for than its answers."""
    if isinstance(network, EngineModule):
        what = "this model is exported already: it gives answers alone, and its weights cannot be read any more"
        raise SeqloomError(what, remedy="use the folder that it was made from, which its engine.json names")
