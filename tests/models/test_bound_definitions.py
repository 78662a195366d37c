"""Every architecture in every task it serves computes its bound definition: values and gradients, in float64.

What is tested comes from the registry, so a new architecture is held to its definition as soon as it is there.
"""

import importlib
import pkgutil
from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest
import torch
from torch import Tensor, nn

import seqloom.models
from seqloom.equations import Equations, Part
from seqloom.equations.count import flat
from seqloom.equations.trace import trace
from seqloom.layers.norms import BatchNorm
from seqloom.models.characters import CHARACTER_ENCODERS, character_encoder
from seqloom.models.classifier import Classifier, make_classifier
from seqloom.models.crf import LinearChainCRF
from seqloom.models.encoders.base import Encoder
from seqloom.models.language_model import LanguageModel
from seqloom.models.predictions import ANSWERS
from seqloom.models.registry import Architecture, architectures
from seqloom.models.settings import ModelConfig
from seqloom.models.tagger import Tagger
from seqloom.models.token_embedding import TokenEmbedding
from seqloom.testing import assert_same

V, TAGS, COLUMNS = 7, 3, 2
TOKENS = torch.tensor([1, 5, 2, 6])
LENGTH = torch.tensor([4])
SPELLED = [torch.tensor([1, 2, 3]), torch.tensor([4]), torch.tensor([5, 1]), torch.tensor([2])]


@pytest.fixture(autouse=True)
def in_double() -> Iterator[None]:
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)


def choices(found: Architecture) -> Iterator[dict[str, Any]]:
    """Small settings for an architecture: one layer and two, and every kind that it reads."""
    kinds: dict[str, list[Any]] = {
        "bidirectional": [False, True],
        "norm": ["before", "after"],
        "positions": ["learned", "sinusoidal"],
    }
    kinds |= {"widths": [[4], [3, 5]]}
    read = [name for name in kinds if name in found.reads]
    fixed = {name: size for name, size in {"heads": 2, "hidden": 5, "window": 3}.items() if name in found.reads}
    for values in product(*(kinds[name] for name in read)):
        yield {"name": found.name, "embedding": 6, "length": 9, "dropout": 0.0, **fixed, **dict(zip(read, values))}
    for changes in left_out(found):
        yield {"name": found.name, "embedding": 6, "length": 9, "dropout": 0.0, **fixed, "widths": [4, 4], **changes}


def left_out(found: Architecture) -> Iterator[dict[str, Any]]:
    """One thing at a time replaced by nothing, or by another; then all at once."""
    ways: list[dict[str, Any]] = [
        {"hidden": 0}, {"positions": "none"}, {"norm_kind": "none"}, {"norm_kind": "batch"}, {"residual": False},
        {"scaled": False}, {"norm": "after", "norm_kind": "batch"}, {"norm": "after", "residual": False},
        {"norm": "after", "hidden": 0}, {"residual": False, "hidden": 0},
        {"hidden": 0, "positions": "none", "norm_kind": "none", "residual": False, "scaled": False},
    ]  # fmt: skip
    if found.networks_optional:
        yield from (changes for changes in ways if changes.keys() <= found.reads)


def cases(*places: str, causal: bool = False) -> list[Any]:
    made = [(found, config) for found in architectures(*places) for config in choices(found)]
    if causal:  # one that reads from both ends sees the tokens to come
        made = [(found, config) for found, config in made if found.causal and not config.get("bidirectional")]
    return [pytest.param(found, config, id=f"{found.name}-{number}") for number, (found, config) in enumerate(made)]


def noisy(model: nn.Module) -> Any:
    """So that no bias, scale, shift or running statistic is without effect."""
    with torch.no_grad():
        for weight in model.parameters():
            if weight.requires_grad:
                weight.add_(0.2 * torch.randn_like(weight))
        for part in model.modules():
            if isinstance(part, BatchNorm):
                part.mean.normal_()
                part.variance.uniform_(0.5, 2.0)
    return model.eval()


def assert_computes(fast: Tensor, part: Part, *inputs: Any, model: nn.Module) -> None:
    """The plain definition gives what the module gives, the recorded run the same to the bit; no weight is left out."""
    slow = part(*inputs)
    used = [weight for weight in model.parameters() if weight.requires_grad]
    assert_same([fast], [slow], used)
    recorded = trace(part.definition, *inputs, **part.weights)
    assert torch.equal(recorded.results[0], slow)
    whole = {weight.data_ptr() for weight in model.parameters()}
    shown = {weight.untyped_storage().data_ptr() for weight in flat(part.weights).values()}
    assert whole <= shown


