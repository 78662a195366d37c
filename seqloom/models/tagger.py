"""From a sentence to logits for the tag of each word: embedding and characters, encoder, readout."""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from seqloom.equations import Part, concat, equations, stack
from seqloom.layers.bidirectional import recurrent_layer
from seqloom.layers.dropout import Dropout
from seqloom.layers.embedding import embedding
from seqloom.layers.output_layers import Readout, readout
from seqloom.models.characters import CharacterEncoder, character_cnn
from seqloom.models.crf import LinearChainCRF
from seqloom.models.encoders import make_encoder
from seqloom.models.frame_projection import FrameProjection
from seqloom.models.predictions import label_probabilities
from seqloom.models.settings import ModelConfig
from seqloom.models.token_embedding import TokenEmbedding
from seqloom.models.word_dropout import WordDropout


@equations
def tagger(w, *, embedding=embedding, encoder=recurrent_layer, readout=readout, answer=label_probabilities):
    """A tagger: a label for each word.

    Paper: Z. Huang, W. Xu, K. Yu, Bidirectional LSTM-CRF models for sequence tagging, 2015.

    w  (T)  index, the token ids of the words; of sound or sensors, the frames
    """
    X = embedding(w)  # the embedding of each word
    H = encoder(X)  # the hidden states, which know their context
    Z = readout(H)  # the logits at each position
    P = answer(Z)  # the probability of each tag, at each position
    return P


@equations
def tagger_with_characters(
    w,
    C,
    *,
    embedding=embedding,
    characters=character_cnn,
    encoder=recurrent_layer,
    readout=readout,
    answer=label_probabilities,
):
    """A tagger that reads each word and its characters.

    Paper: X. Ma, E. Hovy, End-to-end sequence labeling via bi-directional LSTM-CNNs-CRF, ACL 2016.

    w  (T)             index, the token ids of the words
    C  (T, characters) index, the character ids of each word
    """
    S = stack(characters(c_t) for c_t in C)  # a vector for the spelling of each word
    X = concat(embedding(w), S)  # the embedding of each word beside it
    H = encoder(X)  # the hidden states, which know their context
    Z = readout(H)  # the logits at each position
    P = answer(Z)  # the probability of each tag, at each position
    return P


class Tagger(nn.Module):
    """Reads a sentence; every word is seen with its characters, if there is an encoder of characters.

    `reads` is the size of its vocabulary, or what makes vectors of frames of sound or sensors.
    """

    definition = tagger

    def __init__(
        self,
        config: ModelConfig,
        reads: int | FrameProjection,
        tags: int,
        characters: CharacterEncoder | None = None,
        word_dropout: WordDropout | None = None,
        crf: LinearChainCRF | None = None,
    ) -> None:
        super().__init__()
        self.word_dropout = word_dropout or nn.Identity()
        self.embedding = TokenEmbedding(config, reads) if isinstance(reads, int) else reads
        self.characters = characters
        self.encoder = make_encoder(config, self.embedding.width + (characters.width if characters else 0))
        self.dropout = Dropout(config.dropout)
        self.readout, self.crf = Readout(self.encoder.output_size, tags), crf

    def forward(self, w: Tensor, lengths: Tensor, spelled: Tensor, spellings: Tensor) -> Tensor:
        """Logits (B, T, V) for V tags.

        w          (B, T)                   token ids; or frames (B, T, F)
        lengths    (B)                      how many words each sentence has
        spelled    (B, T)                   how each word is spelled: which of the spellings
        spellings  (spellings, characters)  each encoded once, however often it stands in the batch
        """
        hidden = self.hidden(w, lengths, spelled, spellings)
        return self.readout(self.dropout(hidden))  # type: ignore[no-any-return]

    def hidden(self, w: Tensor, lengths: Tensor, spelled: Tensor, spellings: Tensor) -> Tensor:
        """The hidden states of the encoder (B, T, H), of which lengths (B) are of words."""
        x = self.embedding(self.word_dropout(w))
        if self.characters is not None:
            x = torch.cat([x, self.dropout(F.embedding(spelled, self.characters(spellings)))], dim=-1)
        return self.encoder(x, lengths)  # type: ignore[no-any-return]

    def example_batch(self, B: int, T: int, S: int) -> tuple[Tensor, ...]:
        """The arguments of `forward` for a batch of these sizes: what `summary` runs."""
        words = torch.zeros(B, T, dtype=torch.int64)
        if isinstance(self.embedding, FrameProjection):
            return self.embedding.example(B, T), torch.full((B,), T), words, torch.ones(1, 6, dtype=torch.int64)
        return words, torch.full((B,), T), words, torch.ones(1, 6, dtype=torch.int64)

    def part(self, length: int) -> Part:
        """What it computes for sentences of so many words, with its weights."""
        parts = {
            "embedding": self.embedding.part(),
            "encoder": self.encoder.part(length),
            "readout": self.readout.part(),
            "answer": Part(label_probabilities) if self.crf is None else self.crf.part(),
        }
        if self.characters is None:
            return Part(tagger, parts)
        return Part(tagger_with_characters, {**parts, "characters": self.characters.part()})
