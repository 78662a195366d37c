"""An exported language model continues texts as torch does: every causal architecture, greedy and drawn."""

import pytest
import torch

from seqloom.decoding.sampling import RowGenerators
from seqloom.engines.onnx_generation import OnnxContinuer
from seqloom.engines.onnx_generation_export import export_generation, generation_spec
from seqloom.engines.random_numbers import uniform
from seqloom.engines.settings import WRITER, EngineMetadata
from seqloom.models.language_model import LanguageModel
from seqloom.models.registry import architectures
from seqloom.models.settings import ModelConfig
from seqloom.storage import new_folder, open_files
from seqloom.tasks.generate.generation import write
from seqloom.tasks.generate.options import GenerateOptions
from tests.sizes import lenient

CAUSAL = [one.name for one in architectures("generate") if one.causal]
TEXTS = [[3, 5, 6], [3], [3, 9, 4], [3, 7, 7, 8, 5, 6, 4, 9, 10, 11]]
OPTIONS = [
    GenerateOptions(length=19, temperature=0),
    GenerateOptions(length=19, temperature=1.3, lines=2),
    GenerateOptions(length=7, temperature=0.9, top_k=3),
    GenerateOptions(length=7, temperature=1.1, top_p=0.6),
]


def network_of(name, **changes):
    torch.manual_seed(2)
    small = {"name": name, "embedding": 6, "widths": [6, 6], "heads": 2, "hidden": 7, "length": 8, "dropout": 0.0}
    network = LanguageModel(lenient(ModelConfig, **{**small, **changes}), 12)
    with torch.no_grad():
        for weight in network.parameters():
            weight.add_(torch.randn_like(weight), alpha=0.1)
    return network.eval()


def written(steps):
    found = {new.row: new.sequence for step in steps for new in step if new.last}
    return [(list(one.tokens), list(one.log_probs)) for _, one in sorted(found.items())]


def assert_same(network, engine, options):
    keys = [f"4 {number}" for number in range(len(TEXTS))]
    ours = written(write(network, TEXTS, keys, options))
    theirs = written(engine.continue_texts(TEXTS, keys, options, lambda row: True))
    assert [tokens for tokens, _ in theirs] == [tokens for tokens, _ in ours]
    for (_, one), (_, other) in zip(theirs, ours, strict=True):
        assert one == pytest.approx(other, abs=1e-4)


def engine_of(network, folder, *, int8=False):
    with new_folder(folder) as part:
        export_generation(generation_spec(network), part, 40, int8=int8)
    facts = EngineMetadata(engine="onnx", task="generate", files=[WRITER], window=network.limit or 0)
    return OnnxContinuer(open_files(folder), facts, 1, 12)


@pytest.mark.parametrize("name", CAUSAL)
def test_every_causal_architecture_writes_what_torch_writes(tmp_path, name):
    network = network_of(name)
    engine = engine_of(network, tmp_path / "out")
    for options in OPTIONS[:2]:
        assert_same(network, engine, options)


@pytest.mark.parametrize("options", OPTIONS[2:], ids=str)
def test_drawn_from_the_likeliest(tmp_path, options):
    network = network_of("lstm", tied=True)
    assert_same(network, engine_of(network, tmp_path / "out"), options)


def test_weights_of_8_bits_write_texts_of_the_same_length(tmp_path):
    engine = engine_of(network_of("transformer"), tmp_path / "out", int8=True)
    found = written(engine.continue_texts(TEXTS, list("abcd"), OPTIONS[0], lambda row: row != 2))
    assert [len(tokens) for tokens, _ in found] == [19, 19, 19]


def test_random_numbers_are_those_of_torch():
    keys = ["1 a", "2 b"]
    generators = RowGenerators(keys, torch.device("cpu"))
    expected = torch.stack([generators.uniform([0, 1]) for _ in range(70)], 1)
    assert (uniform(keys, 70) == expected.numpy()).all()
