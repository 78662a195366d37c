"""LibreTranslate's API, with its own client and with raw requests."""

import json
from urllib.parse import urlencode

import pytest
from libretranslatepy import LibreTranslateAPI

from seqloom.storage import write_manifest
from tests.serving.conftest import Running

FORM = "application/x-www-form-urlencoded"


@pytest.fixture
def client(served):
    return LibreTranslateAPI(served.url)


def test_the_real_client_translates(client):
    assert client.translate("1 2 3", "en", "de") == "one two three"


def test_the_real_client_finds_languages(client):
    assert client.languages() == [{"code": "und", "name": "Undetermined", "targets": ["und"]}]
    assert [found["language"] for found in client.detect("guten Morgen")] == ["und"]


def test_the_real_client_with_a_key(models):
    running = Running([str(models / "digits")], key="open-sesame")
    try:
        assert LibreTranslateAPI(running.url, "open-sesame").translate("4 5", "auto", "und") == "four five"
        assert LibreTranslateAPI(running.url, "open-sesame").languages()
        for wrong in ("open-sesam", None):
            with pytest.raises(OSError, match="401"):
                LibreTranslateAPI(running.url, wrong).translate("4 5", "auto", "und")
    finally:
        assert running.stop()[0] == 0


def test_paragraphs_and_line_ends_stay(served):
    text = "1 2 3\r\n\r\n  4 5\n\n\t6\n"
    reply = served.ask("/translate", {"q": text, "source": "auto", "target": "en"})
    assert reply.json()["translatedText"] == "one two three\r\n\r\n  four five\n\n\tsix\n"
    assert set(reply.json()["detectedLanguage"]) == {"language", "confidence"}


def test_a_text_longer_than_the_model_reads_is_split_and_put_together(served):
    (one,) = served.ask("/api/predict", {"text": "1 2 3."}).json()["answers"]
    found = served.ask("/translate", {"q": "1 2 3.  " * 80, "source": "en", "target": "de"}).json()["translatedText"]
    assert found == f"{one['text']}  " * 80


def test_a_list_gives_a_list(served):
    asked = {"q": ["1 2", "", "3"], "source": "en", "target": "de", "alternatives": 1}
    found = served.ask("/translate", asked).json()
    assert found["translatedText"] == ["one two", "", "three"]
    assert [len(others) for others in found["alternatives"]] == [1, 0, 1]
    assert served.ask("/translate", {**asked, "alternatives": "1"}).json() == found, "LibreTranslate takes texts too"
    assert served.ask("/translate", {**asked, "alternatives": "16"}).status == 400
    assert "detectedLanguage" not in found


@pytest.mark.parametrize("kind", [FORM, "application/json", "multipart/form-data; boundary=XX"])
def test_forms_and_json_are_the_same(served, kind):
    asked = {"q": "1 <b>3</b>", "source": "en", "target": "de", "format": "html", "api_key": "any", "unknown": "x"}
    parts = "".join(f'--XX\r\ncontent-disposition: form-data; name="{k}"\r\n\r\n{v}\r\n' for k, v in asked.items())
    body = {FORM: urlencode(asked), "application/json": json.dumps(asked)}.get(kind, parts + "--XX--\r\n")
    reply = served.ask("/translate", body=body, content_type=kind)
    assert reply.json() == {"translatedText": "one <b>three</b>"}


def test_what_is_written_into_html_is_escaped_and_tags_are_not_translated(served):
    found = served.ask("/translate", {"q": '<p class="1">3</p><script>2</script>', "source": "en", "target": "de",
                                      "format": "html"}).json()["translatedText"]  # fmt: skip
    assert found == '<p class="1">three</p><script>2</script>'


@pytest.mark.parametrize(
    "body, message",
    [
        ('{"source": "en", "target": "de"}', "q: field required"),
        ('{"q": "1", "source": "en"}', "target: field required"),
        ('{"q": 5, "source": "en", "target": "de"}', "q: "),
        ('{"q": "1", "source": "en", "target": "de", "format": "pdf"}', "format: "),
        ("[1]", "not an object"),
        ("{", "neither JSON nor a form"),
        ("[" * 30_000, "neither JSON nor a form"),
    ],
)
def test_what_cannot_be_is_said_as_libretranslate_does(served, body, message):
    reply = served.ask("/translate", body=body, content_type="application/json")
    assert reply.status == 400
    assert message in reply.json()["error"]


def test_bounds(served):
    asked = {"source": "en", "target": "de"}
    long = served.ask("/translate", {**asked, "q": "1" * 2001})
    assert (long.status, long.json()["bound"]) == (413, "text_characters")
    many = served.ask("/translate", {**asked, "q": ["1"] * 10})
    assert (many.status, many.json()["bound"]) == (413, "texts")


def test_languages_are_those_of_the_models(models, tmp_path):
    folders = []
    for source, target in (("en", "de"), ("de", "fr"), ("zh-Hans", "en")):
        folder = tmp_path / f"{source}-{target}"
        folder.mkdir()
        for file in (models / "digits").iterdir():
            if file.is_file() and file.name != "manifest.json":
                (folder / file.name).write_bytes(file.read_bytes())
        config = json.loads((folder / "config.json").read_text())
        config["config"]["data"] |= {"source_language": source, "target_language": target}
        (folder / "config.json").write_text(json.dumps(config))
        write_manifest(folder)
        folders.append(str(folder))
    running = Running(folders, "--set", "model_bytes=80000")
    try:
        found = {one["code"]: (one["name"], one["targets"]) for one in running.ask("/languages").json()}
        assert found["en"] == ("English", ["de"]) and found["fr"] == ("French", []) and found["de"][1] == ["fr"]
        assert found["zh-Hans"][1] == ["en"]
        asked = {"q": "1 2", "target": "de"}
        assert running.ask("/translate", {**asked, "source": "en"}).json()["translatedText"] == "one two"
        assert running.ask("/translate", {**asked, "source": "fr"}).status == 400
        told = running.ask("/translate", {"q": "Guten Morgen, wie geht es dir?", "source": "auto", "target": "fr"})
        assert told.json()["detectedLanguage"]["language"] == "de"
        assert running.ask("/detect", {"q": "早上好，你好吗"}).json()[0]["language"] == "zh-Hans"
        assert len([one for one in running.ask("/api/models").json() if one["loaded"]]) == 1, "there is room for one"
    finally:
        assert running.stop()[0] == 0


def test_a_server_without_translators_names_no_language_but_und(models):
    running = Running([str(models / "mood")])
    try:
        assert running.ask("/languages").json() == [{"code": "und", "name": "Undetermined", "targets": []}]
        assert running.ask("/translate", {"q": "a", "source": "en", "target": "de"}).status == 400
        assert running.ask("/frontend/settings").json()["charLimit"] == 10_000
    finally:
        assert running.stop()[0] == 0
