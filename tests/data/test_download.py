"""Data sets fetched from a home on this machine: whole and checked, or not there at all."""

import gzip
import io
import tarfile
import threading
import time
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from seqloom.data import download
from seqloom.data.datasets import PublishedDataset, PublishedFile, dataset
from seqloom.data.download import get
from seqloom.errors import DataError

TEXT = "".join(f"line {number}\n" for number in range(1000)).encode()


class Home:
    """A home of data sets: what it gives, what it promises, and what it was asked for."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.promised: int | None = None
        self.pause = 0.0
        self.asked: list[str] = []
        home = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                home.asked.append(self.path)
                body = home.files.get(self.path)
                self.send_response(404 if body is None else 200)
                self.send_header("Content-Length", str(home.promised or len(body or b"")))
                self.end_headers()
                time.sleep(home.pause)
                with suppress(ConnectionError):
                    self.wfile.write(body or b"")

            def log_message(self, format: str, *args: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)  # its threads end with the process
        self.url = f"http://127.0.0.1:{self.server.server_port}"


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch) -> Iterator[Home]:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    home = Home()
    thread = threading.Thread(target=home.server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield home
    home.server.shutdown()
    home.server.server_close()
    thread.join(60)


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SEQLOOM_DATA", str(tmp_path / "kept"))
    return tmp_path / "kept"


def published(content: bytes = TEXT, member: str = "", url: str = "https://example.org/v1/{file}", by_hand: str = ""):
    file = PublishedFile("lines.txt", len(content), sha256(content).hexdigest(), member)
    splits, files = {"train": file.name}, {file.name: file}
    return PublishedDataset("lines", "Lines", "generate", "CC0", "https://example.org", splits, files, url, by_hand)


def everything(folder: Path) -> list[str]:
    return sorted(str(file.relative_to(folder)) for file in folder.rglob("*"))


def test_a_set_is_fetched_once_and_checked(home, kept):
    home.files["/v1/lines.txt"] = TEXT
    told: list[str] = []
    assert get(published(), home.url, told.append) == [kept / "lines" / "lines.txt"]
    assert (kept / "lines" / "lines.txt").read_bytes() == TEXT
    assert told == ["fetching lines/lines.txt", "checked: the SHA-256 of every file is as published"]
    get(published(), home.url, told.append)
    assert home.asked == ["/v1/lines.txt"]
    assert everything(kept) == ["lines", "lines/lines.txt"]


def test_what_is_packed_stays_packed(home, kept):
    home.files["/v1/lines.txt.gz"] = gzip.compress(TEXT)
    assert get(published(url="https://example.org/v1/{file}.gz"), home.url) == [kept / "lines" / "lines.txt.gz"]


def zipped(name: str) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr(name, TEXT)
    return stream.getvalue()


def tarred(name: str) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as archive:
        about = tarfile.TarInfo(name)
        about.size = len(TEXT)
        archive.addfile(about, io.BytesIO(TEXT))
    return stream.getvalue()


@pytest.mark.parametrize("pack", [zipped, tarred])
def test_a_file_is_taken_out_of_an_archive(home, kept, pack):
    home.files["/v1/all"] = pack("data/lines.txt")
    get(published(member="data/lines.txt", url="https://example.org/v1/all"), home.url)
    assert (kept / "lines" / "lines.txt").read_bytes() == TEXT
    (kept / "lines" / "lines.txt").unlink()
    with pytest.raises(DataError, match="the downloaded file is not the published one"):
        get(published(member="other.txt", url="https://example.org/v1/all"), home.url)
    assert everything(kept) == []


OTHERS = {
    "other": TEXT.replace(b"7", b"8"),
    "longer": TEXT + b"more",
    "shorter": TEXT[:-1],
    "empty": b"",
    "cut gzip": gzip.compress(TEXT)[:-9],
    "gzip of much": gzip.compress(bytes(10_000_000)),
}


@pytest.mark.parametrize("came", OTHERS)
def test_another_content_is_refused_and_nothing_stays(home, kept, came):
    home.files["/v1/lines.txt"] = OTHERS[came]
    with pytest.raises(DataError, match=r"example.org/v1/lines.txt: the downloaded file is not the published one"):
        get(published(), home.url)
    assert everything(kept) == []


def test_a_download_that_is_cut_off_is_said_and_nothing_stays(home, kept):
    home.files["/v1/lines.txt"], home.promised = TEXT, len(TEXT) + 10
    with pytest.raises(DataError, match=r"cannot be downloaded: .*(ended|IncompleteRead|bytes)"):
        get(published(), home.url)
    assert everything(kept) == []


def test_a_download_is_bounded_in_size_and_time(home, kept, monkeypatch):
    home.files["/v1/lines.txt"] = TEXT
    with monkeypatch.context() as patch:
        patch.setattr(download, "LARGEST", 100)
        with pytest.raises(DataError, match="more than 100 bytes"):
            get(published(), home.url)
    with monkeypatch.context() as patch:
        patch.setattr(download, "LONGEST", 0.0)
        with pytest.raises(DataError, match="not done after 0 seconds"):
            get(published(), home.url)
    home.pause = 0.5
    monkeypatch.setattr(download, "SILENCE", 0.1)
    with pytest.raises(DataError, match="timed out"):
        get(published(), home.url)
    assert everything(kept) == []


def test_without_a_network_the_error_says_how_to_bring_the_file(kept, monkeypatch):
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with pytest.raises(DataError) as caught:
        get(published(), "http://127.0.0.1:1")
    what, remedy = str(caught.value).split("\n    -> ")
    assert what.startswith("https://example.org/v1/lines.txt: cannot be downloaded: ")
    assert remedy.split("\n       ") == [
        "bring it by hand: download",
        "https://example.org/v1/lines.txt",
        f"into {kept / 'lines'}, then: seqloom data get lines",
    ]
    assert everything(kept) == []


def test_a_home_without_the_file_is_said(home, kept):
    with pytest.raises(DataError, match="cannot be downloaded: Not Found"):
        get(published(), home.url)


def test_a_file_brought_by_hand_is_checked(home, kept):
    (kept / "lines").mkdir(parents=True)
    file = kept / "lines" / "lines.txt"
    file.write_bytes(TEXT)
    assert get(published(), home.url) == [file]
    file.write_bytes(TEXT[1:])
    with pytest.raises(DataError, match=r"lines.txt: is not the published file.*\n.*rm .*lines.txt"):
        get(published(), home.url)
    assert home.asked == []


def test_a_set_that_has_no_such_home_is_brought_by_hand(home, kept):
    data = published(url="", by_hand="download it,\nunpack it")
    with pytest.raises(DataError) as caught:
        get(data, home.url)
    assert "download it,\n       unpack it\n" in str(caught.value)
    assert f"put lines.txt into {kept / 'lines'}" in str(caught.value)
    (kept / "lines").mkdir(parents=True)
    (kept / "lines" / "lines.txt").write_bytes(b"mine\n")
    told: list[str] = []
    assert get(data, home.url, told.append) == [kept / "lines" / "lines.txt"]
    assert told == [f"{kept / 'lines' / 'lines.txt'} is another edition than the one that our results were measured on"]


def test_what_a_killed_process_left_is_taken_away(home, kept):
    left = kept / "lines" / ".fetching-x"
    left.mkdir(parents=True)
    (left / "half.part").write_bytes(b"half")
    home.files["/v1/lines.txt"] = TEXT
    get(published(), home.url)
    assert everything(kept) == ["lines", "lines/lines.txt"]


def test_nothing_is_made_from_another_file_than_the_published_one(kept):
    (kept / "cmudict").mkdir(parents=True)
    (kept / "cmudict" / "cmudict.dict").write_text("a AH0\n")
    with pytest.raises(DataError, match=r"cmudict.dict: is not the published file"):
        get(dataset("cmudict"))
    assert everything(kept) == ["cmudict", "cmudict/cmudict.dict"]


def test_pronunciations_are_made_from_the_dictionary(shared_data, kept):
    (kept / "cmudict").mkdir(parents=True)
    (kept / "cmudict" / "cmudict.dict.gz").symlink_to(shared_data / "cmudict" / "cmudict.dict.gz")
    train = get(dataset("cmudict"))[1]
    assert train.read_text().startswith("source\ttarget\n'bout\tB AW T\n")
