"""From a sentence, or a sequence of frames, to logits of labels or to one number."""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from typing import Any, TypeAlias

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from seqloom.equations import Part, concat, equations
from seqloom.layers.bidirectional import recurrent_layer
from seqloom.layers.dropout import Dropout
from seqloom.layers.embedding import embedding
from seqloom.layers.masks import lengths_to_mask
from seqloom.layers.output_layers import MLP, LogisticRegression, Readout, end_to_end, linear_head, mlp, readout
from seqloom.layers.pooling import mean_pooling, pooling_called
from seqloom.models.encoders import make_encoder
from seqloom.models.frame_projection import FrameProjection
from seqloom.models.predictions import label_probabilities
from seqloom.models.registry import architecture, find
from seqloom.models.settings import ModelConfig
from seqloom.models.stage import Given, Stage
from seqloom.models.token_embedding import TokenEmbedding

Features: TypeAlias = TokenEmbedding | FrameProjection
"""What a model begins with: token ids (B, T) or frames (B, T, features) become vectors (B, T, D)."""


@equations
def classifier(
    w,
    *,
    embedding=embedding,
    encoder=recurrent_layer,
    pooling=mean_pooling,
    readout=readout,
    answer=label_probabilities,
):
    """A classifier: embedding, encoder, pooling, readout.

    Paper: R. Collobert et al., Natural language processing (almost) from scratch, JMLR 2011.

    w  (T)  index, the token ids of the sentence; of sound or sensors, the frames
    """
    X = embedding(w)  # the embedding of each token
    H = encoder(X)  # the hidden states, which know their context
    h = pooling(H)  # the sentence as one vector
    z = readout(h)  # the logits
    p = answer(z)  # the prediction
    return p


@equations
def classifier_with_features(
    w,
    f,
    *,
    embedding=embedding,
    encoder=recurrent_layer,
    pooling=mean_pooling,
    readout=readout,
    answer=label_probabilities,
):
    """A classifier of a sentence and of feature columns beside it.

    Paper: H. Cheng et al., Wide and deep learning for recommender systems, DLRS 2016.

    w  (T)        index, the token ids of the sentence; of sound or sensors, the frames
    f  (columns)  the feature columns
    """
    X = embedding(w)  # the embedding of each token
    H = encoder(X)  # the hidden states, which know their context
    h = pooling(H)  # the sentence as one vector
    z = readout(concat(h, f))  # the logits, from the sentence and its features
    p = answer(z)  # the prediction
    return p


@equations
def flat_classifier(w, *, embedding=embedding, head=linear_head, answer=label_probabilities):
    """A classifier without an encoder: all embeddings end to end.

    Paper: Y. Bengio et al., A neural probabilistic language model, JMLR 3, 2003.

    w  (T)  index, the token ids of the sentence; of sound or sensors, the frames
    """
    X = embedding(w)  # the embedding of each token
    z = head(X)  # the logits, from all embeddings end to end
    p = answer(z)  # the prediction
    return p


@equations
def flat_classifier_with_features(
    w, f, *, embedding=embedding, head=linear_head, features=readout, answer=label_probabilities
):
    """A classifier without an encoder, with feature columns beside the sentence.

    Paper: H. Cheng et al., Wide and deep learning for recommender systems, DLRS 2016.

    w  (T)        index, the token ids of the sentence; of sound or sensors, the frames
    f  (columns)  the feature columns
    """
    X = embedding(w)  # the embedding of each token
    z = head(X) + features(f)  # the logits, from all embeddings end to end and from the features
    p = answer(z)  # the prediction
    return p


class Classifier(nn.Module):
    """Reads a sentence, with feature columns beside it if there are any."""

    definition = classifier

    def __init__(self, config: ModelConfig, embedding: Features, outputs: int, features: int = 0) -> None:
        super().__init__()
        self.embedding, self.features = embedding, features
        self.encoder = make_encoder(config, self.embedding.width)
        self.pooling = pooling_called(config.pooling, self.encoder.output_size)
        self.dropout = Dropout(config.dropout)
        self.readout = Readout(self.encoder.output_size + features, outputs)

    def vectors(self, w: Tensor, lengths: Tensor) -> Tensor:
        """One vector for each sentence, pooled from the encoder: w (B, T), lengths (B) -> (B, H)."""
        return self.pooling(self.encoder(self.embedding(w), lengths), lengths)  # type: ignore[no-any-return]

    def forward(self, w: Tensor, lengths: Tensor, features: Tensor | None = None) -> Tensor:
        """w (B, T), lengths (B), features (B, columns) -> logits (B, V)."""
        h = self.dropout(self.vectors(w, lengths))
        if features is not None:
            h = torch.cat([h, features], dim=-1)
        return self.readout(h)  # type: ignore[no-any-return]

    def example_batch(self, B: int, T: int, S: int) -> tuple[Tensor, ...]:
        """The arguments of `forward` for a batch of these sizes: what `summary` runs."""
        return example_batch(self, B, T)

    def part(self, length: int, answer: Part) -> Part:
        """What it computes for sentences of so many tokens, with its weights."""
        definition = classifier_with_features if self.features else classifier
        parts = {"embedding": self.embedding, "pooling": self.pooling, "readout": self.readout}
        inside = {"encoder": self.encoder.part(length), "answer": answer}
        return Part(definition, {**{name: part.part() for name, part in parts.items()}, **inside})


