"""References become Papers, as files do: ``openreview:VENUE``, ``arxiv:QUERY``, ``doi:DOI``.

The addresses of such papers' and venues' pages are references, too.
Nothing here is used unless such a reference is given. A loader asks a public server, in its own
time, and yields what a reader of files would; what it was answered is kept for a day, so that a
run that was broken off goes on where it was. Each loader's library is an extra of its own.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING
from urllib.parse import unquote

from rag.corpus.online.access import printable
from rag.errors import NoAbstracts, OnlineError

if TYPE_CHECKING:
    from rag.corpus.files import FileReading
    from rag.corpus.online.access import Access
    from rag.corpus.record import RawRecord
    from rag.types import Rejection

    Loader = Callable[[str, Access], Iterator[RawRecord | Rejection]]

LOADERS = {"openreview": "openreview", "arxiv": "arxiv", "doi": "requests"}
"""What a reference begins with, and the library without which it cannot be read."""

_PAGES = {
    "openreview": r"https?://openreview\.net/(?:group|forum|pdf)\?(?:[^#]*&)?id=(?P<query>[^&#]+)",
    "arxiv": r"https?://(?:www\.|export\.)?arxiv\.org/(?:abs|pdf|html)/(?P<query>[^?#]+?)(?:\.pdf)?",
    "doi": r"https?://(?:dx\.|www\.)?doi\.org/(?P<query>10\..+)",
}
"""Addresses that name what a loader can ask for."""

EXAMPLES = "openreview:ICLR.cc/2026/Conference, arxiv:2401.01234, arxiv:cat:cs.LG, doi:10.1000/182"


def is_reference(path: str) -> bool:
    """Whether what stands in the place of a path names papers online."""
    return _parts(path) is not None


def _parts(reference: str) -> tuple[str, str] | None:
    """The loader of a reference and what it is to ask for; None for what is no reference."""
    for scheme, page in _PAGES.items():
        if found := re.match(rf"{page}(?:[?#&].*)?$", reference, re.IGNORECASE):
            return scheme, unquote(found["query"])
    scheme, colon, query = reference.partition(":")
    return (scheme.lower(), query.strip()) if colon and scheme.lower() in LOADERS else None


def read_reference(reference: str, access: Access) -> FileReading:
    """The papers that a reference names, in the server's order.

    Raises OnlineError: the library is missing, the server fails, refuses or knows no such thing.
    Papers without an abstract, also where there are no others, are the reading's to tell.
    """
    from rag.corpus.files import READING, FileReading, papers_of
    from rag.corpus.naming import naming

    scheme, query = _parts(reference) or ("a reference", "")
    if not query.strip("/, ") or not query.isprintable():
        raise OnlineError(f"{scheme}: names no papers.", f"for example {EXAMPLES}")
    name = f"{scheme}:{query}"
    load = _loader(scheme)
    with naming({}) as names, _told(name):
        records, rejected = papers_of(name, name, load(query, access))
    said = repr((READING, records, rejected)).encode("utf-8", "replace")
    digest = hashlib.sha256(said).hexdigest()
    return FileReading(
        name,
        name,
        digest,
        scheme,
        records,
        rejected,
        names.fields(),
        # Of what is not listed any more nothing is known where only the first are listed.
        passing=scheme == "arxiv" or access.limit is not None,
        problem=None if records else _no_abstract(name, rejected),
    )


@contextmanager
def _told(name: str) -> Iterator[None]:
    """Turn what the HTTP library finds wrong by itself into OnlineError: an address that is none,
    a server that only sends us on."""
    from requests import RequestException

    try:
        yield
    except RequestException as error:
        message = f"{name} cannot be asked for: {printable(str(error))}"
        raise OnlineError(message, "check the server's address in the settings") from error


def _no_abstract(name: str, rejected: Sequence[Rejection]) -> NoAbstracts:
    if not rejected:
        return NoAbstracts(f"{name} finds no papers", f"for example {EXAMPLES}")
    papers = "1 paper" if len(rejected) == 1 else f"{len(rejected):,} papers, the first"
    message = f"{name} gives no abstract: {papers}: {rejected[0].reason}"
    return NoAbstracts(message, "ingest a file that has it, such as an export of its publisher's")


def _loader(scheme: str) -> Loader:
    from importlib import import_module
    from importlib.util import find_spec

    if not find_spec(LOADERS[scheme]):
        message = f"What {scheme}: names can only be read with the extra {scheme!r}."
        raise OnlineError(message, f"pip install 'rag[{scheme}]'")
    load: Loader = import_module(f"rag.corpus.online.{scheme}").load
    return load
