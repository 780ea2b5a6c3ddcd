"""Papers that mean ill in every field, through every view and format: what they hold is shown."""

from __future__ import annotations

import asyncio
import csv
import io
import json
import re
from collections.abc import Iterator, Sequence
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import quote

import pytest
from markdown_it import MarkdownIt
from mcp import Client

from rag.corpus import read_file
from rag.corpus.writers import FORMATS
from rag.embed.minilm import MiniLM
from rag.errors import NoAbstracts
from rag.store.snapshot import Snapshot
from tests.commands import Run, runner
from tests.hostile import FILE, KINDS, MARKDOWN, MARKUP, STEERING, TEX, laid_out
from tests.serving import client, serving

STEERS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""What could steer a terminal, or be taken for the end of a line."""
TOPIC = "stripes on horses"
ASKED = "What does ZebraANet paint?"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, minilm: MiniLM) -> Path:
    """A folder with an index of them, and cases about them."""
    return laid_out(tmp_path_factory.mktemp("hostile"), minilm)


@pytest.fixture
def hostile(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, folder: Path
) -> Run:
    """Commands in that folder."""
    return runner(capsys, monkeypatch, folder)


@pytest.fixture(scope="module")
def ids(folder: Path) -> list[str]:
    snapshot = Snapshot.open(folder / "index_store")
    return [snapshot.paper(row).paper_id for row in range(len(snapshot))]


# --- how each format is read back ----------------------------------------------------------------


_HARMLESS = re.compile(r"https?://|[#/?.]|data:image/|$")
"""How an address begins that runs nothing."""
_OURS = re.compile(r"</?(?:details|summary|sub|br)\b(?!.*pwned)")
"""HTML that our own Markdown has."""


class Parts(HTMLParser):
    """What a browser makes of a page: its elements, and what would run or be fetched."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.bad: list[str] = []
        self._in: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attributes: Sequence[tuple[str, str | None]]) -> None:
        self._in.append(tag)
        for name, value in attributes:
            target = re.sub(r"\s", "", value or "").lower()
            runs = name.startswith("on") or name == "srcdoc" or "pwned" in name
            led = name in ("href", "src", "action", "xlink:href") and not _HARMLESS.match(target)
            fetched = name in ("src", "style") and "pwned" in target
            if runs or led or fetched:
                self.bad.append(f"<{tag} {name}={value!r}>")
        if tag in ("img", "iframe", "object", "embed", "base"):
            self.bad.append(f"<{tag}>")

    def handle_data(self, data: str) -> None:
        if self._in and self._in[-1] in ("script", "style") and "pwned" in data:
            self.bad.append(data[:200])

    def handle_endtag(self, tag: str) -> None:
        while self._in and self._in.pop() != tag:
            pass

    def handle_comment(self, data: str) -> None:
        self.bad.append(f"<!--{data}")


def ill_html(page: str) -> list[str]:
    """What of a page came from a paper and would do something."""
    evaluated = [str(7 * 191)] if str(7 * 191) in page else []
    return [*Parts(page).bad, *evaluated, *STEERS.findall(page)]


def ill_markdown(text: str) -> list[str]:
    """What of a Markdown text is an image, raw HTML, or a link that runs something."""
    found = [*STEERS.findall(text)]
    reader = MarkdownIt("gfm-like", {"html": True, "linkify": False})
    reader.validateLink = lambda url: True  # type: ignore[method-assign]  # other readers do not
    for token in reader.parse(text):
        for part in (token, *(token.children or ())):
            link = str(part.attrs.get("href", ""))
            raw = part.type.startswith("html") and not _OURS.match(part.content)
            if raw or part.type in ("image", "fence", "code_block"):
                found.append(part.type + part.content)
            elif part.type == "link_open" and not _HARMLESS.match(link):
                found.append(link)
    return found


def check(name: str, text: str) -> None:
    """A text in the format that its file's name tells is well formed and harmless."""
    assert not STEERS.findall(text), name
    match Path(name).suffix:
        case ".html" | ".svg":
            assert ill_html(text) == []
        case ".md":
            assert ill_markdown(text) == []
        case ".csv":
            cells = [cell for row in csv.reader(io.StringIO(text)) for cell in row]
            assert not [cell for cell in cells if cell[:1] and cell[0] in "=+-@\t\r"]
        case ".jsonl":
            assert all(isinstance(json.loads(line), dict) for line in text.splitlines())
        case ".json":
            json.loads(text)


