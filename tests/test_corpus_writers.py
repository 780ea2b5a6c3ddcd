"""What is written in any format, the readers take back as it was."""

from __future__ import annotations

import csv
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
from tests.fakes import paper

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
    {"abstract": st.one_of(texts.map("Shells {}".format), texts.map("{} shells".format))},
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


def one(**more: Any) -> list[Paper]:
    return [paper("shells", "AlphaNet sorts shells, 12 kinds of them.", **more)]


def test_bibtex_has_fields_that_programs_know() -> None:
    more = {"title": "Shells & Sand", "authors": ("Ann Bee", "B. and Sons"), "year": 2031}
    text = WRITERS["bib"](one(venue="Toy Conference", area="50% sea", **more))
    assert text.startswith("@inproceedings{bee2031shells,\n  author = {Ann Bee and {B. and Sons}},")
    assert r"title = {{Shells \& Sand}}" in text
    assert r"area = {50\% sea}" in text
    assert "paperid = {shells}" in text


def test_no_cell_is_a_formula() -> None:
    text = WRITERS["csv"](one(title="=SUM(A1)", area="'@home", authors=("-x", "Bee; Ann")))
    [row] = csv.DictReader(text.splitlines())
    assert (row["title"], row["area"]) == ("'=SUM(A1)", "''@home")
    assert row["authors"] == '["-x", "Bee; Ann"]'


def test_csl_has_names_in_parts_and_what_was_lost_beside_them() -> None:
    [item] = json.loads(WRITERS["csl"](one(authors=("Ann Bee", "Sea, Cay"), status="oral")))
    assert item["author"] == [
        {"given": "Ann", "family": "Bee"},
        {"given": "Cay", "family": "Sea"},
    ]
    assert item["custom"] == {"status": "oral", "authors": ["Ann Bee", "Sea, Cay"]}


def test_the_abstract_as_it_stood_is_kept_where_it_can_be() -> None:
    raw = "AlphaNet sorts shells,\n**12** kinds of them."
    papers = [replace(one()[0], raw=raw), replace(one()[0], raw="Another text.")]
    rows = [json.loads(line) for line in WRITERS["jsonl"](papers).splitlines()]
    assert [row["abstract"] for row in rows] == [raw, papers[1].text]
    assert {row["text"] for row in rows} == {papers[0].text}
    assert "AB  - AlphaNet sorts shells, **12** kinds of them.\n" in WRITERS["ris"](papers)
