"""The web page in a real browser, over a real server."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

from rag.embed.minilm import MiniLM
from tests.browser import View
from tests.corpus import PAPERS, index
from tests.fakes import paper
from tests.serving import serving
from tests.test_publish_browser import CONTRAST, PHONE, overflow

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

TIDE = "What does TideNet do?"
XSS = '"><img src=x onerror=alert(1)><script>alert(2)</script>{{7*7}}'
HOSTILE = paper(
    "x/../<b>",
    f"We present ZebraNet, which paints stripes. {XSS} Its [1] markers and ![a](http://evil/x.png) "
    "stay text. It reaches 91 % on StripeBench.",
    title=f"ZebraNet {XSS}",
    area=f"stripes {XSS}",
    authors=(XSS, "Jane Kim"),
    url="javascript:alert(3)",
)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory, minilm: MiniLM) -> Path:
    """The eight papers, and one that means ill."""
    folder = tmp_path_factory.mktemp("served") / "index"
    index(folder, minilm, [*PAPERS, HOSTILE])
    return folder


@pytest.fixture(scope="module")
def address(store: Path) -> Iterator[str]:
    with serving(store) as found:
        yield found


@contextmanager
def visit(browser: Browser, address: str, path: str = "/", **how: Any) -> Iterator[View]:
    """A page of the server; at the end it must have asked nobody else, and had no complaint."""
    how.setdefault("viewport", {"width": 1280, "height": 900})
    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"], **how)
    context.set_default_timeout(15_000)
    view = View(context.new_page())
    view.page.on("request", lambda request: view.requests.append(request.url))
    view.page.on("pageerror", lambda error: view.complaints.append(str(error)))
    view.page.on("console", lambda message: view.complaints.append(message.text))
    view.page.on("dialog", lambda dialog: view.complaints.append(dialog.message))
    view.page.goto(f"{address}{path}")
    yield view
    assert view.complaints == []
    here = {urlsplit(address).netloc, ""}
    assert {urlsplit(url).netloc for url in view.requests if not url.startswith("data:")} <= here
    context.close()


def ask(page: Page, question: str, turn: int = 1) -> Any:
    """Ask, and wait until the answer is whole."""
    page.fill("#question", question)
    page.press("#question", "Enter")
    page.wait_for_selector(f".turn:nth-child({turn}) .actions")
    return page.locator(f".turn:nth-child({turn})")


def test_a_citation_opens_its_abstract_at_the_quote(browser: Browser, address: str) -> None:
    with visit(browser, address) as view:
        turn = ask(view.page, TIDE)
        said = turn.locator(".text").inner_text()
        turn.locator(".cite").first.click()
        view.page.wait_for_selector("#panel mark")
        quote = view.page.locator("#panel mark").first.inner_text()
        assert quote in said and quote in PAPERS[0].text
        assert "TideNet: Filling the Gaps" in view.page.locator("#panel h2").inner_text()
        view.page.keyboard.press("Escape")
        assert view.page.locator("#panel").is_hidden()
        assert view.page.evaluate("document.activeElement.className") == "cite"


def test_every_line_of_a_list_leads_to_its_paper(browser: Browser, address: str) -> None:
    with visit(browser, address) as view:
        turn = ask(view.page, "Which papers deal with language models?")
        lines = turn.locator(".text li")
        assert lines.count() > 1
        assert turn.locator(".text li .cite").count() == lines.count()


def test_an_answer_comes_in_pieces(browser: Browser, address: str) -> None:
    with visit(browser, address) as view:
        with view.page.expect_response("**/api/ask/stream") as waited:
            ask(view.page, TIDE)
        assert waited.value.headers["content-type"].startswith("text/event-stream")


def test_a_follow_up_a_refusal_and_a_new_conversation(browser: Browser, address: str) -> None:
    with visit(browser, address) as view:
        ask(view.page, TIDE)
        second = ask(view.page, "By how much does it lower the error?", 2)
        assert "6.1 cm" in second.locator(".text").inner_text()
        third = ask(view.page, "Who won the chess championship in 1972?", 3)
        assert third.locator(".refused").count() == 1
        assert third.locator("summary").inner_text() == "The nearest papers"
        assert third.locator(".sources li").count() >= 1
        view.page.reload()
        view.page.wait_for_selector(".turn:nth-child(3) .actions")
        view.page.click("#new")
        assert view.page.locator(".turn").count() == 0


def test_a_link_asks_again(browser: Browser, address: str) -> None:
    with visit(browser, address) as view:
        turn = ask(view.page, TIDE)
        said = turn.locator(".text").inner_text()
        turn.get_by_text("Copy link").click()
        link = view.page.evaluate("navigator.clipboard.readText()")
    with visit(browser, address, link.removeprefix(address)) as view:
        view.page.wait_for_selector(".turn .actions")
        assert view.page.locator(".turn .text").inner_text() == said


def test_an_answer_is_copied_with_its_references(browser: Browser, address: str) -> None:
    with visit(browser, address) as view:
        ask(view.page, TIDE).get_by_text("Copy as Markdown").click()
        text = view.page.evaluate("navigator.clipboard.readText()")
        assert "[1]" in text and "1. TideNet: Filling the Gaps" in text
        assert "<https://example.org/tide>" in text


def test_thumbs_down_makes_a_case(browser: Browser, address: str, store: Path) -> None:
    with visit(browser, address) as view:
        turn = ask(view.page, "What do honeybees tell each other?")
        turn.get_by_title("A bad answer").click()
        turn.get_by_placeholder("What is wrong with it?").fill("says too little")
        turn.get_by_placeholder("What is wrong with it?").press("Enter")
        turn.get_by_text("Noted").wait_for()
    row = json.loads((store / "feedback.jsonl").read_text().splitlines()[-1])
    assert (row["verdict"], row["remark"]) == ("bad", "says too little")


def test_papers_are_found_as_one_types(browser: Browser, address: str) -> None:
    with visit(browser, address, "/papers") as view:
        page = view.page
        page.wait_for_selector("#papers li")
        assert page.locator("#papers li").count() == len(PAPERS) + 1
        page.fill("[name=q]", "honeybees dancing")
        page.locator("#papers li:first-child .name", has_text="Hive").wait_for()
        page.fill("[name=q]", "")
        page.select_option("[name=author]", "Jane Kim")
        page.locator("#count", has_text="1 of 1 papers").wait_for()
        assert "author=Jane+Kim" in page.url
        page.select_option("[name=author]", "")
        page.select_option("[name=area]", "biology")
        page.locator("#count", has_text="2 of 2 papers").wait_for()
        page.check("[name=lines]")
        page.wait_for_selector("#papers .line:not([hidden])")
        assert "area=biology" in page.url
        page.click("#papers .name")
        page.wait_for_selector("#panel .abstract")
        page.click("#panel h2 a")
        page.wait_for_url("**/papers/bees*")
        assert page.locator("#similar").is_visible()
        page.click("#bibtex")
        assert page.evaluate("navigator.clipboard.readText()").startswith("@inproceedings{")


def test_a_digest_is_made_and_compared(browser: Browser, address: str) -> None:
    with visit(browser, address, "/digests") as view:
        page = view.page
        for topic in ("language models", "robots"):
            page.goto(f"{address}/digests")
            page.fill("[name=topic]", topic)
            page.press("[name=topic]", "Enter")
            page.wait_for_url(re.compile("/digests/[0-9a-f]{12}"))
            assert topic in page.locator("h2").first.inner_text()
        page.goto(f"{address}/digests")
        for box in page.locator("input[type=checkbox]").all()[:2]:
            box.check()
        page.get_by_text("Compare two").click()
        page.wait_for_url("**/digests/compare*")
        assert page.locator("h2").count() == 3


def test_the_map_opens_papers(browser: Browser, address: str) -> None:
    with visit(browser, address, "/map") as view:
        page = view.page
        page.wait_for_selector("#map svg")
        assert page.locator("#map svg a").count() == len(PAPERS) + 1
        page.locator("#topics button").first.click()
        assert page.locator("#map svg.dimmed").count() == 1
        page.locator("#map svg a").first.hover()
        name = page.locator("#told").inner_text()
        page.locator("#map svg a").first.click()
        page.wait_for_selector("#panel .abstract")
        assert page.locator("#panel h2").inner_text() == name


def test_a_part_of_the_map_is_seen_larger(browser: Browser, address: str) -> None:
    def seen() -> list[float]:
        return [float(n) for n in (page.get_attribute("#map svg", "viewBox") or "").split()]

    with visit(browser, address, "/map") as view:
        page = view.page
        page.wait_for_selector("#map svg")
        whole = seen()
        page.click("#nearer")
        near = seen()
        assert near[2] < whole[2] and near[0] > whole[0]
        page.locator("#map").focus()
        page.keyboard.press("ArrowLeft")
        assert seen()[0] < near[0] and seen()[2:] == near[2:]
        for _ in range(30):
            page.keyboard.press("+")
        x, y, width, height = seen()
        assert width > 0 and x + width <= whole[2] and y + height <= whole[3]
        page.keyboard.press("0")
        assert seen() == whole


def test_hands_need_not_leave_the_keys(browser: Browser, address: str) -> None:
    with visit(browser, address) as view:
        page = view.page
        page.keyboard.press("/")
        page.keyboard.type(TIDE)
        page.keyboard.press("Enter")
        page.wait_for_selector(".turn .actions")
        for _ in range(30):
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement.className") == "cite":
                break
        page.keyboard.press("Shift+Tab")
        while page.evaluate("document.activeElement.className") != "cite":
            page.keyboard.press("Shift+Tab")
        page.keyboard.press("Enter")
        page.wait_for_selector("#panel mark")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", ["/", "/papers", "/papers/tide", "/digests", "/evals"])
def test_every_text_stands_out(browser: Browser, address: str, path: str, scheme: Any) -> None:
    with visit(browser, address, path, color_scheme=scheme) as view:
        if path == "/":
            ask(view.page, TIDE).locator(".cite").first.click()
            view.page.wait_for_selector("#panel mark")
        assert view.page.evaluate(CONTRAST) == []


def test_the_theme_can_be_turned_over_and_stays(browser: Browser, address: str) -> None:
    ground = "getComputedStyle(document.body).backgroundColor"
    with visit(browser, address, color_scheme="light") as view:
        light = view.page.evaluate(ground)
        view.page.click("#theme")
        dark = view.page.evaluate(ground)
        assert dark != light
        view.page.goto(f"{address}/papers")
        assert view.page.evaluate(ground) == dark


@pytest.mark.parametrize("path", ["/", "/papers", "/papers/tide", "/digests", "/map"])
def test_a_phone_is_wide_enough(browser: Browser, address: str, path: str) -> None:
    with visit(browser, address, path, **PHONE) as view:
        if path == "/":
            ask(view.page, TIDE).locator(".cite").first.tap()
            view.page.wait_for_selector("#panel mark")
        assert overflow(view.page) <= 0


def test_hostile_texts_stay_texts(browser: Browser, address: str) -> None:
    with visit(browser, address) as view:
        page = view.page
        turn = ask(page, "What is ZebraNet?")
        turn.locator(".cite").first.click()
        page.wait_for_selector("#panel mark")
        assert page.locator("img[src=x]").count() == 0
        page.goto(f"{address}/papers?q={XSS}&area={XSS}")
        page.wait_for_selector("#papers :is(li, .failure)")
        page.goto(f"{address}/papers/x%2F..%2F%3Cb%3E?quotes=0-10")
        assert XSS in page.locator("h1").inner_text()
        assert page.locator("a[href^=javascript]").count() == 0
        page.goto(f"{address}/map")
        page.wait_for_selector("#map svg")
        page.goto(f"{address}/papers/%3Cscript%3Ealert(1)%3C%2Fscript%3E")
        view.complaints = [told for told in view.complaints if "404" not in told]


def test_only_an_answers_own_markers_are_links(browser: Browser, address: str) -> None:
    forged = {
        "question": "q?",
        "standalone_question": "q?",
        "outcome": "answered",
        "text": "Bees dance [2] and [1]. [1] [2] They hum. [1][2] See [9].",
        "sources": [{"paper_id": "p", "title": "P"}, {"paper_id": "q", "title": "Q"}],
        "notes": [],
        "statements": [
            {"text": "Bees dance [2] and [1].", "supported": True, "citations": [marked(1)]},
            {"text": "[2] They hum.", "supported": True, "citations": [marked(1), marked(2)]},
        ],
    }
    refused = {
        **forged,
        "outcome": "not_in_abstracts",
        "text": "No. Nearest: P [2] x [1]; P [1]; Q [2].",
        "statements": [],
    }
    linked = """async answer => (await import("/static/answer.js")).shown(answer, {filters: {}})
        .flatMap(part => [...part.querySelectorAll("a.cite")]).map(link => link.dataset.paper)"""
    copied = """async text => (await import("/static/answer.js")).markdown(
        {question: "q?", text, sources: [], statements: []})"""
    with visit(browser, address) as view:
        assert view.page.evaluate(linked, forged) == ["p", "p", "q"]
        assert view.page.evaluate(linked, refused) == ["p", "q"]
        shown = view.page.evaluate(copied, "[1](https://evil.example/?q) www.evil.example")
        assert r"\[1](https\://evil.example/?q) www\.evil.example" in shown


def marked(number: int) -> dict[str, Any]:
    return {"number": number, "quote": "Bees", "start": 0, "end": 4}
