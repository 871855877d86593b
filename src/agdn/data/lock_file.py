"""SHA-256 of every file that was fetched: recorded at first use, held against every later fetch."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from agdn.data.atomic import write_bytes
from agdn.data.errors import DataError

LOCK_NAME = "agdn-downloads.json"
FORMAT_VERSION = 1


def sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def recorded(root: Path, url: str) -> str | None:
    """The hash that ``url`` had at its first use under this data folder."""
    return _read(root).get(url)


def record(root: Path, url: str, digest: str) -> None:
    hashes = _read(root) | {url: digest}
    content = {"format_version": FORMAT_VERSION, "sha256": hashes}
    write_bytes(root / LOCK_NAME, json.dumps(content, indent=1, sort_keys=True).encode())


def _read(root: Path) -> dict[str, str]:
    path = root / LOCK_NAME
    try:
        content = json.loads(path.read_bytes())
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError):
        content = None
    if not isinstance(content, dict) or content.get("format_version") != FORMAT_VERSION:
        raise DataError(f"{path} is not a lock file of this release; move it away to trust the files of today anew")
    hashes = content.get("sha256")
    if not isinstance(hashes, dict) or not all(isinstance(value, str) for value in hashes.values()):
        raise DataError(f"{path} is damaged; move it away to trust the files of today anew")
    return hashes
