"""The registry: every architecture does what it claims, names and settings are held to it, users bring their own."""

import json
import sys
from collections.abc import Callable
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest
import torch

import seqloom
from seqloom.config import check
from seqloom.errors import ConfigError, SeqloomError
from seqloom.models import registry
from seqloom.models.references import imported
from seqloom.models.registry import Architecture, architecture, architectures, find, names
from seqloom.models.settings import ModelConfig
from seqloom.models.user_architectures import model_reference
from seqloom.training.catalogue import build, catalogue
from seqloom.training.run import train
from seqloom.training.run_config import RUNS, load_run
from tests.sizes import load_fitting
from tests.tasks.songs import write_song
from tests.tasks.tagged import write_tagged
from tests.tasks.written_numbers import write_pairs
from tests.training.reviews import write_reviews

SMALL = [
    "model.embedding=8", "model.widths=[6,5]", "model.encoder_widths=[8,8]", "model.decoder_widths=[8,8]",
    "model.heads=2", "model.hidden=9", "model.length=12", "tag.characters=4",
]  # fmt: skip
MIN_GRU = (Path(__file__).parents[2] / "examples" / "min_gru.py").read_text(encoding="utf-8")
OTHERS = '''"""Layers of a user's own."""

from torch import nn

from seqloom.equations import equations, relu, softmax, where, inf
from seqloom.models.encoders import Encoder
from seqloom.models.registry import Architecture
from seqloom.models.seq2seq.decoders.attention import AttentionDecoder


@equations
def mixing_block(X, mask, *, W, W_1, W_2):
    """A block of one attention and one network.

    X     (T, D)  the vectors
    mask  (T, T)  bool, where a query may look
    W     (D, D)  between queries and keys
    W_1   (D, F)  into the network
    W_2   (F, D)  out of it
    """
    A = softmax(where(mask, X @ W @ X.T, -inf))  # the attention weights
    Z = X + A @ X  # what was attended to is added
    Y = Z + relu(Z @ W_1) @ W_2  # the network, added too
    return Y


class Shift(Encoder):
    """Each word with the one before it."""

    def __init__(self, width: int, causal: bool, hidden: int, strength: float = 1.0) -> None:
        super().__init__()
        self.output_size, self.layer = hidden, nn.Linear(2 * width, hidden)

    def forward(self, x, lengths):
        before = nn.functional.pad(x, (0, 0, 1, 0))[:, :-1]
        y = self.layer(__import__("torch").cat([x, before], -1))
        real = __import__("torch").arange(x.shape[1]) < lengths[:, None]
        return y.masked_fill(~real[..., None], 0)


class Looking(AttentionDecoder):
    """A decoder that is the attention layer, as we have it."""


translator = Architecture("own-translator", "a cell that reads for attention alone", "model", tasks=("translate",),
                          preset={"encoder": "own_cells:min_gru", "decoder": "own_layers:Looking"})
not_a_model = 3
'''


def model_settings(task: str) -> set[str]:
    field: Any = RUNS[task].model_fields.get("model")
    return set(field.annotation.model_fields) if field else set()


def small(task: str, changes: list[str]) -> list[str]:
    """The changes whose settings a task has."""
    has = {*(f"model.{name}" for name in model_settings(task)), f"{task}.characters"}
    return [change for change in changes if change.partition("=")[0] in has]


CLAIMS = [(task, found.name) for task in RUNS for found in architectures(task)]


@pytest.mark.parametrize("task, name", CLAIMS)
def test_every_architecture_is_built_and_trained_in_every_task_that_it_claims(task, name):
    changes = small(task, SMALL)
    if task == "generate" and not find(name, task).causal:
        changes.append("generate.objective=masked")
    config = load_fitting(changes, task=task, model__name=name)
    model: Any = build(config, 20)
    logits = model(*model.example_batch(B=2, T=5, S=7))
    (logits - 1).square().sum().backward()  # fresh weights may be zeros
    before = [weight.clone() for weight in model.parameters() if weight.grad is not None]
    torch.optim.SGD(model.parameters(), lr=0.1).step()
    after = [weight for weight in model.parameters() if weight.grad is not None]
    assert any(not torch.equal(one, other) for one, other in zip(before, after, strict=True))
    assert all(torch.isfinite(weight).all() for weight in model.parameters())


def test_every_architecture_has_a_sentence_and_stands_in_the_catalogue():
    assert all(found.sentence for found in architectures())
    assert {entry.name for entry in catalogue(40)} == {name for _, name in CLAIMS}


