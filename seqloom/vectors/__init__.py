"""Word vectors: learned from text by counting or guessing, read from files, handed to a tokenizer's embedding."""

from seqloom.vectors.analogies import Question, Solved, read_questions, solve
from seqloom.vectors.cooccurrence import train_cooccurrence
from seqloom.vectors.files import Loaded, read_vectors, write_vectors
from seqloom.vectors.settings import CooccurrenceConfig, Word2VecConfig
from seqloom.vectors.table import TokenRows, WordVectors
from seqloom.vectors.word2vec import Progress, train_word2vec

__all__ = [
    "CooccurrenceConfig",
    "Loaded",
    "Progress",
    "Question",
    "Solved",
    "TokenRows",
    "Word2VecConfig",
    "WordVectors",
    "read_questions",
    "read_vectors",
    "solve",
    "train_cooccurrence",
    "train_word2vec",
    "write_vectors",
]
