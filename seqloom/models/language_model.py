"""A language model: embeddings, an encoder that sees only the tokens before, and the logits of the next token.

With an encoder that sees both sides it is a masked language model: it says what stood at the places that are hidden.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from seqloom.equations import Part, equations, softmax
from seqloom.errors import ConfigError
from seqloom.layers.bidirectional import recurrent_layer
from seqloom.layers.dropout import Dropout
from seqloom.layers.embedding import embedding
from seqloom.layers.output_layers import Readout, readout
from seqloom.models.encoders import make_encoder
from seqloom.models.readout import TiedReadout
from seqloom.models.settings import ModelConfig
from seqloom.models.token_embedding import TokenEmbedding

SPREAD = 0.02
"""Of the first weights of the readout: all tokens are about equally likely before anything is learned."""


@equations
def language_model(w, *, embedding=embedding, encoder=recurrent_layer, readout=readout):
    """A language model: at each position the distribution over the next token, or over the one that is masked.

    Paper: Y. Bengio et al., A neural probabilistic language model, JMLR 3, 2003.

    w  (T)  index, the token ids of the text
    """
    X = embedding(w)  # the embedding of each token
    H = encoder(X)  # the hidden states
    Z = readout(H)  # the logits at each position
    P = softmax(Z)  # the distribution over the vocabulary, at each position
    return P


class LanguageModel(nn.Module):
    """Logits of the next token, for a whole text at once or token by token."""

    definition = language_model

    def __init__(self, config: ModelConfig, vocab: int, *, causal: bool = True) -> None:
        super().__init__()
        check(config)
        self.embedding = TokenEmbedding(config, vocab)
        self.encoder = make_encoder(config, self.embedding.width, causal=causal)
        self.dropout = Dropout(config.dropout)
        width = self.encoder.output_size
        if config.tied and width != self.embedding.width:
            what = f"the last layer has width {width}, the embeddings {self.embedding.width}"
            raise ConfigError("settings", [("model.tied", what, "make both the same, or set it to false")])
        table = self.embedding.table
        self.readout: TiedReadout | Readout = TiedReadout(table) if config.tied else Readout(width, vocab)
        nn.init.normal_(table.E if isinstance(self.readout, TiedReadout) else self.readout.W_hy, std=SPREAD)
        self.limit = self.encoder.limit
        """The most tokens that it can read without forgetting the first; None for any number."""

    def forward(self, tokens: Tensor, lengths: Tensor, where: Tensor | None = None) -> Tensor:
        """tokens (B, T), lengths (B) -> scores (B, T, V); with `where` (B, T), bool, those of these places (N, V)."""
        rows = self.encoder(self.embedding(tokens), lengths)
        return self.logits(rows if where is None else rows[where])

    def logits(self, rows: Tensor) -> Tensor:
        """hidden states (..., H) -> logits (..., V)."""
        return self.readout(self.dropout(rows))  # type: ignore[no-any-return]

    def vectors(self, tokens: Tensor, lengths: Tensor) -> Tensor:
        """The mean of the hidden states of each text: tokens (B, T), lengths (B) -> (B, H)."""
        states: Tensor = self.encoder(self.embedding(tokens), lengths)  # zeros at padding
        return states.sum(1) / lengths[:, None].clamp(min=1)

    def read(self, tokens: Tensor, state: Any = None) -> tuple[Tensor, Any]:
        """The next tokens of every sequence (R, T) -> the logits after the last of them (R, V) and the new state."""
        rows, state = self.encoder.step(self.embedding(tokens), state)
        return self.logits(rows[:, -1]), state

    def example_batch(self, B: int, T: int, S: int) -> tuple[Tensor, ...]:
        """The arguments of `forward` for a batch of these sizes: what `summary` runs."""
        return torch.zeros(B, T, dtype=torch.int64), torch.full((B,), T)

    def part(self, length: int) -> Part:
        """What it computes for texts of so many tokens, with its weights."""
        parts = {
            "embedding": self.embedding.part(),
            "encoder": self.encoder.part(length),
            "readout": self.readout.part(),
        }
        return Part(language_model, parts)


def check(config: ModelConfig) -> None:
    if config.tied and config.one_hot:
        what = "one-hot vectors have no weights to tie"
        raise ConfigError("settings", [("model.tied", what, "set it or model.one_hot to false")])