def test_every_encoder_and_decoder_reads_settings_that_exist():
    known = {name for task in RUNS for name in model_settings(task)}
    for found in architectures("encoder", "decoder"):
        unknown = found.reads - known - {"config", "width", "causal", "memory_width"}
        assert not unknown, found.name


# --- names and settings -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "values, message",
    [
        ({"name": "lsmt"}, "name: no architecture is called 'lsmt'\n.*did you mean lstm.*there are: .*transformer"),
        ({"name": "lstm", "heads": 2}, "heads: is a setting of transformer; lstm does not use it\n.*leave it out"),
        ({"name": "lstm", "window": 5}, "window: is a setting of cnn; lstm does not use it"),
        ({"name": "words", "widths": [3]}, "widths: is a setting of rnn, .*lstm.*; words does not use it"),
        ({"name": "cnn", "bidirectional": True}, "bidirectional: is a setting of rnn, .*gru, .*; cnn does not use it"),
        ({"name": "mixer", "positions": "sinusoidal"}, "positions: is a setting of transformer; mixer does not use"),
        ({"name": "logistic", "pooling": "max"}, "pooling: .*logistic does not use it"),
        ({"name": "mlp", "norm": "after"}, "norm: is a setting of transformer; mlp does not use it"),
        ({"name": "transformer", "heads": 3}, "3 heads do not divide a width of 128"),
    ],
)
def test_settings_are_held_to_the_registry(values, message):
    with pytest.raises(ConfigError, match=message):
        check(ModelConfig, values, where="test")


def test_defaults_may_be_said_and_a_trained_model_may_say_more():
    assert check(ModelConfig, {"name": "lstm", "heads": 4, "norm": "before"}, where="test").heads == 4
    assert check(ModelConfig, {"name": "lstm", "heads": 2}, where="test", saved=True).heads == 2


def test_a_task_says_what_it_cannot_use():
    with pytest.raises(ConfigError, match=r"model\.name: logistic cannot tag"):
        load_run(None, [], task="tag", model__name="logistic")


# --- from outside -----------------------------------------------------------------------------------


