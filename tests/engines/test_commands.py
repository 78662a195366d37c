"""Exported folders from a shell: without torch, with the engine that was asked for, behind HTTP."""

import json
import subprocess
import sys

import pytest

from seqloom.cli import main
from seqloom.training.loading import load
from tests.serving.conftest import Running


@pytest.fixture
def seqloom(monkeypatch, capsys):
    def run(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["seqloom", *map(str, arguments)])
        try:
            main()
        except SystemExit as end:
            code = int(end.code or 0)
        found = capsys.readouterr()
        return code, found.out, found.err

    return run


def test_predict_needs_no_torch(exported, transformer):
    script = "import sys; from seqloom.cli import main\ntry: main()\nfinally: print('torch' in sys.modules)"
    command = [sys.executable, "-c", script, "predict", str(exported), "1 2 3", "--json"]
    answer, torch_there = subprocess.run(
        command, capture_output=True, text=True, check=True, timeout=200
    ).stdout.splitlines()
    assert torch_there == "False"
    assert json.loads(answer)["text"] == str(load(transformer)("1 2 3"))


def test_export_predict_evaluate(seqloom, transformer, tmp_path):
    code, out, _ = seqloom("export", transformer, tmp_path / "fast", "--to", "ctranslate2", "--int8")
    assert code == 0 and "(ctranslate2, int8, 0." in out
    code, out, _ = seqloom("predict", tmp_path / "fast", "1 2", "--engine", "ctranslate2")
    assert code == 0 and out.strip()
    (tmp_path / "pairs.tsv").write_text("1 2\tone two\n", encoding="utf-8")
    code, out, _ = seqloom("evaluate", tmp_path / "fast", tmp_path / "pairs.tsv", "--json")
    assert code == 0 and "exact" in json.loads(out)


def test_the_wrong_engine_is_refused_with_the_way_to_it(seqloom, transformer, exported):
    code, _, err = seqloom("predict", transformer, "1 2", "--engine", "ctranslate2")
    assert code == 1
    assert err == (
        f"{transformer} is a model in torch, not one for ctranslate2\n"
        f"    -> seqloom export {transformer} --to ctranslate2 FOLDER, and give that folder\n"
    )
    code, _, err = seqloom("predict", exported, "1 2", "--engine", "torch")
    assert code == 1 and f"was exported for ctranslate2, not for torch\n    -> give {transformer.resolve()}" in err
    code, _, err = seqloom("predict", exported, "1 2", "--attention", "-")
    assert code == 1 and "only gives answers: no attention, no vectors\n    -> give" in err


def test_explain_opens_the_folder_that_it_came_from(seqloom, exported, tmp_path):
    code, _, err = seqloom("explain", exported, "1 2", "--html", tmp_path / "page.html")
    assert code == 0, err
    assert "transformer" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_served_as_any_model(exported):
    server = Running([str(exported)], "--quiet")
    try:
        texts = ["1 2 3", "4", "", "7 7 7"]
        answers = server.ask("/api/predict", {"texts": texts, "beam": 2}).json()["answers"]
        assert [one["text"] for one in answers] == [str(one) for one in load(exported)(texts, beam=2)]
        refused = server.ask("/api/predict", {"text": "1", "temperature": 1})
        assert refused.status == 422 and "ctranslate2" in refused.body.decode()
        for path in ("/api/inspect", "/api/explain", "/api/strips", "/api/attribute", "/api/data"):
            body = {} if path == "/api/data" else {"text": "1 2"}
            refused = server.ask(path, body)
            assert (refused.status, b"exported already" in refused.body) == (422, True), (path, refused)
    finally:
        server.stop()
