"""Models by name as equations: a step of the definition, with the model's own weights, is a step of the model."""

from collections.abc import Mapping

import pytest
import torch
from torch.testing import assert_close

from seqloom.equations import Equations
from seqloom.equations.count import parameters
from seqloom.equations.drawing.graph import call_paths
from seqloom.equations.plain import plain
from seqloom.equations.trace import Number
from seqloom.models.part import Part
from seqloom.models.registry import names
from seqloom.models.seq2seq.model import Seq2Seq
from tests.models.seq2seq.test_seq2seq import SCORES, made

SMALL = {"encoder_widths": [5], "decoder_widths": [7]}
NAMED = {
    "lstm-to-lstm": {"encoder_widths": [5], "decoder_widths": [5]},
    "dot-attention": {"encoder_widths": [5], "decoder_widths": [5]},
    "conv-seq2seq": {"encoder_widths": [6] * 2, "decoder_widths": [6] * 3},
    "transformer-tiny": {"encoder_widths": [6] * 4, "decoder_widths": [6] * 4},
    "transformer": {"encoder_widths": [6] * 3, "decoder_widths": [6] * 3},
    "transformer-base": {"encoder_widths": [6] * 6, "decoder_widths": [6] * 6},
    "hybrid": {"encoder_widths": [6] * 2, "decoder_widths": [6] * 2},
}
SOURCE, WRITTEN = torch.tensor([[4, 9, 5, 11]]), [2, 7, 7, 16, 4]


@pytest.fixture(autouse=True)
def exact(monkeypatch):
    """Places are made in the default type: in double, so that equal means the same mathematics."""
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)


def named(name: str, **changes) -> Seq2Seq:
    model: Seq2Seq = made(name=name, **{**SMALL, **NAMED.get(name, {}), **changes})
    with torch.no_grad():  # so that no bias, scale or shift is without effect
        for weight in model.parameters():
            weight.add_(0.1 * torch.randn_like(weight))
    return model


def decoder_of(model: Seq2Seq, source=SOURCE) -> Part:
    return model.parts(source, WRITTEN)[-1]


def attention_in(values: Mapping[str, Number]) -> list[torch.Tensor]:
    """The shares of the source in a trace, layer by layer, as (N, S) for the newest word."""
    found = {
        id: torch.as_tensor(value)
        for id, value in values.items()
        if id.rpartition("/")[2] == "alpha" or ("head" in id and id.endswith("/A"))
    }
    layers = []
    for id, value in found.items():
        if value.ndim == 3 and id.split("/")[1][0] in "YA":  # a Transformer's look at its own words
            continue
        layers.append(value[None] if value.ndim == 1 else value[:, -1] if value.ndim == 3 else value)
    return layers


def assert_steps_agree(model: Seq2Seq) -> None:
    part = decoder_of(model)
    state = model.start(SOURCE, torch.tensor([4]), weights=True)
    for word, traced in zip(WRITTEN, part.traces(), strict=True):
        step = model.step(torch.tensor([word]), state)
        state = step.state
        assert_close(traced.values["z"], step.logits[0])
        assert_close(traced.values["p"], torch.softmax(step.logits[0], -1))
        seen = attention_in(traced.values) if model.looks else []  # shares of one row are not handed out
        assert len(seen) == len(step.attention)
        for one, other in zip(seen, step.attention, strict=True):
            assert_close(one, other[0])


@pytest.mark.parametrize("name", names("translate"))
def test_every_model_by_name_computes_its_equations(name):
    assert_steps_agree(named(name))


@pytest.mark.parametrize("order", [{}, {"input_feeding": True}])
@pytest.mark.parametrize("decoder", ["rnn", "gru", "lstm"])
def test_the_other_order_with_any_cell(decoder, order):
    assert_steps_agree(named("rnn-attention", decoder=decoder, order="state-first", **order))


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("decoder", ["gru", "cnn"])
def test_every_score(decoder, score):
    assert_steps_agree(named("rnn-attention", decoder=decoder, score=score, decoder_widths=[10]))


@pytest.mark.parametrize("decoder", names("decoder"))
def test_several_layers_of_different_widths_and_a_memory_of_another(decoder):
    assert_steps_agree(named("rnn-attention", decoder=decoder, decoder_widths=[7, 3]))


@pytest.mark.parametrize("bridge", ["last", "projected", "all"])
@pytest.mark.parametrize("decoder", ["gru", "lstm", "transformer", "ssru", "cnn"])
def test_a_fixed_context(decoder, bridge):
    assert_steps_agree(named("encoder-decoder", decoder=decoder, bridge=bridge, decoder_widths=[5, 5]))


@pytest.mark.parametrize("name, changes", [("rnn-attention", {}), ("transformer", {}), ("lstm-to-lstm", {})])
def test_tied_words(name, changes):
    model = named(name, tied="target", **changes)
    assert "E.T" in model.definition.source.text
    assert_steps_agree(model)


