"""Lines as files for other programs: whatever a title or abstract holds, it stays text."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import replace

import pytest

from rag.publish.summaries import as_bibtex, as_csv, as_markdown, summary_line, summary_text
from rag.render import Style
from rag.types import Citation, Paper, Summary
from tests.corpus import PAPERS

PLAIN = Style(False)


def line(paper: Paper = PAPERS[0], text: str = "", *, supported: bool = True) -> Summary:
    end = paper.text.index(".") + 1
    quote = Citation(1, paper.paper_id, paper.text[:end], 0, end)
    return Summary(paper, text or quote.quote, (quote,), supported, 0.9)


def cells(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


@pytest.mark.parametrize(
    "cell",
    ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", " =1", "\n-1", "＝1", "\x00=1", "\ufeff=1"],
)
def test_no_cell_is_a_formula(cell: str) -> None:
    hostile = replace(PAPERS[0], title=cell, authors=(cell,), area=cell, url=cell, paper_id=cell)
    (row,) = cells(as_csv([line(hostile, cell)]))
    shown = [row[name] for name in ("paper_id", "name", "url", "authors", "area", "summary")]
    assert all(text.startswith("'") for text in shown), shown


def test_a_table_has_a_row_a_paper_whatever_they_hold() -> None:
    hostile = replace(PAPERS[1], title='A "b", c;\r\nd\u2028e', venue=None)
    text = as_csv([line(), line(hostile, supported=False)])
    assert len(text.split("\n")) == 4
    first, second = cells(text)
    assert first["year"] == "2031"
    assert first["words"] == "10"
    assert first["quotes"] == line().citations[0].quote
    assert second["name"] == 'A "b", c; d e'
    assert second["venue"] == ""
    assert second["supported"] == "False"


HOSTILE = "<script>x</script> | ![a](http://b.c) [x](y) `z` # $m$ \x1b[31m\n> q"


def test_markdown_stays_text() -> None:
    paper = replace(PAPERS[0], title=HOSTILE, text=f"{HOSTILE.replace('.', '')}. The end.")
    text = as_markdown([line(paper), line()])
    assert text.count("\n- ") == 2
    assert not re.search(r"(?<!\\)[<|`$](?!https://example)", text.split("\n", 1)[1])
    assert "](" not in re.sub(r"\\\[[^\]]*\]\(", "", text)
    assert "<https://example.org/tide>" in text
    assert "\x1b" not in text
    assert "  > Coastal gauges" in text


def test_a_url_that_is_none_is_not_linked() -> None:
    for url in ("javascript:alert(1)", "https://a b", "https://a>b", None):
        assert ", <" not in as_markdown([line(replace(PAPERS[0], url=url))])


def test_bibtex_has_the_line_as_its_note() -> None:
    untitled = replace(PAPERS[3], title=None)
    text = as_bibtex([line(), line(untitled, "LemmaLoom closes 38 % of {it}.")])
    assert "  note = {Coastal gauges fail during storms, just when forecasts matter most.}," in text
    (note,) = (row for row in text.split("\n") if "LemmaLoom closes" in row)
    assert r"38 \% of \textbraceleft{}it\textbraceright{}. No title is known" in note
    assert text.count("{") == text.count("}")


def test_the_terminal_is_not_steered() -> None:
    paper = replace(PAPERS[0], title="A\x1b[2J\nB", url="\x9bhttp://x")
    for text in (summary_text(line(paper), PLAIN), summary_line(line(paper), PLAIN)):
        assert not re.search("[\x1b\x9b]", text)
    assert "\n" not in summary_line(line(paper), PLAIN)


def test_what_no_quote_carries_is_marked() -> None:
    doubted = line(supported=False)
    for text in (
        summary_text(doubted, PLAIN),
        summary_line(doubted, PLAIN),
        as_markdown([doubted]),
        as_bibtex([doubted]),
    ):
        assert "(not supported)" in " ".join(text.split())
