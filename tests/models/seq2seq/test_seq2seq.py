"""Every encoder with every bridge and every decoder: all steps at once equal one after the other."""

import pytest
import torch

from seqloom.config import check
from seqloom.errors import ConfigError
from seqloom.layers import fast_decoding
from seqloom.models.registry import names
from seqloom.models.seq2seq.model import Seq2Seq
from seqloom.models.seq2seq.settings import Seq2SeqConfig
from tests.sizes import lenient

SMALL = {
    "embedding": 6, "encoder_widths": [5, 4], "decoder_widths": [7, 3], "heads": 2, "hidden": 9, "dropout": 0.0,
    "length": 11,
}  # fmt: skip
ENCODERS = names("encoder")
DECODERS = names("decoder")
SCORES = ["additive", "dot", "scaled_dot", "bilinear", "cosine", "mlp_score", "projected"]


def settings(**changes):
    return lenient(Seq2SeqConfig, **{**SMALL, **changes})


def made(**changes):
    torch.manual_seed(3)
    return Seq2Seq.of_texts(settings(**changes), source_vocab=13, target_vocab=17).double().eval()


def batch():
    generator = torch.Generator().manual_seed(5)
    source = torch.randint(4, 13, (3, 6), generator=generator)
    written = torch.randint(4, 17, (3, 5), generator=generator)
    return source, torch.tensor([6, 2, 4]), written


def at_once(model, source, lengths, written):
    real = torch.ones_like(written, dtype=torch.bool)
    return model(source, lengths, written, real).view(*written.shape, -1)


def stepwise(model, source, lengths, written):
    state, rows = model.start(source, lengths), []
    for token in written.unbind(1):
        step = model.step(token, state)
        state = step.state
        rows.append(step.logits)
    return torch.stack(rows, 1)


def assert_parallel_equals_steps(model):
    source, lengths, written = batch()
    together = at_once(model, source, lengths, written)
    torch.testing.assert_close(together, stepwise(model, source, lengths, written))
    with torch.inference_mode():  # written in place, with packed weights, by fast blocks
        torch.testing.assert_close(together, stepwise(model, source, lengths, written))


@pytest.mark.parametrize("encoder", ENCODERS)
@pytest.mark.parametrize("decoder", DECODERS)
def test_every_encoder_works_with_every_decoder(encoder, decoder):
    assert_parallel_equals_steps(made(encoder=encoder, decoder=decoder))


@pytest.mark.parametrize("norm", ["before", "after"])
def test_blocks_have_their_norms_before_or_after(norm):
    model = made(name="transformer-tiny", norm=norm, encoder_widths=[6] * 2, decoder_widths=[6] * 3)
    assert_parallel_equals_steps(model)
    source, lengths, written = batch()
    rows = model.decoder(model.embedding(written), model.source(source, lengths))
    in_measure = torch.allclose(rows.mean(-1), torch.zeros(3, 5, dtype=torch.double), atol=1e-6)
    assert in_measure, "the last that happens to a row is a norm"


@pytest.mark.parametrize("bridge", ["last", "projected", "all"])
@pytest.mark.parametrize("decoder", ["rnn", "gru", "lstm", "ssru", "cnn", "transformer"])
@pytest.mark.parametrize("every_step", [False, True])
def test_every_fixed_context_works(bridge, decoder, every_step):
    if every_step and decoder not in ("rnn", "gru", "lstm"):
        with pytest.raises(ConfigError, match="needs a recurrent decoder"):
            settings(decoder=decoder, bridge=bridge, every_step=True)
        return
    assert_parallel_equals_steps(
        made(encoder="lstm", decoder=decoder, bridge=bridge, every_step=every_step, decoder_widths=[4, 4])
    )


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("decoder, order", [("gru", "attend-first"), ("gru", "state-first"), ("cnn", "attend-first")])
def test_every_score_works_in_both_orders(score, decoder, order):
    assert_parallel_equals_steps(made(encoder="gru", decoder=decoder, score=score, order=order, decoder_widths=[7, 4]))


@pytest.mark.parametrize("name", names("translate"))
def test_every_name_gives_scores_and_gradients_everywhere(name):
    torch.manual_seed(1)
    model = Seq2Seq.of_texts(check(Seq2SeqConfig, {"name": name, "length": 9}, where="test"), 19, 23)
    source, lengths, written = batch()
    at_once(model, source, lengths, written).square().mean().backward()
    silent = [name for name, weight in model.named_parameters() if weight.grad is None]
    assert not silent


