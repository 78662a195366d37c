"""One token of each row through the blocks of a Transformer, with as few calls as possible; and all that is read.

While it writes, a Transformer does little work in many small calls, and for a single text most of the time goes into
calling. The blocks here compute the same as those they are made of, on rows (R, D) instead of sequences (B, T, D):
residual connections are added inside of products, keys and values are written in place, no module is called. What is
read goes through them without its padding. Tests hold them to the blocks. What is not made of the usual parts is run
as it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from seqloom.layers.decoder_block import DecoderBlock, DecoderBlockPreNorm
from seqloom.layers.encoder_block import EncoderBlock, EncoderBlockPreNorm
from seqloom.layers.feed_forward import FeedForward
from seqloom.layers.kv_cache import KVCache
from seqloom.layers.multi_head import KeyValue, MultiHead
from seqloom.layers.norms import EPSILON, LayerNorm
from seqloom.layers.packed_weights import ACTIVE, PackedWeights, few_rows, packed_product
from seqloom.layers.ssru import SSRUState
from seqloom.layers.ssru_block import SSRUBlock, SSRUInPlaceOfAttention

SHORT = 64
"""Tokens up to which attention in two plain products is faster than torch's fused kernel."""
BEFORE = (DecoderBlockPreNorm, SSRUBlock, EncoderBlockPreNorm)
AFTER = (DecoderBlock, EncoderBlock)


def fast_decoding_blocks(blocks: nn.ModuleList) -> Sequence[FastDecodingBlock] | None:
    """The blocks in their fast form, made once for a model whose weights are packed; None where they have none."""
    active = ACTIVE.get()
    if active is None or torch.is_grad_enabled() or torch.is_autocast_enabled("cpu"):
        return None
    if blocks not in active.made:
        fits = all(type(block) in (*BEFORE, *AFTER) and usual(block) for block in blocks)
        active.made[blocks] = [FastDecodingBlock(block, active) for block in blocks] if fits else None
    found: Sequence[FastDecodingBlock] | None = active.made[blocks]
    return found


def usual(block: nn.Module) -> bool:
    """Whether a block has layer norms and a feed-forward network."""
    norms: Iterable[object] = (part for name, part in block.named_children() if name.startswith("norm"))
    return type(block.network) is FeedForward and all(type(norm) is LayerNorm for norm in norms)


class Rows:
    """What a step knows of the batch: how many hypotheses each source has, and where they may look."""

    def __init__(self, mask: Tensor | None, weights: bool, dtype: torch.dtype) -> None:
        """mask (B, 1, 1, S), bool; None where every position may be looked at."""
        self.weights, self.bias = weights, None if mask is None else added_mask(mask, dtype)


class Padding:
    """Where the tokens of a batch stand among its padding."""

    def __init__(self, mask: Tensor, dtype: torch.dtype) -> None:
        """mask (B, T), bool, True for tokens."""
        self.size = mask.numel()
        self.places = mask.flatten().nonzero()[:, 0]
        self.bias = added_mask(mask[:, None, None], dtype)

    def removed(self, x: Tensor) -> Tensor:
        """x (B * T, D) -> (R, D), those of tokens."""
        return x.index_select(0, self.places)

    def restored(self, x: Tensor) -> Tensor:
        """x (R, D) -> (B * T, D), zeros for padding."""
        return x.new_zeros(self.size, x.shape[1]).index_copy_(0, self.places, x)


def added_mask(mask: Tensor, dtype: torch.dtype) -> Tensor:
    """What is added to scores: 0 where a position may be looked at, else as low as can be."""
    return torch.zeros_like(mask, dtype=dtype).masked_fill_(~mask, torch.finfo(dtype).min)


def read_all(blocks: Sequence[FastDecodingBlock], x: Tensor, mask: Tensor | None) -> Tensor:
    """Sequences through the blocks of an encoder: x (B, T, D), mask (B, T) -> (B, T, D), zeros for padding."""
    padding = None if mask is None else Padding(mask, x.dtype)
    y = x.flatten(0, 1)
    if padding is not None:
        y = padding.removed(y)
    for block in blocks:
        y = block.read(y, len(x), padding)
    return (y if padding is None else padding.restored(y)).view_as(x)