@pytest.fixture
def own(tmp_path, monkeypatch):
    """Two modules of a user's own in the current folder."""
    (tmp_path / "own_cells.py").write_text(MIN_GRU, encoding="utf-8")
    (tmp_path / "own_layers.py").write_text(OTHERS, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    yield tmp_path
    for name in ("own_cells", "own_layers"):
        sys.modules.pop(name, None)


DATA: dict[str, tuple[str, Callable[[Path], Path], str]] = {
    "classify": ("data.tsv", write_reviews, "a warm film"),
    "tag": ("data.conll", write_tagged, "the can"),
    "generate": ("data.txt", write_song, "row"),
    "translate": ("data.tsv", write_pairs, "1 2"),
}
QUICK = ["train.steps=3", "train.warmup_steps=1", "train.batch_tokens=300", "train.evaluate_every=3"]


def settings(folder: Path, task: str, name: str, *changes: str):
    file, write, _ = DATA[task]
    data = folder / file
    if not data.exists():
        write(data)
    own_name = [f"model.encoder={name}", f"model.decoder={name}"] if task == "translate" else []
    chosen = "rnn-attention" if task == "translate" else name
    given = [*small(task, SMALL), *QUICK, *own_name, *changes]
    return load_fitting(given, task=task, data__train=str(data), model__name=chosen)


@pytest.mark.parametrize("task", DATA)
def test_a_definition_alone_trains_goes_on_and_predicts(own, task):
    train(settings(own, task, "own_cells:min_gru"), own / "run", quiet=True)
    more = settings(own, task, "own_cells:min_gru", "train.steps=5")
    assert train(more, own / "run", resume=True, quiet=True).step == 5
    model = seqloom.load(own / "run")
    assert model(DATA[task][2]) is not None
    saved = json.loads((own / "run" / "config.json").read_text(encoding="utf-8"))["architectures"]
    assert saved.keys() == ({"encoder", "decoder"} if task == "translate" else {"name"})
    assert all(origin["reference"] == "own_cells:min_gru" and len(origin["sha256"]) == 64 for origin in saved.values())


def test_a_cell_of_ones_own_is_stacked_and_reads_from_both_ends(own):
    config = load_run(
        None, ["model.widths=[6,5]", "model.bidirectional=true"], task="classify", model__name="own_cells:min_gru"
    )
    assert build(config, 20).encoder.output_size == 10  # type: ignore[union-attr]


@pytest.mark.parametrize("task", ["classify", "tag", "generate"])
@pytest.mark.parametrize("name", ["own_layers:mixing_block", "own_layers:Shift"])
def test_blocks_and_encoders_of_ones_own_are_trained(own, task, name):
    train(settings(own, task, name), own / "run", quiet=True)
    assert seqloom.load(own / "run")(DATA[task][2]) is not None


def test_a_decoder_and_a_whole_translator_of_ones_own_are_trained(own):
    data = write_pairs(own / "data.tsv")
    for number, (name, *changes) in enumerate(
        [("rnn-attention", "model.decoder=own_layers:Looking"), ("own_layers:translator", "model.embedding=6")]
    ):
        config = load_run(None, [*QUICK, *changes], task="translate", data__train=str(data), model__name=name)
        train(config, own / f"run{number}", quiet=True)
        assert type(seqloom.load(own / f"run{number}").network.decoder).__name__ == "Looking"


def test_what_an_encoder_reads_is_what_its_parameters_are_called(own):
    assert {"hidden"} <= find("own_layers:Shift").reads
    with pytest.raises(ConfigError, match=r"widths: is a setting of .*; own_layers:Shift does not use it"):
        load_run(None, ["model.widths=[3]"], task="classify", model__name="own_layers:Shift")
    with pytest.raises(
        ConfigError, match="heads: is a setting of transformer; own_layers:mixing_block does not use it"
    ):
        load_run(None, ["model.heads=2"], task="classify", model__name="own_layers:mixing_block")


def test_objects_are_known_by_where_they_can_be_imported(own):
    min_gru = imported("own_cells:min_gru")
    data = write_reviews(own / "data.tsv")
    given: Any = {"task": "classify", "data": str(data), "settings": [*QUICK, "model.embedding=8"], "quiet": True}
    made: Any = seqloom.train(**given, model=min_gru, out=own / "run")
    assert made.config.model.name == "own_cells:min_gru"
    assert model_reference(find("lstm")) == "lstm"
    with pytest.raises(SeqloomError, match="cannot be imported again"):
        model_reference(lambda: None)
    with pytest.raises(SeqloomError, match="is not a model") as caught:
        model_reference([("pos", "a fine film")] * 10_000)
    assert 'give a name, as "lstm"' in str(caught.value) and len(str(caught.value)) < 500


@pytest.mark.parametrize(
    "name, message",
    [
        ("own_cell:min_gru", "model.name: cannot import own_cell: ModuleNotFoundError"),
        ("own_cells:max_gru", "model.name: own_cells has no max_gru\n.*min_gru"),
        ("own_layers:not_a_model", "model.name: own_layers:not_a_model is not an architecture, it is 3"),
    ],
)
def test_what_cannot_be_used_says_why(own, name, message):
    with pytest.raises(ConfigError, match=message):
        load_run(None, [], task="classify", model__name=name)


def test_a_folder_says_when_its_definition_is_gone_or_has_changed(own, capsys):
    train(settings(own, "classify", "own_cells:min_gru"), own / "run", quiet=True)
    capsys.readouterr()
    seqloom.load(own / "run")
    assert capsys.readouterr().err == ""
    (own / "own_cells.py").write_text(MIN_GRU.replace("(1 - z) * h + z * h_tilde", "z * h_tilde + (1 - z) * h"))
    sys.modules.pop("own_cells")
    seqloom.load(own / "run")
    assert "the source of own_cells:min_gru has changed since" in capsys.readouterr().err
    (own / "own_cells.py").unlink()
    sys.modules.pop("own_cells")
    with pytest.raises(SeqloomError, match="was trained with own_cells:min_gru, which is not there: cannot import"):
        seqloom.load(own / "run")


def test_installed_packages_are_listed(own, monkeypatch):
    point = EntryPoint("min-gru", "own_cells:min_gru", registry.ENTRY_POINTS)
    monkeypatch.setattr(sys, "path", [str(own), *sys.path])
    monkeypatch.setattr(registry, "ARCHITECTURES", dict(registry.ARCHITECTURES))
    monkeypatch.setattr(registry, "entry_points", lambda group: [point])
    registry.load_all.__wrapped__()
    assert "min-gru" in names("classify") and "min-gru" in names("decoder")
    assert find("min-gru").sentence == "Minimal gated recurrent unit (minGRU)"


def test_a_name_is_taken_once(monkeypatch):
    monkeypatch.setattr(registry, "ARCHITECTURES", dict(registry.ARCHITECTURES))

    class Other(torch.nn.Module):
        pass

    with pytest.raises(SeqloomError, match=r"a cell called lstm is registered by seqloom.layers.lstm:LSTM already"):
        architecture("lstm", "another", kind="cell")(Other)
    architecture("other", "another", kind="cell")(Other)
    assert isinstance(find("other"), Architecture)