def test_what_would_do_something_is_noticed() -> None:
    for text in (MARKUP, "<a href='javascript:pwned()'>", "<p>1337</p>", "\u202e"):
        assert ill_html(text)
    for text in (MARKUP, "![a](b)", "[a](javascript:b)", "[a](data:text/html,b)"):
        assert ill_markdown(text), text


# --- the command line ----------------------------------------------------------------------------


def commands(ids: Sequence[str]) -> Iterator[tuple[str, ...]]:
    yield from (("list",), ("list", "--match", "stripes"), ("stats",), ("dupes",), ("doctor",))
    yield from (("ask", ASKED), ("ask", "--explain", ASKED), ("ask", f"What is {STEERING}?"))
    yield ("ask", "Which papers paint stripes on horses?")
    yield ("ask", "How do ZebraANet and ZebraENet compare?")
    yield from (("search", TOPIC), ("search", "--explain", TOPIC))
    yield from ((command, id) for command in ("similar", "show") for id in ids)
    yield from (("summarize", "--all"), ("digest", TOPIC), ("digest", "--auto"))
    yield from (("digest", "--by", field) for field in ("area", "venue", "status"))
    yield from (("show", STEERING), ("list", "--area", STEERING), ("ingest", FILE))
    yield from (("eval",), ("eval", "lint"), ("verify", "last.json"))


def test_nothing_steers_a_terminal(hostile: Run, ids: list[str]) -> None:
    for arguments in commands(ids):
        done = hostile(*arguments)
        for text in (done.out, done.err):
            assert not STEERS.findall(text), arguments
            assert "Traceback" not in text


def test_json_is_one_document_or_one_a_line(hostile: Run, ids: list[str]) -> None:
    for arguments in commands(ids[4:5]):
        done = hostile(*arguments, "--json")
        assert not STEERS.findall(done.out), arguments
        assert all(map(json.loads, done.out.split("\n")[:-1])), arguments


