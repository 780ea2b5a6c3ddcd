"""The page of an evaluation in a real browser, opened from disk."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rag.evaluate.types import Changed
from rag.publish.evals.page import LONG, OPEN, page
from tests.browser import View, opened
from tests.evals_runs import AFTER, BEFORE, comparison, hostile, run, sample
from tests.test_publish_browser import CONTRAST, PHONE, overflow

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator

Look = Callable[..., AbstractContextManager[View]]
OTHER = run(BEFORE.samples, "20260129T080000", corpus="bad")


@pytest.fixture
def look(browser: Browser) -> Look:
    return partial(opened, browser)


def facet(view: View, name: str) -> Locator:
    """What cases are chosen by."""
    return view.page.locator(f"select[data-facet={name}]")


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a comparison with a past of two runs, one of them on another corpus."""
    file = tmp_path_factory.mktemp("evals") / "page.html"
    file.write_text(page(AFTER, comparison(), [OTHER, BEFORE]), encoding="utf-8")
    return file


def test_opening_asks_for_nothing_and_says_the_verdict(look: Look, page_file: Path) -> None:
    with look(page_file) as view:
        assert view.page.title() == "Worse · evaluation 20260131T094512"
        assert view.page.locator("h1").inner_text() == "Worse"
        assert "The gate is shut: 1 failure." in view.page.locator(".gate").inner_text()
        assert view.requests == [page_file.as_uri()]
        assert not view.complaints


def test_a_changed_case_stands_side_by_side(look: Look, page_file: Path) -> None:
    with look(page_file) as view:
        case = view.page.locator("article", has_text="bee0")
        case.scroll_into_view_if_needed()
        before, after = (pane.bounding_box() for pane in case.locator(".pane").all())
        assert before and after
        assert before["y"] == after["y"]
        assert before["x"] < after["x"]
        moves = case.locator(".moves li").all_inner_texts()
        assert moves == ["worse facts 1.000 → 0.000", "worse outcome 1.000 → 0.000"]
        assert case.locator(".own").all_inner_texts() == ["only before"]
        assert case.locator(".fault").first.inner_text() == "Fault: The fact “4 grams” is missing."


def test_cases_are_chosen_by_suite_kind_and_direction(look: Look, page_file: Path) -> None:
    with look(page_file) as view:
        shown = view.page.locator("article:visible .facts a")
        assert shown.count() == 4
        facet(view, "suite").select_option("ask")
        facet(view, "kind").select_option("number")
        assert shown.all_text_contents() == ["ask bee0", "ask bee5"]
        facet(view, "direction").select_option("worse")
        assert shown.all_text_contents() == ["ask bee0"]
        assert view.page.locator("#shown").inner_text() == "1 of 4 shown"
        view.page.evaluate("location.hash = 'c2'")
        view.page.locator("#c2").wait_for()
        assert not view.complaints


def test_of_many_changed_cases_the_first_are_shown_and_any_is_found(
    look: Look, tmp_path: Path
) -> None:
    pairs = [
        Changed(sample(f"ant{n}"), sample(f"ant{n}", kind=f"k{n}", text="Light."), (), ())
        for n in range(OPEN + 5)
    ]
    file = tmp_path / "many.html"
    file.write_text(page(AFTER, comparison(changed=tuple(pairs))), encoding="utf-8")
    with look(file) as view:
        last, shown = view.page.locator(f"#c{OPEN + 5}"), view.page.locator("article:visible")
        assert shown.count() == OPEN
        assert view.page.locator("#further summary").inner_text() == "5 more changed cases"
        view.page.evaluate(f"location.hash = 'c{OPEN + 5}'")
        last.wait_for()
        view.page.reload()
        view.page.evaluate("document.getElementById('further').open = false")
        facet(view, "kind").select_option(f"k{OPEN + 4}")
        assert shown.count() == 1
        assert last.is_visible()


def test_without_scripts_all_cases_are_there(look: Look, page_file: Path) -> None:
    with look(page_file, java_script_enabled=False) as view:
        assert view.page.locator("article:visible").count() == 4
        assert view.page.locator("#filter").is_hidden()


