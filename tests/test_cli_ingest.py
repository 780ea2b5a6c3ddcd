"""rag ingest: what it takes, and what it tells of what it did not take."""

from __future__ import annotations

import gzip
import io
import json
import os
import re
import subprocess
import sys
import threading
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from rag.cli.terminal import Terminal
from rag.config import load
from rag.corpus import contents
from rag.corpus.readers import FORMATS
from tests.commands import Result, Run
from tests.fakes import abstract

BIB = "@article{{{key},\n  title = {{On study {n}}},\n  abstract = {{{text}}}\n}}\n"
PROSE = " ".join([abstract(1), abstract(2)])


def bib(*numbers: int) -> str:
    """Entries of BibTeX, one for each number."""
    return "".join(BIB.format(key=f"k{n}", n=n, text=abstract(n)) for n in numbers)


def row(n: int, **more: Any) -> str:
    """A line of JSON Lines."""
    return json.dumps({"title": f"On study {n}", "abstract": abstract(n), **more}) + "\n"


def workbook(*rows: tuple[str, ...]) -> bytes:
    book, packed = openpyxl.Workbook(), io.BytesIO()
    for cells in rows:
        book.active.append(cells)
    book.save(packed)
    return packed.getvalue()


def put(folder: Path, files: Mapping[str, str | bytes]) -> None:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


@pytest.fixture
def dry(run: Run) -> Callable[..., Result]:
    """What an ingest would read, as JSON."""

    def dry(*arguments: object) -> Result:
        return run("ingest", "--dry-run", "--json", *arguments)

    return dry


def found(result: Result) -> list[tuple[str, str, int]]:
    """Path, format and papers of each file that was read."""
    return [(file["path"], file["format"], file["with_abstract"]) for file in result.json["files"]]


def skipped(result: Result) -> dict[str, str]:
    return {row["path"]: row["reason"] for row in result.json["skipped"]}


# Paths


def test_a_folder_is_read_with_all_that_is_in_it(dry: Run, tmp_path: Path) -> None:
    put(tmp_path, {"lists/b/x.bib": bib(1), "lists/a.jsonl": row(2), "lists/c.txt": abstract(3)})
    result = dry("lists")
    assert result.status == 0
    assert found(result) == [
        ("lists/a.jsonl", "jsonl", 1),
        ("lists/b/x.bib", "bibtex", 1),
        ("lists/c.txt", "text", 1),
    ]


def test_what_is_no_list_of_papers_is_skipped_in_a_folder(dry: Run, tmp_path: Path) -> None:
    others = {
        "lists/.hidden/x.bib": bib(1),
        "lists/LICENSE": PROSE,
        "lists/README.md": PROSE,
        "lists/Makefile": PROSE,
        "lists/empty.csv": "",
        "lists/figure.png": b"\x89PNG\r\n",
        "lists/noise": bytes(range(256)) * 9,
        "lists/package.json": '{"name": "x", "description": "A tool."}',
        "lists/titles.csv": "title,year\nOn bees,2020\n",
        "lists/tool.py": "print('abstract')",
    }
    put(tmp_path, {**others, "lists/x.bib": bib(1)})
    result = dry("lists")
    assert result.status == 0
    assert [file for file in found(result) if file[2]] == [("lists/x.bib", "bibtex", 1)]
    assert {*skipped(result), "lists/.hidden/x.bib"} - {"lists/.hidden"} == set(others)
    assert skipped(result)["lists/figure.png"] == "an image"
    assert "no abstract" in skipped(result)["lists/titles.csv"]
    assert [row["path"] for row in result.json["rejected"]] == ["lists/titles.csv"]
    assert "skipped: lists/figure.png: an image" in result.err


