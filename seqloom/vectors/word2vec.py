"""word2vec: skip-gram and CBOW with negative sampling (Mikolov et al., 2013), in matrix products.

    skip-gram   loss = -Σ log σ(u_c · v_w) - negatives · E log σ(-u_n · v_w)   for each word w, each neighbour c of it
    CBOW        loss = -log σ(u_w · h) - negatives · E log σ(-u_n · h)         with h the mean of its neighbours' v

A step takes blocks of consecutive words. All pairs within a block are one product, of which those in a window count.
The words of a block share the negative samples, more than a word alone would have, each counting less, so that
the loss is on average that of the formula. Gradients are written out; `tests/vectors` holds them to autograd.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from seqloom.errors import TrainingError
from seqloom.vectors.corpus_chunks import CorpusChunk, Sentences, WordCounts, chunks, count_words, without_rare_words
from seqloom.vectors.settings import Word2VecConfig
from seqloom.vectors.word_vectors import WordVectors

BLOCK = 32
"""Consecutive words that share their negative samples."""
SHARED = 32
"""Negative samples of a block."""
MOST_BLOCKS = 16
"""Blocks of a step at most: the more, the faster, and the older the vectors that gradients are taken at."""
STEADY = 4.0
"""Gradients, times the rate, that the most frequent vector may take in one step; from about 10 on training diverges."""
RATES = {"skip-gram": 0.025, "cbow": 0.1}  # a mean shares its gradient among neighbours, so each moves less
LEAST_RATE = 1e-4
"""Share of the first rate that is left at the end."""


class Word2VecProgress(NamedTuple):
    """How far training is."""

    words: int  # read so far, in all epochs
    of: int  # to be read
    loss: float  # mean for a right word and its negatives, since the last report
    rate: float


class WordBlocks(NamedTuple):
    """Some blocks of consecutive words."""

    words: Tensor  # (B, T), the words of each
    around: Tensor  # (B, S), with those before and after them
    pairs: Tensor  # (B, T, S), bool, whether a word has the other for its neighbour


class Gradients(NamedTuple):
    """The loss of some blocks and its gradients."""

    loss: Tensor  # ()
    v: Tensor
    u: Tensor
    n: Tensor


def skip_gram_gradients(v: Tensor, u: Tensor, n: Tensor, pairs: Tensor, negatives: float) -> Gradients:
    """Skip-gram: each word predicts its neighbours.

    v      (B, T, D)  vectors of the words of blocks
    u      (B, S, D)  vectors of all that may be neighbours, as such
    n      (B, K, D)  vectors of the negative samples
    pairs  (B, T, S)  1 for a word and its neighbour, else 0
    """
    right, wrong = v @ u.mT, v @ n.mT
    weight = pairs.sum(2, keepdim=True) * (negatives / n.shape[1])
    loss = -(pairs * F.logsigmoid(right)).sum() - (weight * F.logsigmoid(-wrong)).sum()
    of_right, of_wrong = pairs * (right.sigmoid() - 1), weight * wrong.sigmoid()
    return Gradients(loss, of_right @ u + of_wrong @ n, of_right.mT @ v, of_wrong.mT @ v)


def cbow_gradients(v: Tensor, u: Tensor, n: Tensor, pairs: Tensor, negatives: float) -> Gradients:
    """CBOW: each word is predicted from the mean of its neighbours; one without any is left out.

    v      (B, S, D)  vectors of all that may be neighbours
    u      (B, T, D)  vectors of the words of blocks, as what is predicted
    n      (B, K, D)  vectors of the negative samples
    pairs  (B, T, S)  1 for a word and its neighbour, else 0
    """
    number = pairs.sum(2, keepdim=True)
    mean, real = pairs / number.clamp(min=1), (number > 0).to(v.dtype)
    h = mean @ v
    right, wrong = (h * u).sum(2, keepdim=True), h @ n.mT
    weight = real * (negatives / n.shape[1])
    loss = -(real * F.logsigmoid(right)).sum() - (weight * F.logsigmoid(-wrong)).sum()
    of_right, of_wrong = right.sigmoid() - 1, weight * wrong.sigmoid()  # without neighbours h and the mean are zero
    return Gradients(loss, mean.mT @ (of_right * u + of_wrong @ n), of_right * h, of_wrong.mT @ h)


GRADIENTS = {"skip-gram": skip_gram_gradients, "cbow": cbow_gradients}


@torch.no_grad()
def train_word2vec(
    sentences: Sentences,
    words: Sequence[str],
    config: Word2VecConfig | None = None,
    progress: Callable[[Word2VecProgress], None] | None = None,
) -> WordVectors:
    """Learn vectors from sentences of word ids; the same text, settings and machine give the same bits."""
    config = config or Word2VecConfig()
    count = count_words(sentences, len(words), config.min_count)
    drawing = torch.Generator().manual_seed(config.seed)
    v = (torch.rand(len(count.old), config.width, generator=drawing) - 0.5) / config.width
    u = torch.zeros_like(v)
    noise = torch.from_numpy(count.counts).double().pow(0.75).cumsum(0)
    first, at_once = pace(count, config)
    total, done = count.words * config.epochs, 0
    for _ in range(config.epochs):
        for part in chunks(sentences):
            kept = subsampled(without_rare_words(part, count), count, config.subsample, drawing)
            loss, right, rate = torch.zeros(()), torch.zeros(()), first
            for fraction, block in blocks(kept, config.window, at_once, drawing):
                rate = first * max(LEAST_RATE, 1 - (done + fraction * len(part.words)) / total)
                drawn = torch.rand(len(block.words), SHARED, generator=drawing, dtype=torch.float64) * noise[-1]
                against = torch.searchsorted(noise, drawn, right=True)
                loss += step(v, u, block, against, config, rate)
                right += block.pairs.sum() if config.kind == "skip-gram" else block.pairs.any(2).sum()
            done += len(part.words)
            if not loss.isfinite():
                raise TrainingError("the loss is NaN", remedy="lower the rate")
            if progress is not None:
                progress(Word2VecProgress(done, total, float(loss / right.clamp(min=1)), rate))
    return WordVectors(tuple(words[at] for at in count.old), v)


def step(v: Tensor, u: Tensor, block: WordBlocks, against: Tensor, config: Word2VecConfig, rate: float) -> Tensor:
    """Update the vectors of the words of some blocks: v (V, D) and u (V, D) -> the loss before."""
    middle, around = block.words, block.around
    of_v, of_u = (middle, around) if config.kind == "skip-gram" else (around, middle)
    gradients = GRADIENTS[config.kind](
        gather(v, of_v), gather(u, of_u), gather(u, against), block.pairs.to(v.dtype), config.negatives
    )
    v.index_add_(0, of_v.flatten(), gradients.v.flatten(0, 1), alpha=-rate)
    u.index_add_(0, of_u.flatten(), gradients.u.flatten(0, 1), alpha=-rate)
    u.index_add_(0, against.flatten(), gradients.n.flatten(0, 1), alpha=-rate)
    return gradients.loss


def gather(matrix: Tensor, places: Tensor) -> Tensor:
    """matrix (V, D), places (B, T) -> (B, T, D); faster than indexing."""
    return matrix.index_select(0, places.flatten()).view(*places.shape, -1)


def subsampled(part: CorpusChunk, count: WordCounts, threshold: float, drawing: torch.Generator) -> CorpusChunk:
    """A chunk with fewer of the words that make up more than a threshold of the text."""
    if not threshold:
        return part
    ratio = count.counts[part.words] / (threshold * count.counts.sum())
    keep = torch.rand(len(part.words), generator=drawing).numpy() < ratio**-0.5 + 1 / ratio
    return CorpusChunk(part.words[keep], part.sentence[keep])


def pace(count: WordCounts, config: Word2VecConfig) -> tuple[float, int]:
    """The first rate, and as many blocks of a step as leave the most frequent vector steady: few for few words."""
    predictions = BLOCK * (config.window + 1 if config.kind == "skip-gram" else 1)  # of a block, about
    drawn = count.counts**0.75
    load = predictions * config.negatives * float(drawn.max() / drawn.sum())
    rate = config.rate or min(RATES[config.kind], STEADY / load)
    return rate, int(min(max(STEADY / (rate * load), 1), MOST_BLOCKS))


def blocks(
    part: CorpusChunk, window: int, at_once: int, drawing: torch.Generator
) -> Iterator[tuple[float, WordBlocks]]:
    """A few blocks of a chunk at a time, and which fraction of it came before."""
    number = -(-len(part.words) // BLOCK)
    if not number:
        return
    ends = window, number * BLOCK - len(part.words) + window
    words, sentence = (
        torch.from_numpy(np.pad(values, ends, constant_values=filling)).unfold(0, BLOCK + 2 * window, BLOCK)
        for values, filling in ((part.words, 0), (part.sentence, -1))
    )
    distance = (torch.arange(BLOCK + 2 * window) - torch.arange(BLOCK)[:, None] - window).abs()  # (T, S)
    for start in range(0, number, at_once):
        around, inside = words[start : start + at_once], sentence[start : start + at_once]
        middle = inside[:, window:-window, None]
        reach = torch.randint(1, window + 1, middle.shape, generator=drawing)
        near = (distance > 0) & (distance <= reach)
        pairs = near & (middle == inside[:, None]) & (middle >= 0)
        yield start / number, WordBlocks(around[:, window:-window], around, pairs)
