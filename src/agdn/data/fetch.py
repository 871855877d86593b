"""One URL -> one file: resumed where it stopped, never longer than announced, never over less than verified TLS."""

from __future__ import annotations

import http.client
import os
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from agdn.data.errors import DataError

CHUNK = 1 << 18
Progress = Callable[[int, int | None], None]


class FetchError(DataError):
    """The server or the network failed; the part that came is kept for the next try."""


class _KeepTls(urllib.request.HTTPRedirectHandler):
    """Follows redirects, but not from https to anything less."""

    def redirect_request(
        self, req: urllib.request.Request, fp: Any, code: int, msg: str, headers: Any, newurl: str
    ) -> urllib.request.Request | None:
        if urlsplit(req.full_url).scheme == "https" and urlsplit(newurl).scheme != "https":
            raise FetchError(f"{req.full_url} redirects to {newurl}, which is not encrypted; it is not followed")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def fetch(
    url: str, path: Path, *, progress: Progress | None = None, timeout: float = 30.0, max_bytes: int = 64 * 2**30
) -> None:
    """Fetch ``url`` into ``path`` by way of ``path.part``, from which a later call goes on."""
    part = path.with_name(f"{path.name}.part")
    part.parent.mkdir(parents=True, exist_ok=True)
    start = part.stat().st_size if part.exists() else 0
    try:
        total = _receive(url, part, start, progress, timeout, max_bytes)
    except urllib.error.HTTPError as error:
        error.close()
        if error.code == 416 and start:  # the part is as long as the file, or no part of this file at all
            part.unlink()
            return fetch(url, path, progress=progress, timeout=timeout, max_bytes=max_bytes)
        raise FetchError(f"{url} answers {error.code} ({error.reason})") from None
    except FetchError:
        raise
    except (urllib.error.URLError, http.client.HTTPException, OSError) as error:
        reason = getattr(error, "reason", None) or error
        kept = f"; what came is kept in {part}, try again" if part.exists() else ""
        raise FetchError(f"{url} cannot be fetched: {reason}{kept}") from None
    received = part.stat().st_size
    if total is not None and received != total:
        raise FetchError(f"{url} broke off after {received:,} of {total:,} bytes, kept in {part}; try again")
    os.replace(part, path)
    part.with_name(f"{part.name}.version").unlink(missing_ok=True)
    return None


def _receive(url: str, part: Path, start: int, progress: Progress | None, timeout: float, max_bytes: int) -> int | None:
    version = part.with_name(f"{part.name}.version")  # the server's mark of the file that the part belongs to
    headers = {"User-Agent": "agdn", "Accept-Encoding": "identity"}
    if start:
        headers["Range"] = f"bytes={start}-"
        if version.exists():
            headers["If-Range"] = version.read_text()
    request = urllib.request.Request(url, headers=headers)
    opener = urllib.request.build_opener(_KeepTls)
    with opener.open(request, timeout=timeout) as response:
        resumed = response.status == 206 and _range_start(response.headers.get("Content-Range")) == start
        if not resumed:
            start = 0
        length = response.headers.get("Content-Length")
        total = start + int(length) if length is not None and length.isdecimal() else None
        if (total or 0) > max_bytes:
            raise FetchError(f"{url} announces {total:,} bytes, more than the cap of {max_bytes:,}")
        if mark := response.headers.get("ETag") or response.headers.get("Last-Modified"):
            version.write_text(mark)
        with part.open("ab" if resumed else "wb") as file:
            received = start
            while chunk := response.read(CHUNK):
                received += len(chunk)
                if received > max_bytes:
                    raise FetchError(f"{url} sends more than the cap of {max_bytes:,} bytes")
                file.write(chunk)
                if progress is not None:
                    progress(received, total)
            file.flush()
            os.fsync(file.fileno())
    return total


def _range_start(content_range: str | None) -> int | None:
    """The first byte of ``bytes 100-199/200``."""
    first = (content_range or "").removeprefix("bytes ").partition("-")[0]
    return int(first) if first.isdecimal() else None


def remote_size(url: str, *, timeout: float = 30.0) -> int | None:
    """How long the server says the file is; None where it does not say."""
    request = urllib.request.Request(url, method="HEAD", headers={"User-Agent": "agdn"})
    try:
        with urllib.request.build_opener(_KeepTls).open(request, timeout=timeout) as response:
            length = response.headers.get("Content-Length")
    except FetchError:
        raise
    except (urllib.error.URLError, http.client.HTTPException, OSError):
        return None
    return int(length) if length is not None and length.isdecimal() else None
