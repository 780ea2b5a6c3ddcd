"""What is written in any format, the readers take back as it was."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rag.corpus import read_file
from rag.corpus.writers import FORMATS, WRITERS
from rag.errors import SourceError
from rag.types import Paper

ODD = [
    *("and", "And", ", Jr.", ";", "; ", "{", "}", '"', "'", "\\", "\\&", "\\alpha", "$", "$x_1$"),
    *("%", "=1+1", "+3", "@misc{evil,", "-", "'=", "#1", "~", "^2", "_a_", "**b**", "<i>", "&amp;"),
    *("[1]", "é", "Łódź", "ß", "的", "😀", "e\u0301", "\n", "\n\n", "\t", "\r\n", "\u2028"),
    *("\u00ad", "\ue000", "TY  - JOUR", "\nER  - \n", "AB  - no", "]", '["a", "b"]', "null"),
    *("10.1/x", "http://a.b/c", "A title", "Ada Lovelace", "Smith, John", "B. and Sons", "word"),
]
"""What some format takes for more than letters."""

texts = st.lists(
    st.one_of(
        st.sampled_from(ODD),
        st.text(st.characters(exclude_characters="\ufffd"), max_size=8),
    ),
    min_size=1,
    max_size=6,
).map(" ".join)
few = st.lists(texts, max_size=3)
records = st.fixed_dictionaries(
    {"abstract": texts},
    optional={
        **{"id": texts, "title": texts, "url": texts, "venue": texts, "status": texts},
        **{"area": texts, "authors": few, "keywords": few, "year": st.integers(1000, 2999)},
    },
)


def known(found: Paper) -> Paper:
    """All that a paper is, but for where it was read and how its abstract was set there."""
    return replace(found, sources=(), raw="")


def taken(folder: Path, rows: list[dict[str, Any]]) -> list[Paper]:
    """The papers that a source has, without those that cleaning leaves nothing of."""
    source = folder / "source.jsonl"
    source.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    try:
        return list(read_file(str(source)).records)
    except SourceError:
        return []


@pytest.mark.parametrize("suffix", FORMATS)
@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(rows=st.lists(records, min_size=1, max_size=3))
def test_what_is_written_is_read_as_it_was(
    tmp_path: Path, suffix: str, rows: list[dict[str, Any]]
) -> None:
    papers = taken(tmp_path, rows)
    if not papers:
        return
    file = tmp_path / f"out{suffix}"
    file.write_text(WRITERS[FORMATS[suffix]](papers), encoding="utf-8")
    again = read_file(str(file))
    assert not again.rejected
    assert list(map(known, again.records)) == list(map(known, papers))
