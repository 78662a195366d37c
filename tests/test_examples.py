"""What stands in examples/ is a model: one file alone, and an installed package; no file of seqloom is edited."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from min_gru import min_gru
from seqloom_example.efficient_attention import EfficientAttention
from seqloom_example.leaky_decoder import LeakyDecoder
from seqloom_example.min_lstm import min_lstm

from seqloom.layers.derived import cell_from
from seqloom.models.seq2seq.model import Seq2Seq
from seqloom.models.seq2seq.settings import Seq2SeqConfig
from seqloom.testing import check_cell, check_encoder, check_translator
from tests.once import once
from tests.sizes import lenient
from tests.tasks.songs import write_song
from tests.tasks.tagged import write_tagged
from tests.tasks.written_numbers import write_pairs
from tests.training.reviews import write_reviews

EXAMPLES = Path(__file__).parents[1] / "examples"
COMMANDS = (
    "import json, sys; from seqloom.cli import app\nfor one in json.loads(sys.argv[1]): app(one, standalone_mode=False)"
)
TASKS: dict[str, tuple[Callable[[Path], Path], str, str]] = {
    "classify": (write_reviews, "data.tsv", "a warm film"),
    "tag": (write_tagged, "data.conll", "the can"),
    "generate": (write_song, "data.txt", "row"),
    "translate": (write_pairs, "data.tsv", "1 2"),
}
QUICK = ["train.steps=3", "train.warmup_steps=1", "train.batch_tokens=300", "train.evaluate_every=3"]
Command = list[str]


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package of examples/ as pip installs it, in a folder of its own."""

    def install(folder: Path) -> None:
        copy = shutil.copytree(EXAMPLES / "seqloom-example", folder / "source")
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        offline = ["--no-deps", "--no-index", "--no-build-isolation"]
        subprocess.run([*pip, *offline, "--target", str(folder / "site"), str(copy)], check=True, timeout=200)

    return once(tmp_path_factory, "examples", install) / "site"


def use(folder: Path, task: str, out: str, *settings: str, text: str = "") -> Iterator[Command]:
    """Train, predict, explain as a page."""
    write, file, usual = TASKS.get(task, (write_texts, "data.tsv", ""))
    data = folder / task / file
    if not data.exists():
        data.parent.mkdir()
        write(data)
    small = ["model.embedding=8"] if task in TASKS else []
    chosen = [part for each in [*QUICK, *small, *settings] for part in ("--set", each)]
    yield ["train", "--task", task, "--data", str(data), "--out", out, *chosen]
    yield ["predict", out, text or usual]
    yield ["explain", out, text or usual, "--html", f"{out}.html"]


def run(folder: Path, commands: list[Command], *path: Path) -> str:
    """All commands in one process of their own, started in a folder; what they print."""
    inherited = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(filter(None, [*map(str, path), *inherited])),
        "SEQLOOM_CACHE": str(folder / "cache"),
        "OMP_NUM_THREADS": "1",
        "COLUMNS": "120",
    }
    done = subprocess.run(
        [sys.executable, "-c", COMMANDS, json.dumps(commands)],
        cwd=folder, env=environment, capture_output=True, text=True, timeout=200,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def named(task: str, name: str) -> list[str]:
    """The settings that name a cell, in any task."""
    if task == "translate":
        return ["model.name=rnn-attention", f"model.encoder={name}", f"model.decoder={name}"]
    return [f"model.name={name}"]


def test_one_file_of_at_most_forty_lines_is_a_model_for_every_task(tmp_path):
    file = shutil.copy(EXAMPLES / "min_gru.py", tmp_path)
    assert len(Path(file).read_text(encoding="utf-8").splitlines()) <= 40
    commands = [["explain", "min_gru:min_gru", "--html", "page.html"]]
    for task in TASKS:
        commands += use(tmp_path, task, f"{task}-run", *named(task, "min_gru:min_gru"))
    said = run(tmp_path, [*commands, ["explain", "classify-run", "a warm film"]])
    for page in ("page.html", *(f"{task}-run.html" for task in TASKS)):
        assert "the update gate: how much of the state is replaced" in (tmp_path / page).read_text(encoding="utf-8")
    assert "min_gru:min_gru, trained to classify" in said


def test_a_cell_of_an_installed_package_is_stacked_and_reads_from_both_ends(tmp_path, installed):
    wide = {
        "classify": ["model.widths=[6,5]", "model.bidirectional=true"],
        "tag": ["model.widths=[6]", "model.bidirectional=true"],
        "generate": ["model.widths=[6,5]"],
        "translate": ["model.encoder_widths=[6,5]", "model.decoder_widths=[7,4]", "model.bidirectional=true"],
    }
    commands: list[Command] = [["explain", "min-lstm"]]
    for task, sizes in wide.items():
        commands += use(tmp_path, task, f"{task}-run", *named(task, "min-lstm"), *sizes)
    assert "Minimal long short-term memory" in run(tmp_path, commands, installed)
    origin = json.loads((tmp_path / "tag-run" / "config.json").read_text(encoding="utf-8"))["architectures"]["name"]
    assert (origin["package"], origin["version"]) == ("seqloom-example", "0.1.0")


def test_an_encoder_a_decoder_and_a_task_of_an_installed_package_are_used_by_name(tmp_path, installed):
    commands: list[Command] = [["explain"], ["summary"]]
    commands += use(tmp_path, "classify", "encoder", "model.name=efficient-attention", "model.hidden=6")
    settings = ["model.name=rnn-attention", "model.encoder=efficient-attention", "model.decoder=leaky"]
    commands += use(tmp_path, "translate", "decoder", *settings, "model.hidden=6")
    commands += use(tmp_path, "pairs", "task", "pairs.width=6", text="the dog|the hen")
    commands += [["summary", "task"], ["explain", "decoder", "1 2"], ["explain", "task", "the dog|the hen"]]
    said = run(tmp_path, commands, installed)
    for name in ("min-lstm", "efficient-attention", "leaky-decoder", "pair-classifier"):
        assert name in said
    assert "the dog | the hen → " in said and "the old one fades" in said
    assert "for each feature, where in the text it is" in (tmp_path / "encoder.html").read_text(encoding="utf-8")


def write_texts(file: Path) -> Path:
    file.write_text("same\tthe dog\tthe hen\nother\tthe saw\tthe hen\n" * 9, encoding="utf-8")
    return file


@pytest.mark.parametrize("cell", [min_gru, min_lstm])
def test_the_cells_compute_their_equations(cell):
    check_cell(cell_from(cell, 3, 5))


def test_the_encoder_computes_its_equations():
    check_encoder(EfficientAttention(3, 5), 3)


@pytest.mark.parametrize("score", ["additive", "bilinear"])
def test_the_decoder_computes_its_equations(score):
    name = f"{LeakyDecoder.__module__}:{LeakyDecoder.__name__}"
    config = lenient(Seq2SeqConfig, name="rnn-attention", decoder=name, score=score, embedding=4, encoder_widths=[3])
    check_translator(Seq2Seq.of_texts(config, 7, 8), [4, 5, 6], [2, 7, 7, 5])
