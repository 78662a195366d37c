"""Trained models opened with a sentence: what is recorded is what the model itself computes."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import torch
from playwright.sync_api import expect
from torch.testing import assert_close

from seqloom.errors import SeqloomError
from seqloom.explaining.explain import explain, latex_of
from seqloom.explaining.influence import forgetting_of, influence
from seqloom.explaining.page import page, parameters
from seqloom.explaining.values import part_of
from seqloom.explaining.walkthrough import Walkthrough
from seqloom.models import registry
from seqloom.models.encoders.base import Encoder
from seqloom.models.registry import names
from seqloom.tasks.stages import read_words
from seqloom.tokens.settings import BOS, EOS, PAD, TokenConfig
from seqloom.tokens.tokenizer import Tokenizer
from seqloom.training.loading import load
from seqloom.training.run import train
from tests.sizes import load_fitting
from tests.tasks.written_numbers import write_pairs
from tests.typed import typed

SMALL = [
    "tokens.kind=word", "model.embedding=8", "model.encoder_widths=[6]", "model.decoder_widths=[6]", "model.heads=2",
    "model.hidden=10", "train.warmup_steps=1", "train.batch_tokens=300", "train.learning_rate=0.02", "train.steps=40",
    "train.evaluate_every=100", "train.checkpoint_every=100", "translate.measure=loss",
]  # fmt: skip
TALKATIVE = ["train.steps=3"]
"""A translator that has not yet learned to stop."""
READER = [
    "tokens.kind=word", "model.embedding=8", "model.widths=[6]", "model.heads=2", "model.hidden=10", "train.steps=2",
    "train.warmup_steps=1", "train.evaluate_every=100", "train.checkpoint_every=100", "train.batch_tokens=300",
    "train.choose=false", "train.baseline=false",
]  # fmt: skip


def walked(folder: Path, sentence: str | None = None) -> Any:
    found = explain(folder, sentence)
    assert isinstance(found, Walkthrough)
    return found


def loaded(folder: Path) -> Any:
    return load(folder)


def forgotten(folder: Path) -> Any:
    return forgetting_of(folder, "fine bad day")


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("trained")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SEQLOOM_CACHE", str(folder / "cache"))
        yield folder


@pytest.fixture(scope="module")
def translator(place):
    """Makes translators by name; each once."""
    data = write_pairs(place / "pairs.tsv")
    made: dict[tuple[str, ...], Path] = {}

    def make(name: str, *changes: str) -> Path:
        if (name, *changes) not in made:
            config = load_fitting([*SMALL, *changes], task="translate", data__train=str(data), model__name=name)
            folder = place / f"run{len(made)}"
            train(config, folder, quiet=True)
            made[name, *changes] = folder
        return made[name, *changes]

    return make


@pytest.fixture(scope="module")
def reader(place):
    """Makes models that read one sequence."""
    kinds = ["good\tpos", "fine day\tpos", "bad\tneg", "awful bad day\tneg"] * 9
    (place / "kinds.tsv").write_text("text\tlabel\n" + "\n".join(kinds) + "\n")
    (place / "text.txt").write_text("the cat sat down\nthe dog ran\n" * 20)
    (place / "tags.conll").write_text("the\tDET\ncat\tNOUN\nsat\tVERB\n\nthe\tDET\ndog\tNOUN\nran\tVERB\n\n" * 9)
    files = {"classify": "kinds.tsv", "generate": "text.txt", "tag": "tags.conll"}

    def make(task: str, name: str, *changes: str) -> Path:
        if task == "tag":
            changes = ("data.columns.tokens=1", "data.columns.tags=2", *changes)
        given = [*READER, *changes, f"data.train={place / files[task]}"]
        folder: Path = place / f"{task}-{name}-{len(list(place.iterdir()))}"
        train(load_fitting(given, task=task, model__name=name), folder, quiet=True)
        return folder

    return make


def recorded(walk: Walkthrough, name: str) -> list[torch.Tensor]:
    return [torch.as_tensor(trace.values[name]) for trace in walk.last.traces]


@pytest.mark.parametrize(
    "name", ["rnn-attention", "lstm-to-lstm", "transformer", "conv-seq2seq", "hybrid", "attention-alone"]
)
def test_recorded_probabilities_are_those_of_the_model(translator, name):
    changes = {"conv-seq2seq": ("model.encoder_widths=[8]", "model.decoder_widths=[8]")}
    folder = translator(name, *changes.get(name, ()))
    walk = walked(folder, "4 0 7")
    model = loaded(folder)
    tokens = [*model.task.source_tokenizer.encode("4 0 7"), EOS]
    state = model.network.start(torch.tensor([tokens]), torch.tensor([len(tokens)]))
    entries, last = model.task.target_tokenizer.vocabulary, BOS
    for label, p in zip(walk.last.labels, recorded(walk, "p"), strict=True):
        with torch.no_grad():
            step = model.network.step(torch.tensor([last]), state)
        state = step.state
        assert_close(p, torch.softmax(step.logits[0], -1), atol=1e-5, rtol=1e-5)
        last = int(p.index_fill(0, torch.tensor([PAD, BOS]), 0).argmax())
        assert label == entries[last]
    assert walk.title.startswith("4 0 7 → ")
    written = model("4 0 7", beam=1, attention=False, max_length=30).text
    assert walk.title.removeprefix("4 0 7 → ").startswith(written)


def test_the_best_tokens_are_shown_with_their_probabilities_and_no_others(translator):
    walk = walked(translator("rnn-attention"), "1 2")
    model = loaded(translator("rnn-attention"))
    entries = model.task.target_tokenizer.vocabulary
    for step, p in zip(walk.last.steps, recorded(walk, "p"), strict=True):
        value = step.values["p"]
        best = p.topk(10)
        assert value.rows == [entries[word] for word in best.indices]
        assert value.data == pytest.approx(best.values.tolist(), rel=1e-3)
        assert (value.shape, value.of) == ((10, 1), (len(entries),))
        assert step.values["z"].rows == value.rows
    used = walk.last.steps[0].values["x/E"]
    assert used.rows is not None and "<bos>" in used.rows and len(used.rows) < len(entries)
    numbers = torch.as_tensor(walk.last.traces[0].values["x/E"])[entries.index("<bos>")]
    start = used.rows.index("<bos>") * 8
    assert used.data[start : start + 8] == pytest.approx(numbers.tolist(), rel=1e-3)


def test_axes_bear_the_models_own_words(translator):
    walk = walked(translator("transformer"), "5 5 1")
    values = walk.last.steps[-1].values
    read = loaded(translator("transformer")).task.source_tokenizer
    assert values["H"].rows == [*read.tokenize("5 5 1"), "<eos>"]
    assert values["X"].rows == ["<bos>", *walk.last.labels][: values["X"].shape[0]]
    looked = next(value for id, value in values.items() if re.fullmatch(r"blocks/Y\^1/Z\.\d+/head\.\d+/A", id))
    assert looked.columns == values["H"].rows and looked.rows == values["X"].rows


def test_an_encoder_is_read_word_by_word_from_both_ends(translator):
    encoder = dict(walked(translator("rnn-attention"), "5 5 1").parts)["encoder"]
    assert list(encoder.labels) == ["5", "5", "1", "<eos>"]
    cells = [f"H/layers/X^1/H_{way}/h" for way in ("fwd", "bwd")]
    both = [torch.as_tensor(step.values["H/layers/X^1/Y"].data).reshape(4, 12) for step in encoder.steps]
    for at, (trace, whole) in enumerate(zip(encoder.traces, both, strict=True)):
        here = torch.cat([torch.as_tensor(trace.values[cell]) for cell in cells])
        assert_close(here, whole[at], atol=1e-3, rtol=1e-3)
        assert encoder.steps[at].values[cells[0]].columns is None, "of one word: no words along its axis"
    assert torch.equal(encoder.traces[0].values[f"{cells[1]}.before"], encoder.traces[1].values[cells[1]])
    assert torch.equal(encoder.traces[1].values[f"{cells[0]}.before"], encoder.traces[0].values[cells[0]])


def test_a_page_holds_the_words_and_opens_down_to_a_gate(translator, tmp_path):
    walk = walked(translator("rnn-attention"), "8 3")
    text = walk.save(tmp_path / "page.html").read_text(encoding="utf-8")
    (found,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    steps = [[step["label"] for step in part["steps"]] for part in json.loads(found)["parts"]]
    assert steps == [["8", "3", "<eos>"], [""], list(walk.last.labels)]
    assert 'data-path="s"' in text and 'data-id="s/r"' in text
    assert 'data-path="H/layers/X^1/H_bwd"' in text and 'data-id="H/layers/X^1/H_bwd/r"' in text
    assert [name for name, _ in walk.parts] == ["encoder", "bridge", "decoder"]


def test_what_opens_is_called_by_its_part_and_its_layer(translator):
    two = ("model.encoder_widths=[8,8]", "model.decoder_widths=[8,8]", *TALKATIVE)
    decoder = walked(translator("transformer", *two), "4 0 7").last
    names = {view.path: view.trail for view in decoder.views}
    assert names["blocks"] == "block × 2"
    assert names["blocks/Y^2"] == "block 2: decoder-block-pre-norm"
    assert names["blocks/Y^2/Y.1"] == "self attention: multi-head"
    layers = next(view for view in decoder.views if view.path == "blocks")
    assert layers.title == f"block × 2: {layers.symbols[-3].sense}"
    assert "for block in blocks" in re.sub("<[^>]+>", "", layers.code) and "def " not in layers.code
    assert all(note.sense for view in decoder.views for note in view.symbols)


@pytest.mark.parametrize(
    "name, changes",
    [
        ("rnn-attention", ("model.tied=target",)),
        ("rnn-attention", ("model.encoder=lstm", "model.decoder=lstm", "model.encoder_widths=[6,6]",
                           "model.decoder_widths=[6,6]", *TALKATIVE)),
        ("transformer", ("model.encoder_widths=[8,8]", "model.decoder_widths=[8,8]", *TALKATIVE)),
    ],
)  # fmt: skip
def test_the_parameters_of_all_stages_are_those_of_the_model(translator, name, changes):
    folder = translator(name, *changes)
    walk = walked(folder, "1 2")
    network = loaded(folder).network
    assert sum(part.total for _, part in walk.parts) == sum(each.numel() for each in network.parameters())
    for _, part in walk.parts:
        views = {view.path: view for view in part.views}
        for path, view in views.items():
            if "×" in view.name:
                whole = parameters(views[path.rpartition("/")[0]], part)[path]
                assert sum(parameters(view, part).values()) == whole, "all layers together"


@pytest.mark.parametrize("tied", ["none", "target"])
def test_a_page_with_a_long_vocabulary_and_wide_layers_stays_small(place, tied):
    data = place / "many.tsv"
    data.write_text("".join(f"w{n} w{n + 1}\tv{n} v{n + 1}\n" for n in range(0, 8000, 2)))
    wide = [
        "tokens.kind=word", "tokens.size=9000", "tokens.joint=false", "model.embedding=64",
        "model.encoder_widths=[128]", "model.decoder_widths=[128]", "model.hidden=128", "train.steps=1",
        "train.warmup_steps=0", f"model.tied={tied}",
    ]  # fmt: skip
    folder = place / f"wide-{tied}"
    train(load_fitting(wide, task="translate", data__train=str(data), model__name="rnn-attention"), folder, quiet=True)
    walk = walked(folder, "w0 w1 w2 w3 w4 w5")
    assert loaded(folder).task.target_tokenizer.size > 7000
    assert len(page(walk)) < 3_000_000
    assert walk.last.limit is not None
    assert walk.last.steps[0].values["s"].note.startswith("the first ")


def test_a_sentence_as_long_as_the_model_reads_is_opened_too(translator):
    folder = translator(
        "rnn-attention", "model.encoder=mixer", "model.bidirectional=false", "model.length=8", *TALKATIVE
    )
    walk = walked(folder, "1 2 3 4 5 6 7 8 9")
    *_, encoder = (part for name, part in walk.parts if name.startswith("encoder"))
    assert encoder.traces[0].results[0].shape[0] == 8
    assert encoder.steps[0].values["X"].rows == ["1", "2", "3", "4", "5", "6", "7", "<eos>"]


def test_what_is_cut_says_so():
    value = part_of(torch.arange(12.0).reshape(3, 4), [["a", "b", "c"], None], 2)
    assert (value.shape, value.of, value.note) == ((3, 2), (3, 4), "the first 3 × 2 of 3 × 4")
    assert value.data == [0.0, 1.0, 4.0, 5.0, 8.0, 9.0]
    assert value.rows == ["a", "b", "c"]


@pytest.mark.parametrize("name", names("encoder"))
def test_a_classifier_is_explained_with_its_answer(reader, name):
    folder = reader("classify", name, "model.pooling=attention", "model.widths=[6,5]")
    model, walk = loaded(folder), walked(folder, "fine bad day")
    answer = model("fine bad day")
    assert walk.title == f"fine bad day → {answer}"
    found = walk.last.steps[0].values["p"]
    p = dict(zip(found.rows or [], found.data, strict=True))
    assert set(p) == {"neg", "pos"}
    assert max(p, key=lambda label: p[label]) in str(answer)
    w = torch.tensor([model.task.tokenizers["text"].encode("fine bad day")])
    with torch.no_grad():
        hidden = model.network.encoder(model.network.embedding(w), torch.tensor([3]))[0]
    assert_close(recorded(walk, "H")[0], hidden)
    assert walk.last.steps[0].values["H"].rows == ["fine", "bad", "day"]
    assert [name for name, _ in walk.parts] == ["classifier"]


def test_a_tagger_and_a_language_model_are_explained_word_by_word(reader):
    folder = reader("tag", "lstm", "model.bidirectional=true")
    tagged, tagger = walked(folder, "the cat ran"), loaded(folder)
    assert list(tagged.last.labels) == ["the", "cat", "ran"]
    for step, tag in zip(tagged.last.steps, tagger("the cat ran").tags, strict=True):
        assert {"DET", "NOUN", "VERB"} == set(step.values["P"].rows or [])
        assert (step.values["P"].rows or [])[0] == tag
    folder = reader("generate", "transformer", "model.tied=true")
    written, model = walked(folder, "the cat"), loaded(folder)
    tokens = torch.tensor([[EOS, *model.task.tokenizer.encode("the cat")]])
    with torch.no_grad():
        p = torch.softmax(model.network(tokens, torch.tensor([3]))[0], -1)
    assert_close(recorded(written, "P")[0], p, atol=1e-5, rtol=1e-5)
    assert list(written.last.labels) == ["<eos>", "the", "cat"]
    for at, step in enumerate(written.last.steps):
        best = p[at].topk(min(10, p.shape[1]))
        assert step.values["P"].rows == [model.task.tokenizer.vocabulary[token] for token in best.indices]
        assert step.values["P"].data == pytest.approx(best.values.tolist(), rel=1e-3)
    assert written.last.total == sum(weight.numel() for weight in model.network.parameters()), "a tied weight once"


def test_the_characters_of_each_word_are_read(reader):
    walk = walked(reader("tag", "lstm", "tag.characters=4"), "the cat ran")
    spelled = walk.last.steps[0].values["C"]
    assert spelled.shape == (3, 5) and spelled.rows == ["the", "cat", "ran"]
    assert walk.last.steps[0].values["S"].rows == ["the", "cat", "ran"]


@pytest.mark.parametrize("task", ["tag", "generate"])
def test_words_as_they_are_have_an_embedding_and_a_readout(reader, task):
    folder = reader(task, "words", *(["tag.characters=0"] if task == "tag" else []))
    walk, model = walked(folder, "the cat ran"), loaded(folder)
    assert [name for name, _ in walk.parts] == ["tagger" if task == "tag" else "language model"]
    vector = model.network.embedding.table.E[model.task.tokenizers["text"].encode("ran")[0]]
    assert_close(recorded(walk, "X")[0][-1], vector)
    assert_close(recorded(walk, "P")[0][-1], torch.softmax(model.network.readout(vector), -1))
    shown = walk.last.steps[0].values["X/E"]
    assert set(shown.rows or []) == set(walk.last.labels), "of the whole vocabulary, the words of the sentence"


def test_forgetting_of_unknown_words_has_a_strongest_one(reader):
    said = " ".join(forgetting_of(reader("classify", "rnn"), "xyzzy plugh").text)
    assert re.search("“(xyzzy|plugh)” matters most", said)


def test_forgetting_is_measured_with_the_trained_weights(reader):
    folder = reader("classify", "rnn")
    found = forgotten(folder)
    model = loaded(folder)
    words, by_word = influence(model, model.network, "fine bad day")
    assert words == ["fine", "bad", "day"]
    x = model.network.embedding(torch.tensor([model.task.tokenizers["text"].encode("fine bad day")])).detach()
    tiny = 1e-3
    for place, measured in enumerate(by_word):  # against differences
        total = 0.0
        for entry in range(x.shape[-1]):
            ends = []
            for sign in (1, -1):
                moved = x.clone()
                moved[0, place, entry] += sign * tiny
                with torch.no_grad():
                    ends.append(model.network.encoder(moved, torch.tensor([3]))[0, -1])
            total += float(((ends[0] - ends[1]) / (2 * tiny)).square().sum())
        assert measured == pytest.approx(total**0.5, rel=0.02)
    assert list(found.panels[0].series[0][1]) == by_word
    assert list(found.panels[1].series[0].y) == by_word[::-1]


def test_what_cannot_be_explained_says_what_can(reader, tmp_path, monkeypatch):
    class OwnEncoder(Encoder):
        """Of a user who wrote no equations for it."""

        def __init__(self, width: int) -> None:
            super().__init__()
            self.output_size = width

        def forward(self, x: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
            return x.tanh()

    own = registry.described(OwnEncoder, "own", "", kind="encoder")
    monkeypatch.setitem(registry.ARCHITECTURES, ("encoder", "own"), own)
    for task, text in (("classify", "bad day"), ("tag", "the cat")):
        with pytest.raises(SeqloomError, match="OwnEncoder has no equations to show") as told:
            walked(reader(task, "own"), text)
        assert "@equations" in str(told.value)
    with pytest.raises(SeqloomError, match="holds no trained model"):
        walked(tmp_path, "x")
    with pytest.raises(SeqloomError, match="it has no hidden state"):
        forgetting_of(reader("classify", "mlp", "model.length=8"), "bad day")


def test_a_text_that_cannot_be_looked_at(translator):
    with pytest.raises(SeqloomError, match="the text contains no words"):
        walked(translator("rnn-attention"), "  ")
    with pytest.raises(SeqloomError, match="31 tokens are too many"):
        walked(translator("rnn-attention"), "1 " * 31)


def test_without_a_sentence_frequent_words_are_read(translator):
    walk = walked(translator("rnn-attention"))
    assert len(walk.parts[0][1].labels) == 5, "four words and the end"
    assert "rnn-attention" in repr(walk)
    assert "softmax" in latex_of(str(translator("rnn-attention")))
    assert "<iframe" in walk._repr_html_()


def test_the_command_opens_a_folder(translator, tmp_path):
    def run(*arguments: str) -> str:
        return typed("explain", str(translator("rnn-attention")), *arguments, folder=tmp_path).stdout

    assert "sₜ = cell([xₜ, cₜ], sₜ₋₁)" in run("1 2 3")
    assert "trained" in run("1 2 3", "--forgetting")
    assert "written page.html" in run("1 2 3", "--html", "page.html")
    assert (tmp_path / "page.html").stat().st_size < 3_000_000


@pytest.mark.browser
@pytest.mark.parametrize("width", [1600, 375])
def test_the_page_opens_part_by_part_and_box_by_box(visit, translator, width):
    walk = walked(translator("rnn-attention", *TALKATIVE), "4 0 7")
    tab = visit(walk, width)
    shown = tab.locator("[data-part]:not([hidden])")
    expect(shown).to_have_count(1)
    assert tab.locator("#parts [aria-selected=true]").inner_text() == "decoder"
    shown.locator('.figure [data-opens="s"]').first.click()
    expect(tab.locator("[data-part]:not([hidden]) article:not([hidden])")).to_have_attribute("data-path", "s")
    gate = tab.locator('[data-part]:not([hidden]) article:not([hidden]) .formula [data-id="s/r"]').first
    gate.click()
    marked = tab.locator("#value tr.marked td")
    expect(marked).to_have_count(6)
    tab.locator("#parts button").first.click()
    assert shown.get_attribute("aria-label") == "encoder"
    labels = tab.locator("[data-part]:not([hidden]) .chip").all_inner_texts()
    assert labels == list(walk.parts[0][1].labels)
    tab.locator("#parts button").first.press("ArrowRight")
    assert shown.get_attribute("aria-label") == "bridge"
    assert tab.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0


@pytest.mark.browser
def test_probabilities_of_the_next_token_change_with_the_step(visit, translator):
    walk = walked(translator("rnn-attention", *TALKATIVE), "4 0 7")
    tab = visit(walk)
    for number, step in enumerate(walk.last.steps[:2]):
        tab.locator("#time .chip").nth(number).click()
        assert tab.locator("#value tbody th").all_inner_texts() == step.values["p"].rows
    expect(tab.locator("#value .part")).to_contain_text("the most probable 10 of")


@pytest.mark.browser
def test_a_block_that_comes_again_opens_as_the_first_does(visit, translator):
    two = ("model.encoder_widths=[8,8]", "model.decoder_widths=[8,8]", *TALKATIVE)
    tab = visit(walked(translator("transformer", *two), "4 0 7"))
    shown = tab.locator("[data-part]:not([hidden]) article:not([hidden])")
    trail = tab.locator("[data-part]:not([hidden]) .trail")
    for path, name in (("blocks", "block × 2"), ("blocks/Y^2", "block 2: decoder-block-pre-norm")):
        shown.locator(f'.figure [data-opens="{path}"]').first.click()
        expect(shown).to_have_attribute("data-path", path)
        expect(trail.locator("[aria-current]")).to_have_text(name)
    inner = shown.locator('.figure [data-opens^="blocks/Y^2/"]').first
    path = str(inner.get_attribute("data-opens"))
    inner.click()
    expect(shown).to_have_attribute("data-path", path)
    assert shown.locator('[data-id^="blocks/Y^1/"]').count() == 0, "its ids are its own"
    shown.locator(".formula [data-id]").first.click()
    expect(tab.locator("#value .heat")).to_have_count(1)
    assert shown.get_attribute("aria-label")


def test_a_word_that_the_model_does_not_know_is_shown_as_it_stands_in_the_text():
    tokenizer = Tokenizer.train(["a fine film"], TokenConfig(kind="word", lower=True))
    text = "A zzzz film, Qqqq"
    assert read_words(tokenizer, text, tokenizer.encode(text)) == ["a", "zzzz", "film", ",", "qqqq"]
    assert read_words(tokenizer, text, tokenizer.encode(text)[:2]) == ["a", "<unk>"], "cut: which is which is not known"
