"""The files beside this module that a browser reads."""

from __future__ import annotations

from functools import cache
from importlib.resources import files


@cache
def asset(name: str) -> str:
    """The text of page.css, page.js, figures.css or a template."""
    return files("rag.publish").joinpath(name).read_text(encoding="utf-8")
