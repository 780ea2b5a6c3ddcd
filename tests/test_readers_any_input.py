"""Whatever is in a file, each reader says what it finds or why it finds nothing, and soon."""

from __future__ import annotations

import json
import time
import tracemalloc
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rag.corpus.decode import NotTextError, decode
from rag.corpus.readers import BINARY, READERS, reader_for
from rag.corpus.record import RawRecord
from rag.types import Rejection

SECOND = 1.0
MEBIBYTES = 200

PIECES = st.sampled_from(
    [
        *("TY  - JOUR\n", "AB  - We count bees.\n", "ER  - \n", "PT J\n", "TI x\n", "PMID- 1\n"),
        *("@article{a,\n", "title={", "}", ",\n", 'abstract = "', '"', "{", "[", "]", ":", "\\"),
        *("\n\n", "# ", "- **", "**", "[x](http://a.b)", "| a | b |\n|---|---|\n", "<details>"),
        *("Title,Abstract\n", "Abstract:", "Title: x\n", "1. ", "We", "%T x\n", "%X ", "\\\\\n"),
        *("<?xml version='1.0'?>", "<feed>", "<entry>", "<records><record>", "</record>", "<!--"),
        *("&amp;", "&x;", "<html><body><h2>", "<a href=x>", "</a>", "arXiv:2401.00001\n", "null"),
        *("NaN", '{"title": "x", "abstract": "We count bees."}', "\ufeff", "\u2028", "\x1c", "é"),
        *(" count bees in hives, and it works. ", "蜜蜂。"),
    ]
)
# Without carriage returns: decoding has made line ends of them.
TEXTS = st.one_of(st.text(max_size=400), st.lists(PIECES, max_size=60).map("".join)).map(
    lambda text: text.replace("\r", "\n")
)
VALUES: Any = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                "title abstract authors content value papers columns data year keywords "
                "abstract_inverted_index journal source id name".split()
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=30,
)
QUICK = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)


def outcomes(read: Callable[[Any], Iterator[RawRecord | Rejection]], data: object) -> list[Any]:
    """What a reader yields, each of it whole, in less than a second."""
    begin = time.perf_counter()
    found = list(read(data))
    assert time.perf_counter() - begin < SECOND
    for each in found:
        assert isinstance(each, RawRecord | Rejection)
        assert each.line is None or each.line >= 0
        if isinstance(each, RawRecord):
            assert each.abstract.strip()
        else:
            assert each.reason
    return found


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name)
def test_any_text_by_force(reader: Any) -> None:
    @QUICK
    @given(TEXTS)
    def check(text: str) -> None:
        for suffix in ("", ".csv", ".json"):
            reader.sniff(text, suffix)
        outcomes(reader.read, text)

    check()


@pytest.mark.parametrize("reader", BINARY, ids=lambda reader: reader.name)
def test_any_bytes_by_force(reader: Any) -> None:
    @QUICK
    @given(st.binary(max_size=400), st.sampled_from([b"", b"%PDF-1.4\n", b"PK\x03\x04xl/"]))
    def check(data: bytes, head: bytes) -> None:
        assert outcomes(reader.read, head + data)

    check()


@QUICK
@given(st.binary(max_size=600))
def test_any_bytes_as_a_file(data: bytes) -> None:
    try:
        text = decode(data)
    except NotTextError:
        return
    outcomes(reader_for(text, "").read, text)


@QUICK
@given(VALUES)
def test_any_json(value: Any) -> None:
    text = json.dumps(value)
    for name in ("json", "jsonl"):
        reader = next(reader for reader in READERS if reader.name == name)
        assert outcomes(reader.read, text)


LONG = 20_000
TRAPS = {
    "brackets": "[" * LONG,
    "braces": '{"a":' * LONG,
    "quotes": 'title,abstract\n"' + 'x","' * LONG,
    "open quotes": 'title,abstract\n' + 'x,"y\n' * (LONG // 10),
    "blank lines": "@a{b,\n" + "\n" * LONG,
    "spaces": "# " + " " * LONG + "#",
    "comments": "# x\n" + "<!--" * LONG,
    "links": "- [" * LONG,
    "tags": "<html>" + "<a href=x>" * (LONG // 10),
    "bold": "**" * LONG,
    "labels": "Title: x\nAbstract: y\n" + "a: " * LONG,
    "rules": "- " * LONG,
    "bars": "|-" * LONG,
    "elements": "<?xml version='1.0'?>" + "<a>" * LONG,
    "names": "A. " * LONG,
    "commas": "title,abstract\n" + "," * LONG,
    "entries": "@article{a,title={x" * (LONG // 20),
    "records": "TY  - JOUR\n" * (LONG // 20),
    "numbers": "\n".join(f"{number}. x" for number in range(LONG // 10)),
    "words": "We count bees " * LONG,
}  # fmt: skip


@pytest.mark.parametrize("trap", TRAPS)
def test_nothing_takes_long(trap: str) -> None:
    text = TRAPS[trap]
    outcomes(reader_for(text, "").read, text)


def test_memory_is_bounded() -> None:
    tracemalloc.start()
    try:
        for text in TRAPS.values():
            list(reader_for(text, "").read(text))
        assert tracemalloc.get_traced_memory()[1] < MEBIBYTES * 2**20
    finally:
        tracemalloc.stop()
