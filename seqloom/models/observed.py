"""A network watched at work: the attention weights of every head, and heads that are switched off.

The network is copied around the same weights, so what is hooked to the copy is seen by nobody else who uses it.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Iterable
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from seqloom.errors import SeqloomError, quoted
from seqloom.layers.attention import AttentionPooling
from seqloom.layers.multi_head import MultiHead


def shared_copy(network: nn.Module) -> nn.Module:
    """The same network around the same weights: hooks of the copy are seen by nobody else who uses it."""
    shared: dict[int, Any] = {id(tensor): tensor for tensor in (*network.parameters(), *network.buffers())}
    return copy.deepcopy(network, shared).eval()


class Head(NamedTuple):
    """One head of one layer; `group` says of which attention, as `cross`."""

    group: str
    layer: int
    head: int

    @classmethod
    def named(cls, name: str) -> Head:
        """From text.

        >>> Head.named("cross.0.3")
        Head(group='cross', layer=0, head=3)
        """
        found = re.fullmatch(r"([a-z]+)\.(\d{1,3})\.(\d{1,3})", name)
        if not found:
            raise SeqloomError(f"{quoted(name)} names no head", remedy="write it as cross.0.3: attention, layer, head")
        return cls(found[1], int(found[2]), int(found[3]))


def group_of(path: str) -> str:
    """What an attention is for, by the names of the parts that lead to it.

    >>> [group_of(path) for path in ("source.encoder.blocks.0.attention", "decoder.blocks.1.cross_attention",
    ...                              "decoder.blocks.1.self_attention", "encoder.blocks.2.attention")]
    ['encoder', 'cross', 'decoder', 'self']
    """
    if "cross" in path:
        return "cross"
    first = path.partition(".")[0]
    return {"source": "encoder", "decoder": "decoder"}.get(first, "self")


class Observed:
    """A copy of a network around the same weights. Every forward pass leaves its attention weights in `weights`."""

    def __init__(self, network: nn.Module, off: Iterable[Head] = ()) -> None:
        self.network = shared_copy(network)
        self.weights: dict[str, dict[int, Tensor]] = {}
        """(N, T, S) of the first example of the last pass, by group and layer."""
        self.layers: dict[str, list[MultiHead]] = {}
        for path, module in self.network.named_modules():
            if isinstance(module, MultiHead):
                self.layers.setdefault(group_of(path), []).append(module)
            elif isinstance(module, AttentionPooling):
                module.register_forward_hook(self.watch_pooling)
        silent = self.check(set(off))
        for group, modules in self.layers.items():
            for layer, module in enumerate(modules):
                self.watch(group, layer, module, [one.head for one in silent if one[:2] == (group, layer)])

    def check(self, off: set[Head]) -> set[Head]:
        for one in off:
            modules = self.layers.get(one.group, [])
            if one.layer >= len(modules) or one.head >= modules[one.layer].heads:
                there = ", ".join(f"{group} ({len(of)} x {of[0].heads})" for group, of in self.layers.items()) or "none"
                what = f"no head {'.'.join(map(str, one))}"
                raise SeqloomError(what, remedy=f"the model has, counted from 0 (layers x heads): {there}")
        return off

    def watch_pooling(self, module: nn.Module, given: tuple[Any, ...], found: tuple[Tensor, Tensor]) -> None:
        """One learned query, so one head with one row."""
        self.weights["pooling"] = {0: found[1][:1, None].detach()}

    def watch(self, group: str, layer: int, module: MultiHead, silent: list[int]) -> None:
        """Ask the attention itself for its weights, and let the heads that are off contribute nothing."""

        def after(attend: nn.Module, given: tuple[Any, ...], options: dict[str, Any], found: Any) -> Any:
            with torch.no_grad():
                _, a = attend.forward(*given, **{**options, "weights": True})
            self.weights.setdefault(group, {})[layer] = a[0].detach()
            if not silent:
                return found
            y = (found[0] if isinstance(found, tuple) else found).clone()
            y[:, silent] = 0.0
            return (y, found[1]) if isinstance(found, tuple) else y

        module.attend.register_forward_hook(after, with_kwargs=True)
