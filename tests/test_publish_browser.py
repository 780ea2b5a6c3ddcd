"""The page of digests in a real browser, opened from disk."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rag.publish.html import OPEN_ENTRIES, digest_page
from tests.browser import View, opened
from tests.digests import atlas, empty, hostile, large, living, machines

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

Look = Callable[..., AbstractContextManager[View]]
"""Opens a page from disk, with what playwright's new_context takes."""

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
CONTRAST = """() => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = (colour) => {
    canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const light = (colour) => {
    const [r, g, b] = rgba(colour).map((v) => v / 255)
      .map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (node) => {
    for (; node; node = node.parentElement) {
      const colour = getComputedStyle(node).backgroundColor;
      if (rgba(colour)[3] === 255) return colour;
    }
  };
  const faint = [];
  for (const node of document.querySelectorAll("body *")) {
    const told = [...node.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    if (!told || !node.getClientRects().length || node.tagName === "title") continue;
    const style = getComputedStyle(node);
    const [a, b] = [light(node.closest("svg") ? style.fill : style.color), light(ground(node))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) faint.push(`${node.className} ${node.textContent.slice(0, 20)} ${ratio}`);
  }
  return faint;
}"""
"""Texts whose contrast with what is behind them is below WCAG's AA."""


@pytest.fixture
def look(browser: Browser) -> Look:
    return partial(opened, browser)


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page of three digests."""
    file = tmp_path_factory.mktemp("page") / "page.html"
    digests = [machines(), living(), empty()]
    file.write_text(digest_page(digests, atlas(digests)), encoding="utf-8")
    return file


def shown_quote(page: Page) -> str:
    """What the card marks, waiting until it is there."""
    page.wait_for_selector("#card:not([hidden])")
    return " … ".join(page.locator("#card mark").all_inner_texts())


def overflow(page: Page) -> int:
    """By how many pixels the page is wider than its window."""
    return int(page.evaluate("document.documentElement.scrollWidth - innerWidth"))


def test_opening_asks_for_nothing(look: Look, page_file: Path) -> None:
    with look(page_file) as view:
        assert view.page.title() == "What the papers say"
        assert view.requests == [page_file.as_uri()]
        assert not view.complaints


def test_hovering_shows_each_quote_in_its_abstract(look: Look, page_file: Path) -> None:
    digest = machines()
    with look(page_file) as view:
        for entry in digest.entries:
            view.page.locator(f"#d1-{entry.number} a.cite").hover()
            view.page.locator("#card .abstract", has_text=entry.paper.text).wait_for()
            assert shown_quote(view.page) == entry.citations[0].quote
        view.page.mouse.move(2, 2)
        view.page.wait_for_selector("#card", state="hidden")
        assert not view.complaints


def test_the_keyboard_opens_enters_and_closes(look: Look, page_file: Path) -> None:
    with look(page_file) as view:
        page = view.page
        page.locator(".overview a.cite").first.focus()
        page.keyboard.press("Tab")
        assert shown_quote(page) == "lose their worth"
        page.keyboard.press("Escape")
        assert page.locator("#card").is_hidden()
        for key in ("Enter", " "):
            page.keyboard.press(key)
            assert page.evaluate("document.activeElement.id") == "card"
            page.keyboard.press("Escape")
            assert page.locator("#card").is_hidden()
            assert page.evaluate("document.activeElement.textContent") == "[2]"
        for key in ("Enter", "Tab", "Tab"):  # into the card, to its link, and out of it
            page.keyboard.press(key)
        assert page.evaluate("document.activeElement.textContent") == "[2]"
        assert not view.complaints


def test_tapping_shows_a_quote_on_a_phone(look: Look, page_file: Path) -> None:
    with look(page_file, **PHONE) as view:
        view.page.locator("#d2-1 a.cite").tap()
        assert shown_quote(view.page) == "read 1,240 dances"
        view.page.locator("h1").tap()
        assert view.page.locator("#card").is_hidden()
        assert overflow(view.page) <= 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_stands_out(look: Look, page_file: Path, scheme: str) -> None:
    with look(page_file, color_scheme=scheme) as view:
        view.page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
        view.page.locator("#d1-1 a.cite").hover()
        shown_quote(view.page)
        dark = view.page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert (dark == "rgb(22, 24, 28)") is (scheme == "dark")
        assert view.page.evaluate(CONTRAST) == []
        assert overflow(view.page) <= 0


def test_without_scripts_a_citation_leads_to_its_abstract(
    look: Look,
    page_file: Path,
) -> None:
    with look(page_file, java_script_enabled=False) as view:
        view.page.locator("#d1-2 a.cite").click()
        abstract = view.page.locator(":target .abstract")
        assert abstract.is_visible()
        assert "We hide harmless marks" in abstract.locator("mark").all_inner_texts()


def test_hostile_texts_stay_texts(look: Look, tmp_path: Path) -> None:
    file = tmp_path / "hostile.html"
    digests = [hostile()]
    text = digest_page(
        digests, atlas([*digests, living()]), title="</title><script>window.pwned=1</script>"
    )
    file.write_text(text, encoding="utf-8")
    with look(file) as view:
        page = view.page
        page.locator("#d1-2 a.cite").hover()
        shown_quote(page)
        page.locator("svg.map .mark *").first.hover()
        assert page.evaluate("window.pwned") is None
        assert view.requests == [file.as_uri()]
        assert not view.complaints
        assert page.locator("img, iframe, object, form, script:not(:last-child)").count() == 0
        links = page.evaluate("[...document.links].map(link => link.getAttribute('href'))")
        assert all(link.startswith("#") for link in links)
        assert "<script>window.pwned = 1</script>" in page.locator("#d1-1 .line").inner_text()


def test_the_map_tells_what_a_mark_is_and_leads_there(look: Look, page_file: Path) -> None:
    with look(page_file) as view:
        page, proof = view.page, machines().entries[2]
        mark = page.locator('svg.map a[href="#d1-3"]')
        mark.hover()
        assert page.locator("#tip").inner_text().split("\n") == [proof.paper.name, proof.line]
        page.locator("svg .row").first.hover()
        assert page.locator("#tip").is_hidden()
        assert page.locator("svg.map.dimmed .kept").count() == 1
        mark.click()
        assert page.locator("#d1-3:target").is_visible()


def test_a_long_digest_is_folded_and_links_unfold_it(look: Look, tmp_path: Path) -> None:
    digest = large(OPEN_ENTRIES + 20)
    file = tmp_path / "large.html"
    file.write_text(digest_page([digest], atlas([digest, living()])), encoding="utf-8")
    with look(file) as view:
        page, last = view.page, digest.entries[-1]
        assert page.locator("#d1-50").is_visible()
        assert page.locator("#d1-51").is_hidden()
        page.locator(f'svg.map a[href="#d1-{last.number}"]').dispatch_event("click")
        page.locator(f"#d1-{last.number} a.cite").hover()
        assert shown_quote(page) == last.citations[0].quote


def test_print_has_the_quotes_and_nothing_folded(look: Look, tmp_path: Path) -> None:
    digest = large(OPEN_ENTRIES + 5)
    file = tmp_path / "large.html"
    file.write_text(digest_page([digest], atlas([digest])), encoding="utf-8")
    with look(file) as view:
        assert view.page.locator("#d1-1 .footnote").is_hidden()
        view.page.emulate_media(media="print")
        for number in (1, OPEN_ENTRIES + 5):
            footnote = view.page.locator(f"#d1-{number} .footnote")
            assert footnote.inner_text() == f"[{number}] “{number + 1} of”"
            assert footnote.bounding_box()
        assert view.page.locator("nav").is_hidden()
