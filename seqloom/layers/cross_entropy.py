"""What training makes small."""

from torch import Tensor
from torch.nn import functional as F

from seqloom.equations import dim, equations, log_softmax
from seqloom.layers.base import Layer, layer


@equations
def cross_entropy(z, y, epsilon):
    """Cross-entropy with label smoothing.

    Paper: C. Szegedy et al., Rethinking the Inception architecture for computer vision, CVPR 2016.

    z        (V)  the scores
    y        ()   index, the word that was right
    epsilon  ()   the share of certainty that is spread over all words
    """
    l = log_softmax(z)  # log-probabilities
    u = sum(l_v for l_v in l) / dim(z)  # their mean: what an even guess would get
    loss = -(1 - epsilon) * l[y] - epsilon * u  # small when the right word is likely
    return loss


@layer(cross_entropy)
class CrossEntropy(Layer):
    """Cross-entropy, the mean over real words."""

    def __init__(self, smoothing: float = 0.0, padding: int | None = None) -> None:
        super().__init__()
        self.smoothing = smoothing
        self.padding = padding  # a word that stands for none

    def forward(self, z: Tensor, y: Tensor, mask: Tensor | None = None) -> Tensor:
        """How surprised the scores are by the words.

        z     (B, T, V)  the scores; or any axes before V
        y     (B, T)     the words that were right; the same axes
        mask  (B, T)     bool, True for words; None when all are, but for those of the number `padding`
        -> loss  ()      the mean over real words; 0 where there are none
        """
        real = None if self.padding is None else y != self.padding
        if mask is not None:
            real = mask if real is None else mask & real
        rows, words = (z.flatten(0, -2), y.flatten()) if real is None else (z[real], y[real])
        total = F.cross_entropy(rows, words, reduction="sum", label_smoothing=self.smoothing)
        return total / max(len(words), 1)