@pytest.mark.parametrize("found, config", cases("classify"))
def test_classifiers(found, config):
    settings = ModelConfig(**config)
    model = noisy(make_classifier(settings, TokenEmbedding(settings, V), TAGS))
    fast = model(TOKENS[None], LENGTH)[0].softmax(-1)
    if found.name != "mixer" and not hasattr(model, "head"):
        assert_computes(fast, model.part(4, Part(ANSWERS["label"])), TOKENS, model=model)
    else:  # of their weights for longer sentences only a part is used
        assert_same([fast], [model.part(4, Part(ANSWERS["label"]))(TOKENS)], [model.embedding.table.E])


@pytest.mark.parametrize("pooling", ["last", "mean", "max", "attention"])
@pytest.mark.parametrize("answer, outputs", [("label", TAGS), ("pair", 1), ("labels", TAGS), ("number", 1)])
def test_every_pooling_and_every_answer_with_feature_columns(pooling, answer, outputs):
    settings = ModelConfig(name="gru", embedding=6, widths=[4], pooling=pooling, dropout=0.0)
    model = noisy(Classifier(settings, TokenEmbedding(settings, V), outputs, COLUMNS))
    f = torch.randn(COLUMNS)
    z = model(TOKENS[None], LENGTH, f[None])[0]
    expected = {
        "label": z.softmax(-1), "pair": torch.cat([1 - z.sigmoid(), z.sigmoid()]), "labels": z.sigmoid(),
        "number": 3.5 + 0.5 * z,
    }  # fmt: skip
    scale = {"mu": torch.tensor(3.5), "sigma": torch.tensor(0.5)} if answer == "number" else {}
    assert_computes(expected[answer], model.part(4, Part(ANSWERS[answer], scale)), TOKENS, f, model=model)


@pytest.mark.parametrize("norm", ["before", "after"])
def test_in_training_batch_norm_is_taken_over_the_batch(norm):
    """The definition is that of training then; here the batch is one sentence."""
    config = ModelConfig(name="transformer", embedding=6, heads=2, hidden=5, dropout=0.0, norm=norm, norm_kind="batch")
    model = noisy(Tagger(config, V, TAGS)).train()
    words = torch.zeros(1, 4, dtype=torch.int64)
    assert_computes(model(TOKENS[None], LENGTH, words, words)[0].softmax(-1), model.part(4), TOKENS, model=model)


@pytest.mark.parametrize("name", ["logistic", "mlp"])
@pytest.mark.parametrize("outputs", [1, TAGS])
@pytest.mark.parametrize("padding, length", [("behind", 4), ("front", 4), ("behind", 7), ("front", 7)])
def test_flat_classifiers_with_padding_on_either_side(name, outputs, padding, length):
    """Two sentences of unequal length: what stands beside a shorter one is zero, and meets weights of its own."""
    hidden = {"hidden": 5} if name == "mlp" else {}
    settings = ModelConfig(name=name, embedding=6, length=length, padding=padding, **hidden)
    model = noisy(make_classifier(settings, TokenEmbedding(settings, V), outputs))
    fast = model(torch.stack([TOKENS, TOKENS.flip(0)]), torch.tensor([4, 2])).sigmoid()
    slow = [model.part(n, Part(ANSWERS["labels"]))(w[:n]) for w, n in ((TOKENS, 4), (TOKENS.flip(0), 2))]
    assert_same([fast], [torch.stack(slow)], [model.embedding.table.E])


@pytest.mark.parametrize("name", ["logistic", "mlp"])
@pytest.mark.parametrize("outputs", [1, TAGS])
def test_flat_classifiers_with_feature_columns(name, outputs):
    hidden = {"hidden": 5} if name == "mlp" else {}
    settings = ModelConfig(name=name, embedding=6, length=4, **hidden)
    model = noisy(make_classifier(settings, TokenEmbedding(settings, V), outputs, COLUMNS))
    f = torch.randn(COLUMNS)
    z = model(TOKENS[None], LENGTH, f[None])[0]
    assert_computes(z.sigmoid(), model.part(4, Part(ANSWERS["labels"])), TOKENS, f, model=model)