@pytest.mark.parametrize("name", names("translate"))
def test_the_definition_has_the_weights_of_decoder_and_words_and_no_others(name):
    model = named(name)
    counted = parameters(model.symbols())
    held = [*model.decoder.parameters(), *model.words.parameters(), *model.readout.parameters()]
    bridge = model.parts(SOURCE, WRITTEN)[-2]
    made = sum(parameters(bridge.symbols).values()) if bridge.name == "bridge" else 0
    assert sum(counted.values()) == sum(weight.numel() for weight in held) - made


@pytest.mark.parametrize("name", names("translate"))
def test_a_decoder_by_itself_goes_from_row_to_row(name):
    model = named(name)
    decoder, definition = model.decoder, model.decoder.definition
    assert isinstance(definition, Equations)
    memory = model.reader(SOURCE, torch.tensor([4]))
    x = model.words(torch.tensor([WRITTEN[0]]))
    row, _, _ = decoder.step(x, decoder.start(memory), weights=False)
    given = {name: value[0] for name, value in decoder.begin(memory).items()}
    look = torch.ones(1, 4, dtype=torch.bool)
    given |= {"x": x[0], "i": torch.tensor(0), "causal": look[:, :1], "mask": look}
    results = definition(*(given[symbol.name] for symbol in definition.body.inputs), **decoder.symbols())
    last = results[-1] if isinstance(results, tuple) else results
    if name in ("encoder-decoder", "lstm-to-lstm"):  # there the row is the state itself
        last = results[0] if isinstance(results, tuple) else results
    assert_close(last, row[0])


@pytest.mark.parametrize("name", names("translate"))
def test_the_encoder_computes_its_equations(name):
    assert_encoder_agrees(named(name))


@pytest.mark.parametrize("encoder", ["rnn", "gru", "lstm", "self-attentive-rnn"])
def test_both_readers_compute_their_equations(encoder):
    assert_encoder_agrees(named("rnn-attention", encoder=encoder, encoder_widths=[5, 3]))


def test_rows_of_zeros_have_no_angle_in_the_equations_either():
    model = named("rnn-attention", encoder="cnn", bidirectional=False, score="cosine", decoder_widths=[5])
    with torch.no_grad():
        model.get_parameter("reader.encoder.layers.0.b").fill_(-100.0)
    assert not model.reader(SOURCE, torch.tensor([4])).rows.any()
    assert_steps_agree(model)


def test_norms_after_each_part():
    model = named("transformer", norm="after")
    assert "pre_norm" not in model.definition.source.text
    assert_steps_agree(model)
    assert_encoder_agrees(model)
    held = sum(weight.numel() for weight in named("transformer").parameters())
    assert sum(weight.numel() for weight in model.parameters()) == held - 2 * 2 * 6, "the norms at both ends"


def assert_encoder_agrees(model: Seq2Seq) -> None:
    *parts, _ = model.parts(SOURCE, WRITTEN)
    read = [part for part in parts if part.name.startswith("encoder")]
    assert read
    rows = model.reader(SOURCE, torch.tensor([4])).rows[0]
    traces = read[-1].traces()
    made_rows = (
        traces[0].results[0]
        if len(traces) == 1
        else torch.stack([torch.as_tensor(trace.results[0]) for trace in traces])
    )
    assert_close(made_rows, rows)


@pytest.mark.parametrize("name, bridge", [("encoder-decoder", "projected"), ("lstm-to-lstm", "all")])
def test_the_bridge_computes_its_equations(name, bridge):
    model = named(name, bridge=bridge, encoder_widths=[5, 5], decoder_widths=[5, 5])
    parts = model.parts(SOURCE, WRITTEN)
    (first,) = (part for part in parts if part.name == "bridge")
    assert_close(list(first.traces()[0].results), list(parts[-1].start.values()))


def test_nothing_is_made_where_the_state_is_handed_on():
    assert all(part.name != "bridge" for part in named("lstm-to-lstm").parts(SOURCE, WRITTEN))


def test_formulas_are_those_of_the_papers():
    assert plain(named("rnn-attention").definition) == [
        "xₜ = E_yₜ",
        "cₜ = soft-attention(sₜ₋₁, H; attention)",
        "sₜ = gru-reset-after([xₜ, cₜ], sₜ₋₁; cell)",
        "oₜ = tanh([sₜ, cₜ, xₜ] Wₒ + bₒ)",
        "zₜ = readout(oₜ; output)",
        "pₜ = softmax(zₜ)",
    ]
    other = plain(named("rnn-attention", order="state-first").definition)
    assert other[1:3] == ["sₜ = gru-reset-after([xₜ, cₜ₋₁], sₜ₋₁; cell)", "cₜ = soft-attention(sₜ, H; attention)"]


def test_a_model_opens_down_to_a_single_gate():
    paths = call_paths(named("rnn-attention").definition)
    assert {"c", "s", "z"} <= set(paths)
    gates = [id for id in decoder_of(named("rnn-attention")).traces(1)[0].values if id in ("s/r", "s/z")]
    assert gates == ["s/r", "s/z"]
    assert any(path.count("/") == 2 for path in call_paths(named("transformer").definition))


def test_definitions_of_one_shape_are_alike_to_the_letter():
    assert named("transformer").definition.source.text == named("transformer").definition.source.text
    assert named("transformer-tiny").definition.source.text != named("transformer").definition.source.text
