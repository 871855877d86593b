"""Sections become one HTML file with its style and script inside, which asks for nothing else."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

from agdn.report.markup import Markup, embedded_json, joined, report_file, tag
from agdn.report.sections.section import Section

HEAD = 2048  # bytes in which a page of ours names its generator
KINDS = ("curves", "matrices", "networks")


def document(
    sections: Sequence[Section], *, command: str, title: str, lead: str, source: str, note: Markup | None = None
) -> str:
    """``command`` writes it, from ``source``; ``note`` stands in front of the sections."""
    style, script = report_file("charts.css") + report_file("page.css"), report_file("page.js")
    return _filled(
        report_file("page.html"),
        {
            "policy": _policy(style, script),
            "generator": joined(command),
            "title": joined(title),
            "lead": joined(lead),
            "first": joined(sections[0].key),
            "links": joined([tag("li", tag("a", each.title, href=f"#{each.key}")) for each in sections]),
            "missing": note or Markup(),
            "sections": joined([_section(each) for each in sections]),
            "foot": joined(f"Written by agdn {metadata.version('agdn')} from {source}."),
            "data": embedded_json(_data(sections)),
            "style": Markup(style),
            "script": Markup(script),
        },
    )


def require_free(out: Path, command: str, what: str) -> None:
    """Before any work is done: a place that can be written, and nothing in it but an older page of ``command``."""
    if out.is_dir():
        raise ValueError(f"{out} is a folder; give --out a file, such as {out / f'{what}.html'}")
    if not out.parent.is_dir():
        raise ValueError(f"the folder {out.parent} does not exist; the {what} goes into one that does")
    if out.exists() and not _is_of(out, command):
        raise ValueError(f"{out} is there already and no {what}; give another --out")


def _is_of(path: Path, command: str) -> bool:
    with path.open("rb") as file:
        return f'<meta name="generator" content="{command}">'.encode() in file.read(HEAD)


def _section(section: Section) -> Markup:
    heading = f"heading-{section.key}"
    return tag("section", tag("h2", section.title, id=heading), section.body, id=section.key, aria_labelledby=heading)


def _data(sections: Sequence[Section]) -> dict[str, dict[str, Any]]:
    data: dict[str, dict[str, Any]] = {kind: {} for kind in KINDS}
    for section in sections:
        for kind, content in section.data.items():
            data[kind] |= content
    return data


def _policy(style: str, script: str) -> Markup:
    """Nothing is fetched from anywhere, and no script runs but the page's own."""
    rules = ("default-src 'none'", f"style-src '{_digest(style)}'", f"script-src '{_digest(script)}'")
    return Markup("; ".join((*rules, "base-uri 'none'", "form-action 'none'")))


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _filled(template: str, values: Mapping[str, Markup]) -> str:
    """In one pass, so that braces in a value stay what they are."""
    return re.sub(r"\{\{(\w+)\}\}", lambda found: values[found[1]], template)