def test_a_list_in_a_folder_that_needs_a_map_says_so(dry: Run, tmp_path: Path) -> None:
    put(tmp_path, {"lists/x.bib": bib(1), "lists/odd.csv": f"Headline,Blurb\nOn bees,{PROSE}\n"})
    result = dry("lists")
    assert result.status == 0
    assert "--map abstract=Blurb" in skipped(result)["lists/odd.csv"]
    assert "--map abstract=Blurb" in result.err
    assert len(found(dry("lists", "--map", "abstract=Blurb"))) == 2


def test_an_index_in_a_folder_is_not_read(run: Run, tmp_path: Path) -> None:
    put(tmp_path, {"x.bib": bib(1)})
    assert run("ingest", ".").status == 0
    result = run("ingest", ".", "--json")
    assert (result.json["papers"], result.json["unchanged"]) == (1, 1)
    assert skipped(result)["index_store"] == "an index of rag"


def test_a_readme_that_lists_papers_is_read(dry: Run, tmp_path: Path) -> None:
    put(tmp_path, {"lists/README.md": f"# List\n\n## On bees\n\n**Abstract:** {PROSE}\n"})
    assert found(dry("lists")) == [("lists/README.md", "markdown", 1)]


def test_a_named_licence_is_an_error_unless_its_format_is_told(dry: Run, tmp_path: Path) -> None:
    put(tmp_path, {"LICENSE": PROSE})
    result = dry("LICENSE")
    assert result.status == 1
    assert "--format text" in result.json["error"]["fix"]
    assert found(dry("LICENSE", "--format", "text")) == [("LICENSE", "text", 1)]


def test_a_pattern_that_the_shell_did_not_replace(dry: Run, tmp_path: Path) -> None:
    put(tmp_path, {"a/1.bib": bib(1), "a/2.bib": bib(2), "a/3.txt": abstract(3)})
    assert [path for path, *_ in found(dry("a/*.bib"))] == ["a/1.bib", "a/2.bib"]
    assert [path for path, *_ in found(dry("**/[23].*"))] == ["a/2.bib", "a/3.txt"]
    assert [path for path, *_ in found(dry(tmp_path / "a" / "?.txt"))] == [f"{tmp_path}/a/3.txt"]
    assert len(found(dry("*"))) == 3
    none = dry("a/*.ris", "a/1.bib")
    assert none.status == 1
    assert none.json["error"]["message"] == "no file matches a/*.ris"
    assert len(found(none)) == 1


def test_a_file_whose_name_looks_like_a_pattern(dry: Run, tmp_path: Path) -> None:
    put(tmp_path, {"a[1].bib": bib(1), "a1.bib": bib(2)})
    assert [path for path, *_ in found(dry("a[1].bib"))] == ["a[1].bib"]


def test_links_are_followed_once(dry: Run, tmp_path: Path) -> None:
    put(tmp_path, {"lists/x.bib": bib(1), "elsewhere/y.bib": bib(2)})
    (tmp_path / "lists/loop").symlink_to(tmp_path / "lists")
    (tmp_path / "lists/nowhere").symlink_to("nowhere")
    (tmp_path / "lists/to").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "lists/x2.bib").symlink_to("x.bib")
    for name in ("again", "and-again"):
        (tmp_path / "lists" / name).symlink_to("../lists")
    result = dry("lists", "lists/x.bib")
    assert [path for path, *_ in found(result)] == ["lists/to/y.bib", "lists/x.bib"]
    assert skipped(result) == {"lists/nowhere": "a link to nowhere"}
    assert [path for path, *_ in found(dry("**/x.bib"))] == ["lists/x.bib"]


def test_a_folder_without_papers(dry: Run, tmp_path: Path) -> None:
    put(tmp_path, {"lists/a.png": b"", "empty/.keep": ""})
    result = dry("lists")
    assert result.status == 1
    assert result.json["error"]["message"] == (
        "lists holds no papers: 1 skipped, the first lists/a.png (an image)"
    )


