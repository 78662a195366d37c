"""Word vectors: learned by co-occurrence counts or word2vec, read from files, handed to a tokenizer's embedding."""

from seqloom.vectors.analogies import Question, Solved, read_questions, solve
from seqloom.vectors.cooccurrence import train_cooccurrence
from seqloom.vectors.learning import learn_vectors
from seqloom.vectors.settings import CooccurrenceConfig, Word2VecConfig
from seqloom.vectors.vector_files import Loaded, read_vectors, write_vectors
from seqloom.vectors.word2vec import Word2VecProgress, train_word2vec
from seqloom.vectors.word_vectors import TokenVectors, WordVectors

__all__ = [
    "CooccurrenceConfig",
    "Loaded",
    "Question",
    "Solved",
    "TokenVectors",
    "Word2VecConfig",
    "Word2VecProgress",
    "WordVectors",
    "learn_vectors",
    "read_questions",
    "read_vectors",
    "solve",
    "train_cooccurrence",
    "train_word2vec",
    "write_vectors",
]
