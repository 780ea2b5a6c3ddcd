"""Papers that mean ill, in a real browser: nothing of theirs runs, and nothing leaves."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest

from rag.embed.minilm import MiniLM
from rag.store.snapshot import Snapshot
from tests.browser import opened
from tests.commands import runner
from tests.hostile import laid_out
from tests.serving import serving
from tests.test_hostile_papers import ill_markdown
from tests.test_serve_browser import ask, visit

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ILL = "img:not([src^='/static/']), iframe, [onerror], [onload], [onclick], [href^='javascript:']"
RAN = f"() => 'pwned' in window || document.querySelector({ILL!r}) !== null"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, minilm: MiniLM) -> Path:
    return laid_out(tmp_path_factory.mktemp("hostile"), minilm)


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[str]:
    with serving(folder / "index_store") as found:
        yield found


def test_pages_of_papers_run_nothing(browser: Browser, address: str, folder: Path) -> None:
    snapshot = Snapshot.open(folder / "index_store")
    with visit(browser, address, "/papers") as view:
        for row in range(len(snapshot)):
            view.page.goto(f"{address}/papers/{quote(snapshot.paper(row).paper_id, safe='')}")
            assert "Zebra" in view.page.inner_text("h1")
            assert not view.page.evaluate(RAN)


def test_answers_lists_and_the_map_run_nothing(browser: Browser, address: str) -> None:
    with visit(browser, address) as view:
        for turn, asked in enumerate(("What does ZebraANet paint?", "Which papers paint?"), 1):
            answer = ask(view.page, asked, turn)
            assert "pwned" in answer.inner_text()
            answer.get_by_role("button", name="Copy as Markdown").click()
            copied = view.page.evaluate("navigator.clipboard.readText()")
            assert "pwned" in copied and ill_markdown(copied) == []
        view.page.locator(".cite").first.click()
        view.page.wait_for_timeout(300)
        assert not view.page.evaluate(RAN)
    for path, shows in (("/papers", ".papers li"), ("/map", "svg .mark")):
        with visit(browser, address, path) as view:
            view.page.wait_for_selector(shows)
            assert not view.page.evaluate(RAN)


def test_a_published_digest_runs_nothing(
    browser: Browser,
    folder: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    page = tmp_path / "page.html"
    run = runner(capsys, monkeypatch, folder)
    assert run("digest", "--auto", "-o", page).status == 0
    with opened(browser, page) as view:
        assert view.page.locator("text=Zebra").count() > 0
        assert not view.page.evaluate(RAN)
        assert view.complaints == []
        assert view.requests == [page.as_uri()]
