"""A trained model opened with a sentence of the user's: from the whole down to a single gate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from seqloom.errors import SeqloomError
from seqloom.explaining.dictionary import Dictionary
from seqloom.explaining.walkthrough import Told, Walkthrough, walkthrough
from seqloom.layers.base import Symbols
from seqloom.models.answering import answer_for_all, answer_for_each
from seqloom.models.classifier import Classifier
from seqloom.models.language_model import LanguageModel, TiedReadout
from seqloom.models.part import Part
from seqloom.models.seq2seq.model import Seq2Seq
from seqloom.models.tagger import Tagger
from seqloom.storage import MANIFEST
from seqloom.tasks.classify.inputs.texts import Texts
from seqloom.tasks.classify.task import Classify
from seqloom.tasks.generate.task import Generate
from seqloom.tasks.generate.text import to_tokens
from seqloom.tasks.tag.batch import Batch
from seqloom.tasks.tag.task import Tag
from seqloom.tasks.translate.task import Translate
from seqloom.tokens.settings import BOS, EOS, PAD, SPECIALS
from seqloom.tokens.tokenizer import Tokenizer
from seqloom.training.model import Model, load

LONGEST = 30
"""Tokens of a text, read or written: more would not be looked at."""
WHAT_CAN_BE = "translators; and models that classify texts, tag or generate, with any encoder but logistic and mlp"


def explain_trained(folder: str | Path, sentence: str | None = None) -> Walkthrough:
    """The parts of a trained model with what they compute for a sentence; without one, for frequent words."""
    return explain_model(loaded(folder), sentence)


def explain_model(model: Model, sentence: str | None = None) -> Walkthrough:
    """As `explain_trained`, of a model that is loaded."""
    if isinstance(model.task, Classify) and not isinstance(model.task.inputs, Texts):
        raise cannot_be(model, "reads frames, which have no words")
    about = f"{model.task.config.model.name}, trained to {model.config.task}: {sized(model)} parameters"
    match model.network, model.task:
        case Seq2Seq(), Translate():
            return of_translator(model, sentence, about)
        case Classifier() | Tagger() | LanguageModel(), _:
            return of_reader(model, sentence, about)
    raise cannot_be(model, "has no equations that could be opened")


def loaded(folder: str | Path) -> Model:
    if not (Path(folder) / MANIFEST).is_file():
        raise SeqloomError(
            f"{folder} holds no trained model",
            remedy="give the folder that `seqloom train` wrote; `seqloom explain` lists what needs no training",
        )
    return load(folder)


def cannot_be(model: Model, why: str) -> SeqloomError:
    what = f"a model called {model.task.config.model.name} for {model.config.task} {why}"
    return SeqloomError(what, remedy=f"what can be explained: {WHAT_CAN_BE}")


def sized(model: Model) -> str:
    return f"{sum(weight.numel() for weight in model.network.parameters()):,}"


def checked(tokens: Sequence[int]) -> list[int]:
    """As many tokens as can be looked at."""
    if not tokens:
        raise SeqloomError("there is no word in the text", remedy="give a few words of the kind it was trained on")
    if len(tokens) > LONGEST:
        raise SeqloomError(f"{len(tokens)} tokens are too many to look at", remedy=f"give at most {LONGEST}")
    return list(tokens)


def frequent(tokenizer: Tokenizer) -> str:
    """A text of the most frequent words, for who gives none."""
    order = sorted(range(len(SPECIALS), tokenizer.size), key=lambda word: -tokenizer.frequency[word])
    return tokenizer.decode(order[:4])


# --- translators ------------------------------------------------------------------------------------


def of_translator(model: Model, sentence: str | None, about: str) -> Walkthrough:
    """Encoder, bridge and decoder, when a sentence is translated word by word, always taking the likeliest."""
    task, network = model.task, model.network
    assert isinstance(task, Translate) and isinstance(network, Seq2Seq)
    reads, writes = task.source_tokenizer, task.target_tokenizer
    text = sentence if sentence is not None else frequent(reads)
    tokens = [*checked(reads.encode(text))[: task.config.model.length - 1], EOS]
    source = torch.tensor([tokens], device=model.device)
    with torch.no_grad():
        written = greedy(network, source)
        parts = network.parts(source, [BOS, *written[:-1]])
        longer = network.parts(torch.cat([source, source[:, -1:]], 1), [BOS, BOS])
    words = [reads.entries[token] for token in tokens]
    labels, fed = (
        [writes.entries[token] for token in written],
        [writes.entries[token] for token in (BOS, *written[:-1])],
    )
    read = Dictionary(reads.entries, sorted(set(tokens)), shares="", lines=())
    told = [Told(part, other, words, words, words, read) for part, other in zip(parts[:-1], longer[:-1], strict=True)]
    wrote = Dictionary(writes.entries, sorted({BOS, *written}))
    told.append(Told(parts[-1], longer[-1], words, labels, fed, wrote))
    return walkthrough(f"{text} → {writes.decode(written)}", about, told)


def greedy(network: Seq2Seq, source: Tensor) -> list[int]:
    """The likeliest word in every step, <eos> last unless it goes on and on."""
    state: Any = network.start(source, torch.tensor([source.shape[1]], device=source.device))
    written = [BOS]
    while written[-1] != EOS and len(written) <= LONGEST:
        step = network.step(torch.tensor(written[-1:], device=source.device), state)
        state = step.state
        written.append(
            int(step.scores[0].index_fill(0, torch.tensor([PAD, BOS], device=source.device), -torch.inf).argmax())
        )
    return written[1:]


# --- models that read one sequence ------------------------------------------------------------------


def of_reader(model: Model, sentence: str | None, about: str) -> Walkthrough:
    """The encoder, and what is read off its rows."""
    task, network = model.task, model.network
    tokenizer = task.tokenizers["text"]
    text = sentence if sentence is not None else frequent(tokenizer)
    with torch.no_grad():
        tokens, x = read(model, text)
        parts = network.encoder.parts(x)  # type: ignore[union-attr,operator]
        longer = network.encoder.parts(torch.cat([x, x[:, -1:]], 1))  # type: ignore[union-attr,operator]
        if not parts:
            raise cannot_be(model, "has an encoder without equations")
        rows = network.encoder(x, torch.tensor([x.shape[1]], device=x.device))[0]  # type: ignore[operator]
    words = [tokenizer.entries[token] for token in tokens]
    told = [Told(part, other, words, words, words) for part, other in zip(parts, longer, strict=True)]
    title = text
    if (answer := answering(model, rows)) is not None:
        part, entries, each = answer
        one = replace(part, steps=part.steps[:1])
        more = answering(model, torch.cat([rows, rows[-1:]]))
        told.append(
            Told(part, more[0] if more and not each else one, words, words, words, Dictionary(entries, range(0)))
        )
    if not isinstance(task, Generate):
        title = f"{text} → {model(text)}"
    return walkthrough(title, about, told)


def read(model: Model, text: str) -> tuple[list[int], Tensor]:
    """The tokens of a text, and their rows (1, T, D) as the encoder takes them."""
    task, network = model.task, model.network
    if isinstance(task, Tag):
        words = [word.text for word in task.cut(text)[1]]
        batch = Batch.of(task.rows(words, [0] * len(words))[:1], model.device)
        tokens = checked(batch.tokens[0].tolist() if words else [])
        assert isinstance(network, Tagger)
        x: Tensor = network.words(batch.tokens)
        if network.letters is not None:
            x = torch.cat([x, F.embedding(batch.spelled, network.letters(batch.spellings))], -1)
        return tokens, x
    if isinstance(task, Generate):
        tokens = [task.tokenizer.eos, *checked(to_tokens(task.tokenizer, [text])[0])]
    else:
        assert isinstance(task, Classify)
        tokens = checked([int(token) for token in task.inputs.encode([task.inputs.record(text)])[0]])
    rows: Tensor = network.words(torch.tensor([tokens], device=model.device))  # type: ignore[operator]
    return tokens, rows


def answering(model: Model, rows: Tensor) -> tuple[Part, Sequence[str], bool] | None:
    """What is read off the rows of the encoder (T, H): the part, what it chooses from, and whether for each word."""
    task, network = model.task, model.network
    match network, task:
        case Classifier(), Classify():
            if task.config.classify.answer != "label" or len(task.features):
                return None
            return answer_for_all(rows, network.pool, network.readout), task.facts["labels"], False
        case Tagger(), Tag():
            return answer_for_each(rows, network.readout.symbols()), task.tags, True
        case LanguageModel(), Generate():
            if isinstance(network.readout, TiedReadout):
                output: Symbols = {"W_hy": network.words.table.E.T, "b_y": network.readout.b_y}  # type: ignore[dict-item]
            else:
                output = network.readout.symbols()  # type: ignore[operator]
            return answer_for_each(rows, output), task.tokenizer.entries, True
    return None
