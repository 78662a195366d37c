"""Tokens: text as numbers and back, with a dictionary that was learned from text."""

from seqloom.tokens.content import Piece
from seqloom.tokens.pairs import train_pair
from seqloom.tokens.report import Coverage, coverage, most_frequent, rarest
from seqloom.tokens.settings import TokenConfig
from seqloom.tokens.tokenizer import Tokenizer

__all__ = ["Coverage", "Piece", "TokenConfig", "Tokenizer", "coverage", "most_frequent", "rarest", "train_pair"]
