"""The Python of the README runs word for word, and the Chinese README has the same."""

import ast
import json
import re
import runpy
import shlex
import sys
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

from typer.testing import CliRunner

from seqloom.cli import app
from seqloom.training import api
from seqloom.training.run_config import RunConfig, check_run
from tests.serving.conftest import Running
from tests.training.reviews import write_reviews

ROOT = Path(__file__).parent.parent
SERVER = "http://127.0.0.1:8000"


def blocks(name: str) -> list[str]:
    """The Python of a page, block by block."""
    return re.findall(r"^```python\n(.*?)^```$", (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def test_both_pages_have_the_same_python():
    english, chinese = ([ast.dump(ast.parse(block)) for block in blocks(f"README{name}.md")] for name in ("", ".zh-CN"))
    assert english == chinese


def test_a_definition_alone_is_a_model(tmp_path, monkeypatch):
    """The file and the two commands of the first screen."""
    (block,) = (block for block in blocks("README.md") if "def min_gru" in block)
    (tmp_path / "min_gru.py").write_text(block, encoding="utf-8")
    write_reviews(tmp_path / "reviews.tsv")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.delitem(sys.modules, "min_gru", raising=False)
    for line in re.findall(
        r"^    seqloom (.* runs/min-gru.*)$", (ROOT / "README.md").read_text(encoding="utf-8"), re.M
    ):
        quick = ["--set", "train.steps=2", "--set", "train.warmup_steps=1"] if line.startswith("train") else []
        done = CliRunner().invoke(app, [*shlex.split(line), *quick])
        assert done.exit_code == 0, done.output
    assert "the update gate" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_from_a_file_to_a_service(tmp_path, monkeypatch):
    """The commands of the first run, as they stand there; training is short, and the server stands at a free port."""
    lines = re.search(
        r"^## From a file to a service\n\n(.*?)\n\n", (ROOT / "README.md").read_text("utf-8"), re.M | re.S
    )
    assert lines is not None
    chinese = re.search(r"^## 从文件到服务\n\n(.*?)\n\n", (ROOT / "README.zh-CN.md").read_text("utf-8"), re.M | re.S)
    *commands, serve, curl = (shlex.split(line, comments=True) for line in lines[1].splitlines())
    assert chinese is not None
    assert [*commands, serve, curl] == [shlex.split(line, comments=True) for line in chinese[1].splitlines()]
    reviews = [line.split("\t") for line in write_reviews(tmp_path / "reviews.tsv", count=60).read_text().splitlines()]
    for name in ("reviews.csv", "test.csv"):
        (tmp_path / name).write_text("label,text\n" + "".join(f"{label},{text}\n" for label, text in reviews))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SEQLOOM_CACHE", str(tmp_path / "cache"))
    for words in commands:
        assert words[0] == "seqloom"
        quick = ["--steps", "3"] if words[1] == "train" else []
        done = CliRunner().invoke(app, [*words[1:], *quick])
        assert done.exit_code == 0, done.output
    assert (tmp_path / "confusion.png").stat().st_size > 1000
    assert serve == ["seqloom", "serve", "reviews.seqloom"]
    server = Running(serve[2:])
    try:
        path, content = curl[1].partition("8000")[2], curl[-1].encode()
        asked = Request(server.url + path, content, {"content-type": "application/json"})
        assert json.loads(urlopen(asked, timeout=60).read())["answers"][0]["label"] in ("pos", "neg")
    finally:
        server.stop()


def test_the_python_of_the_readme_runs(tmp_path, monkeypatch, capsys):
    """In order, in one file; training takes two steps, and the server stands at a free port."""
    dates = [("4 juillet 1976", "1976-07-04"), ("3. Mai 2020", "2020-05-03"), ("the 3rd of May, 2020", "2020-05-03")]
    (tmp_path / "pairs.tsv").write_text("".join(f"{written}\t{date}\n" for written, date in dates * 9))
    reviews = [("good", "a wonderful film"), ("bad", "a dull film")]
    (tmp_path / "reviews.tsv").write_text("".join(f"{label}\t{text}\n" for label, text in reviews * 9))
    monkeypatch.chdir(tmp_path)
    quick = {"steps": 2, "warmup_steps": 1}

    def check_quick(values: dict[str, Any], *, where: str) -> RunConfig:
        return check_run({**values, "train": {**values.get("train", {}), **quick}}, where=where)

    monkeypatch.setattr(api, "check_run", check_quick)
    api.train(task="translate", data="pairs.tsv", model="rnn-attention", out="demo", quiet=True)
    script = tmp_path / "readme.py"
    server = Running(["demo"])
    try:
        script.write_text("\n".join(blocks("README.md")).replace(SERVER, server.url), encoding="utf-8")
        found = runpy.run_path(str(script))
    finally:
        server.stop()
    assert (tmp_path / "attention.png").stat().st_size > 1000
    assert found["model"]("a wonderful film").label in {"good", "bad"}
    assert tuple(found["y"].shape) == (4, 10, 32)
    assert "tanh" in capsys.readouterr().out