def test_bars_and_curves_say_what_they_draw(look: Look, page_file: Path) -> None:
    with look(page_file) as view:
        bar = view.page.locator("#figures svg[aria-label^='facts']")
        said = "facts 0.702, 95 % interval 0.652–0.752, before 0.780"
        assert bar.get_attribute("aria-label") == said
        tick = bar.locator(".tick:not(.halo)").bounding_box()
        ends = bar.locator(".whisker:not(.halo)").first.bounding_box()
        assert tick and ends
        assert ends["x"] + ends["width"] < tick["x"]
        curve = view.page.locator("#trend svg[aria-label^='outcome in ask over 3 runs']")
        assert curve.locator("circle").count() == 3
        assert curve.locator("circle.other title").text_content() == (
            "20260129T080000: 1.000 (another corpus)"
        )


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("how", [{}, PHONE], ids=["desk", "phone"])
def test_it_can_be_read(look: Look, page_file: Path, scheme: str, how: dict[str, object]) -> None:
    with look(page_file, color_scheme=scheme, **how) as view:
        view.page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
        assert view.page.evaluate(CONTRAST) == []
        assert overflow(view.page) <= 0


def test_changed_cases_come_first_and_no_kind_is_cut_off(look: Look, page_file: Path) -> None:
    with look(page_file, **PHONE) as view:
        tops = "[...document.querySelectorAll('main > section')].map(section => section.id)"
        assert view.page.evaluate(tops) == ["changed", "figures", "kinds", "trend", "made"]
        for width in (320, 390, 700, 1024, 1280):
            view.page.set_viewport_size({"width": width, "height": 800})
            for kinds in view.page.locator(".kinds").all():
                assert kinds.evaluate("e => e.scrollWidth - e.clientWidth") <= 0
        view.page.set_viewport_size({"width": 390, "height": 800})
        cell = view.page.locator(".heat td[data-name='outcome']").first
        assert cell.evaluate("e => getComputedStyle(e, '::before').content") == '"outcome"'


def test_hostile_texts_stay_texts(look: Look, tmp_path: Path) -> None:
    evil = hostile()
    file = tmp_path / "hostile.html"
    file.write_text(page(evil.after, evil, [BEFORE]), encoding="utf-8")
    with look(file, **PHONE) as view:
        assert view.page.evaluate("window.pwned") is None
        assert view.requests == [file.as_uri()]
        assert not view.complaints
        odd = view.page.locator("img, iframe, object, main script, link, base")
        assert odd.count() == 0
        links = view.page.evaluate("[...document.links].map(link => link.getAttribute('href'))")
        assert all(link.startswith("#") for link in links)
        kinds = facet(view, "kind").locator("option").all_inner_texts()
        facet(view, "kind").select_option(kinds[1])
        assert view.page.locator("article:visible").count() == 1
        assert overflow(view.page) <= 0
        assert not {"\u202e", "\u2066", "\x1b"} & set(view.page.content())


def test_a_long_text_is_folded(look: Look, tmp_path: Path) -> None:
    old, new = sample("ant"), sample("ant", text="so " * 33_000 + "on")
    file = tmp_path / "long.html"
    found = comparison(changed=(Changed(old, new, (), ()),))
    file.write_text(page(AFTER, found), encoding="utf-8")
    with look(file) as view:
        answer = view.page.locator("article .answer").last
        assert len(answer.inner_text()) < LONG + 100
        answer.locator("summary").click()
        assert answer.inner_text().rstrip().endswith("so on")


def test_print_has_every_case_and_no_controls(look: Look, page_file: Path) -> None:
    with look(page_file) as view:
        view.page.emulate_media(media="print")
        assert view.page.locator("#filter").is_hidden()
        assert view.page.locator("nav").is_hidden()
        boxes = [pane.bounding_box() for pane in view.page.locator(".pane").all()]
        assert all(box and box["height"] > 20 for box in boxes)
