"""Templates of the pages. Every text is escaped; this is the only module here that knows Jinja."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from rag.publish.content import count, shown

if TYPE_CHECKING:
    from jinja2 import Environment


def page(template: str, **values: Any) -> str:
    """A template with its values; one that is missing is an error, not an empty place."""
    text: str = _environment().get_template(template).render(**values)
    return text


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("rag.serve"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_finalized,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["count"] = count
    environment.filters["path"] = lambda text: quote(text, safe="")
    return environment


def _finalized(value: Any) -> Any:
    """No text from outside keeps a character that steers a browser."""
    trusted = hasattr(value, "__html__")
    return shown(value) if isinstance(value, str) and not trusted else value
