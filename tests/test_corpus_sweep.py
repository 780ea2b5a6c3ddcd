"""All real abstracts and titles at hand, cleaned: what is left of markup, and why it may stay."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest

from rag.corpus.clean import clean_abstract, clean_title
from rag.corpus.files import read_file
from rag.corpus.sentences import MAX_SENTENCE_CHARS, sentence_spans
from rag.errors import SourceError

SHARED = Path(__file__).parents[2] / "shared"
ICLR = SHARED / "data/iclr2026/iclr2026_accepted_12areas.jsonl"
FILES = sorted(
    path
    for folder in (SHARED / "corpus", SHARED / "data/files")
    for path in folder.rglob("*")
    if path.is_file() and "LICENSE" not in path.name and path.name != "titles.jsonl"
)

LEFT = {
    "LaTeX command": r"\\",
    "dollar that is no price": r"\$(?!\s?\d)",
    "LaTeX script": r"[_^]\{",
    "braces around words": r"(?<![\w\s)\]}∈=→{])\s?\{[\w%-]{4,}(?:\s[\w%-]+)*\}",
    "emphasis": r"\*\*|(?<![\w*)])\*(?=\w)[^*]*(?<=\w)\*(?!\w)|(?<!\w)_(?=\w)[^_\s]*\w_(?!\w)",
    "heading or bullet": r"^\s*(?:#{1,6}|[*+•])\s",
    "code": r"`[^`\s]*`|```",
    "link": r"\]\(https?:",
    "tag": r"</?(?:jats:|mml:|(?:p|i|b|em|sub|sup|br|span|div|italic|title|sec)\b)[^<>]*>",
    "entity": r"&(?:#x?[\da-fA-F]+|[a-z]{2,8});",
    "what nobody sees": r"[\x00-\x1f\x7f-\x9f\xad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]",
    "broken word": r"(?:tion|ing|ment|ance|per|con|pro)- (?:[a-z]{3,}tion|form|mance|pose|pare)\b",
    "label": r"^(?i:abstract)(?:[:.—]|\s(?:We|This|In|The)\s)",
    "notice": r"©|(?i:all rights reserved|protected by copyright|database record)",
    "keywords": r"[.] (?:Keywords|Index Terms)\s?[:—]",
    "space before a mark": r"\w [,](?=\s)",
    "dashes of TeX": r"---|\w--\w|``|(?<!')''(?!')",
}


def cleaned() -> Iterator[tuple[str, str]]:
    """(kind, text) of all titles and abstracts."""
    for line in ICLR.read_text("utf-8").splitlines():
        record = json.loads(line)
        yield "title", clean_title(record["title"])
        yield "abstract", clean_abstract(record["abstract"])
    for path in FILES:
        try:
            papers = read_file(str(path)).records
        except SourceError:
            continue
        for paper in papers:
            yield "title", paper.title or ""
            yield "abstract", paper.text


@pytest.fixture(scope="module")
def texts() -> list[tuple[str, str]]:
    if not ICLR.exists():
        pytest.skip(f"needs {ICLR}")
    return list(cleaned())


@pytest.mark.parametrize("kind", LEFT)
def test_no_markup_is_left(texts: list[tuple[str, str]], kind: str) -> None:
    pattern = re.compile(LEFT[kind])
    left = [
        text[max(found.start() - 40, 0) : found.end() + 40]
        for _, text in texts
        for found in pattern.finditer(text)
    ]
    assert left == []


def test_braces_match(texts: list[tuple[str, str]]) -> None:
    assert [text for _, text in texts if text.count("{") != text.count("}")] == []


def test_sentences_are_quotes_and_leave_nothing_out(texts: list[tuple[str, str]]) -> None:
    for kind, text in texts:
        if kind == "title":
            continue
        assert text == " ".join(text.split()) and unicodedata.is_normalized("NFC", text)
        quotes = [text[start:end] for start, end in sentence_spans(text)]
        assert "".join("".join(quotes).split()) == "".join(text.split())
        assert all(quote == quote.strip() != "" for quote in quotes)
        assert all(len(quote) <= MAX_SENTENCE_CHARS for quote in quotes)


def test_cleaning_real_texts_twice_changes_nothing_more(texts: list[tuple[str, str]]) -> None:
    for kind, text in texts[::4] + texts[1::4]:
        assert (clean_title if kind == "title" else clean_abstract)(text) == text
