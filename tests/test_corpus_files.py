"""read_file: any file a person may name becomes papers, rejections or one clear error."""

from __future__ import annotations

import codecs
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from rag.corpus import FileReading, merge, read_file
from rag.corpus.files import MAX_ABSTRACT_CHARS
from rag.errors import SourceError

SHARED = Path(__file__).parents[2] / "shared"
ONE = "We count bees. There are many of them."
TWO = "We count wasps. There are few of them."

Write = Callable[..., str]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write(content: str | bytes, name: str = "list.txt") -> str:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    return write


def texts(reading: FileReading) -> list[str]:
    return [paper.text for paper in reading.records]


def reasons(reading: FileReading) -> list[tuple[int | None, str]]:
    return [(rejection.line, rejection.reason) for rejection in reading.rejected]


# What is not a readable file of abstracts


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="none.txt does not exist"):
        read_file(str(tmp_path / "none.txt"))


def test_a_directory(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="is a directory") as error:
        read_file(str(tmp_path))
    assert f"rag ingest {tmp_path} reads all" in error.value.fix


def test_no_permission(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    def deny(path: Path, mode: str) -> None:
        raise PermissionError(path)

    path = write(ONE)
    monkeypatch.setattr(Path, "open", deny)
    with pytest.raises(SourceError, match="may not be read"):
        read_file(path)


@pytest.mark.parametrize("content", ["", " \n\t\n ", "\ufeff"])
def test_an_empty_file(write: Write, content: str) -> None:
    with pytest.raises(SourceError, match="is empty"):
        read_file(write(content))


@pytest.mark.parametrize("content", [bytes(range(256)) * 8, b"\0" * 99, b"PK\3\4" + b"\0\1\2" * 50])
def test_a_binary_file(write: Write, content: bytes) -> None:
    with pytest.raises(SourceError, match="is binary"):
        read_file(write(content))


def test_a_file_with_only_a_header(write: Write) -> None:
    with pytest.raises(SourceError, match="holds no abstract, only a heading"):
        read_file(write("ICLR 论文列表\n\n2026\n"))


def test_no_record_survives(write: Write) -> None:
    content = '\n{"id": 1, "headline": "x"}\nnot json\n'
    with pytest.raises(SourceError) as error:
        read_file(write(content, "list.jsonl"))
    assert "2 records rejected" in error.value.message
    assert "line 2: no abstract (keys: id, headline)" in error.value.message
    assert "list.jsonl" in error.value.message


def test_an_array_without_abstracts_tells_the_keys_of_its_elements(write: Write) -> None:
    with pytest.raises(SourceError, match="line 2: no abstract \\(keys: headline\\)"):
        read_file(write('{"papers": [\n{"headline": "x"}]}', "list.json"))


def test_a_path_no_file_can_have() -> None:
    with pytest.raises(SourceError):
        read_file("a\0b")


# Encodings and line ends


@pytest.mark.parametrize(
    ("mark", "encoding"),
    [
        (b"", "utf-8"),
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
        (codecs.BOM_UTF32_LE, "utf-32-le"),
        (b"", "cp1252"),
    ],
)
def test_encodings(write: Write, mark: bytes, encoding: str) -> None:
    text = "We call it a “café” – a place for bees. It’s full."
    assert texts(read_file(write(mark + text.encode(encoding)))) == [text]


def test_a_chinese_encoding(write: Write) -> None:
    text = "我们提出了一种新的方法来统计蜜蜂的数量。实验表明该方法在多个数据集上优于现有方法。" * 4
    assert texts(read_file(write(text.encode("gb18030")))) == [text]


def test_utf8_with_a_stray_byte_keeps_its_other_letters(write: Write) -> None:
    content = "It’s a “café” of bees.".encode() + b" It\x92s full."
    assert texts(read_file(write(content))) == ["It’s a “café” of bees. It’s full."]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends(write: Write, end: str) -> None:
    reading = read_file(write(f"{ONE}{end} \t{end}{TWO}{end}"))
    assert [paper.sources[0].line for paper in reading.records] == [1, 3]


def test_a_stray_nul_is_cleaned(write: Write) -> None:
    reading = read_file(write(ONE.replace("many", "ma\0ny") + " " + TWO))
    assert texts(reading) == [f"{ONE} {TWO}"]
    assert "\0" not in reading.records[0].raw


# Plain text


def test_paragraphs_are_records_and_raw_keeps_their_lines(write: Write) -> None:
    path = write(f"My list\n\n{ONE.replace('. ', '.' + chr(10))}\n\n\n{TWO}\n{TWO}")
    first, second = read_file(path).records
    assert (first.text, first.raw) == (ONE, ONE.replace(". ", ".\n"))
    assert second.text == f"{TWO} {TWO}"
    assert (first.sources[0].line, second.sources[0].line) == (3, 7)
    assert (first.sources[0].ordinal, second.sources[0].ordinal) == (1, 2)


def test_a_paper_knows_where_it_stood(write: Write) -> None:
    path = write(ONE)
    reading = read_file(path)
    source = reading.records[0].sources[0]
    assert (reading.path, reading.file, reading.format) == (path, path, "text")
    assert (source.path, source.file) == (path, path)


def test_a_header_is_skipped_and_a_later_heading_rejected(write: Write) -> None:
    reading = read_file(write(f"A list\n\n2026\n\n{ONE}\n\nPart two: wasps\n\n{TWO}\n\n{ONE}"))
    assert texts(reading) == [ONE, TWO, ONE]
    assert reasons(reading) == [(7, "looks like a heading, not an abstract: Part two: wasps")]
    assert reading.rejected[0].path == reading.path


def test_headings_that_alternate_with_abstracts_are_titles(write: Write) -> None:
    content = f"My list\n\nBees\n\n{ONE}\n\nInsects\n\nWho Counts Wasps?\n\n{TWO}"
    reading = read_file(write(content))
    assert [paper.title for paper in reading.records] == ["Bees", "Who Counts Wasps?"]
    assert [line for line, _ in reasons(reading)] == [7]


def test_one_heading_above_one_abstract_is_a_header(write: Write) -> None:
    assert read_file(write(f"My list\n\n{ONE}")).records[0].title is None


@pytest.mark.parametrize("short", ["We make BuzzNet. It wins.", "我们提出蜜蜂网络。", "It works!"])
def test_short_abstracts_are_records(write: Write, short: str) -> None:
    assert texts(read_file(write(f"Head\n\n{short}"))) == [short]


def test_a_paragraph_too_long_is_rejected_with_its_size(write: Write) -> None:
    reading = read_file(write(f"{ONE}\n\n{ONE * 2_000}"))
    assert texts(reading) == [ONE]
    ((line, reason),) = reasons(reading)
    assert line == 3
    assert "76,000 characters" in reason and f"{MAX_ABSTRACT_CHARS:,}" in reason


def test_doubled_paragraphs_stay_two_records_until_merged(write: Write) -> None:
    records = read_file(write(f"{ONE}\n\n{ONE}")).records
    assert len(records) == 2
    assert len(merge(records)) == 1


# JSON Lines


def test_json_lines_keep_the_good_and_reject_the_bad(write: Write) -> None:
    rows = [
        json.dumps({"abstract": ONE, "id": "1"}),
        "",
        "{broken",
        "[1]",
        '{"title": "only"}',
        '{"abstract": 7}',
        json.dumps({"abstract": "x" * (MAX_ABSTRACT_CHARS + 1)}),
        "[" * 100_000,
        '{"n": ' + "9" * 5_000 + "}",
        '{"abstract": "a", "abstract": ' + json.dumps(TWO) + ', "year": NaN}',
    ]
    reading = read_file(write("\n".join(rows), "list.txt"))
    assert reading.format == "jsonl"
    assert texts(reading) == [ONE, TWO]
    assert [line for line, _ in reasons(reading)] == [3, 4, 5, 6, 7, 8, 9]
    said = " | ".join(reason for _, reason in reasons(reading))
    for words in ("not valid JSON", "not a JSON object", "keys: title", "not text but a number"):
        assert words in said


def test_a_damaged_first_line_leaves_the_suffix_to_decide(write: Write) -> None:
    reading = read_file(write('{"abstract": "tr\n' + json.dumps({"text": ONE}), "list.jsonl"))
    assert texts(reading) == [ONE]
    assert [line for line, _ in reasons(reading)] == [1]


def test_escaped_surrogates_and_nuls_are_cleaned(write: Write) -> None:
    row = '{"abstract": "We\\u0000 count\\ud800 bees.", "id": "a\\udfff", "title": "B\\ud800"}'
    (paper,) = read_file(write(row + "\n", "list.jsonl")).records
    assert (paper.text, paper.paper_id, paper.title) == ("We count bees.", "a", "B")
    paper.raw.encode()


# JSON documents


@pytest.mark.parametrize("shape", ["{rows}", '{{"n": 2, "papers": {rows}, "tags": ["a"]}}'])
def test_arrays_with_the_line_of_each_element(write: Write, shape: str) -> None:
    rows = json.dumps([{"abstract": ONE}, 5, {"abstract": TWO}], indent=1)
    reading = read_file(write(shape.format(rows=rows), "list.json"))
    assert reading.format == "json"
    assert texts(reading) == [ONE, TWO]
    assert [paper.sources[0].line for paper in reading.records] == [2, 6]
    assert reasons(reading) == [(5, "not a JSON object")]


@pytest.mark.parametrize("name", ["list.json", "list.txt", "list.jsonl"])
def test_the_content_decides_before_the_suffix(write: Write, name: str) -> None:
    assert read_file(write(json.dumps([{"abstract": ONE}], indent=2), name)).format == "json"
    assert read_file(write(f"{ONE}\n\n[1] says so.", "list.txt")).format == "text"


@pytest.mark.parametrize("key", ["abstract", "Summary", "TEXT"])
def test_a_single_paper_object(write: Write, key: str) -> None:
    content = json.dumps({key: ONE, "references": [{"abstract": TWO}]}, indent=2)
    assert texts(read_file(write(content, "paper.json"))) == [ONE]


@pytest.mark.parametrize("head", ["", '{"papers": '])
@pytest.mark.parametrize("tail", [',\n {"abstract": "cut o', ",\n oops]", "", "\n" + "[" * 100_000])
def test_damage_costs_only_what_stands_behind_it(write: Write, head: str, tail: str) -> None:
    rows = f"{head}[{json.dumps({'abstract': ONE})},\n{json.dumps({'abstract': TWO})}"
    reading = read_file(write(rows + tail, "list.json"))
    assert texts(reading) == [ONE, TWO]
    ((line, reason),) = reasons(reading)
    assert line == (3 if tail else 2)
    assert reason.startswith("not valid JSON from here on")


def test_text_behind_the_document_is_reported(write: Write) -> None:
    reading = read_file(write(json.dumps([{"abstract": ONE}]) + "\n\nmore", "list.json"))
    assert [line for line, _ in reasons(reading)] == [3]


# Fields


@pytest.mark.parametrize(
    ("field", "value", "attribute", "expected"),
    [
        ("ID", 17, "paper_id", "17"),
        ("url", "https://openreview.net/forum?id=q_1", "paper_id", "q_1"),
        ("title", r"\emph{Bees} count", "title", "Bees count"),
        ("title", ["a"], "title", "a"),
        ("title", {"x": 1}, "title", None),
        ("authors", ["A. Bee", {"name": "C. Dee"}, 7, None], "authors", ("A. Bee", "C. Dee", "7")),
        ("authors", "A. Bee; C. Dee", "authors", ("A. Bee", "C. Dee")),
        ("authors", "A. Bee, C. Dee and E. Eff", "authors", ("A. Bee", "C. Dee", "E. Eff")),
        ("authors", "Bee, A. and Dee, C.", "authors", ("Bee, A.", "Dee, C.")),
        ("keywords", "bees, counting", "keywords", ("bees", "counting")),
        ("keywords", "bees; counting, fast", "keywords", ("bees", "counting, fast")),
        ("keywords", 3.5, "keywords", ("3.5",)),
        ("year", 2026, "year", 2026),
        ("year", "May 2026", "year", 2026),
        ("year", "20261", "year", None),
        ("year", True, "year", None),
        ("primary_area", "insects", "area", "insects"),
        ("venue", "  ", "venue", None),
        ("status", "Poster", "status", "poster"),
    ],
)
def test_fields(write: Write, field: str, value: object, attribute: str, expected: object) -> None:
    content = json.dumps({field: value, "summary": " ", "abstract": "", "text": ONE})
    (paper,) = read_file(write(content, "paper.json")).records
    assert getattr(paper, attribute) == expected


@pytest.mark.parametrize(
    ("fields", "doi", "arxiv"),
    [
        ({"DOI": "10.1000/BEES", "url": "https://publisher.example/7"}, "10.1000/bees", None),
        ({"url": "https://doi.org/10.1000/bees"}, "10.1000/bees", None),
        ({"externalIds": {"ArXiv": "2401.01234", "DOI": "10.1/B"}}, None, "2401.01234"),
        ({"externalIds": {"ArXiv": "2401.01234", "DOI": "10.1000/B"}}, "10.1000/b", "2401.01234"),
        ({"eprint": "2401.01234v2", "archivePrefix": "arXiv"}, None, "2401.01234"),
        ({"doi": "10.48550/arXiv.2401.01234"}, "10.48550/arxiv.2401.01234", "2401.01234"),
    ],
)
def test_ids_that_a_paper_has_everywhere(
    write: Write, fields: dict[str, object], doi: str | None, arxiv: str | None
) -> None:
    (paper,) = read_file(write(json.dumps({"abstract": ONE, **fields}))).records
    assert (paper.doi, paper.arxiv) == (doi, arxiv)
    made = (f"https://doi.org/{doi}", f"https://arxiv.org/abs/{arxiv}")
    assert (paper.url or "").removesuffix("v2") in (fields.get("url"), *made)


def test_an_abstract_in_sentences_is_joined(write: Write) -> None:
    content = json.dumps({"abstract": ONE.split(". ")})
    assert texts(read_file(write(content, "paper.json"))) == [ONE.replace(".", "", 1)]


# The whole


def test_importing_the_light_parts_loads_no_library() -> None:
    code = (
        "import sys, rag.corpus.sentences, rag.corpus.merge\n"
        "heavy = {'ftfy', 'pylatexenc', 'charset_normalizer', 'rag.corpus.files'}\n"
        "sys.exit(', '.join(heavy & set(sys.modules)) or None)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", ["000_7cc9094e810040e2", "002_1bf1acb3b4e8c4d0"])
def test_the_real_lists(name: str) -> None:
    path = SHARED / "corpus" / f"{name}.txt"
    if not path.exists():
        pytest.skip(f"needs {path}")
    reading = read_file(str(path))
    assert len(reading.records) == 19
    assert reading.rejected == ()
    assert all(paper.handle for paper in reading.records)