@pytest.mark.parametrize("found, config", cases("tag"))
def test_taggers(found, config):
    model = noisy(Tagger(ModelConfig(**config), V, TAGS))
    words = torch.zeros(1, 4, dtype=torch.int64)
    fast = model(TOKENS[None], LENGTH, words, words)[0].softmax(-1)
    if found.name == "mixer":
        assert_same([fast], [model.part(4)(TOKENS)], [model.embedding.table.E])
    else:
        assert_computes(fast, model.part(4), TOKENS, model=model)


def test_taggers_with_a_random_field():
    crf = LinearChainCRF(TAGS)
    model = noisy(Tagger(ModelConfig(name="gru", embedding=6, widths=[4], dropout=0.0), V, TAGS, crf=crf))
    words = torch.zeros(1, 4, dtype=torch.int64)
    fast = crf(model(TOKENS[None], LENGTH, words, words), LENGTH)[0]
    slow = model.part(4)(TOKENS)
    assert_same([fast], [slow], [weight for weight in model.parameters() if weight.requires_grad])


@pytest.mark.parametrize("characters", CHARACTER_ENCODERS)
def test_taggers_that_read_characters(characters):
    config = {"name": "lstm", "embedding": 6, "widths": [4], "dropout": 0.0}
    reader = character_encoder(characters, 6, 4)
    model = noisy(Tagger(ModelConfig(**config), V, TAGS, reader))
    spelling = nn.utils.rnn.pad_sequence(SPELLED, batch_first=True)
    fast = model(TOKENS[None], LENGTH, torch.arange(4)[None], spelling)[0].softmax(-1)
    inputs = (TOKENS, SPELLED)
    assert_computes(fast, model.part(4), *inputs, model=model)


@pytest.mark.parametrize("found, config", cases("generate", causal=True))
@pytest.mark.parametrize("tied", [False, True])
def test_language_models(found, config, tied):
    if tied and "widths" in config:
        config = {**config, "widths": [*config["widths"][:-1], 6]}
    model = noisy(LanguageModel(ModelConfig(**config, tied=tied), V))
    fast = model(TOKENS[None], LENGTH)[0].softmax(-1)
    assert_computes(fast, model.part(4), TOKENS, model=model)


def test_one_hot_words():
    model = noisy(LanguageModel(ModelConfig(name="rnn", one_hot=True, widths=[4], dropout=0.0), V))
    assert_computes(model(TOKENS[None], LENGTH)[0].softmax(-1), model.part(4), TOKENS, model=model)


# --- nothing without the other ----------------------------------------------------------------------


def modules() -> Iterator[Any]:
    for info in pkgutil.walk_packages(seqloom.models.__path__, "seqloom.models."):
        yield importlib.import_module(info.name)


def found_in_models(kind: type) -> Iterator[Any]:
    for module in modules():
        yield from (
            thing
            for thing in vars(module).values()
            if (isinstance(thing, type) and issubclass(thing, kind) if kind is nn.Module else isinstance(thing, kind))
            and thing.__module__ == module.__name__
        )


def test_every_module_of_a_model_has_a_definition():
    # what others are subclasses of
    interfaces = {"Decoder", "CharacterEncoder", "AttentiveDecoder", "SourceReader", "PictureReader"}
    without = {
        "TokenEmbedding": "that of its table, learned or one-hot",
        "WordDropout": "nothing once training has ended",
        "SourceView": "that of its projection, if it has one",
        "Seq2Seq": "that of its decoder",
        "SharedEncoder": "that of each model that shares it",
    }
    for module in found_in_models(nn.Module):
        name = module.__name__
        has = isinstance(getattr(module, "definition", None), Equations)
        assert has or name in interfaces or name in without or module is Encoder, f"{name} has no definition"


def test_every_definition_of_a_model_is_used_by_a_module():
    tied = {getattr(module, "definition", None) for module in found_in_models(nn.Module)}
    named = {part for module in modules() for part in vars(module).values() if isinstance(part, Equations)}
    usual = {part.base for whole in named for each in whole.defaults.values() for part in as_tuple(each)}
    chosen = set(ANSWERS.values())
    variants = {
        "classifier_with_features", "flat_classifier_with_features", "tagger_with_characters", "attend_back",
        "crf_loss", "viterbi",
    }  # fmt: skip
    for definition in found_in_models(Equations):
        used = definition in tied or definition in usual or definition in chosen or definition.name in variants
        assert used, f"{definition.name} belongs to no module"


def as_tuple(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)
