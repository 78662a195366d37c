"""The pointer-generator: a decoder writes a token of its vocabulary, or copies one of the source."""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.init import xavier_uniform_

from seqloom.equations import Part, concat, equations, log, one_hot, sigmoid, softmax, stack
from seqloom.layers.attention import attention_weights
from seqloom.layers.base import Layer
from seqloom.layers.output_layers import readout
from seqloom.layers.scores import scaled_dot
from seqloom.models.seq2seq.source_encoder import Memory


@equations
def pointer_generator(o, *, readout=readout, W_Q, W_K, W_g, b_g, H, w, V):
    """Pointer-generator: the logits of a decoder that may copy from the source.

    Paper: A. See, P. Liu, C. Manning, Get to the point: summarization with pointer-generator networks, ACL 2017,
    with scaled dot-product attention of its own.

    o    (D)         the output vector of the decoder
    W_Q  (D, K)      from the output vector to the query
    W_K  (memory, K) from the hidden states of the encoder to the keys
    W_g  (D+memory)  from output vector and context to the gate
    b_g  ()          its bias
    H    (S, memory) given, the hidden states of the encoder
    w    (S)         given, index, the token ids of the source
    V    int         the size of the vocabulary, which source and target share
    """
    p_V = softmax(readout(o))  # the distribution of the generator over the vocabulary
    e = stack(scaled_dot(o @ W_Q, h_j @ W_K) for h_j in H)  # the score of each source token: is it to be copied?
    alpha = softmax(e)  # the pointer: a distribution over the source
    p_S = sum(alpha_j * one_hot(w_j, V) for alpha_j, w_j in zip(alpha, w))  # the same over the vocabulary
    c = sum(alpha_j * h_j for alpha_j, h_j in zip(alpha, H))  # what it points to
    g = sigmoid(concat(o, c) @ W_g + b_g)  # the gate: generate rather than copy?
    z = log(g * p_V + (1 - g) * p_S)  # log-probabilities: as logits they give the same probabilities
    return z


class Copied(NamedTuple):
    """A source that can be copied from."""

    hidden: Tensor  # (B, S, memory)
    keys: Tensor  # (B, S, K)
    mask: Tensor  # (B, S) True for tokens
    tokens: Tensor  # (B, S)


class CopyingReadout(nn.Module):
    """A readout whose logits are log-probabilities of generating a token or copying it.

    The readout is that of the model and is not registered here, so that it has one name.
    """

    definition = pointer_generator

    def __init__(self, readout: Layer, width: int, memory_width: int, vocab: int) -> None:
        super().__init__()
        self.readout, self.vocab = (readout,), vocab
        self.W_Q = nn.Parameter(xavier_uniform_(torch.empty(width, width)))
        self.W_K = nn.Parameter(xavier_uniform_(torch.empty(memory_width, width)))
        self.W_g = nn.Parameter(torch.zeros(width + memory_width))
        self.b_g = nn.Parameter(torch.zeros(()))

    def prepare(self, memory: Memory, tokens: Tensor) -> Copied:
        """What every step needs of a source: tokens (B, S)."""
        return Copied(memory.hidden, memory.hidden @ self.W_K, memory.mask, tokens)

    def forward(self, o: Tensor, source: Copied) -> Tensor:
        """One step: o (B, D) -> log-probabilities (B, V)."""
        real = torch.ones(o.shape[0], 1, dtype=torch.bool, device=o.device)
        return self.at(o[:, None], source, real)

    def at(self, o: Tensor, source: Copied, real: Tensor) -> Tensor:
        """All steps at once: o (B, T, D) -> log-probabilities (R, V) where real (B, T)."""
        scores = (o @ self.W_Q) @ source.keys.mT * self.W_Q.shape[1] ** -0.5
        alpha = attention_weights(scores.float() if scores.dtype == torch.bfloat16 else scores, source.mask[:, None])
        context = alpha.to(source.hidden.dtype) @ source.hidden
        gate = torch.sigmoid(torch.cat([o, context], -1) @ self.W_g + self.b_g).to(alpha.dtype)[real][:, None]
        (readout,) = self.readout
        generated = gate * torch.softmax(readout(o[real]).to(alpha.dtype), -1)
        tokens = source.tokens[:, None].expand(alpha.shape)[real]
        p = generated.scatter_add(1, tokens, (1 - gate) * alpha[real])
        return p.clamp_min(torch.finfo(p.dtype).tiny).log()

    def part(self, memory: Memory, tokens: Tensor) -> Part:
        """What it computes for one source: tokens (1, S)."""
        (readout,) = self.readout
        learned = {"W_Q": self.W_Q, "W_K": self.W_K, "W_g": self.W_g, "b_g": self.b_g}
        given = {"H": memory.hidden[0], "w": tokens[0], "V": self.vocab}
        return Part(pointer_generator, {"readout": readout.part(), **learned, **given})