def test_a_name_that_is_no_utf8(dry: Run, tmp_path: Path) -> None:
    (tmp_path / "lists").mkdir()
    Path(os.fsdecode(bytes(tmp_path) + b"/lists/caf\xe9.bib")).write_text(bib(1))
    assert found(dry("lists")) == [("lists/caf\\xe9.bib", "bibtex", 1)]


def test_what_cannot_be_read_in_a_folder_is_an_error_after_the_others(
    dry: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path, {"lists/a.bib": bib(1, 2), "lists/b.bib": bib(3)})
    monkeypatch.setattr(contents, "LARGEST", len(bib(3)) + 9)
    result = dry("lists")
    assert result.status == 1
    assert found(result) == [("lists/b.bib", "bibtex", 1)]
    assert "lists/a.bib has, unpacked, more than" in result.json["error"]["message"]
    assert "split it" in result.json["error"]["fix"]


def test_a_folder_that_may_not_be_read_is_an_error(
    dry: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path, {"lists/a.bib": bib(1), "lists/shut/b.bib": bib(2)})
    content = Path.iterdir

    def iterdir(folder: Path) -> Iterator[Path]:
        if folder.name == "shut":
            raise PermissionError(13, "Permission denied")
        return content(folder)

    monkeypatch.setattr(Path, "iterdir", iterdir)
    result = dry("lists")
    assert result.status == 1
    assert len(found(result)) == 1
    assert result.json["error"]["message"] == "lists/shut cannot be read: Permission denied"


# Standard input and pipes


def given(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))


