"""The losses of word2vec: skip-gram and CBOW with negative sampling."""

from torch import Tensor
from torch.nn import functional as F

from seqloom.equations import equations, log_sigmoid
from seqloom.layers.base import Layer, layer


@equations
def skip_gram(v, u, N):
    """Skip-gram with negative sampling: a word tells its context word from random ones.

    Paper: T. Mikolov et al., Distributed representations of words and phrases and their compositionality,
    NeurIPS 2013.

    v  (D)             the vector of the word
    u  (D)             the context vector of a word near it
    N  (negatives, D)  context vectors of words drawn at random
    """
    p = log_sigmoid(u @ v)  # the log-probability that the context word is real
    q = sum(log_sigmoid(-(n_k @ v)) for n_k in N)  # the log-probabilities that the negative samples are not
    loss = -(p + q)  # small where real and random words are told apart
    return loss


@equations
def cbow(C, u, N):
    """CBOW with negative sampling: the mean of the context tells the word from random ones.

    Paper: T. Mikolov et al., Efficient estimation of word representations in vector space, ICLR workshop 2013.

    C  (S, D)          the vectors of the context words
    u  (D)             the output vector of the word between them
    N  (negatives, D)  output vectors of words drawn at random
    """
    h = sum(c_j for c_j in C) / len(C)  # the mean of the context vectors
    loss = skip_gram(h, u, N)  # the same loss, with the mean in place of one word
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
        self.skip_gram = SkipGram()

    def forward(self, c: Tensor, u: Tensor, n: Tensor, mask: Tensor | None = None) -> Tensor:
        """The loss of each word.

        c     (B, S, D)          the context vectors of each word, at least one
        u     (B, D)             the output vectors of the words
        n     (B, negatives, D)  output vectors of words drawn at random
        mask  (B, S)             bool, the padding mask: True for words; None when there is no padding
        -> loss  (B)
        """
        real = c if mask is None else c.masked_fill(~mask[..., None], 0.0)
        number = c.shape[1] if mask is None else mask.sum(1, keepdim=True)
        loss: Tensor = self.skip_gram(real.sum(1) / number, u, n)
        return loss
