"""Files that people have, counted by hand: how many records, how many with an abstract.

And each of them damaged, re-encoded and with other line ends: nothing is lost without a word.
"""

from __future__ import annotations

import codecs
import random
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest

from rag.corpus.decode import NotTextError, decode
from rag.corpus.files import read_file
from rag.corpus.readers import binary_reader_for, reader_for
from rag.corpus.record import RawRecord
from rag.errors import SourceError
from rag.types import Rejection

FILES = Path(__file__).parents[2] / "shared/data/files"
AREA = "primary_area__transfer learning, meta learning, and lifelong learning.csv"

# File: format, records, those with an abstract, those rejected. What a file has instead of
# records (a feed of none, an error that it tells) is rejected too.
COUNTED = {
    "arxiv_atom/id_0000.0000_s0_m100_8b51d9633a68.xml": ("atom", 0, 0, 1),
    "arxiv_atom/id_abc_s0_m100_b79c8dcf6bc3.xml": ("atom", 1, 0, 1),
    "arxiv_atom/q_testing_s0_m10_bc5a6c384fe9.xml": ("atom", 10, 10, 0),
    "arxiv_digest/2025-04-25.jsonl": ("jsonl", 64, 64, 0),
    "arxiv_digest/2025-06-20.md": ("markdown", 19, 19, 0),
    "asreview/baseline_empty_values.ris": ("ris", 4, 2, 2),
    "asreview/baseline_tag-notes_labels.ris": ("ris", 32, 0, 32),
    "asreview/baseline_tag_and_field_definitions.ris": ("ris", 1, 1, 0),
    "asreview/duplicate_records.csv": ("csv", 14, 10, 4),
    "asreview/embase.csv": ("csv", 6, 6, 0),
    "asreview/faulty_year.ris": ("ris", 1, 1, 0),
    "asreview/generic.csv": ("csv", 2, 2, 0),
    "asreview/generic_column_names_with_spaces.csv": ("csv", 2, 2, 0),
    "asreview/generic_labels_no_abs.csv": ("csv", 6, 0, 6),
    "asreview/generic_semicolon.csv": ("csv", 2, 2, 0),
    "asreview/generic_tab.csv": ("csv", 2, 2, 0),
    "asreview/generic_tab.tsv": ("csv", 2, 2, 0),
    "asreview/missing_values.csv": ("csv", 4, 2, 2),
    "asreview/ovid_zotero.ris": ("ris", 6, 6, 0),
    "asreview/pubmed_endnote.txt": ("ris", 6, 6, 0),
    "asreview/pubmed_zotero.ris": ("ris", 6, 6, 0),
    "asreview/scopus.ris": ("ris", 6, 6, 0),
    "colrev/acm_bib.bib": ("bibtex", 2, 2, 0),
    "colrev/ebsco_bib.bib": ("bibtex", 2, 2, 0),
    "colrev/enl_data.enl": ("endnote", 3, 2, 1),
    "colrev/ieee_csv.csv": ("csv", 2, 2, 0),
    "colrev/jstor_ris.ris": ("ris", 4, 3, 1),
    "colrev/md_data.md": ("text", 6, 0, 6),
    "colrev/nbib_data.nbib": ("nbib", 1, 1, 0),
    "colrev/scopus_bib.bib": ("bibtex", 11, 0, 11),
    "colrev/xlsx_data.xlsx": ("xlsx", 3, 0, 3),
    "dbexports/WoS_other_reference_software_r4001-4012.txt": ("wos", 12, 12, 0),
    "iclr2026_csv/iclr2026_aidd_papers_refined.csv": ("csv", 132, 132, 0),
    f"iclr2026_csv/{AREA}": ("csv", 118, 118, 0),
    "paperlists_json/ai4x2025.json": ("json", 236, 0, 236),
    "paperlists_json/iclr2013.json": ("json", 67, 67, 0),
    # Of its 90, eight say that there is none and one is a dash.
    "paperlists_json/nips1987.json": ("json", 90, 81, 9),
}
WITH_ABSTRACTS = [name for name, (_, _, abstracts, _) in COUNTED.items() if abstracts]

Found = Sequence[RawRecord | Rejection]


