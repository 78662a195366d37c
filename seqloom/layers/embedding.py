"""From a word's number to its row: as a look-up and as a product with a one-hot row."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from seqloom.equations import equations, one_hot
from seqloom.layers.base import Layer, Symbols, layer


@equations
def embedding(w, *, E):
    """Embedding as a look-up.

    Paper: Y. Bengio et al., A neural probabilistic language model, JMLR 3, 2003.

    w  ()      index, the word's number in the dictionary
    E  (V, D)  a row for each word
    """
    x = E[w]  # the row of the word
    return x


@equations
def one_hot_embedding(w, *, E, V):
    """Embedding as a product: a one-hot row times the matrix picks a row.

    Paper: Y. Bengio et al., A neural probabilistic language model, JMLR 3, 2003.

    w  ()      index, the word's number in the dictionary; below 0 where nothing is known
    E  (V, D)  a row for each word
    V  int     how many words the dictionary has
    """
    e = one_hot(w, V)  # zeros, and a single 1
    x = e @ E  # the row of the word
    return x


@layer(embedding)
class Embedding(Layer):
    """Embedding as a look-up."""

    def __init__(self, vocab: int, width: int) -> None:
        super().__init__()
        self.E = nn.Parameter(torch.randn(vocab, width) * width**-0.5)  # rows about 1 long

    def forward(self, w: Tensor) -> Tensor:
        """A row for each number: w (B, T), whole numbers from 0 to below V -> (B, T, D)."""
        return F.embedding(w, self.E)

    def symbols(self) -> Symbols:
        return {"E": self.E}


@layer(one_hot_embedding)
class OneHotEmbedding(Embedding):
    """Embedding as a product with a one-hot row, which is zero where nothing is known; as fast as a look-up."""

    def forward(self, w: Tensor) -> Tensor:
        """A row for each number: w (B, T), below 0 where nothing is known -> (B, T, D), there zeros."""
        return F.embedding(w.clamp(min=0), self.E).masked_fill((w < 0)[..., None], 0.0)

    def symbols(self) -> Symbols:
        return {"E": self.E, "V": len(self.E)}