def test_neither_padding_nor_neighbours_change_a_row():
    for decoder in DECODERS:
        model = made(encoder="gru", bidirectional=True, decoder=decoder)
        source, lengths, written = batch()
        together = at_once(model, source, lengths, written)
        alone = at_once(model, source[1:2, :2], lengths[1:2], written[1:2])
        torch.testing.assert_close(together[1:2], alone)


def test_the_future_is_not_seen():
    for decoder in DECODERS:
        model = made(decoder=decoder)
        source, lengths, written = batch()
        other = written.clone()
        other[:, 3] = 4 + (written[:, 3] - 3) % 13
        before = at_once(model, source, lengths, written)
        after = at_once(model, source, lengths, other)
        assert torch.equal(before[:, :3], after[:, :3])
        assert not torch.allclose(before[:, 3], after[:, 3])


def test_attention_is_a_distribution_over_the_words_of_the_source():
    source, lengths, written = batch()
    for decoder in DECODERS:
        model = made(decoder=decoder)
        step = model.step(written[:, 0], model.start(source, lengths, weights=True))
        layers = 2 if decoder in ("ssru", "cnn", "transformer") else 1
        assert len(step.attention) == layers
        for a in step.attention:
            assert a.shape == (3, 2 if decoder in ("ssru", "transformer") else 1, 6)
            torch.testing.assert_close(a.sum(-1), torch.ones(a.shape[:2], dtype=torch.double))
            assert a[1, :, 2:].abs().max() == 0
        assert not model.step(written[:, 0], model.start(source, lengths)).attention


def test_rows_of_a_state_can_be_chosen_and_go_on_alone():
    rows = torch.tensor([2, 0, 2])
    source, lengths, written = batch()
    for decoder in DECODERS:
        model = made(decoder=decoder)
        state = model.step(written[:, 0], model.start(source, lengths)).state
        chosen = model.step(written[rows, 1], model.select(state, rows, rows)).logits
        torch.testing.assert_close(chosen, model.step(written[:, 1], state).logits[rows])


@pytest.mark.parametrize("norm", ["before", "after"])
@pytest.mark.parametrize("short", [0, fast_decoding.SHORT])
@pytest.mark.parametrize("lengths", [[6], [6, 6, 6], [6, 2, 4], [3, 0, 5]], ids=str)
def test_the_fast_blocks_of_a_transformer_compute_what_its_blocks_do(monkeypatch, norm, short, lengths):
    monkeypatch.setattr(fast_decoding, "SHORT", short)
    model = made(name="transformer-tiny", norm=norm, heads=2, encoder_widths=[6] * 2, decoder_widths=[6] * 2)
    source, _, written = batch()
    source, rows = source[: len(lengths), : max(lengths)], torch.arange(len(lengths)).repeat_interleave(2)

    def run():
        state = model.start(source, torch.tensor(lengths))
        first = model.step(written[: len(lengths), 0], state)
        return first.logits, model.step(written.flatten()[: len(rows)], model.select(first.state, rows)).logits

    with torch.inference_mode():
        found = run()
    torch.testing.assert_close(found, run())


