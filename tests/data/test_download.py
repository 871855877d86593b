"""Downloads against a server that misbehaves in every way that servers do."""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import threading
import time
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from agdn.data import download as downloads
from agdn.data.download import download, missing_size
from agdn.data.errors import DataError
from agdn.data.fetch import FetchError, _KeepTls, fetch, remote_size
from agdn.data.remote_sets import REMOTE_SETS, RemoteFile

CONTENT = bytes(range(256)) * 4000


class Server(ThreadingHTTPServer):
    """Serves ``content`` under the behaviour named by the path."""

    content = CONTENT
    etag = '"one"'
    requests: list[tuple[str, str, str | None]]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def log_message(self, *_: object) -> None:
        pass

    def do_HEAD(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(self.server.content)))
        self.end_headers()

    def do_GET(self) -> None:
        behaviour = self.path.split("/")[1]
        asked = self.headers.get("Range")
        self.server.requests.append((self.command, behaviour, asked))
        getattr(self, f"behave_{behaviour}", self.behave_well)(asked)

    def behave_well(self, asked: str | None) -> None:
        body, status = self.server.content, 200
        same = self.headers.get("If-Range", self.server.etag) == self.server.etag
        if asked and same:
            start = int(asked.removeprefix("bytes=").rstrip("-"))
            if start >= len(body):
                self.send_error(416)
                return
            body, status = body[start:], 206
        self.send_response(status)
        if status == 206:
            total = len(self.server.content)
            self.send_header("Content-Range", f"bytes {total - len(body)}-{total - 1}/{total}")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("ETag", self.server.etag)
        self.end_headers()
        self.wfile.write(body)

    def behave_truncating(self, asked: str | None) -> None:
        if asked:
            self.behave_well(asked)
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(self.server.content)))
        self.send_header("ETag", self.server.etag)
        self.end_headers()
        self.wfile.write(self.server.content[:100_000])

    def behave_rangeless(self, asked: str | None) -> None:
        self.behave_well(None)

    def behave_liar(self, asked: str | None) -> None:
        """Says it resumes, but from another byte than was asked."""
        self.send_response(206 if asked else 200)
        self.send_header("Content-Range", f"bytes 0-{len(self.server.content) - 1}/{len(self.server.content)}")
        self.send_header("Content-Length", str(len(self.server.content)))
        self.end_headers()
        self.wfile.write(self.server.content)

    def behave_short(self, asked: str | None) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(self.server.content) + 7))
        self.end_headers()
        self.wfile.write(self.server.content)

    def behave_missing(self, asked: str | None) -> None:
        self.send_error(404)

    def behave_broken(self, asked: str | None) -> None:
        self.send_error(500)

    def behave_moved(self, asked: str | None) -> None:
        self.send_response(302)
        self.send_header("Location", f"{self.server.url}/well/file.bin")
        self.end_headers()

    def behave_elsewhere(self, asked: str | None) -> None:
        self.send_response(302)
        self.send_header("Location", "file:///etc/passwd")
        self.end_headers()

    def behave_hanging(self, asked: str | None) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(self.server.content)))
        self.end_headers()
        self.wfile.write(self.server.content[:10])
        self.wfile.flush()
        time.sleep(1.5)

    def behave_endless(self, asked: str | None) -> None:
        self.send_response(200)
        self.end_headers()
        with contextlib.suppress(ConnectionError):
            for _ in range(100):
                self.wfile.write(bytes(100_000))

    def behave_huge(self, asked: str | None) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(10**15))
        self.end_headers()


