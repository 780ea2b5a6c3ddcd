"""The shapes in which lists of papers come, format by format."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

from rag.corpus.readers import binary_reader_for, reader_for
from rag.corpus.record import RawRecord
from rag.types import Rejection

BEES = "We count bees in large hives, and it works well. " * 4
WRAPPED = BEES.strip().replace("hives, ", "hives,\n")


def read(text: str, suffix: str = "", format: str | None = None) -> list[Any]:
    reader = reader_for(text, suffix)
    assert format in (None, reader.name)
    return list(reader.read(text))


def only(text: str, suffix: str = "", format: str | None = None) -> RawRecord:
    (record,) = read(text, suffix, format)
    assert isinstance(record, RawRecord), record
    assert " ".join(record.abstract.split()) == BEES.strip()
    return record


def titles(found: list[Any]) -> list[str | None]:
    """Titles of records, the reasons' first words of rejections."""
    return [
        each.title if isinstance(each, RawRecord) else f"- {each.reason.split(' (')[0]}"
        for each in found
    ]


# JSON

NO = {"title": "No", "authors": ["A Bee"]}
YES = {"title": "Yes", "abstract": BEES}
NESTED: dict[str, Any] = {
    "openreview 1": {"notes": [{"id": "q", "content": YES}, {"id": "r", "content": NO}]},
    "openreview 2": {
        "notes": [
            {"content": {name: {"value": value} for name, value in fields.items()}}
            for fields in (YES, NO)
        ]
    },
    "a page of search results": {"total": 2, "data": [YES, {**NO, "abstract": None}]},
    "crossref": {"message": {"items": [{**YES, "title": ["Yes"]}, {**NO, "title": ["No"]}]}},
    "daily papers": [{"paper": {"title": "Yes", "summary": BEES}}, {"paper": NO}],
    "by id": {"id1": YES, "id2": NO},
    "by session": {"days": [{"title": "Bees", "papers": [YES]}, {"title": "X", "papers": [NO]}]},
    "said of the list": {"name": "L", "description": "All that was accepted", "papers": [YES, NO]},
    "rows": [["Title", "Abstract"], ["Yes", BEES], ["No", ""]],
    "columns": {"title": ["Yes", "No"], "abstract": [BEES, ""]},
    "columns by row": {"title": {"0": "Yes", "1": "No"}, "abstract": {"0": BEES, "1": None}},
    "split": {"columns": ["title", "abstract"], "data": [["Yes", BEES], ["No", None]]},
    "placeholders": [YES, {"title": "No", "abstract": "[No abstract available]"}],
}


@pytest.mark.parametrize("shape", NESTED)
@pytest.mark.parametrize("indent", [None, 2])
def test_json_nested_in_any_way(shape: str, indent: int | None) -> None:
    found = read(json.dumps(NESTED[shape], indent=indent), ".json", "json")
    assert titles(found) == ["Yes", "- no abstract"]
    assert found[0].abstract.strip() == BEES.strip()


def test_json_of_openalex() -> None:
    words: dict[str, list[int]] = {}
    for place, word in enumerate(BEES.split()):
        words.setdefault(word, []).append(place)
    work = {
        "id": "https://openalex.org/W1",
        "doi": "https://doi.org/10.1234/x",
        "display_name": "Bees",
        "publication_year": 2031,
        "abstract_inverted_index": words,
        "authorships": [{"author": {"display_name": "A Bee"}, "institutions": [{"id": "i"}]}],
        "primary_location": {"source": {"display_name": "Hives"}},
    }
    record = only(json.dumps({"results": [work]}), ".json")
    assert (record.title, record.authors, record.venue) == ("Bees", ("A Bee",), "Hives")
    assert (record.year, record.url) == (2031, "https://doi.org/10.1234/x")


@pytest.mark.parametrize("parts", [BEES.split(". "), [BEES, ""], [{"text": BEES}, '"']])
def test_an_abstract_in_parts(parts: Any) -> None:
    (record,) = read(json.dumps({"title": "T", "abstract": parts}), ".json")
    assert record.abstract.startswith("We count bees in large hives, and it works well")


@pytest.mark.parametrize(
    ("people", "expected"),
    [
        ([{"given": "Ann", "family": "Bee"}], ("Ann Bee",)),
        ([{"firstName": "Ann", "lastName": "Bee"}], ("Ann Bee",)),
        ({"author": [{"text": "Ann Bee", "@pid": "1"}]}, ("Ann Bee",)),
        ("Bee, Ann", ("Bee, Ann",)),
        ("Bee, A., Dee, C. E.", ("Bee, A.", "Dee, C. E.")),
        ("Ann Bee, Cee Dee", ("Ann Bee", "Cee Dee")),
        ("Ann Bee · Cee Dee", ("Ann Bee", "Cee Dee")),
    ],
)
def test_people_in_any_form(people: Any, expected: tuple[str, ...]) -> None:
    assert only(json.dumps([{**YES, "authors": people}])).authors == expected


