"""A headless Chromium that looks at pages from disk, where playwright and a Chromium are there."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

ARGUMENTS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
).split()
CHROMIUMS = ("chromium", "chromium-browser", "google-chrome")


@dataclass
class View:
    """An open page, and what it asked for and complained of since it was opened."""

    page: Page
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One Chromium for a file of tests; skips where there is none. While it is open there is an
    event loop in this thread, which tests in other files would trip over."""
    if find_spec("playwright") is None:
        pytest.skip("playwright is not installed")
    path = next(filter(None, map(shutil.which, CHROMIUMS)), None)
    if path is None:
        pytest.skip("no Chromium on this machine")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield chromium
        chromium.close()


@contextmanager
def opened(browser: Browser, file: Path, **how: Any) -> Iterator[View]:
    """A page from disk in a window of its own; ``how`` goes to playwright's new_context."""
    how.setdefault("viewport", {"width": 1280, "height": 900})
    context = browser.new_context(**how)
    context.set_default_timeout(5_000)
    view = View(context.new_page())
    view.page.on("request", lambda request: view.requests.append(request.url))
    view.page.on("pageerror", lambda error: view.complaints.append(str(error)))
    view.page.on("console", lambda message: view.complaints.append(message.text))
    view.page.goto(file.as_uri())
    yield view
    context.close()