def decode_step(
    blocks: Sequence[FastDecodingBlock],
    x: Tensor,
    sources: Sequence[KeyValue | None],
    written: Sequence[Any],
    rows: Rows,
) -> tuple[Tensor, list[Any], list[Tensor]]:
    """The newest token of each row through all blocks: x (R, D) -> (R, D), what was written, the weights (R, N, S)."""
    kept, attention = [], []
    for block, source, before in zip(blocks, sources, written):
        x, after, a = block.step(x, before, source, rows)
        kept.append(after)
        attention += [] if a is None else [a]
    return x, kept, attention


class FastDecodingBlock:
    """A block as a row of parts, each with its norm before or after it."""

    def __init__(self, block: Any, packed: PackedWeights) -> None:
        self.before = type(block) in BEFORE
        decoder = hasattr(block, "cross_attention")
        back = block.self_attention if decoder else block.attention
        self.back: Any = (FastSSRU if isinstance(back, SSRUInPlaceOfAttention) else FastSelfAttention)(back, packed)
        self.source = FastCrossAttention(block.cross_attention, packed) if decoder else None
        self.network = FastNetwork(block.network, packed)
        self.norms = [norm_of(getattr(block, f"norm_{number}")) for number in range(1, 3 + decoder)]

    def step(self, x: Tensor, written: Any, source: KeyValue | None, rows: Rows) -> tuple[Tensor, Any, Tensor | None]:
        """The newest token of each row x (R, D) -> (R, D), what was written with it, and the weights if asked for."""
        first, *others = self.norms
        u, a = layer_norm(x, first) if self.before else x, None
        x, written = self.back.step(u, x, written)
        if self.source is not None:
            norm = others[0]
            x, u = (x, layer_norm(x, norm)) if self.before else (y := layer_norm(x, first), y)
            assert source is not None
            x, a = self.source.step(u, x, source, rows)
            first = norm
        x, u = (x, layer_norm(x, others[-1])) if self.before else (y := layer_norm(x, first), y)
        x = self.network.step(u, x)
        return x if self.before else layer_norm(x, others[-1]), written, a

    def read(self, x: Tensor, count: int, padding: Padding | None) -> Tensor:
        """All tokens of so many sequences, without their padding: x (R, D) -> (R, D)."""
        first, second = self.norms
        x = self.back.read(layer_norm(x, first) if self.before else x, x, count, padding)
        x, u = (x, layer_norm(x, second)) if self.before else (y := layer_norm(x, first), y)
        x = self.network.step(u, x)
        return x if self.before else layer_norm(x, second)


