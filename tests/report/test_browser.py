"""The page in a real browser: it asks for nothing, reports no error, and answers clicks, hovers and keys."""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from report_pages import Page, report_page, trained

webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--window-size=1200,900",
)


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if chromium is None or driver is None:
        pytest.skip("chromium and chromedriver are not installed: apt-get install chromium chromium-driver")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    started = webdriver.Chrome(options=options, service=webdriver.ChromeService(executable_path=driver))
    yield started
    started.quit()


def opened(browser: Any, page: Path) -> Any:
    browser.get("about:blank")
    for kind in ("browser", "performance"):
        browser.get_log(kind)
    browser.get(page.as_uri())
    return browser


@pytest.fixture
def compared_page(browser: Any, compared: Page, runs: Path) -> Any:
    return opened(browser, runs / "page.html")


def find(browser: Any, selector: str) -> Any:
    return browser.find_element(By.CSS_SELECTOR, selector)


def shown(browser: Any, selector: str) -> list[bool]:
    return [element.is_displayed() for element in browser.find_elements(By.CSS_SELECTOR, selector)]


def centred(browser: Any, element: Any) -> Any:
    """Scrolled to, and the frame after that drawn: the page hides its hover text when it scrolls."""
    browser.execute_async_script(
        "arguments[0].scrollIntoView({block: 'center', behavior: 'instant'});"
        "requestAnimationFrame(() => requestAnimationFrame(arguments[1]))",
        element,
    )
    return element


def hover(browser: Any, element: Any, x: int = 0, y: int = 0) -> None:
    """The pointer over an element, so far from its middle."""
    centred(browser, element)
    webdriver.ActionChains(browser).move_to_element_with_offset(element, x, y).perform()


def requests_of(browser: Any) -> list[str]:
    events = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    return [event["params"]["request"]["url"] for event in events if event["method"] == "Network.requestWillBeSent"]


def test_it_asks_for_nothing_and_reports_no_error(compared_page: Any, runs: Path) -> None:
    for button in compared_page.find_elements(By.CSS_SELECTOR, "[role=tab]"):
        if button.is_displayed():
            centred(compared_page, button).click()
    assert compared_page.get_log("browser") == []
    assert requests_of(compared_page) == [(runs / "page.html").as_uri()]


def test_the_policy_stops_a_request_and_a_script(compared_page: Any) -> None:
    """What the test before relies on: a script that came in by another way could do nothing."""
    compared_page.execute_script(
        "const s = document.createElement('script'); s.textContent = 'window.intruder = 1'; document.body.append(s);"
        "const i = document.createElement('img'); i.src = 'http://127.0.0.1:9/x.png'; document.body.append(i);"
    )
    assert compared_page.execute_script("return window.intruder") is None
    assert len([entry for entry in compared_page.get_log("browser") if "Content Security Policy" in entry["message"]])


def test_tabs_by_click_and_by_key(compared_page: Any) -> None:
    panels = "#predictions [role=tabpanel]"
    assert shown(compared_page, panels) == [True, False]
    first, second = compared_page.find_elements(By.CSS_SELECTOR, "#predictions [role=tab]")
    centred(compared_page, second).click()
    assert shown(compared_page, panels) == [False, True]
    assert second.get_attribute("aria-selected") == "true"
    second.send_keys(Keys.ARROW_LEFT)
    assert shown(compared_page, panels) == [True, False]
    assert compared_page.switch_to.active_element == first


