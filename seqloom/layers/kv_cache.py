"""Keys and values of the tokens written so far, kept in place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

ROOM = 16
"""Positions that there is room for at first; where there is not enough, it is doubled."""


@dataclass(frozen=True)
class KVCache:
    """What the tokens so far answer with. A token more is written behind them; only the newest cache goes on."""

    memory: Tensor  # (room, R, 2, N, K): position after position, so that those in use lie together
    length: int  # how many are in use

    @classmethod
    def after(cls, cache: KVCache | None, new: Tensor) -> KVCache:
        """A cache (None for an empty one) with the keys and values of the next tokens: new (R, T, 2, N, K)."""
        before = 0 if cache is None else cache.length
        end = before + new.shape[1]
        if torch.is_grad_enabled():  # what a backward pass may need is not overwritten
            new = new.transpose(0, 1)
            return cls(new if cache is None else torch.cat([cache.memory[:before], new]), end)
        if cache is None or end > cache.memory.shape[0]:
            memory = new.new_empty(max(ROOM, 2 * end), len(new), *new.shape[2:])
            if cache is not None:
                memory[:before] = cache.memory[:before]
        else:
            memory = cache.memory
        memory[before:end] = new.transpose(0, 1)
        return cls(memory, end)

    @classmethod
    def with_token(cls, cache: KVCache | None, new: Tensor) -> KVCache:
        """As `after` for one token a row, where no gradients are asked for: new (R, 2, N, K)."""
        if cache is None or cache.length == cache.memory.shape[0]:
            return cls.after(cache, new[:, None])
        cache.memory[cache.length] = new
        return cls(cache.memory, cache.length + 1)

    @property
    def k(self) -> Tensor:
        """(R, N, T, K)"""
        return self.memory[: self.length, :, 0].permute(1, 2, 0, 3)

    @property
    def v(self) -> Tensor:
        """(R, N, T, K)"""
        return self.memory[: self.length, :, 1].permute(1, 2, 0, 3)

    def both(self) -> tuple[Tensor, ...]:
        """k and v, with fewer calls."""
        return self.memory[: self.length].permute(2, 1, 3, 0, 4).unbind()

    def select(self, rows: Tensor, inputs: Tensor | None = None) -> KVCache:
        """The cache of these rows, in this order."""
        used = self.memory[: self.length]
        if torch.is_grad_enabled():
            return KVCache(used.index_select(1, rows), self.length)
        memory = used.new_empty(len(self.memory), len(rows), *used.shape[2:])
        torch.index_select(used, 1, rows, out=memory[: self.length])
        return KVCache(memory, self.length)

    def join(self, others: Sequence[KVCache]) -> KVCache | None:
        """The rows of several caches; None if they are not equally long."""
        if any(other.length != self.length for other in others):
            return None
        return KVCache(torch.cat([one.memory[: one.length] for one in (self, *others)], 1), self.length)