@pytest.mark.parametrize("decoder", DECODERS)
def test_hypotheses_of_one_source_share_what_was_read(decoder):
    source, lengths, written = batch()
    model = made(decoder=decoder)
    with torch.inference_mode():
        state = model.step(written[:, 0], model.start(source, lengths, weights=True)).state
        wide = model.step(written.flatten()[:9], model.select(state, torch.tensor([0, 0, 0, 1, 1, 1, 2, 2, 2])))
        rows, stay = torch.tensor([8, 6, 7, 1, 0, 0]), torch.tensor([2, 0])  # source 1 is done
        last = model.step(written[rows % 3, 2], model.select(wide.state, rows, stay))
        for number, row in enumerate(rows.tolist()):
            index = slice(row // 3, row // 3 + 1)
            alone = model.start(source[index, : lengths[index]], lengths[index], weights=True)
            for token in (written[index, 0], written.flatten()[row : row + 1], written[row % 3, 2][None]):
                step = model.step(token, alone)
                alone = step.state
            torch.testing.assert_close(last.logits[number : number + 1], step.logits)
            for together, by_itself in zip(last.attention, step.attention, strict=True):
                torch.testing.assert_close(together[number : number + 1, :, : lengths[index]], by_itself)


def test_lstm_to_lstm_hands_over_both_states():
    model = made(name="lstm-to-lstm", encoder_widths=[4, 4], decoder_widths=[4, 4])
    source, lengths, _ = batch()
    memory = model.source(source, lengths)
    states, _ = model.decoder.start(memory)
    for (h, c), (h_encoder, c_encoder) in zip(states, memory.states, strict=True):
        assert torch.equal(h, h_encoder) and torch.equal(c, c_encoder)


@pytest.mark.parametrize("encoder, decoder", [([8, 8], [8]), ([5, 8], [8, 8, 8]), ([4], [8])])
def test_the_cell_state_of_the_top_layer_is_handed_over_too(encoder, decoder):
    both = len(encoder) == 1
    model = made(name="lstm-to-lstm", encoder_widths=encoder, decoder_widths=decoder, bidirectional=both)
    source, lengths, _ = batch()
    memory = model.source(source, lengths)
    top = memory.states[-1]
    right = torch.cat([top.forward.c, top.backward.c], -1) if both else top.c
    states, _ = model.decoder.start(memory)
    for state in states:
        torch.testing.assert_close(state.h, memory.last)
        assert torch.equal(state.c, right)


def test_tied_weights_are_one():
    model = made(tied="target")
    assert model.readout.embedding is model.embedding
    assert len({id(weight) for weight in model.parameters()}) == len(list(model.parameters()))
    with pytest.raises(ConfigError, match=r"tokens\.joint"):
        made(tied="all")


@pytest.mark.parametrize(
    "name, changes, words",
    [
        (
            "tranformer",
            {},
            "name: no architecture is called 'tranformer'\n.*did you mean transformer.*hybrid",
        ),
        ("rnn-attention", {"decoder": "lsmt"}, "decoder: no decoder is called 'lsmt'\n.*did you mean lstm"),
        ("rnn-attention", {"decoder": "self-attentive-rnn"}, "decoder: self-attentive-rnn cannot be a decoder"),
        ("transformer-tiny", {"heads": 5, "embedding": 128}, "5 heads do not divide"),
        ("rnn-attention", {"score": "dot"}, "dot cannot compare states 256 wide with memory 512 wide"),
        ("lstm-to-lstm", {"decoder_widths": [9]}, "the last state has width 256"),
        ("attention-alone", {"bridge": "last"}, "needs attention"),
        ("rnn-attention", {"input_feeding": True}, "needs attention after the state update"),
        ("hybrid", {"norm": "after"}, "norms before each part"),
        ("transformer", {"score": "cosine"}, "score: is a setting of rnn, gru, .*cnn; transformer to transformer"),
        (
            "encoder-decoder",
            {"score": "dot"},
            "score: is a setting of .*; gru to gru with bridge projected",
        ),
        ("conv-seq2seq", {"order": "state-first"}, "order: is a setting of rnn, gru, .*; cnn to cnn"),
        ("transformer-tiny", {"bidirectional": True}, "bidirectional: is a setting of rnn, gru, .*self-attentive-rnn;"),
        ("rnn-attention", {"norm": "after"}, "norm: is a setting of transformer; gru to gru"),
        (
            "attention-alone",
            {"encoder_widths": [7]},
            "encoder_widths: is a setting of rnn, gru, .*; words to attention",
        ),
        ("dot-attention", {"hidden": 7}, "hidden: is a setting of .*transformer.*; lstm to lstm"),
        (
            "transformer",
            {"embedding": 7, "heads": 1},
            "embedding: sinusoidal positions need an even width, and 7 is odd",
        ),
    ],
)
def test_what_cannot_be_built_says_why(name, changes, words):
    with pytest.raises(ConfigError, match=words):
        check(Seq2SeqConfig, {"name": name, **changes}, where="test")


def test_a_preset_is_no_choice_of_the_user():
    assert settings(name="rnn-attention", encoder="words").bidirectional, "left unread, as the name has it"
    assert settings(name="transformer", encoder="gru", decoder="gru").heads == 2


def test_an_order_by_its_old_name_is_named_anew_and_folders_that_have_it_still_load():
    old = {"name": "rnn-attention", "order": "look-first"}
    with pytest.raises(ConfigError, match=r"order: look-first is called attend-first now\n.*write order = "):
        check(Seq2SeqConfig, old, where="test")
    assert check(Seq2SeqConfig, old, where="test", saved=True) == Seq2SeqConfig(name="rnn-attention")