class FastSelfAttention:
    """Self-attention of one token a row."""

    def __init__(self, attention: MultiHead, packed: PackedWeights) -> None:
        self.heads, self.width = attention.heads, attention.width
        self.scale = scale_of(attention)
        self.project = FastProduct(attention.W_QKV.T, None, packed)
        self.output = FastProduct(attention.W_O.T, None, packed)

    def step(self, u: Tensor, x: Tensor, written: KVCache | None) -> tuple[Tensor, KVCache]:
        """x + what u attends to."""
        q, new = self.project(u).view(u.shape[0], 3, self.heads, -1).split((1, 2), 1)
        written = KVCache.with_token(written, new)
        k, v = written.both()
        y = F.scaled_dot_product_attention(q.transpose(1, 2), k, v, scale=self.scale)
        return self.output.added_to(x, y.reshape(u.shape[0], self.width)), written

    def read(self, u: Tensor, x: Tensor, count: int, padding: Padding | None) -> Tensor:
        """x + what u attends to, where every token may look at all of its sequence."""
        new = self.project(u)
        if padding is not None:
            new = padding.restored(new)
        q, k, v = new.view(count, -1, 3, self.heads, self.width // self.heads).permute(2, 0, 3, 1, 4).unbind()
        bias = None if padding is None else padding.bias
        if count > 1 and k.shape[2] <= SHORT:
            y = attend_at_once(q, k, v, bias, self.scale)
        else:
            y = F.scaled_dot_product_attention(q, k, v, bias, scale=self.scale)
        y = y.transpose(1, 2).reshape(-1, self.width)
        return self.output.added_to(x, y if padding is None else padding.removed(y))


class FastSSRU:
    """The recurrence in place of self-attention."""

    def __init__(self, cell: SSRUInPlaceOfAttention, packed: PackedWeights) -> None:
        self.width = cell.output_size
        self.project = FastProduct(cell.weight, None, packed)
        self.bias = cell.bias.detach()

    def step(self, u: Tensor, x: Tensor, written: SSRUState | None) -> tuple[Tensor, SSRUState]:
        new, to_f = self.project(u).chunk(2, dim=1)
        f = torch.sigmoid(to_f + self.bias)
        c = torch.lerp(new, torch.zeros_like(new) if written is None else written.c, f)  # f c + (1 - f) new
        return torch.relu(c).add_(x), SSRUState(c)


class FastCrossAttention:
    """Attention to the source: all hypotheses of a source look at it together."""

    def __init__(self, attention: MultiHead, packed: PackedWeights) -> None:
        self.heads, self.width = attention.heads, attention.width
        self.scale = scale_of(attention)
        self.query = FastProduct(attention.W_QKV[:, : attention.width].T, None, packed)
        self.output = FastProduct(attention.W_O.T, None, packed)

    def step(self, u: Tensor, x: Tensor, source: KeyValue, rows: Rows) -> tuple[Tensor, Tensor | None]:
        k, v = source
        q = self.query(u).view(k.shape[0], -1, self.heads, k.shape[3]).transpose(1, 2)  # (B, N, W, K)
        if rows.weights:
            e = q @ k.mT * self.scale
            a = torch.softmax(e if rows.bias is None else e + rows.bias, -1)
            y, shown = a @ v, a.transpose(1, 2).flatten(0, 1)
        elif k.shape[0] > 1 and k.shape[2] <= SHORT:
            y, shown = attend_at_once(q, k, v, rows.bias, self.scale), None
        else:
            y, shown = F.scaled_dot_product_attention(q, k, v, rows.bias, scale=self.scale), None
        return self.output.added_to(x, y.transpose(1, 2).reshape(u.shape[0], self.width)), shown


class FastNetwork:
    """The feed-forward network."""

    def __init__(self, network: FeedForward, packed: PackedWeights) -> None:
        self.first = FastProduct(network.W_1.T, network.b_1, packed)
        self.second = FastProduct(network.W_2.T, network.b_2, packed)

    def step(self, u: Tensor, x: Tensor) -> Tensor:
        return self.second.added_to(x, self.first(u).relu_())


class FastProduct:
    """x (R, D) -> x @ W + b, for weight (F, D): the plain product for a few rows, the packed one for many."""

    def __init__(self, weight: Tensor, bias: Tensor | None, packed: PackedWeights) -> None:
        self.weight, self.W, self.size = weight.detach(), weight.detach().T, weight.numel()
        self.bias = None if bias is None else bias.detach()
        self.find = lru_cache(lambda: packed.find(self.weight))

    def __call__(self, x: Tensor) -> Tensor:
        if few_rows(x.shape[0], self.size) or (kernel := self.find()) is None:
            return torch.mm(x, self.W) if self.bias is None else torch.addmm(self.bias, x, self.W)
        return packed_product(x, kernel, self.bias)

    def added_to(self, r: Tensor, x: Tensor) -> Tensor:
        """r + x @ W + b."""
        if few_rows(x.shape[0], self.size) or (kernel := self.find()) is None:
            y = torch.addmm(r, x, self.W)
            return y if self.bias is None else y.add_(self.bias)
        return packed_product(x, kernel, self.bias, r)


Norm = tuple[tuple[int, ...], Tensor, Tensor]


def norm_of(norm: LayerNorm) -> Norm:
    return tuple(norm.gamma.shape), norm.gamma.detach(), norm.beta.detach()


def layer_norm(x: Tensor, norm: Norm) -> Tensor:
    return torch.layer_norm(x, *norm, EPSILON, False)


def attend_at_once(q: Tensor, k: Tensor, v: Tensor, bias: Tensor | None, scale: float) -> Tensor:
    """q (B, N, T, K), k, v (B, N, S, K), bias (B, 1, 1, S) -> (B, N, T, K), with all scores in memory."""
    B, N, T, K = q.shape
    S = k.shape[2]
    queries, keys, values = (x.reshape(B * N, -1, K) for x in (q, k, v))
    if bias is None:
        e = torch.baddbmm(q.new_zeros(1), queries, keys.mT, beta=0, alpha=scale)
    else:
        e = torch.baddbmm(bias.expand(B, N, 1, S).reshape(B * N, 1, S), queries, keys.mT, alpha=scale)
    return torch.bmm(torch.softmax(e, -1), values).view(B, N, T, K)


def scale_of(attention: MultiHead) -> float:
    return attention.attend.scale(attention.W_QKV.new_empty(0, attention.width // attention.heads))