@architecture(
    "mlp", "one hidden layer, words end to end", kind="model", tasks=("classify",), reads=["hidden", "padding"]
)
@architecture(
    "logistic", "logistic regression, words end to end", kind="model", tasks=("classify",), reads=["padding"],
    binary_logit=True,
)  # fmt: skip
class FlatClassifier(nn.Module):
    """Logistic regression or an MLP on the embeddings of a sentence, put end to end."""

    definition = flat_classifier

    def __init__(self, config: ModelConfig, embedding: Features, outputs: int, features: int = 0) -> None:
        super().__init__()
        self.embedding, self.features = embedding, features
        self.length, self.side = config.length, config.padding
        if config.name == "mlp":
            self.head: nn.Module = MLP(config.length, self.embedding.width, config.hidden, outputs)
        elif outputs == 1:
            self.head = LogisticRegression(config.length, self.embedding.width)
        else:
            self.head = Readout(config.length * self.embedding.width, outputs)
        self.beside = Readout(features, outputs) if features else None

    def vectors(self, w: Tensor, lengths: Tensor) -> Tensor:
        """One vector for each sentence: the hidden layer of an MLP (B, F), else all embeddings end to end (B, T*D)."""
        width = self.embedding.width
        x = end_to_end(*self.placed(w, lengths), limit=self.length * width)
        if isinstance(self.head, MLP):
            return F.relu(x @ self.head.W_1[: x.shape[1]] + self.head.b_1)
        return F.pad(x, (0, self.length * width - x.shape[1]))

    def placed(self, w: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        """Embeddings at the places that they have weights for, and which of them are real: (B, T, D), (B, T).

        With padding in front there are as many places as weights, and a sentence ends at the last of them.
        """
        x, mask = self.embedding(w), lengths_to_mask(lengths, w.shape[1])
        if self.side == "behind" or w.shape[1] > self.length:
            return x, mask
        places = torch.arange(self.length, device=w.device) - self.length + lengths[:, None]
        return x.take_along_dim(places.clamp(0, w.shape[1] - 1)[..., None], 1), places >= 0

    def forward(self, w: Tensor, lengths: Tensor, features: Tensor | None = None) -> Tensor:
        """w (B, T), lengths (B), features (B, columns) -> logits (B, V)."""
        if isinstance(self.head, Readout):
            logits: Tensor = self.head(self.vectors(w, lengths))
        else:
            logits = self.head(*self.placed(w, lengths))
        logits = logits[:, None] if logits.ndim == 1 else logits
        return logits if features is None or self.beside is None else logits + self.beside(features)

    def example_batch(self, B: int, T: int, S: int) -> tuple[Tensor, ...]:
        """The arguments of `forward` for a batch of these sizes: what `summary` runs."""
        return example_batch(self, B, T)

    def part(self, length: int, answer: Part) -> Part:
        """What it computes for sentences of so many tokens, with its weights: zeros meet those of longer ones."""
        first = 0 if self.side == "behind" else self.length - length
        used = slice(first * self.embedding.width, (first + length) * self.embedding.width)
        match self.head:
            case MLP():
                head = Part(mlp, {**self.head.symbols(), "W_1": self.head.W_1[used]})
            case LogisticRegression():
                head = Part(linear_head, {"W": self.head.w[used, None], "b": self.head.b[None]})
            case Readout():
                head = Part(linear_head, {"W": self.head.W_hy[used], "b": self.head.b_y})
        parts: dict[str, Any] = {"embedding": self.embedding.part(), "head": head, "answer": answer}
        if self.beside is None:
            return Part(flat_classifier, parts)
        return Part(flat_classifier_with_features, {**parts, "features": self.beside.part()})


def make_classifier(
    config: ModelConfig, embedding: Features, outputs: int, features: int = 0
) -> Classifier | FlatClassifier:
    """The classifier that the settings name, with so many outputs and feature columns."""
    found = find(config.name, "classify")
    make = Classifier if found.kind != "model" else found.make
    assert make is not None
    model: Classifier | FlatClassifier = make(config, embedding, outputs, features)
    return model


def label_logits(name: str, labels: int) -> int:
    """Logits of a classifier by name for one of so many labels: logistic regression has one logit for two."""
    return 1 if labels == 2 and find(name, "classify").binary_logit else labels


def example_batch(model: Classifier | FlatClassifier, B: int, T: int) -> tuple[Tensor, ...]:
    """Inputs of these sizes, their lengths, and feature columns if there are any."""
    x = torch.zeros(B, T, dtype=torch.int64)
    if isinstance(model.embedding, FrameProjection):
        x = model.embedding.example(B, T)
    features = [torch.zeros(B, model.features)] if model.features else []
    return x, torch.full((B,), T), *features


def classifier_stage(network: Classifier | FlatClassifier, answer: Part, w: Tensor, given: Given) -> Stage:
    """A classifier at work on tokens w (T) or frames w (T, features); `given` has the feature columns `f`, if any."""
    return Stage("classifier", network.part(len(w), answer), [{"w": w, **given}])