def test_standard_input_adds(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    given(monkeypatch, bib(1, 2))
    assert run("ingest", "-", "--json").json["added"] == 2
    given(monkeypatch, row(3))
    report = run("ingest", "-", "--json").json
    assert (report["added"], report["removed"], report["papers"]) == (1, 0, 3)
    papers = run("list", "--json").lines
    assert {paper["source"]["path"] for paper in papers} == {"-"}
    put(tmp_path, {"same.bib": bib(1, 2)})
    assert run("ingest", "same.bib", "--json").json["papers"] == 3


def test_an_id_does_not_depend_on_where_a_record_came_from(
    dry: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    put(tmp_path, {"x.txt": abstract(1)})
    given(monkeypatch, abstract(1))
    ids = [file["examples"][0]["paper_id"] for file in dry("-", "x.txt").json["files"]]
    assert ids[0] == ids[1]


def test_empty_standard_input(dry: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    given(monkeypatch, "")
    result = dry("-")
    assert result.status == 1
    assert result.json["error"]["message"] == "- is empty"


def test_a_pipe_is_waited_for_but_not_without_a_word(
    dry: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(contents, "PATIENCE", 0.05)
    told = threading.Event()
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)

    def write() -> None:
        told.wait(5)
        pipe.write_text(bib(1))

    def note(_: Terminal, text: str) -> None:
        told.set()
        assert "waiting for what" in text

    monkeypatch.setattr(Terminal, "note", note)
    writer = threading.Thread(target=write)
    writer.start()
    result = dry(pipe)
    writer.join()
    assert told.is_set()
    assert found(result) == [(str(pipe), "bibtex", 1)]


def test_a_pipe_in_a_folder_is_skipped(dry: Run, tmp_path: Path) -> None:
    put(tmp_path, {"lists/x.bib": bib(1)})
    os.mkfifo(tmp_path / "lists/pipe")
    assert skipped(dry("lists")) == {"lists/pipe": "a pipe or device"}


# Archives


def zipped(files: Mapping[str, str | bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return packed.getvalue()


def test_gzip_and_zip_are_unpacked(dry: Run, tmp_path: Path) -> None:
    members = {"in/a.bib": bib(1), "in/b.png": "", ".c.bib": bib(2), "LICENSE": PROSE}
    put(tmp_path, {"x.csv.gz": gzip.compress(f"a,b\n1,{PROSE}".encode()), "y.zip": zipped(members)})
    result = dry("x.csv.gz", "y.zip", "--map", "abstract=b")
    assert found(result) == [("x.csv.gz", "csv", 1), ("y.zip/in/a.bib", "bibtex", 1)]
    assert set(skipped(result)) == {"y.zip/in/b.png", "y.zip/LICENSE"}


def test_a_bomb_is_not_unpacked(dry: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    zeros = b" " * 1_000_000
    put(
        tmp_path,
        {
            "a.gz": gzip.compress(zeros),
            "b.zip": zipped({"1.txt": zeros[:600_000], "2.txt": zeros[:600_000]}),
        },
    )
    monkeypatch.setattr(contents, "LARGEST", 1_000_000 - 1)
    rejected = dry("a.gz", "b.zip").json["rejected"]
    assert [row["path"] for row in rejected] == ["a.gz", "b.zip"]
    assert ["more than the 1 MB" in row["reason"] for row in rejected] == [True, True], rejected


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (gzip.compress(PROSE.encode())[:-9], "is damaged"),
        (zipped({"word/document.xml": "x", "[Content_Types].xml": "x"}), "office program"),
        (zipped({"a.txt": PROSE})[:-9], "is binary"),
        (zipped({"a.txt": os.urandom(99)}).replace(b"a.txt", b"b.txt", 1), "cannot be unpacked"),
        (zipped({}), "is binary"),
        (gzip.compress(b"x.bib".ljust(257, b"\0") + b"ustar  \0"), "is a tar archive"),
    ],
)
def test_damaged_and_other_archives(dry: Run, tmp_path: Path, content: bytes, reason: str) -> None:
    put(tmp_path, {"x": content})
    result = dry("x")
    assert result.status == 1
    assert reason in result.json["error"]["message"]


# Formats


@pytest.mark.parametrize(
    ("name", "content", "format"),
    [
        ("x.csv", bib(1), "bibtex"),
        ("x.bib", f"TY  - JOUR\nTI  - One\nAB  - {PROSE}\nER  - \n", "ris"),
        ("x.ris", f"PMID- 1\nTI  - One\nAB  - {PROSE}\n", "nbib"),
        ("x.json", f"title,abstract\nOne,{PROSE}\n", "csv"),
        ("x.json", row(1) + row(2), "jsonl"),
        ("x.json", row(1), "json"),
        ("x.jsonl", row(1), "jsonl"),
        ("x", workbook(("title", "abstract"), ("One", PROSE)), "xlsx"),
        ("x.csv", PROSE, "csv"),
    ],
)
def test_content_tells_the_format_and_the_name_where_it_does_not(
    dry: Run, tmp_path: Path, name: str, content: str | bytes, format: str
) -> None:
    put(tmp_path, {name: content})
    (file,) = dry(name).json["files"]
    assert file["format"] == format


def test_a_told_format_goes_before_both(dry: Run, tmp_path: Path) -> None:
    put(tmp_path, {"x.bib": bib(1)})
    assert found(dry("x.bib", "--format", "text")) == [("x.bib", "text", 1)]


def test_a_told_format_that_does_not_fit(dry: Run, tmp_path: Path) -> None:
    put(tmp_path, {"x.csv": bib(1), "y.pdf": b"%PDF-1.4\n\x00\x01" + bytes(range(256)) * 9})
    result = dry("x.csv", "y.pdf", "--format", "ris")
    assert [row["reason"] for row in result.json["rejected"] if row["line"] is None] == [
        "x.csv cannot be read as ris: its content looks like bibtex",
        "y.pdf cannot be read as ris: its content looks like pdf",
    ]


@pytest.mark.parametrize("told", [name for name in FORMATS if name not in ("text", "bibtex")])
def test_any_format_told_of_another_is_one_clear_error(dry: Run, tmp_path: Path, told: str) -> None:
    put(tmp_path, {"x.bib": bib(1)})
    result = dry("x.bib", "--format", told)
    assert result.status == 1
    message = f"x.bib cannot be read as {told}: its content looks like bibtex"
    assert result.json["error"]["message"] == message
    assert len(result.err.splitlines()) == 2


def test_an_unknown_format_names_the_nearest(run: Run) -> None:
    result = run("ingest", "x", "--format", "bibtext", "--json")
    assert result.status == 2
    message = result.json["error"]["message"]
    assert "did you mean bibtex?" in message
    assert "nbib" in message
    assert "nbib" in run("ingest", "--help").out


# Names of fields


MAPPED = {
    "x.csv": ("Blurb", f'Headline,Blurb\nOn bees,"{PROSE}"\n'),
    "x.tsv": ("blurb", f"Headline\tBlurb\nOn bees\t{PROSE}\n"),
    "x.json": ("Blurb", json.dumps([{"title": "On bees", "Blurb": PROSE}])),
    "x.jsonl": ("Blurb", json.dumps({"title": "On bees", "Blurb": PROSE})),
    "x.xlsx": ("BLURB", workbook(("Headline", "Blurb"), ("On bees", PROSE))),
    "x.bib": ("blurb", f"@misc{{a,\n title = {{On bees}},\n blurb = {{{PROSE}}}\n}}"),
    "x.ris": ("notes", f"TY  - JOUR\nTI  - On bees\nN1  - {PROSE}\nER  - \n"),
    "x.nbib": ("GN", f"PMID- 1\nTI  - On bees\nGN  - {PROSE}\n"),
    "x.wos": ("NT", f"FN x\nVR 1.0\nPT J\nTI On bees\nNT {PROSE}\nER\n\nEF\n"),
    "x.enl": ("%Z", f"%0 Journal\n%T On bees\n%Z {PROSE}\n"),
}


@pytest.mark.parametrize("name", MAPPED)
def test_a_field_by_another_name(dry: Run, tmp_path: Path, name: str) -> None:
    blurb, content = MAPPED[name]
    put(tmp_path, {name: content})
    error = dry(name).json["error"]
    assert "--map abstract=" in error["fix"]
    result = dry(name, "--map", f"abstract={blurb}")
    (file,) = result.json["files"]
    assert [(paper["title"], paper["text"][:7]) for paper in file["examples"]] == [
        ("On bees", PROSE[:7])
    ]
    assert file["fields"]["abstract"][0].casefold() == blurb.casefold().removeprefix("%")


def test_a_told_name_goes_before_ours(dry: Run, tmp_path: Path) -> None:
    rows = [row(1, Headline="On bees"), row(2, Headline=""), row(3)]
    put(tmp_path, {"x.jsonl": "".join(rows)})
    (file,) = dry("x.jsonl", "--map", "title=headline").json["files"]
    assert [paper["title"] for paper in file["examples"]] == ["On bees", None, "On study 3"]
    assert file["fields"]["title"] == ["Headline", "title"]


def test_a_name_that_no_record_has(run: Run, tmp_path: Path) -> None:
    put(tmp_path, {"x.jsonl": row(1, Headline="On bees"), "y.jsonl": row(2)})
    result = run("ingest", "x.jsonl", "y.jsonl", "--map", "title=Headlines", "--json")
    assert result.status == 1
    assert "did you mean Headline?" in result.json["error"]["message"]
    assert result.json["error"]["fix"] == "the fields are: abstract, title, Headline"
    assert not (tmp_path / "index_store").exists()


@pytest.mark.parametrize(
    ("map", "told"), [("titel=x", "did you mean title?"), ("x", "title=Headline"), ("a=", "a=")]
)
def test_a_map_that_is_none(run: Run, map: str, told: str) -> None:
    result = run("ingest", "x", "--map", map, "--json")
    assert result.status == 2
    assert told in result.json["error"]["message"]


def test_a_file_is_read_again_under_another_map(run: Run, tmp_path: Path) -> None:
    put(tmp_path, {"x.jsonl": row(1, Headline="On bees")})
    run("ingest", "x.jsonl")
    report = run("ingest", "x.jsonl", "--map", "title=Headline", "--json").json
    assert (report["updated"], report["papers"]) == (1, 1)
    again = run("ingest", "x.jsonl", "--map", "title=Headline", "--json").json
    assert (again["unchanged"], again["embedded"]) == (1, 0)


# A dry run


def test_a_dry_run_writes_nothing_and_says_what_would_be(run: Run, tmp_path: Path) -> None:
    put(tmp_path, {"x.bib": bib(1, 2, 3), "y.bib": bib(2, 4).replace("question", "matter")})
    run("ingest", "x.bib", "--json")
    before = sorted((path, path.stat().st_mtime_ns) for path in tmp_path.rglob("*"))
    result = run("ingest", "y.bib", "--dry-run", "--json").json
    assert sorted((path, path.stat().st_mtime_ns) for path in tmp_path.rglob("*")) == before
    counts = ("added", "updated", "unchanged", "removed", "merged", "papers")
    report = run("ingest", "y.bib", "--json").json
    assert {name: result[name] for name in counts} == {name: report[name] for name in counts}
    assert result["embedded"] == report["embedded"]


def test_a_dry_run_for_people(run: Run, tmp_path: Path) -> None:
    bad = "@article{bad,\n  title = {No text},\n  note = {x}\n}\n"
    put(tmp_path, {"x.bib": bib(1, 2, 3, 4) + bad})
    result = run("ingest", "x.bib", "--dry-run")
    assert result.status == 0
    assert "x.bib: bibtex, 5 records, 4 with an abstract, 1 not taken" in result.out
    assert "abstract ← abstract; id ← ID; title ← title" in result.out
    assert "not used: note" in result.out
    assert [f"On study {n}" in result.out for n in (1, 2, 3, 4)] == [True, False, True, True]
    assert "index_store would have 4 papers (4 added; 4 to embed)" in result.out
    assert "not taken: x.bib, line 17: no abstract" in result.err
    assert not (tmp_path / "index_store").exists()


def test_a_dry_run_loads_neither_embedder_nor_chroma(tmp_path: Path, built: Path) -> None:
    put(tmp_path, {"x.bib": bib(1)})
    script = (
        "import sys\n"
        "from rag.cli import main\n"
        f"try:\n    main(['ingest', '--dry-run', {str(tmp_path)!r}, '--store', {str(built)!r}])\n"
        "except SystemExit as stop:\n    assert not stop.code\n"
        "print('loaded:', sorted({'chromadb', 'onnxruntime', 'openai'} & set(sys.modules)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert "9 papers (1 added, 8 unchanged; 1 to embed)" in done.stdout
    assert "loaded: []" in done.stdout


# What was not taken


def test_many_rejections_take_few_lines(dry: Run, tmp_path: Path) -> None:
    for n in range(12):
        put(tmp_path, {f"lists/{n:02}.jsonl": row(n) + '{"title": "x"}\n' * 2 + "{broken\n"})
    result = dry("lists")
    assert len(result.json["rejected"]) == 36
    lines = result.err.splitlines()
    assert lines[0] == "not taken: lists/00.jsonl: 2 records in lines 2, 3: no abstract"
    assert len(lines) == 11
    assert lines[-1] == "and 21 more: --json lists all"


def test_nothing_taken_tells_each_record_and_exits_with_1(run: Run, tmp_path: Path) -> None:
    put(tmp_path, {"x.jsonl": '{"title": "x"}\n{"year": 2}\n'})
    result = run("ingest", "x.jsonl", "--json")
    assert result.status == 1
    assert "its fields: title, year" in result.json["error"]["message"]
    assert [row["line"] for row in result.json["rejected"]] == [None, 1, 2]
    assert "fix:" in result.err


def test_a_record_without_an_abstract_is_no_damage(run: Run, tmp_path: Path) -> None:
    put(tmp_path, {"x.jsonl": row(1) + row(2) + '{"title": "x"}\n'})
    run("ingest", "x.jsonl")
    put(tmp_path, {"x.jsonl": row(1) + '{"title": "x"}\n'})
    first, second = (run("ingest", "x.jsonl", "--json").json for _ in range(2))
    assert (first["removed"], first["papers"]) == (1, 1)
    assert [entry["line"] for entry in second["rejected"]] == [2]


def test_what_stood_in_a_damaged_part_is_kept(run: Run, tmp_path: Path) -> None:
    put(tmp_path, {"x.jsonl": row(1) + row(2)})
    run("ingest", "x.jsonl")
    put(tmp_path, {"x.jsonl": row(1) + row(2)[:40]})
    report = run("ingest", "x.jsonl", "--json").json
    assert (report["removed"], report["papers"]) == (0, 2)


LINES: dict[str, tuple[str | bytes, list[int]]] = {
    "x.csv": (f'title,abstract\r\nOne,"{PROSE}\r\nand more"\r\n\r\nTwo,\r\nThree,\r\n', [5, 6]),
    "x.tsv": (f"\n\ntitle\tabstract\nOne\t\nTwo\t{PROSE}\n", [4]),
    "x.jsonl": (row(1) + '\n{"title": "x"}\n[]\n' + row(2), [3, 4]),
    "x.json": (f'{{"papers": [\n{row(1)},\n{{"title":\n"x"}},\n7, {row(2)}]}}', [4, 6]),
    "x.bib": ("% a list\n\n" + bib(1) + "\n@misc{b,\n title = {B}\n}\n" + bib(2), [8]),
    "x.ris": (
        f"TY  - JOUR\nTI  - One\nAB  - {PROSE}\nER  - \n\nTY  - JOUR\nTI  - Two\nER  - \n",
        [6],
    ),
    "x.nbib": (f"PMID- 1\nTI  - One\nAB  - {PROSE}\n\nPMID- 2\nTI  - Two\n", [5]),
    "x.wos": (
        f"FN x\nVR 1.0\nPT J\nTI One\nER\n\nPT J\nTI Two\nAB {PROSE}\nER\n\nPT J\nTI 3\nER\n\nEF\n",
        [3, 12],
    ),
    "x.enl": (f"%0 Journal\n%T One\n\n%0 Journal\n%T Two\n%X {PROSE}\n", [1]),
    "x.xml": (
        '<?xml version="1.0"?>\n<feed xmlns="http://www.w3.org/2005/Atom">\n<title>T</title>\n'
        f"<entry><title>One</title><summary>{PROSE}</summary></entry>\n"
        "<entry>\n<title>Two</title></entry>\n</feed>",
        [5],
    ),
    "x.md": (f"# List\n\n## One\n\n**Abstract:** {PROSE}\n\n## Two\n\n**Venue:** X\n", [7]),
    "x.xlsx": (workbook(("title", "abstract"), ("One", ""), ("Two", PROSE), ("Three", "")), [2, 4]),
    "x.txt": (f"{PROSE}\n\n\nSome heading\n\nAnother\n\n{PROSE.upper()}\n", [4, 6]),
}


@pytest.mark.parametrize("name", LINES)
def test_a_rejection_tells_its_line(dry: Run, tmp_path: Path, name: str) -> None:
    content, lines = LINES[name]
    put(tmp_path, {name: content})
    result = dry(name)
    assert [(entry["path"], entry["line"]) for entry in result.json["rejected"]] == [
        (name, line) for line in lines
    ]


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_reading_shows_how_far_it_is_once_it_takes_a_while(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    terminal = Terminal(load({}), as_json=False, quiet=False)
    with terminal.counting("reading", " records") as on_record:
        on_record()
        assert screen.getvalue() == ""
        for _ in range(12):
            time.sleep(0.1)
            on_record()
        assert re.search(r"reading: 1\d records", screen.getvalue())
