"""The site builds without a warning, and every page in docs/ is a part of it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from markdown_pages import ROOT

pytest.importorskip("material")
pytest.importorskip("mkdocstrings_handlers.python")


def test_it_builds_strictly(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path / "site")]
    quiet = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}  # the theme's word about its successor
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, env=quiet)
    assert built.returncode == 0, built.stderr
    assert "WARNING" not in built.stderr
    pages = {page.relative_to(ROOT / "docs").with_suffix("") for page in (ROOT / "docs").rglob("*.md")}
    pages = {page.with_name("index") if page.name == "README" else page for page in pages}
    written = {page.relative_to(tmp_path / "site").with_suffix("") for page in (tmp_path / "site").rglob("*.html")}
    assert pages | {Path("404")} == written
    names = (tmp_path / "site" / "api.html").read_text()
    assert 'id="agdn.AGDNConv"' in names
