"""One run of an exported graph writes what torch writes: every architecture, greedy, with beams, drawn."""

from typing import Any

import numpy as np
import pytest
import torch

from seqloom.engines.onnx_generation import OnnxGenerator
from seqloom.engines.onnx_generation_export import export_generation, generation_spec
from seqloom.engines.settings import WRITER, EngineMetadata
from seqloom.errors import ConfigError, DamagedError, SeqloomError
from seqloom.models.registry import names
from seqloom.models.seq2seq.model import Seq2Seq
from seqloom.models.seq2seq.settings import Seq2SeqConfig
from seqloom.storage import new_folder, open_files
from seqloom.tasks.requests import TaskRequest
from seqloom.tasks.seq2seq_decoding import write_steps
from seqloom.tasks.translate.options import TranslateOptions
from seqloom.tokens.settings import EOS
from tests.sizes import lenient

VOCABULARY = 13
SMALL = {
    "embedding": 6, "encoder_widths": [6, 6], "decoder_widths": [6], "heads": 2, "hidden": 9, "dropout": 0.0,
    "length": 40,
}  # fmt: skip


class Prefix:
    """A tokenizer where only the prefix is asked for."""

    def encode(self, text: str) -> list[int]:
        return [int(token) for token in text.split()]


def network_of(**changes):
    torch.manual_seed(3)
    network = Seq2Seq.of_texts(lenient(Seq2SeqConfig, **{**SMALL, **changes}), VOCABULARY, VOCABULARY)
    with torch.no_grad():
        for weight in network.parameters():
            weight.add_(torch.randn_like(weight), alpha=0.3)  # far from symmetric: no two tokens are equally likely
    return network.eval()


def engine_of(network, folder, *, int8=False):
    with new_folder(folder) as part:
        export_generation(generation_spec(network), part, 60, int8=int8)
    facts = EngineMetadata(engine="onnx", task="translate", files=[WRITER], limit=60)
    return OnnxGenerator(open_files(folder), facts, 1, VOCABULARY)


def sources_of(lengths):
    random = np.random.default_rng(5)
    return [[*random.integers(4, VOCABULARY, length - 1).tolist(), EOS] for length in lengths]


def in_torch(network, sources, options, requests):
    lengths = [len(row) for row in sources]
    padded = torch.tensor([row + [0] * (max(lengths) - len(row)) for row in sources])
    with torch.inference_mode():
        state = network.start(padded, torch.tensor(lengths))
    cpu = torch.device("cpu")
    tokenizer: Any = Prefix()
    steps = write_steps(network, state, lengths, requests, tokenizer, options, cpu)
    return gathered(steps)


def gathered(steps):
    found = {update.number: update.sequences for step in steps for update in step if update.finished}
    return [found[number] for number in sorted(found)]


def in_onnx(engine, sources, options, requests):
    return gathered(engine.write_steps(sources, requests, Prefix().encode(options.prefix), options))


def assert_same(theirs, ours):
    assert [[one.tokens for one in each] for each in theirs] == [[one.tokens for one in each] for each in ours]
    for one, other in zip(theirs, ours, strict=True):
        for a, b in zip(one, other, strict=True):
            assert a.token_scores == pytest.approx(b.token_scores, abs=1e-4)
            assert (a.score, a.ended) == (pytest.approx(b.score, abs=1e-4), b.ended)


OPTIONS = [
    TranslateOptions(beam=1, max_length=9),
    TranslateOptions(beam=4, n_best=3, max_ratio=0.1),
]
LENGTHS = [(5,), (3, 7, 1, 4)]


def check(network, engine, options):
    for lengths in LENGTHS:
        sources = sources_of(lengths)
        requests = [TaskRequest("", f"7 {number}") for number in range(len(sources))]
        given = in_torch(network, sources, options, requests)
        assert_same(in_onnx(engine, sources, options, requests), given)


@pytest.mark.parametrize("name", names("translate"))
def test_every_translator(tmp_path, name):
    network = network_of(name=name)
    engine = engine_of(network, tmp_path / "out")
    for options in OPTIONS:
        check(network, engine, options)


@pytest.mark.parametrize("encoder", names("encoder"))
def test_every_encoder(tmp_path, encoder):
    network = network_of(encoder=encoder, decoder="gru", bridge="attention")
    check(network, engine_of(network, tmp_path / "out"), OPTIONS[1])


@pytest.mark.parametrize("decoder", names("decoder"))
def test_every_decoder_that_copies(tmp_path, decoder):
    network = network_of(encoder="lstm", decoder=decoder, bridge="attention", copying=True)
    check(network, engine_of(network, tmp_path / "out"), OPTIONS[1])