@pytest.fixture
def server() -> Iterator[Server]:
    running = Server(("127.0.0.1", 0), Handler)
    running.requests = []
    thread = threading.Thread(target=running.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield running
    running.shutdown()
    running.server_close()


@pytest.mark.parametrize("behaviour", ["well", "rangeless", "moved"])
def test_a_whole_file(server: Server, tmp_path: Path, behaviour: str) -> None:
    seen: list[tuple[int, int | None]] = []
    fetch(f"{server.url}/{behaviour}/file.bin", tmp_path / "file.bin", progress=lambda *at: seen.append(at))
    assert (tmp_path / "file.bin").read_bytes() == CONTENT
    assert seen[-1] == (len(CONTENT), len(CONTENT))
    assert [path.name for path in tmp_path.iterdir()] == ["file.bin"]


def test_a_cut_is_named_and_resumed(server: Server, tmp_path: Path) -> None:
    url, path = f"{server.url}/truncating/file.bin", tmp_path / "file.bin"
    with pytest.raises(FetchError, match="broke off after 100,000 of 1,024,000 bytes"):
        fetch(url, path)
    assert not path.exists()
    assert (tmp_path / "file.bin.part").stat().st_size == 100_000
    fetch(url, path)
    assert path.read_bytes() == CONTENT
    assert server.requests[-1][2] == "bytes=100000-"


@pytest.mark.parametrize("behaviour", ["rangeless", "liar"])
def test_a_server_that_cannot_resume_starts_anew(server: Server, tmp_path: Path, behaviour: str) -> None:
    (tmp_path / "file.bin.part").write_bytes(b"old" * 100)
    fetch(f"{server.url}/{behaviour}/file.bin", tmp_path / "file.bin")
    assert (tmp_path / "file.bin").read_bytes() == CONTENT


def test_a_part_of_another_version_is_not_continued(server: Server, tmp_path: Path) -> None:
    url, path = f"{server.url}/truncating/file.bin", tmp_path / "file.bin"
    with pytest.raises(FetchError):
        fetch(url, path)
    server.content, server.etag = CONTENT[::-1], '"two"'
    fetch(f"{server.url}/well/file.bin", path)
    assert path.read_bytes() == CONTENT[::-1]


def test_a_part_that_is_too_long_starts_anew(server: Server, tmp_path: Path) -> None:
    (tmp_path / "file.bin.part").write_bytes(bytes(len(CONTENT) + 5))
    fetch(f"{server.url}/well/file.bin", tmp_path / "file.bin")
    assert (tmp_path / "file.bin").read_bytes() == CONTENT


@pytest.mark.parametrize(
    ("behaviour", "sentence"),
    [
        ("missing", "answers 404"),
        ("broken", "answers 500"),
        ("short", "broke off"),
        ("elsewhere", "is not allowed"),
        ("huge", "more than the cap"),
        ("endless", "more than the cap"),
        ("hanging", "timed out"),
    ],
)
def test_faults_are_one_sentence(server: Server, tmp_path: Path, behaviour: str, sentence: str) -> None:
    with pytest.raises(FetchError, match=sentence):
        fetch(f"{server.url}/{behaviour}/file.bin", tmp_path / "file.bin", timeout=0.3, max_bytes=2_000_000)
    assert not (tmp_path / "file.bin").exists()


def test_no_server_at_all(tmp_path: Path) -> None:
    with pytest.raises(FetchError, match="cannot be fetched"):
        fetch("http://127.0.0.1:9/file.bin", tmp_path / "file.bin", timeout=1)
    assert remote_size("http://127.0.0.1:9/file.bin", timeout=1) is None


def test_a_redirect_never_leaves_tls() -> None:
    import urllib.request

    request = urllib.request.Request("https://example.org/a")
    with pytest.raises(FetchError, match="not encrypted"):
        _KeepTls().redirect_request(request, io.BytesIO(), 302, "", {}, "http://example.org/a")
    followed = _KeepTls().redirect_request(request, io.BytesIO(), 302, "", {}, "https://example.org/b")
    assert followed is not None
    assert followed.full_url == "https://example.org/b"


@pytest.fixture
def published(server: Server, monkeypatch: pytest.MonkeyPatch) -> Server:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("inner/raw/edge.csv", "0,1\n")
    server.content = packed.getvalue()
    sets = {
        "small": (RemoteFile(f"{server.url}/well/inner.zip", "small_set", top="inner"),),
        "plain": tuple(RemoteFile(f"{server.url}/well/{part}", f"plain/{part}") for part in ("ind.x", "ind.y")),
        "gone": (RemoteFile(f"{server.url}/missing/gone.npz", "gone/gone.npz"),),
    }
    monkeypatch.setattr(downloads, "REMOTE_SETS", sets)
    return server


def test_an_archive_lands_where_readers_look(published: Server, tmp_path: Path) -> None:
    assert missing_size("small", tmp_path) == (1, len(published.content))
    (file,) = download("small", tmp_path)
    assert (tmp_path / "small_set/raw/edge.csv").read_text() == "0,1\n"
    assert file.sha256 == hashlib.sha256(published.content).hexdigest()
    lock = json.loads((tmp_path / "agdn-downloads.json").read_text())
    assert list(lock["sha256"].values()) == [file.sha256]
    assert list((tmp_path / "downloads").iterdir()) == []


def test_what_is_there_is_neither_fetched_nor_touched(published: Server, tmp_path: Path) -> None:
    (tmp_path / "small_set").mkdir()
    (tmp_path / "small_set" / "mine").write_text("work")
    assert download("small", tmp_path)[0].sha256 is None
    assert published.requests == []
    assert (tmp_path / "small_set" / "mine").read_text() == "work"


def test_changed_content_is_refused_the_second_time(published: Server, tmp_path: Path) -> None:
    download("plain", tmp_path)
    (tmp_path / "plain" / "ind.y").unlink()
    published.content += b"changed"
    with pytest.raises(DataError, match=r"ind\.y has SHA-256 .* recorded at its first use"):
        download("plain", tmp_path)
    assert not (tmp_path / "plain" / "ind.y").exists()


def test_a_file_from_disk(published: Server, tmp_path: Path) -> None:
    (tmp_path / "fetched elsewhere.zip").write_bytes(published.content)
    download("small", tmp_path / "root", from_file=tmp_path / "fetched elsewhere.zip")
    assert (tmp_path / "root/small_set/raw/edge.csv").exists()
    assert (tmp_path / "fetched elsewhere.zip").exists()
    assert published.requests == []
    with pytest.raises(DataError, match="is there already"):
        download("small", tmp_path / "root", from_file=tmp_path / "fetched elsewhere.zip")


def test_a_file_from_disk_is_told_by_its_name(published: Server, tmp_path: Path) -> None:
    (tmp_path / "ind.y").write_bytes(b"1")
    download("plain", tmp_path / "root", from_file=tmp_path / "ind.y")
    assert (tmp_path / "root/plain/ind.y").read_bytes() == b"1"
    (tmp_path / "other").write_bytes(b"1")
    with pytest.raises(DataError, match=r"other is none of the set's files, which are ind\.x, ind\.y"):
        download("plain", tmp_path / "root", from_file=tmp_path / "other")


def test_an_offline_user_is_told_what_to_do(published: Server, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"answers 404 .* put it at .*/gone\.npz or give it with --from-file gone\.npz"):
        download("gone", tmp_path)


def test_a_silent_server_is_asked_for_the_size_once(published: Server, tmp_path: Path) -> None:
    asked: list[str] = []

    def silent(url: str, *, timeout: float) -> None:
        asked.append(url)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(downloads, "remote_size", silent)
        assert missing_size("plain", tmp_path) == (2, None)
    assert len(asked) == 1


def test_an_unknown_set_lists_the_known() -> None:
    with pytest.raises(DataError, match=r"no download for 'coral'; it is known for .*cora"):
        download("coral", Path("unused"))


def test_a_damaged_lock_is_named(published: Server, tmp_path: Path) -> None:
    (tmp_path / "agdn-downloads.json").write_text("{")
    with pytest.raises(DataError, match=r"agdn-downloads\.json"):
        download("small", tmp_path)


def test_every_known_set_is_fetched_over_tls_to_a_place_of_its_own() -> None:
    files = [file for files in REMOTE_SETS.values() for file in files]
    assert all(file.url.startswith("https://") for file in files)
    assert len({file.path for file in files}) == len({file.url for file in files}) == len(files)