@pytest.mark.parametrize(
    "text",
    [
        '[{"title": "a", "abstract": "%s",}, {"title": "b", "abstract": "%s", "n": NaN},]',
        '{\n"title": "a", "abstract": "%s"\n}\n{\n"title": "b", "abstract": "%s"\n}',
        'var papers = [{"title": "a", "abstract": "%s"}, {"title": "b", "abstract": "%s"}];',
    ],
)
def test_json_as_it_should_not_be(text: str) -> None:
    assert titles(read(text % (BEES, BEES), ".json", "json")) == ["a", "b"]


def test_json_damaged_in_the_middle_goes_on_behind_it() -> None:
    rows = [json.dumps({"title": name, "abstract": BEES}) for name in "abc"]
    rows[1] = rows[1].replace("bees", 'so called "bees"')
    found = read("[" + ",\n".join(rows) + "]", ".json")
    assert titles(found)[:2] == ["a", "c"]
    assert found[2].line == 2


# Tables


@pytest.mark.parametrize(
    "text",
    [
        'About the data, 2031\n\nRank,Title,Abstract\n1,T,"%s"\n',
        "# exported\nTITLE\tAbstract\nT\t%s\n",
        'sep=;\nTitel;Zusammenfassung\nT;"%s"\n',
        "Title|Abstract|Year\nT|%s|2031\n",
        'title,abstract\n1,T,"%s"\n',
        '"Paper Title (en)", "Abstract (English)"\n"T", "%s"\n',
        '题名,作者,摘要\nT,张三；李四,"%s"\n',
        'One title\'s here,"%s"\n',
        '\n,,Title,,Abstract,\n1,,T,,"%s",\n',
    ],
)
def test_tables(text: str) -> None:
    assert only(text % BEES.strip(), ".csv", "csv").title in ("T", "One title's here")


@pytest.mark.parametrize("form", ["abstract\n%s\n", "%s\n", '"%s"\n'])
def test_a_table_of_one_column(form: str) -> None:
    assert only(form % BEES.strip(), ".csv", "csv").title is None


def test_a_quote_that_is_not_closed_costs_its_row() -> None:
    rows = ['a,"x,1', f'b,"{BEES}",2', f'c,"{BEES}",3']
    found = read("title,abstract,year\n" + "\n".join(rows) + "\n", ".csv")
    assert titles(found) == ["b", "c", "- a broken row: a quote in it is not closed"]
    assert [each.line for each in found] == [3, 4, 2]


def test_a_row_with_more_cells_than_the_header_is_told() -> None:
    (found,) = read("title,abstract\na,We count, and so on, bees.\n", ".csv")
    assert isinstance(found, Rejection) and "needs quotes" in found.reason


def test_workbooks() -> None:
    import openpyxl

    book = openpyxl.Workbook()
    sheet = book.active
    for row in (["Accepted"], [], [None, "Title", "Abstract"], [None, "T", BEES], [None, "U"]):
        sheet.append(row)
    book.create_sheet("notes").append(["what the columns mean"])
    book.create_sheet("more").append(["Paper Title", "Abstract"])
    book["more"].append(["V", BEES])
    data = io.BytesIO()
    book.save(data)
    reader = binary_reader_for(data.getvalue())
    assert reader
    assert titles(list(reader.read(data.getvalue()))) == ["T", "- no abstract", "V"]


# BibTeX and tagged formats

BIB = r"""@string{hives = "Journal of Hives"}
@inproceedings{a, title = {A {B}ee}, author = {B{\"e}e, Ann and {Dee and Sons}},
  abstract = {We {count}.}, crossref = {p}}
@proceedings{p, title = {Proc. Hives}, year = 2031}
@article{b, title = "Quotes", author = "Bee, Ann", journal = hives, abstract = "One."}
@article{b, title = "Again", abstract = "Two."}
@online{c, title = {Net}, eprint = {3101.00001}, date = {2031-05}, abstract = {Three.}}
@article{d, title = {Open, author = {X Y}, abstract = {Four.},
}
@misc{title = {No key}, abstract = {Five.}}
@misc{e, title = {Cut}, abstract = {Si"""


def test_bibtex() -> None:
    found = read(BIB, ".bib", "bibtex")
    assert titles(found) == [
        "A {B}ee",
        "- no abstract",
        "Quotes",
        "Again",
        "Net",
        "Open",
        "No key",
        "- the entry is cut off by the end of the file",
    ]
    first, _, quotes, _, net, *_ = found
    assert (first.venue, first.year) == ("Proc. Hives", 2031)
    assert first.authors == (r"B{\"e}e, Ann", "Dee and Sons")
    assert (quotes.authors, quotes.venue) == (("Bee, Ann",), "Journal of Hives")
    assert (net.url, net.year) == ("https://arxiv.org/abs/3101.00001", 2031)