@pytest.fixture(autouse=True)
def _there() -> None:
    if not FILES.exists():
        pytest.skip(f"needs {FILES}")


def test_every_file_is_counted() -> None:
    there = {str(path.relative_to(FILES)) for path in FILES.rglob("*.*")}
    assert {name for name in there if "LICENSE" not in name} == set(COUNTED)


@pytest.mark.parametrize("name", COUNTED)
def test_counts(name: str) -> None:
    format, records, abstracts, rejected = COUNTED[name]
    data = (FILES / name).read_bytes()
    found = read(data, name)
    assert format_of(data, name) == format
    assert (len(kept(found)), len(found) - len(kept(found))) == (abstracts, rejected)
    assert records in (abstracts + rejected, 0)


@pytest.mark.parametrize("name", ["asreview/ovid_zotero.ris", "colrev/acm_bib.bib"])
def test_what_is_read_becomes_papers(name: str) -> None:
    assert len(read_file(str(FILES / name)).records) == COUNTED[name][2]


def test_a_file_without_abstracts_says_what_it_has() -> None:
    with pytest.raises(SourceError, match="11 records rejected.*keys: doi, author, journal, title"):
        read_file(str(FILES / "colrev/scopus_bib.bib"))


# What is known of them, looked up by eye: place, title begins, authors, last author, venue, year,
# address ends, keywords.
LOOKED_UP = [
    ("asreview/ovid_zotero.ris", 1, "Gender differences in", 4, "Pinto-Gouveia, Jose",
     "Journal of Health Psychology", 2019, "10.1177/1359105317742958", 6),
    ("asreview/pubmed_endnote.txt", 0, "Boswellia serrata: an", 3, "Schubert-Zsilavecz, M.",
     "Clin Pharmacokinet", 2011, "10.2165/11586800-000000000-00000", 10),
    ("asreview/scopus.ris", 0, "Stress and the brain-gut", 4, "Elsenbruch, S.",
     "Psychoneuroendocrinology", 2020, "10.1016/j.psyneuen.2019.104501", 9),
    ("asreview/embase.csv", 0, "Duplication cysts: Diag", 2, "Adler D.G.",
     "Endoscopic Ultrasound", 2014, "10.4103/2303-9027.138783", 19),
    ("asreview/generic.csv", 1, "The title of the", 2, "Lindgren, Astrid",
     "Lorem", 2006, "example_url.com", 3),
    ("colrev/acm_bib.bib", 1, "This is the reference", 1, "Proceedingswriter, Susan",
     "Proceedings of the 9th Conference on Ghostwriting", None, "2222/7777777.7777778", 3),
    ("colrev/ebsco_bib.bib", 0, "Paper title.", 2, "Steward, Hugo", "MIS Quarterly", 2000,
     "site=ehost-live", 2),
    ("colrev/enl_data.enl", 1, "Microsourcing - Using", 1, "Obal, Lorie",
     "Communications of the Association for Information Systems", 2009, "cais/vol24/iss1/11", 0),
    ("colrev/ieee_csv.csv", 0, "Rural Outsourcing: Del", 3, "Mary Lacity", "Computer", None,
     "10.1109/mc.2011.377", 0),
    ("colrev/jstor_ris.ris", 1, "Primary Title", 2, "Second-Author, James A.",
     "Secondary Title (journal title, if applicable)", 2014, "something.2014.3.4.56", 0),
    ("colrev/nbib_data.nbib", 0, "Paper title", 2, "Hunter, Shawn", "Journal Name", 2000,
     "10.1000/123456789", 3),
    ("dbexports/WoS_other_reference_software_r4001-4012.txt", 0, "Caregivers' views", 3,
     "Oduro, Razak", "PLOS NEGLECTED TROPICAL DISEASES", 2018, "journal.pntd.0006219", 0),
    ("arxiv_atom/q_testing_s0_m10_bc5a6c384fe9.xml", 0, "Testing Deep Learning", 3,
     "Helge Spieker", "Artificial Intelligence in Software Testing @ 2022 IEEE International"
     " Conference on Software Testing, Verification and Validation Workshops (ICSTW)", 2022,
     "abs/2202.12139v1", 0),
    ("arxiv_digest/2025-04-25.jsonl", 0, "Bidirectional Mamba", 5, "Wei Zhi", None, None,
     "abs/2504.16956", 0),
    ("arxiv_digest/2025-06-20.md", 0, "HiURE: Hierarchical", 6, "Philip S. Yu", None, None,
     "abs/2205.02225", 3),
    ("iclr2026_csv/iclr2026_aidd_papers_refined.csv", 0, "CORDS - Continuous", 0, None,
     "ICLR 2026", None, "id=RObkOKADBU", 8),
    ("paperlists_json/iclr2013.json", 0, "What Regularized Auto", 2, "Yoshua Bengio", None, None,
     "id=-4IA4WgNAy4Wx", 0),
    ("paperlists_json/nips1987.json", 0, "A 'Neural' Network that", 2, "T. J. Sejnowski", None,
     None, "f492723-Abstract.html", 0),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "place", "title", "authors", "last", "venue", "year", "url", "keywords"), LOOKED_UP
)
def test_fields(
    name: str,
    place: int,
    title: str,
    authors: int,
    last: str | None,
    venue: str | None,
    year: int | None,
    url: str,
    keywords: int,
) -> None:
    record = kept(original(name))[place]
    assert (record.title or "").startswith(title)
    assert (len(record.authors), (*record.authors, None)[max(authors - 1, 0)]) == (authors, last)
    assert (record.venue, record.year) == (venue, year)
    assert (record.url or "").endswith(url)
    assert len(record.keywords) == keywords