def test_a_conversation_is_harmless_and_so_is_what_is_saved_of_it(
    hostile: Run, ids: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    talk, papers = tmp_path / "talk.md", tmp_path / "papers.bib"
    said = (ASKED, "/why", "/sources", "/paper 1", "/bad", " ".join(MARKDOWN.split()))
    asked = (*said, "Which papers paint stripes?", f"/save {talk}", f"/export bib {papers}")
    monkeypatch.setattr("sys.stdin", io.StringIO("\n".join(asked)))
    done = hostile("chat")
    assert done.status == 0 and not STEERS.findall(done.out + done.err)
    for file in (talk, papers):
        check(file.name, file.read_text("utf-8"))
    with pytest.raises(NoAbstracts, match=f"{len(ids)} records"):  # each is one entry still
        read_file(str(papers))


@pytest.mark.parametrize("suffix", FORMATS)
def test_exports_are_harmless_and_are_read_back(
    hostile: Run, ids: list[str], tmp_path: Path, suffix: str
) -> None:
    file = tmp_path / f"out{suffix}"
    assert hostile("export", "-o", file).status == 0
    check(file.name, file.read_text("utf-8"))
    assert len(read_file(str(file)).records) == len(ids)
    if suffix == ".ris":
        assert file.read_text("utf-8").count("\nTY  - ") == len(ids) - 1


def test_what_is_published_is_harmless(hostile: Run, tmp_path: Path) -> None:
    for command, names in (
        (("digest", "--auto"), ("a.html", "a.md", "a.json", "a.txt")),
        (("digest", TOPIC), ("t.html", "t.md", "t.txt")),
        (("digest", "--by", "area"), ("b.html", "b.md")),
        (("eval",), ("e.html", "e.md", "e.json", "e.txt", "e.xml")),
    ):
        outputs = [word for name in names for word in ("-o", str(tmp_path / name))]
        assert hostile(*command, *outputs).status in (0, 3)
    assert hostile("digest", "--auto", "--plot", tmp_path / "m.svg").status == 0
    for kind in ("md", "csv", "jsonl", "bib"):
        assert hostile("summarize", "--all", "-o", tmp_path / f"s.{kind}").status == 0
    for file in tmp_path.iterdir():
        check(file.name, file.read_text("utf-8"))


# --- the server ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[str]:
    with serving(folder / "index_store", evals=str(folder / "evals")) as found:
        yield found


def test_pages_hold_nothing_of_a_paper_but_text(hostile: Run, address: str, ids: list[str]) -> None:
    hostile("eval")
    with client(address) as server:
        for topic in (TOPIC, MARKUP):
            server.post("/api/digests/stream", json={"topic": topic}).raise_for_status()
        listed = server.get("/digests").text
        made = re.findall(r'href="(/digests/[^"?]+)"', listed)
        runs = re.findall(r'href="(/evals/[^"?]+)"', server.get("/evals").text)
        ids_of = "&".join(f"id={path.rpartition('/')[2]}" for path in made)
        paths = [f"/papers/{quote(id, safe='')}" for id in ids]
        ill = [quote(text) for text in KINDS if "\x00" not in text]
        asked = [f"/{view}?q={text}&area={text}" for view in ("", "papers") for text in ill]
        for path in (
            "/",
            "/papers",
            "/digests",
            "/map",
            "/evals",
            f"/digests/compare?{ids_of}",
            *made,
            *runs,
            *paths,
            *asked,
        ):
            assert ill_html(server.get(path).text) == [], path
        for text in ill:
            assert ill_html(server.get(f"/papers/{text}%00no").text) == []
    assert len(made) == 2 and runs


def test_programs_get_well_formed_answers(address: str, ids: list[str]) -> None:
    ask = {"model": "rag", "messages": [{"role": "user", "content": ASKED}]}
    with client(address) as server:
        for id in ids:
            path = f"/api/papers/{quote(id, safe='')}"
            assert server.get(path).json()["paper_id"] == id
            assert not STEERS.findall(server.get(f"{path}/bibtex").text)
        for question in (ASKED, "Which papers paint stripes on horses?", MARKDOWN, TEX):
            ask["messages"] = [{"role": "user", "content": question}]
            said = server.post("/v1/chat/completions", json=ask).json()
            assert ill_markdown(said["choices"][0]["message"]["content"]) == []
            streamed = server.post("/v1/chat/completions", json={**ask, "stream": True}).text
            events = [line[6:] for line in streamed.split("\n") if line.startswith("data: {")]
            deltas = [json.loads(event)["choices"] for event in events]
            text = "".join(c[0]["delta"].get("content") or "" for c in deltas if c)
            assert ill_markdown(text) == []


def test_no_text_ends_an_event_of_a_stream(address: str) -> None:
    for question in (ASKED, f"What is {STEERING}?", "Which papers paint stripes on horses?"):
        told = {"model": "rag", "messages": [{"role": "user", "content": question}]}
        with client(address) as server:
            for path, body in (
                ("/api/ask/stream", {"question": question}),
                ("/api/digests/stream", {"topic": question}),
                ("/v1/chat/completions", {**told, "stream": True}),
            ):
                streamed = server.post(path, json=body).raise_for_status().text
                assert not STEERS.findall(streamed), path
                data = [line[6:] for line in streamed.splitlines() if line.startswith("data: ")]
                assert all(map(json.loads, (d for d in data if d != "[DONE]"))), path


def test_a_model_gets_papers_as_text(address: str, ids: list[str]) -> None:
    tools = {"search": {"query": TOPIC}, "ask": {"question": ASKED}, "list_papers": {}}

    async def read() -> tuple[list[str], list[str]]:
        async with Client(f"{address}/mcp") as mcp:
            found = [await mcp.read_resource(f"paper://{quote(id, safe='')}") for id in ids]
            told = [await mcp.call_tool(name, given) for name, given in tools.items()]
        papers = [getattr(result.contents[0], "text", "") for result in found]
        return papers, [getattr(result.content[0], "text", "") for result in told]

    papers, told = asyncio.run(read())
    for text in papers:
        assert text and ill_markdown(text) == []
    for text in told:
        assert "Zebra" in text and json.loads(text) and not STEERS.findall(text)