def test_ris_as_it_is_met() -> None:
    found = read(
        "ty  - JOUR\nti  - a\nab  - We\n count.\nkw  - x; y\nid  - 7\n\n"
        "ty - JOUR\nti - b\nn2 - It.\n"
    )
    assert [(each.title, each.abstract.strip()) for each in found] == [
        ("a", "We count."),
        ("b", "It."),
    ]
    assert found[0].keywords == ("x", "y")


def test_nbib_takes_the_doi_among_its_numbers() -> None:
    entry = "PMID- 1\nTI  - a\n      b\nAB  - We count.\nFAU - Bee, Ann\nAID - 7 [pii]\n"
    found = read(f"\n{entry}AID - 10.1234/x [doi]\n\nPMID- 2\nTI  - c\n", ".nbib", "nbib")
    assert titles(found) == ["a\nb", "- no abstract"]
    assert (found[0].url, found[0].authors) == ("https://doi.org/10.1234/x", ("Bee, Ann",))


@pytest.mark.parametrize(
    ("entry", "format"),
    [
        ("VN  - Ovid\nUI  - 7\nTI  - T\nAU  - Bee A\nAB  - %s\nYR  - 2031\n", "nbib"),
        ("Record #1 of 1\nID: CN-7\nAU: Bee A\nTI: T\nYR: 2031\nAB: %s\n", "cochrane"),
        ("PT J\nAU Bee A\nTI T\nAB %s\nPY 2031\nER\n", "wos"),
        ("%%0 Book\n%%A Bee A\n%%T T\n%%D 2031\n%%X %s\n", "endnote"),
    ],
)
def test_tagged_text(entry: str, format: str) -> None:
    record = only("\n" + entry % BEES.strip(), format=format)
    assert (record.title, record.authors, record.year) == ("T", ("Bee A",), 2031)


def test_pubmed_as_it_is_printed() -> None:
    entry = (
        "1. J Hives. 2031 May 4;7(2):1-9. doi: 10.1234/x. Epub 2031 Mar 1.\n\nBees count\nwell.\n\n"
        "Bee A(1)(2), Dee C(1).\n\nAuthor information:\n(1)Hive 7.\n\n%s\n\n"
        "DOI: 10.1234/x\nPMID: 12345678 [Indexed]\n\n\n"
    )
    second = "2. J Hives. 2031;7:2.\n\nNo.\n\nBee A.\n\nPMID: 12345679\n"
    first, none = read(entry % WRAPPED + second, ".txt", "pubmed-text")
    assert first.abstract == BEES.strip()
    assert (first.title, first.authors) == ("Bees count well.", ("Bee A", "Dee C"))
    assert (first.venue, first.year, first.url) == ("J Hives", 2031, "https://doi.org/10.1234/x")
    assert isinstance(none, Rejection)
    assert none.line == 21


# XML and HTML

XML = {
    "pubmed": "<PubmedArticleSet><PubmedArticle><MedlineCitation><Article><Journal><Title>H</Title>"
    "</Journal><ArticleTitle>A <i>b</i></ArticleTitle><Abstract><AbstractText>%s</AbstractText>"
    "</Abstract><AuthorList><Author><LastName>Bee</LastName><ForeName>Ann</ForeName></Author>"
    "</AuthorList></Article></MedlineCitation></PubmedArticle></PubmedArticleSet>",
    "endnote": "<xml><records><record><contributors><authors><author><style>Ann Bee</style>"
    "</author></authors></contributors><titles><title><style>A b</style></title><secondary-title>H"
    "</secondary-title></titles><abstract><style>%s</style></abstract></record></records></xml>",
    "mods": "<mods><titleInfo><title>A b</title></titleInfo><name><namePart type='given'>Ann"
    "</namePart><namePart type='family'>Bee</namePart></name><abstract>%s</abstract>"
    "<relatedItem><titleInfo><title>H</title></titleInfo></relatedItem></mods>",
}


@pytest.mark.parametrize("kind", XML)
def test_xml(kind: str) -> None:
    record = only(XML[kind] % BEES.strip(), ".xml", "xml")
    assert (record.title, record.authors, record.venue) == ("A b", ("Ann Bee",), "H")


def test_xml_that_defines_entities_is_refused() -> None:
    (found,) = read('<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaa">]><x>&a;</x>', ".xml")
    assert "entities of its own" in found.reason


