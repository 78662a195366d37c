"""Where weights begin: taken over from a trained model, from word vectors, or fresh.

What is taken over is decided once, before the first step, and kept in the run: nobody asks for the other folder again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import Field, NonNegativeInt, model_validator
from torch import Tensor, nn

from seqloom.config import Config, problem
from seqloom.data.record import Record
from seqloom.data.source import open_source
from seqloom.data.splits import Records
from seqloom.errors import ConfigError, SeqloomError
from seqloom.models.weights import weights_of
from seqloom.storage import open_files
from seqloom.tasks.task import Task
from seqloom.tokens.model_tokenizers import tokenizers_in
from seqloom.tokens.settings import SPECIALS, WORDS
from seqloom.tokens.tokenizer import Tokenizer
from seqloom.vectors.cooccurrence import train_cooccurrence
from seqloom.vectors.label_ratios import label_ratios, label_readout, label_vectors
from seqloom.vectors.settings import CooccurrenceConfig, Word2VecConfig
from seqloom.vectors.vector_files import read_vectors
from seqloom.vectors.word2vec import train_word2vec
from seqloom.vectors.word_vectors import WordVectors

EMBEDDINGS = ("embedding.", "source.embedding.")
ENCODER = (*EMBEDDINGS, "encoder.", "source.encoder.")
PREFIXES: dict[str, tuple[str, ...]] = {"words": EMBEDDINGS, "encoder": ENCODER, "all": ("",)}
"""What is taken over from another model, by the names of its weights."""
VECTORS = ("source.embedding.E", "embedding.table.E")
"""The weights that word vectors can be: of a translator, the embeddings of what it reads."""
READOUT = "readout.W_hy"
LEARNED = ("svd", "skip-gram", "cbow", "labels")


class StartConfig(Config):
    """Initial weights: the section [start]."""

    model: str = ""
    """A trained model (folder or pack) to start from: its tokenizers and weights are reused; empty: none."""
    keep: Literal["words", "encoder", "all"] = "encoder"
    """What to reuse of it: the word embeddings, the encoder too, or everything."""
    vectors: str = ""
    """Pretrained word vectors: a file (word2vec or GloVe); svd, skip-gram or cbow to train them on text; labels for
    log-count ratios of tokens and labels; empty: random initialisation."""
    new_words: bool = False
    """Add words that only the vector file has to the vocabulary, up to tokens.size."""
    text: str = ""
    """The text to train word vectors on; empty: the training data."""
    frozen: bool = False
    """Freeze the reused weights."""
    layer_rate: float = Field(1.0, gt=0, le=1)
    """Learning rate of a reused layer relative to the layer above it: with 0.4 lower layers change less; 1: the
    same for all."""
    unfreeze_every: NonNegativeInt = 0
    """Gradual unfreezing: steps after which the next reused layer starts to train, from the top down; 0: all train
    from the first step."""

    @model_validator(mode="after")
    def layers_were_taken_over(self) -> Self:
        for name in ("layer_rate", "unfreeze_every"):
            if getattr(self, name) == type(self).model_fields[name].default:
                continue
            if self.frozen:
                raise problem(name, "is for layers that learn, and start.frozen freezes them",
                              remedy="give one of them")  # fmt: skip
            if not (self.model or self.vectors):
                raise problem(name, "is for reused layers, and there are none",
                              remedy="give start.model or start.vectors, or leave it out")  # fmt: skip
        return self


def known_tokenizers(start: StartConfig) -> dict[str, Tokenizer]:
    """The tokenizers of the model that weights are taken from."""
    return tokenizers_in(open_files(Path(start.model))) if start.model else {}


def with_words_of_vectors(start: StartConfig, task: Task[Any]) -> Task[Any]:
    """The task with the words of a file of vectors in its vocabulary, if that is asked for."""
    if not start.new_words:
        return task
    name = "source" if "source" in task.tokenizers else "text"
    tokenizer = task.tokenizers.get(name)
    if not start.vectors or start.vectors in LEARNED:
        raise wrong("new_words", "words come from a file of vectors", "give start.vectors, or leave it out")
    if tokenizer is None or tokenizer.config.kind not in WORDS:
        raise wrong("new_words", "the tokens of this model are no words", "set tokens.kind=word, or leave it out")
    words = read_vectors(start.vectors, limit=tokenizer.config.size).vectors.words
    return type(task)(task.config, {**task.tokenizers, name: tokenizer.with_words(words)}, task.facts)


def initial_weights(start: StartConfig, task: Task[Any], train: Records) -> dict[str, Tensor]:
    """The weights that are not fresh, by name."""
    if start.model and start.vectors:
        raise wrong("vectors", "embeddings can be initialised in one way only", "give start.model or start.vectors")
    if start.model:
        return of_model(start, weights_of(task.make_model()))
    return of_vectors(start, task, train) if start.vectors else {}


def of_model(start: StartConfig, wanted: Mapping[str, Tensor]) -> dict[str, Tensor]:
    prefixes = PREFIXES[start.keep]
    trained = open_files(Path(start.model)).tensors("model.safetensors")
    found = {name: tensor for name, tensor in trained.items() if name.startswith(prefixes) and name in wanted}
    needed = [name for name in wanted if name.startswith(prefixes)]
    missing = [name for name in needed if name not in found]
    unlike = [name for name in found if found[name].shape != wanted[name].shape]
    if missing or unlike or not found:
        name = (unlike or missing or ["words"])[0]
        shapes = " is not there"
        if name in found:
            shapes = f" is {tuple(found[name].shape)} there and {tuple(wanted[name].shape)} here"
        remedy = "make [model] like that of the other run, or reuse less with start.keep"
        raise wrong("model", f"{start.model} does not fit: {name}{shapes}", remedy)
    return found


def of_vectors(start: StartConfig, task: Task[Any], train: Records) -> dict[str, Tensor]:
    tokenizer = task.tokenizers.get("source", task.tokenizers.get("text"))
    weights = weights_of(task.make_model())
    name = next((name for name in VECTORS if name in weights), "")
    if tokenizer is None or not name:
        what = f"a model for {task.config.task} of this kind reads no tokens through learned embeddings"
        raise wrong("vectors", what, "leave it out")
    wanted = weights[name]
    width = wanted.shape[1]
    if start.vectors == "labels":
        begun = {name: of_labels(tokenizer, task, train, width)}
        if READOUT in weights and not any(
            one.startswith(ENCODER[2:]) for one in weights
        ):  # a bag: it reads them as they are
            begun[READOUT] = label_readout(weights[READOUT], len(task.labels))
        return begun
    vectors = vectors_for(start, tokenizer, train, width)
    if vectors.width != width:
        what = f"{start.vectors} has vectors of width {vectors.width}, model.embedding is {width}"
        raise wrong("vectors", what, f"set model.embedding={vectors.width}")
    return {name: vectors.for_tokenizer(tokenizer).matrix}


def of_labels(tokenizer: Tokenizer, task: Task[Any], train: Records, width: int) -> Tensor:
    """Embeddings that begin with what each token says of each label; special tokens say nothing."""
    labels = len(task.labels)
    if not labels:
        raise wrong("vectors", f"the answers of this {task.config.task} run are no labels", "leave it out")
    if labels > width:
        what = f"{labels:,} labels do not fit into embeddings of width {width}"
        raise wrong("vectors", what, f"set model.embedding={labels} or more, or leave it out")
    texts = ((tokenizer.encode(text_of(record)), task.labels_of(record)) for record in train)
    ratios = label_ratios(texts, tokenizer.size, labels)
    ratios[: len(SPECIALS)] = 0.0
    return label_vectors(ratios, width)


def vectors_for(start: StartConfig, tokenizer: Tokenizer, train: Records, width: int) -> WordVectors:
    if start.vectors not in LEARNED:
        return read_vectors(start.vectors, wanted=tokenizer.vocabulary).vectors
    records: Iterable[Record] = open_source(start.text, task="generate") if start.text else train
    sentences, words = Sentences(records, tokenizer), unique(tokenizer.vocabulary)
    if start.vectors == "svd":
        return train_cooccurrence(sentences, words, CooccurrenceConfig(width=width))
    kind: Any = start.vectors
    return train_word2vec(sentences, words, Word2VecConfig(kind=kind, width=width))


def unique(vocabulary: Sequence[str]) -> tuple[str, ...]:
    """A special token that is also a word of the text, as a literal `<unk>`, gets a name of its own."""
    words = set(vocabulary[len(SPECIALS) :])
    specials = [f"{token}\0" if token in words else token for token in vocabulary[: len(SPECIALS)]]
    return *specials, *vocabulary[len(SPECIALS) :]


class Sentences:
    """Texts as token ids, read again and again."""

    def __init__(self, records: Iterable[Record], tokenizer: Tokenizer) -> None:
        self.records, self.tokenizer = records, tokenizer

    def __iter__(self) -> Iterator[list[int]]:
        for record in self.records:
            yield self.tokenizer.encode(text_of(record))


def text_of(record: Record) -> str:
    """What a model reads of a record."""
    tokens = record.columns.get("tokens")
    text = record.columns.get("text") or record.columns.get("source") or ""
    return " ".join(tokens) if isinstance(tokens, list) else str(text)


def freeze(model: nn.Module, start: StartConfig) -> None:
    """Mark what stayed as it was taken over, in a model that was trained with these settings."""
    if start.frozen and (start.model or start.vectors):
        taken = PREFIXES[start.keep] if start.model else VECTORS
        for name, weight in model.named_parameters():
            if name.startswith(taken):
                weight.requires_grad_(False)


def begin(model: nn.Module, weights: Mapping[str, Tensor], *, frozen: bool) -> None:
    """Give a fresh model what was taken over."""
    parameters = dict(model.named_parameters())
    own = weights_of(model)
    for name, tensor in weights.items():
        own[name].copy_(tensor)
        if frozen and name in parameters:
            parameters[name].requires_grad_(False)
    if not any(weight.requires_grad for weight in model.parameters()):
        raise wrong("frozen", "nothing is left to train", "take over less, or set it to false")


def wrong(setting: str, what: str, remedy: str) -> SeqloomError:
    return ConfigError("settings", [(f"start.{setting}", what, remedy)])
