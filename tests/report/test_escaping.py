"""Names are text, whatever they hold."""

from __future__ import annotations

import base64
import hashlib
import re

import numpy as np
import pytest

from agdn.report.markup import Markup, embedded_json, joined, tag
from report_pages import Page, report_page, stored, trained

ATTACK = "</script><script>alert(1)</script>"
QUOTES = "\"'><img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def attacked(tmp_path_factory: pytest.TempPathFactory) -> Page:
    folder = tmp_path_factory.mktemp("attacked")
    ids = np.array([f"<i>{row}{{{{data}}}}" for row in range(60)])
    data = stored(folder / "data", class_names=(ATTACK, QUOTES), node_ids=ids, notes=(ATTACK,))
    changes = [f"data.name={data}", "name='<b>bold</b> & more'", "description='<u>{{script}}</u>'"]
    changes += [f"published={{metric: accuracy, test: 1, source: '{ATTACK}'}}"]
    trained(folder, *changes, seeds=2)
    return report_page(folder / "page.html", folder)


def test_no_element_comes_from_a_name(attacked: Page) -> None:
    assert attacked.count("script") == 2
    assert not {"img", "i", "u"} & {name for name, _ in attacked.elements}
    assert not any(key.startswith("on") for _, attributes in attacked.elements for key in attributes)
    assert attacked.count("b") == 0


def test_names_are_shown_as_they_are(attacked: Page) -> None:
    assert ATTACK in attacked.sections["predictions"]
    assert QUOTES in attacked.sections["predictions"]
    assert "<b>bold</b> & more reaches" in attacked.sections["result"]
    assert "<u>{{script}}</u>" in attacked.sections["configuration"]
    assert attacked.data["matrices"]["confusion-0"]["rows"] == [ATTACK, QUOTES]
    assert "<i>0{{data}}" in {node["name"] for node in attacked.data["networks"]["0-0"]["nodes"]}


def test_the_data_cannot_end_their_script(attacked: Page) -> None:
    assert "<" not in attacked.scripts[0]
    assert embedded_json({"a": "</script>&\u2028"}) == r'{"a":"\u003c/script\u003e\u0026\u2028"}'


def test_the_policy_allows_this_script_and_no_request(attacked: Page) -> None:
    policy = next(
        attributes["content"]
        for name, attributes in attacked.elements
        if name == "meta" and attributes.get("http-equiv") == "Content-Security-Policy"
    )
    rules = dict(rule.split(" ", 1) for rule in str(policy).split("; "))
    digest = base64.b64encode(hashlib.sha256(attacked.scripts[1].encode()).digest()).decode()
    assert rules["default-src"] == "'none'"
    assert rules["script-src"] == f"'sha256-{digest}'"
    assert "unsafe" not in str(policy)
    assert set(rules) == {"default-src", "style-src", "script-src", "base-uri", "form-action"}
    assert not any("style" in attributes for _, attributes in attacked.elements)


def test_nothing_is_fetched(attacked: Page) -> None:
    links = [attributes[key] for _, attributes in attacked.elements for key in ("src", "href") if key in attributes]
    assert links
    assert all(str(link).startswith("#") for link in links)
    style = re.search(r"<style>(.*?)</style>", attacked.text, re.DOTALL)
    assert style is not None
    assert "url(" not in style[1]
    assert "@import" not in style[1]


def test_only_what_tag_made_is_markup() -> None:
    assert tag("p", "<b>", tag("b", "x"), ["&", None], class_='"', hidden=True, id=None) == (
        '<p class="&quot;" hidden>&lt;b&gt;<b>x</b>&amp;</p>'
    )
    assert joined("<", Markup("<br>")) == "&lt;<br>"
    assert tag("line", x1=1.26, y1=3.0, aria_label="a") == '<line x1="1.3" y1="3" aria-label="a"></line>'