PAGES = [
    f"<html><body><nav><a href='/'>Home</a></nav><h4><a href='https://x.org/1'>T</a></h4>"
    f"<p>Ann Bee, Cee Dee</p><div><strong>Abstract:</strong> {BEES}</div></body></html>",
    f"<!doctype html><h5><a href='https://x.org/1'>T</a></h5><p>Ann Bee, Cee Dee</p>"
    f"<details><summary>Abstract</summary><div>{BEES}</div></details>",
    f"<html><head><meta name='citation_title' content='T'><meta name='citation_author' "
    f"content='Ann Bee'><meta name='citation_author' content='Cee Dee'>"
    f"<meta name='citation_abstract' content='{BEES}'></head></html>",
]


@pytest.mark.parametrize("page", PAGES)
def test_a_saved_page(page: str) -> None:
    record = only(page, ".html", "html")
    assert (record.title, record.authors) == ("T", ("Ann Bee", "Cee Dee"))


def test_a_page_without_papers_says_what_to_do() -> None:
    (found,) = read("<html><body><p>Hello.</p></body></html>")
    assert "save or copy the page as text" in found.reason


# Markdown and text


@pytest.mark.parametrize(
    "text",
    [
        "- **[T](https://x.org/1)** Ann Bee, Cee Dee\n\n  %s\n\n- **[U](https://x.org/2)**: %s\n",
        "## [T](https://x.org/1)\n*Ann Bee, Cee Dee*\n\n%s\n\n## [U](https://x.org/2)\n\n%s\n",
        "# All\n\n## T\n\n### Authors\nAnn Bee, Cee Dee\n\n### Abstract\n%s\n\n"
        "## U\n\n### Abstract\n%s\n",
        "| Title | Authors | Abstract |\n|---|---|---|\n"
        "| T | Ann Bee, Cee Dee | %s |\n| U | | %s |\n",
    ],
)
def test_markdown(text: str) -> None:
    found = read(text % (BEES.strip(), BEES.strip()), ".md", "markdown")
    assert titles(found) == ["T", "U"]
    assert found[0].authors == ("Ann Bee", "Cee Dee")
    assert all(each.abstract == BEES.strip() for each in found)


def test_a_list_of_links_is_told_item_by_item() -> None:
    items = "".join(f"- [Bees {n}](https://x.org/{n})\n" for n in range(4))
    assert titles(read(f"# Links\n\n{items}", ".md")) == ["- no abstract"] * 4


@pytest.mark.parametrize(
    "text",
    [
        "Bees Count\n\nAnn Bee, Cee Dee\n\n%s\n\nDo Wasps Count.\n\nX Y\n\n%s\n",
        "Bees Count\nAnn Bee, Cee Dee\n\n%s\n\nDo Wasps\nCount.\nX Y\n\n%s\n",
        "1. Bees Count\nAnn Bee, Cee Dee\nAbstract: %s\n\n2. Do Wasps Count.\nX Y\nAbstract: %s\n",
        "1. Bees Count\nAnn Bee, Cee Dee\n%s\n2. Do Wasps Count.\nX Y\n%s\n",
        "Bees Count\nAnn Bee, Cee Dee\n\nAbstract\n\n%s\n\n12\n\n"
        "Do Wasps Count.\nX Y\n\nAbstract\n\n%s\n",
        "Title: Bees Count\nAuthors: Ann Bee, Cee Dee\nAbstract: %s\n\n"
        "Title: Do Wasps Count.\nAbstract: %s\n",
    ],
)
def test_text_with_titles_and_authors(text: str) -> None:
    found = read(text % (WRAPPED, WRAPPED))
    assert titles(found) == ["Bees Count", "Do Wasps Count."]
    assert found[0].authors == ("Ann Bee", "Cee Dee")
    assert all(each.abstract == WRAPPED for each in found)


def test_a_mail_of_arxiv() -> None:
    entry = (
        "\\\\\narXiv:3101.00001\nDate: Mon, 1 Jan 2031 00:00:00 GMT\n\nTitle: Bees\n  count\n"
        "Authors: Ann Bee, Cee Dee\nCategories: cs.LG cs.CL\n\\\\\n  %s\n"
        "\\\\ ( https://arxiv.org/abs/3101.00001 ,  9kb)\n" + "-" * 78 + "\n"
    )
    record = only(f"{'-' * 78}\n" + entry % BEES.strip(), format="arxiv-mail")
    assert (record.title, record.area, record.year) == ("Bees count", "cs.LG", 2031)
    assert record.url == "https://arxiv.org/abs/3101.00001"


def test_a_bibliography_has_no_abstracts() -> None:
    references = [
        "Bee A, Dee C (2031) Counting what buzzes. Journal of Hives 6(4): 232–235.",
        "[2] A. Bee and C. Dee, Counting, in Proc. Hives, 2031, pp. 1–2.",
    ]
    found = read("\n".join(references))
    assert [each.line for each in found] == [1, 2]
    assert all("a reference" in each.reason for each in found)