@pytest.fixture(scope="module")
def attentive(tmp_path_factory):
    network = network_of(encoder="transformer", decoder="transformer", bridge="attention")
    return network, engine_of(network, tmp_path_factory.mktemp("attentive") / "out")


@pytest.mark.parametrize(
    "options",
    [
        {"beam": 3, "length_penalty": 0.0}, {"beam": 5, "n_best": 5, "length_penalty": 2.5},
        {"beam": 2, "min_length": 6},
        {"beam": 3, "no_repeat": 2}, {"beam": 1, "no_repeat": 1}, {"beam": 2, "n_best": 2, "prefix": "5 7 7"},
        {"beam": 4, "early_stopping": False, "n_best": 2}, {"beam": 20, "n_best": 9, "max_length": 3},
        {"temperature": 1.2, "n_best": 3}, {"temperature": 0.8, "top_k": 4, "top_p": 0.7, "no_repeat": 2},
    ],
    ids=str,
)  # fmt: skip
def test_every_option_of_the_search(attentive, options):
    network, engine = attentive
    check(network, engine, TranslateOptions(**{"max_length": 12, **options}))


def test_one_that_nobody_waits_for_is_left_out(attentive):
    network, engine = attentive
    sources, options = sources_of((3, 4)), OPTIONS[0]
    requests = [TaskRequest("", "a", wanted=False), TaskRequest("", "b")]
    ((update,),) = engine.write_steps(sources, requests, [], options)
    assert update.number == 1
    assert_same([update.sequences], in_torch(network, sources[1:], options, requests[1:]))
    with pytest.raises(ConfigError, match="likeliest: the engine onnx has no other than 0"):
        next(engine.write_steps(sources, requests, [], TranslateOptions(likeliest=3)))


@pytest.mark.parametrize("name", ["rnn-attention", "transformer-tiny"])
def test_weights_of_8_bits_write(tmp_path, name):
    network = network_of(name=name)
    engine = engine_of(network, tmp_path / "out", int8=True)
    requests = [TaskRequest("") for _ in range(4)]
    found = in_onnx(engine, sources_of((3, 7, 1, 4)), OPTIONS[1], requests)
    assert all(len(each) == 3 and all(one.tokens or one.ended for one in each) for each in found)


def test_a_decoder_of_another_package(tmp_path):
    """A state that nothing here has ever seen: it traces, so it is written."""
    network = network_of(encoder="gru", decoder="gru", bridge="attention")
    network.decoder = Counting(network.decoder)
    check(network, engine_of(network, tmp_path / "out"), OPTIONS[1])


class Counting(torch.nn.Module):
    """A decoder whose state has a number of its own and a tensor that grows."""

    def __init__(self, inner):
        super().__init__()
        self.inner, self.output_size, self.limit = inner, inner.output_size, None

    def start(self, memory):
        return {"never looked at"}, 1, memory.hidden.new_zeros(memory.hidden.shape[0], 1), self.inner.start(memory)

    def step(self, x, state, *, weights):
        beside, number, seen, inner = state
        y, inner, _ = self.inner.step(x, inner, weights=weights)
        seen = torch.cat([seen, y[:, :1] * number], 1)
        return y + seen.mean(1, keepdim=True), (beside, number + 1, seen, inner), ()


def test_what_changes_its_structure_is_refused(tmp_path):
    network = network_of(encoder="gru", decoder="gru", bridge="attention")
    network.decoder = Listing(network.decoder)
    with pytest.raises(SeqloomError, match="cannot be written as an ONNX graph: its state changes its structure"):
        engine_of(network, tmp_path / "out")
    assert not (tmp_path / "out").exists()


class Listing(Counting):
    """A decoder that keeps a list, a tensor longer with every step."""

    def start(self, memory):
        return [], self.inner.start(memory)

    def step(self, x, state, *, weights):
        kept, inner = state
        y, inner, _ = self.inner.step(x, inner, weights=weights)
        return y, ([*kept, y], inner), ()


def test_a_graph_that_would_read_other_files_is_refused(attentive, tmp_path):
    with new_folder(tmp_path / "out") as part:
        (part / WRITER).write_bytes(b"\x08\x09 ... location ... ../../secret")
    facts = EngineMetadata(engine="onnx", task="translate", files=[WRITER])
    with pytest.raises(DamagedError, match="its graph names other files"):
        OnnxGenerator(open_files(tmp_path / "out"), facts, 1, VOCABULARY)
