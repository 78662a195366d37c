"""Words that guess their neighbours: the losses that word2vec learns vectors by."""

from torch import Tensor
from torch.nn import functional as F

from seqloom.equations import equations, log_sigmoid
from seqloom.layers.base import Layer, layer


@equations
def skip_gram(v, u, N):
    """Skip-gram with negative sampling: a word knows its neighbour from words drawn at random.

    Paper: T. Mikolov et al., Distributed representations of words and phrases and their compositionality,
    NeurIPS 2013.

    v  (D)             the word
    u  (D)             a word near it, as a neighbour
    N  (negatives, D)  words drawn at random, as neighbours
    """
    p = log_sigmoid(u @ v)  # how sure it is of the neighbour
    q = sum(log_sigmoid(-(n_k @ v)) for n_k in N)  # how sure it is that the others are none
    loss = -(p + q)  # small when it is sure of all
    return loss


@equations
def cbow(C, u, N):
    """CBOW with negative sampling: the mean of the neighbours knows the word from words drawn at random.

    Paper: T. Mikolov et al., Efficient estimation of word representations in vector space, ICLR workshop 2013.

    C  (S, D)          the words around
    u  (D)             the word between them, as what is guessed
    N  (negatives, D)  words drawn at random, as what is guessed
    """
    h = sum(c_j for c_j in C) / len(C)  # the mean of the words around
    loss = skip_gram(h, u, N)  # and it guesses as one word does
    return loss


@layer(skip_gram)
class SkipGram(Layer):
    """Skip-gram with negative sampling, for each word."""

    def forward(self, v: Tensor, u: Tensor, n: Tensor) -> Tensor:
        """v (B, D), u (B, D), n (B, negatives, D) -> loss (B)."""
        right, wrong = (v * u).sum(-1), (n @ v[..., None])[..., 0]
        return -F.logsigmoid(right) - F.logsigmoid(-wrong).sum(-1)


@layer(cbow)
class CBOW(Layer):
    """CBOW with negative sampling, for each word."""

    def __init__(self) -> None:
        super().__init__()
        self.guess = SkipGram()

    def forward(self, c: Tensor, u: Tensor, n: Tensor, mask: Tensor | None = None) -> Tensor:
        """The loss of words that are guessed.

        c     (B, S, D)          the words around each, at least one
        u     (B, D)             the words
        n     (B, negatives, D)  words drawn at random
        mask  (B, S)             bool, True for words; None when there is no padding
        -> loss  (B)
        """
        real = c if mask is None else c.masked_fill(~mask[..., None], 0.0)
        number = c.shape[1] if mask is None else mask.sum(1, keepdim=True)
        loss: Tensor = self.guess(real.sum(1) / number, u, n)
        return loss