def test_hovering_a_curve_tells_its_values(compared_page: Any, compared: Page) -> None:
    chart = find(compared_page, "svg[data-curves=score-0-valid]")
    hover(compared_page, chart, x=chart.size["width"] // 2 - 10)
    told = find(compared_page, "#tip").text.splitlines()
    lines = compared.data["curves"]["score-0-valid"]["lines"]
    assert told[0] == "epoch 4"
    assert told[1].startswith(f"small: {lines[0]['mean'][3]}")
    assert told[2].startswith(f"gcn: {lines[1]['mean'][3]}")
    hover(compared_page, find(compared_page, "h1"))
    assert not find(compared_page, "#tip").is_displayed()


def test_arrow_keys_read_a_curve(compared_page: Any) -> None:
    chart = centred(compared_page, find(compared_page, "svg[data-curves=loss-train]"))
    compared_page.execute_script("arguments[0].focus()", chart)
    for _ in range(2):
        webdriver.ActionChains(compared_page).send_keys(Keys.ARROW_RIGHT).perform()
    assert find(compared_page, "#tip").text.startswith("epoch 2\n")


def test_a_logarithmic_axis_is_read_where_the_pointer_is(browser: Any, mixed_page: Page, link_runs: Path) -> None:
    opened(browser, link_runs / "mixed.html")
    chart = find(browser, "svg[data-curves=hits-all]")
    data = mixed_page.data["curves"]["hits-all"]
    low, high, start, end, _ = data["x"]
    place = start + math.log(20 / low) / math.log(high / low) * (end - start)
    hover(browser, chart, x=round((place / 360 - 0.5) * chart.size["width"]))
    at = data["lines"][0]["x"].index(20)
    told = find(browser, "#tip").text.splitlines()
    assert told[0] == "K 20"
    for line, said in zip(data["lines"], told[1:], strict=True):
        assert said.startswith(f"{line['name']}: {line['mean'][at]}")
    assert browser.get_log("browser") == []


def test_groups_are_read_by_their_names(browser: Any, mixed_page: Page, link_runs: Path) -> None:
    opened(browser, link_runs / "mixed.html")
    chart = centred(browser, find(browser, "svg[data-curves=degrees-0]"))
    browser.execute_script("arguments[0].focus()", chart)
    names = mixed_page.data["curves"]["degrees-0"]["names"]
    for name in names[:2]:
        webdriver.ActionChains(browser).send_keys(Keys.ARROW_RIGHT).perform()
        assert find(browser, "#tip").text.splitlines()[0] == f"smaller degree {name}"


def test_hovering_the_matrix_tells_a_cell(compared_page: Any, compared: Page) -> None:
    chart = find(compared_page, "svg[data-matrix=confusion-0]")
    matrix = compared.data["matrices"]["confusion-0"]
    left, top, width, height = matrix["grid"]
    factor = chart.size["width"] / 360
    x = factor * (left + 1.5 * width) - chart.size["width"] / 2
    y = factor * (top + 0.5 * height) - chart.size["height"] / 2
    hover(compared_page, chart, x=round(x), y=round(y))
    told = find(compared_page, "#tip").text.splitlines()
    assert told == ["true class: 0", "predicted class: 1", matrix["cells"][0][1] or "0"]


def test_hovering_a_seed_tells_its_score(compared_page: Any) -> None:
    dot = compared_page.find_elements(By.CSS_SELECTOR, "#result .s0 circle.dot")[-1]
    hover(compared_page, dot)
    told = find(compared_page, "#tip").text
    assert told.startswith("seed")
    assert told == dot.get_attribute("data-tip")


def test_choosing_a_node_tells_who_it_hears_and_its_hops(compared_page: Any, compared: Page) -> None:
    view = compared.data["networks"]["0-0"]
    sources = {target: 0 for _, target in view["edges"]}
    for _, target in view["edges"]:
        sources[target] += 1
    chosen = max(sources, key=lambda node: sources[node])
    node = find(compared_page, f"svg[data-network='0-0'] [data-node='{chosen}']")
    centred(compared_page, node).click()
    assert len(compared_page.find_elements(By.CSS_SELECTOR, "svg[data-network='0-0'] .lit line")) == sources[chosen]
    detail = find(compared_page, "#graph .detail").text
    assert f"Node {view['nodes'][chosen]['name']}" in detail
    assert f"hears\n{view['nodes'][chosen]['degree']} node" in detail
    assert f"{view['nodes'][chosen]['hops'][1][2]:.3f}" in detail
    assert node.get_attribute("aria-pressed") == "true"
    webdriver.ActionChains(compared_page).send_keys(Keys.ESCAPE).perform()


def test_nodes_are_reached_by_keys(compared_page: Any, compared: Page) -> None:
    first = centred(compared_page, find(compared_page, "svg[data-network='0-0'] [data-node='0']"))
    compared_page.execute_script("arguments[0].focus()", first)
    webdriver.ActionChains(compared_page).send_keys(Keys.ARROW_RIGHT, Keys.ENTER).perform()
    assert find(compared_page, "#graph .detail h4").text == "Node 1"
    assert compared_page.switch_to.active_element.get_attribute("data-node") == "1"
    webdriver.ActionChains(compared_page).send_keys(Keys.ESCAPE).perform()
    assert find(compared_page, "#graph .detail").text == "Choose a node."


def test_the_command_can_be_copied(compared_page: Any) -> None:
    button = centred(compared_page, find(compared_page, "#configuration .copy"))
    button.click()
    assert compared_page.execute_script("return String(window.getSelection())") == (
        find(compared_page, "#command-0").text
    )


def test_a_name_that_is_a_script_does_not_run(browser: Any, tmp_path: Path) -> None:
    trained(tmp_path, "name='<script>window.ran = 1</script>'", seeds=2)
    report_page(tmp_path / "page.html", tmp_path)
    opened(browser, tmp_path / "page.html")
    assert browser.execute_script("return window.ran") is None
    assert browser.title == find(browser, "h1").text == "<script>window.ran = 1</script>"
    assert browser.get_log("browser") == []


@pytest.mark.parametrize("width", [360, 1200])
@pytest.mark.parametrize("about", ["nodes", "links"])
@pytest.mark.usefixtures("compared", "mixed_page")
def test_nothing_is_wider_than_the_screen(browser: Any, runs: Path, link_runs: Path, about: str, width: int) -> None:
    page = {"nodes": runs / "page.html", "links": link_runs / "mixed.html"}[about]
    screen = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
    try:
        opened(browser, page)
        assert browser.execute_script("return document.documentElement.scrollWidth") <= width
        small = browser.execute_script(
            "return [...document.querySelectorAll('svg.chart text')].filter((t) => t.getClientRects().length)"
            ".map((t) => parseFloat(getComputedStyle(t).fontSize) * Math.hypot(t.getScreenCTM().c, t.getScreenCTM().d))"
            ".filter((size) => size < 8)"
        )
        assert small == []
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_dark_and_paper(browser: Any, compared: Page, runs: Path) -> None:
    ground = "return getComputedStyle(document.body).backgroundColor"
    try:
        dark = [{"name": "prefers-color-scheme", "value": "dark"}]
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": dark})
        opened(browser, runs / "page.html")
        assert browser.execute_script(ground) == "rgb(20, 23, 27)"
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print", "features": dark})
        assert browser.execute_script(ground) == "rgb(255, 255, 255)"
        assert shown(browser, "#predictions [role=tabpanel]") == [True, True]
        assert shown(browser, "nav") == [False]
    finally:
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})


def test_a_large_page_opens_at_once(browser: Any, large_page: Path) -> None:
    """In time of the page's own thread, which does not depend on what else the machine is doing."""
    browser.get("about:blank")
    browser.execute_cdp_cmd("Performance.enable", {"timeDomain": "threadTicks"})
    opened(browser, large_page)
    browser.execute_script("return document.body.offsetHeight")
    metrics = {
        entry["name"]: entry["value"] for entry in browser.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]
    }
    browser.execute_cdp_cmd("Performance.disable", {})
    assert 0 < metrics["TaskDuration"] < 2
    assert browser.get_log("browser") == []
