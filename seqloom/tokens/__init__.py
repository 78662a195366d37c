"""Tokenizers: text to token ids and back, with a vocabulary that was learned from text."""

from seqloom.tokens.backend import TokenPiece
from seqloom.tokens.coverage import Coverage, coverage, most_frequent, rarest
from seqloom.tokens.settings import TokenConfig
from seqloom.tokens.tokenizer import Tokenizer, train_pair

__all__ = ["Coverage", "TokenConfig", "TokenPiece", "Tokenizer", "coverage", "most_frequent", "rarest", "train_pair"]
