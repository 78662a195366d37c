"""The command line as a person types it."""

import os
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from seqloom.cli import app, explain
from seqloom.explaining.catalogue import definitions
from seqloom.explaining.experiments import NAMES
from tests.typed import typed


def run(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """In a process of its own, for what depends on it."""
    return subprocess.run(
        [sys.executable, "-m", "seqloom.cli", *arguments],
        capture_output=True,
        text=True,
        cwd=folder,
        check=False,
        timeout=200,
    )


@pytest.mark.parametrize("command", explain.EXAMPLES)
def test_the_examples_of_the_help_work(command, tmp_path):
    words = re.findall(r'"[^"]*"|\S+', command)
    done = typed(*(word.strip('"') for word in words[1:]), folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout


@pytest.mark.parametrize(
    "command", [command.callback.__name__ for command in app.registered_commands if command.callback]
)
def test_help_ends_in_its_examples(command, tmp_path):
    text = " ".join(typed(command, "--help", folder=tmp_path).stdout.split())
    examples = import_module(f"seqloom.cli.{command}").EXAMPLES
    assert all(" ".join(example.split()) in text for example in examples)
    assert text.endswith(examples[-1])


def test_version_is_printed(tmp_path):
    assert re.fullmatch(r"seqloom \d+\.\d+\.\S+\n", run("--version", folder=tmp_path).stdout)


def test_explain_lists_every_definition_and_experiment(tmp_path):
    text = typed("explain", folder=tmp_path).stdout
    assert len(definitions()) >= 38
    assert all(re.search(rf"\b{name}\b", text) for name in [*definitions(), *NAMES])


def test_latex_alone_is_printed(tmp_path):
    text = typed("explain", "residual", "--latex", folder=tmp_path).stdout
    assert text == "\\begin{aligned}\n  y &= x + f\n\\end{aligned}\n"


def test_words_of_the_user_are_run(tmp_path):
    text = typed("explain", "lstm", "nobody expects this", folder=tmp_path).stdout
    assert "step 3: this" in text


def test_the_lines_of_a_loop_have_their_captions(tmp_path):
    text = typed("explain", "stacked", folder=tmp_path).stdout
    assert all(caption in text for caption in ("each layer updates its own state", "and the layer above reads it"))


WRONG = {
    "an unknown name": (["explain", "lsmt"], "no definition is called 'lsmt'", "did you mean lstm"),
    "a name like nothing": (["explain", "qqqq"], "no definition is called 'qqqq'", "seqloom explain"),
    "LaTeX of an experiment": (["explain", "why-tanh", "--latex"], "is an experiment, not a formula", "--html"),
    "a page of nothing": (["explain", "--html", "x.html"], "no name given", "name a definition"),
    "an empty text": (["explain", "lstm", "  "], "the text contains no words", "give a few words"),
    "too many words": (["explain", "lstm", "word " * 65], "65 words are too many", "at most 64"),
    "words for an experiment": (["explain", "rank", "some words"], "its own numbers", "leave the text out"),
    "a folder as file": (["explain", "dot", "--html", "."], ". is a folder", "page.html"),
    "a file that cannot be": (["explain", "dot", "--html", "/dev/null/x.html"], "cannot write", "another place"),
    "a module that is not there": (["explain", "no.such:thing"], "cannot import no.such", "where it is found"),
    "a function that is not there": (
        ["explain", "seqloom.layers.lstm:x"],
        "seqloom.layers.lstm has no x",
        "it has: lstm",
    ),
}


@pytest.mark.parametrize("arguments, what, remedy", WRONG.values(), ids=WRONG.keys())
def test_a_mistake_is_one_clear_message_and_exit_code_1(arguments, what, remedy, tmp_path):
    done = typed(*arguments, folder=tmp_path)
    assert done.returncode == 1
    assert what in done.stderr
    assert remedy in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    assert list(tmp_path.iterdir()) == [], "nothing half-written"


def test_a_data_file_in_the_place_of_settings_is_called_so(tmp_path):
    (tmp_path / "reviews.csv").write_text("label,text\npos,a fine film\nneg,\n")
    done = typed("train", "reviews.csv", folder=tmp_path)
    assert (done.returncode, done.stderr) == (
        1,
        "reviews.csv is data, not a configuration file (.toml)\n"
        "    -> to train on it: seqloom train --task classify --data reviews.csv --out run\n",
    )
    done = typed("train", "--task", "classify", "--data", "reviews.csv", folder=tmp_path)
    assert done.stderr.endswith("leave such out with --set data.on_bad=skip\n"), "as it is typed"


def test_a_definition_of_the_user_is_explained(tmp_path):
    (tmp_path / "mine.py").write_text(
        "from seqloom.equations import equations, tanh\n\n\n@equations\ndef cell(x, h, *, W, U):\n"
        '    """My cell.\n\n    x  (D)     a word\n    h  (H)     a state\n'
        '    W  (D, H)  in\n    U  (H, H)  on\n    """\n'
        "    h = tanh(x @ W + h @ U)  # mine\n    return h\n"
    )
    done = run("explain", "mine:cell", "hello there", "--html", "mine.html", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "My cell" in (tmp_path / "mine.html").read_text(encoding="utf-8")
    assert "hₜ = tanh(xₜ W + hₜ₋₁ U)" in run("explain", "mine:cell", folder=tmp_path).stdout


def test_shapes_that_do_not_meet_are_named_with_their_line(tmp_path):
    (tmp_path / "mine.py").write_text(
        "from seqloom.equations import equations\n\n\n@equations\ndef cell(x, *, W):\n"
        '    """My cell.\n\n    x (D) a word\n    W (H, D) the wrong way round\n    """\n'
        "    y = x @ W  # mine\n    return y\n"
    )
    done = run("explain", "mine:cell", folder=tmp_path)
    assert done.returncode == 1
    assert "mine.py:11: `y = x @ W  # mine` cannot be computed" in done.stderr
    assert "W (3, 4), x (4,)" in done.stderr
    assert "Traceback" not in done.stderr
    assert "y &= x W" in run("explain", "mine:cell", "--latex", folder=tmp_path).stdout, "a formula needs no numbers"


def test_a_terminal_without_our_letters_is_no_error(tmp_path):
    ascii_only = {**os.environ, "PYTHONIOENCODING": "ascii"}
    call = [sys.executable, "-m", "seqloom.cli", "explain", "lstm"]
    done = subprocess.run(call, capture_output=True, text=True, cwd=tmp_path, env=ascii_only, check=False, timeout=200)
    assert done.returncode == 0, done.stderr


def test_a_reader_that_stops_early_is_no_error(tmp_path):
    done = subprocess.run(
        f"{sys.executable} -m seqloom.cli explain | head -1",
        shell=True,
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=True,
        timeout=200,
    )
    assert "definitions" in done.stdout
    assert "Traceback" not in done.stderr
