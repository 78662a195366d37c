"""What holds for every layer and every definition of the package, found by walking through it.

A layer has a definition, a definition a layer; a layer has the weights that its definition states, no more and no
fewer, under the same letters.
"""

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import pytest
import torch
from torch import nn

from seqloom import layers
from seqloom.equations import Equations, Part
from seqloom.equations.count import flat, parameters
from seqloom.equations.legend import size_of
from seqloom.layers import GRU, LSTM, SCORES, Dot, Layer, SoftAttention
from seqloom.layers.scores import score_called
from tests.layers.lifted import counted

WITHOUT_MODULE = {
    "padding_mask": "the function lengths_to_mask makes it",
    "causal_mask": "the function causal makes it",
    "recurrent_layer": "every cell has it as its sequence_part",
    "convolution_layer": "a Convolution has it as its sequence_part",
    "residual_convolution": "a Convolution has it as its sequence_part",
    "positioned": "what adds positions has it as its sequence_part",
    "batch_norm_inference": "a BatchNorm, once training has ended",
    "linear_head": "a Readout of vectors that are put end to end",
}
"""Formulas that no class stands for, and who computes them instead."""

DERIVED = {"DerivedCell", "DerivedBlock"}
"""Each of these has the definition that it was made from."""

SIZES = {
    "T": 2,
    "D": 6,
    "H": 6,
    "N": 3,
    "K": 2,
    "F": 5,
    "V": 7,
    "window": 4,
    "places": 2,
    "pool": 3,
    "rows": 4,
    "columns": 5,
}
T, D, H, N, K, F, V, window, _, pool, rows, columns = SIZES.values()

ARGUMENTS: dict[str, Callable[[], Any]] = {
    **dict.fromkeys(("width", "input_size", "key_width"), lambda: D),
    **dict.fromkeys(("size", "hidden_size", "query_width"), lambda: H),
    **dict.fromkeys(("vocab", "labels"), lambda: V),
    "head_width": lambda: K,
    "heads": lambda: N,
    "length": lambda: T,
    "window": lambda: window,
    "pool": lambda: pool,
    "rows": lambda: rows,
    "columns": lambda: columns,
    "score": Dot,
    "fwd": lambda: LSTM(D, H),
    "bwd": lambda: GRU(D, H),
    "layers": lambda: [LSTM(D, H), GRU(H, H)],
    "layer": nn.Identity,  # around which a residual connection stands
}
"""What a constructor is given, by the name of its argument."""

KIND = TypeVar("KIND")


def defined(kind: type[KIND]) -> Iterator[KIND]:
    """Everything of a kind that the modules of `seqloom.layers` define themselves."""
    for found in pkgutil.walk_packages(layers.__path__, f"{layers.__name__}."):
        module = importlib.import_module(found.name)
        yield from (
            value for value in vars(module).values() if isinstance(value, kind) and value.__module__ == found.name
        )


CLASSES = [cls for cls in defined(type) if issubclass(cls, Layer)]
DEFINITIONS: list[Equations[..., Any]] = list(defined(Equations))
LAYERS = [cls for cls in CLASSES if hasattr(cls, "definition")]


def test_a_layer_has_a_definition_unless_it_is_there_to_be_derived_from():
    bases = {base for cls in LAYERS for base in cls.__mro__}
    assert {cls.__name__ for cls in CLASSES if cls not in LAYERS and cls not in bases} == DERIVED


def test_a_definition_has_a_module_unless_something_else_computes_it():
    assert {each.name for each in DEFINITIONS if each.layer is None} == set(WITHOUT_MODULE)


@pytest.mark.parametrize("definition", DEFINITIONS, ids=lambda each: each.name)
def test_the_module_of_a_definition_computes_that_definition(definition):
    assert definition.layer is None or definition.layer.definition is definition


def test_names_of_definitions_are_unique():
    names = [each.name for each in DEFINITIONS]
    assert len(names) == len(set(names)) > 50


# --- the weights of every layer -----------------------------------------------------------------


def make(cls: type[Layer]) -> Layer:
    """A layer of the sizes above."""
    arguments = inspect.signature(cls).parameters.values()
    required = [each.name for each in arguments if each.default is each.empty and each.kind is not each.VAR_KEYWORD]
    return cls(**{name: argument(name, cls) for name in required if name != "args"})


def argument(name: str, cls: type[Layer]) -> Any:
    return hidden_size(cls) if name == "hidden" else ARGUMENTS[name]()


def hidden_size(cls: type[Layer]) -> int:
    """The size of what is hidden inside: that of the letter in the definition, and F for a block of parts."""
    entries = [cls.definition.legend[symbol.name] for symbol in cls.definition.body.weights]
    letters = {letter for entry in entries if entry is not None for letter in entry.shape}
    return next((SIZES[letter] for letter in "FKH" if letter in letters), F)


def attention_with(name: str) -> SoftAttention:
    return SoftAttention(score_called(name, H, D, F if name == "mlp_score" else K))


MADE = {cls.__name__: make(cls) for cls in LAYERS} | {f"SoftAttention, {name}": attention_with(name) for name in SCORES}
every = pytest.mark.parametrize("layer", MADE.values(), ids=MADE)


@every
def test_every_part_of_a_layer_is_known(layer):
    def check(definition: Equations[..., Any]) -> None:
        for call in definition.body.calls():
            assert isinstance(call.definition, Equations)
            check(call.definition)

    check(layer.part().bound)


@every
def test_parameters_number_what_the_definition_counts(layer):
    assert counted(layer) == sum(layer.part().bound.count(**SIZES).values())


@every
def test_all_parameters_stand_among_the_symbols(layer):
    assert counted(layer) == sum(parameters(layer.symbols()).values())


@every
def test_symbols_have_the_letters_and_shapes_of_the_definition(layer):
    def check(part: Part) -> None:
        definition, weights = part.definition, part.weights
        assert set(weights) == {symbol.name for symbol in definition.body.weights}
        for symbol in definition.body.weights:
            value, entry = weights[symbol.name], definition.legend[symbol.name]
            if symbol.role == "part":
                check(value)
            elif symbol.role == "parts":
                for each in value:
                    check(each)
            elif symbol.role == "size":
                assert value == SIZES[symbol.name]
            else:
                assert entry is not None
                assert value.shape == tuple(size_of(letter, SIZES) for letter in entry.shape), symbol.name

    check(layer.part())


@every
def test_symbols_are_the_parameters_themselves_and_not_copies(layer):
    symbols = flat(layer.symbols())
    before = {name: tensor.clone() for name, tensor in symbols.items()}
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter += 1
    for name, old in before.items():
        assert torch.equal(symbols[name], old + 1)
