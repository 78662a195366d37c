"""From a sentence to scores for the tag of each word: words and their letters, encoder, readout."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from seqloom.layers.dropout import Dropout
from seqloom.layers.heads import Readout
from seqloom.models.encoders import make_encoder
from seqloom.models.forgetting import Forget
from seqloom.models.letters import Letters
from seqloom.models.settings import ModelConfig
from seqloom.models.words import Words


class Tagger(nn.Module):
    """Reads a sentence; every word is seen with its letters, if there is a reader of letters."""

    def __init__(
        self,
        config: ModelConfig,
        vocab: int,
        tags: int,
        letters: Letters | None = None,
        forget: Forget | None = None,
    ) -> None:
        super().__init__()
        self.forget = forget or nn.Identity()
        self.words, self.letters = Words(config, vocab), letters
        self.encoder = make_encoder(config, self.words.width + (letters.width if letters else 0))
        self.dropout = Dropout(config.dropout)
        self.readout = Readout(self.encoder.output_size, tags)

    def forward(self, w: Tensor, lengths: Tensor, spelled: Tensor, spellings: Tensor) -> Tensor:
        """Scores (B, T, V) for V tags.

        w          (B, T)                         the words
        lengths    (B)                            how many each sentence has
        spelled    (B, T)                         how each word is spelled: which of the spellings
        spellings  (spellings, letters of a word) each read once, however often it stands in the batch
        """
        x = self.words(self.forget(w))
        if self.letters is not None:
            x = torch.cat([x, self.dropout(F.embedding(spelled, self.letters(spellings)))], dim=-1)
        return self.readout(self.dropout(self.encoder(x, lengths)))  # type: ignore[no-any-return]