# The same files in other bytes


@pytest.mark.parametrize("name", [name for name in COUNTED if not name.endswith("xlsx")])
@pytest.mark.parametrize("form", ["utf-16", "windows-1252", "crlf", "cr"])
def test_the_same_in_another_form(name: str, form: str) -> None:
    text = decode((FILES / name).read_bytes())
    data = {
        "utf-16": lambda: codecs.BOM_UTF16_LE + text.encode("utf-16-le"),
        "windows-1252": lambda: text.encode("cp1252", "replace"),
        "crlf": lambda: text.replace("\n", "\r\n").encode(),
        "cr": lambda: text.replace("\n", "\r").encode(),
    }[form]()
    found = read(data, name)
    assert [type(each) for each in found] == [type(each) for each in original(name)]
    assert [each.line for each in found] == [each.line for each in original(name)]
    if form != "windows-1252":  # which has not all the letters
        assert found == original(name)


@pytest.mark.parametrize("name", COUNTED)
def test_emptied(name: str, tmp_path: Path) -> None:
    path = tmp_path / Path(name).name
    path.write_bytes(b"")
    with pytest.raises(SourceError, match="is empty"):
        read_file(str(path))


@pytest.mark.parametrize("name", COUNTED)
def test_cut_off(name: str) -> None:
    """What is whole before the cut is read; of what is not, something is told."""
    data = (FILES / name).read_bytes()
    places = random.Random(name).choices(range(len(data) // 10, len(data)), k=3)
    for place in places:
        found = read(data[:place], name)
        text = decode_some(data[:place])
        whole = [
            record
            for record, after in zip(original(name), original(name)[1:], strict=False)
            if text is not None
            and isinstance(record, RawRecord)
            and (after.line or 1) <= text.count("\n")
        ]
        read_again = {(record.title, record.abstract) for record in kept(found)}
        assert {(record.title, record.abstract) for record in whole} <= read_again
        begun = sum((each.line or 1) <= (text or "").count("\n") for each in original(name))
        assert len(found) >= min(begun, 1), "something is lost without a word"
        assert len(found) >= begun - 1


# Helpers


def kept(found: Found) -> list[RawRecord]:
    return [each for each in found if isinstance(each, RawRecord)]


@cache
def original(name: str) -> Found:
    return read((FILES / name).read_bytes(), name)


def read(data: bytes, name: str) -> Found:
    if binary := binary_reader_for(data):
        return list(binary.read(data))
    text = decode(data)
    return list(reader_for(text, Path(name).suffix).read(text))


def format_of(data: bytes, name: str) -> str:
    if binary := binary_reader_for(data):
        return binary.name
    return reader_for(decode(data), Path(name).suffix).name


def decode_some(data: bytes) -> str | None:
    try:
        return None if binary_reader_for(data) else decode(data)
    except NotTextError:
        return None
