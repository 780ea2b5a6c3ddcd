"""The bundled notes: complete, readable, and in our own words."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
NOTES = [
    json.loads(line)
    for line in (ROOT / "rag" / "sample" / "iclr2026_notes.jsonl").read_text("utf-8").splitlines()
]
LISTS = ROOT.parent / "shared" / "corpus"
NAME_WORDS = 10
"""A longer common run than eight words may only be a proper name, such as a method's long form
with its abbreviation."""

needs_lists = pytest.mark.skipif(
    not LISTS.is_dir(), reason=f"the original abstracts are not at {LISTS}"
)


def tokens(text: str) -> list[str]:
    plain = re.sub(r"https?://\S+|\\[a-zA-Z]+", " ", text)
    return re.findall(r"[A-Za-z0-9]+", plain)


def originals() -> list[str]:
    """The 38 abstracts, in the notes' order."""
    texts = [path.read_text(encoding="utf-8") for path in sorted(LISTS.glob("0*.txt"))]
    return [part for text in texts for part in text.split("\n\n")[1:] if part.strip()]


def longest_common_run(one: list[str], other: list[str]) -> list[str]:
    best: list[str] = []
    lengths = [0] * (len(other) + 1)
    for i, word in enumerate(one):
        row = [0] * (len(other) + 1)
        for j, candidate in enumerate(other, start=1):
            if word.casefold() == candidate.casefold():
                row[j] = lengths[j - 1] + 1
                if row[j] > len(best):
                    best = one[i - row[j] + 1 : i + 1]
        lengths = row
    return best


def is_name(run: list[str]) -> bool:
    """Mostly capitalised words and figures: nothing that could be said otherwise."""
    marked = sum(word[0].isupper() or word[0].isdigit() for word in run)
    return len(run) <= NAME_WORDS and marked >= len(run) - 3


def test_there_are_38_notes_with_ids_of_their_own() -> None:
    assert len({note["id"] for note in NOTES}) == 38


@pytest.mark.parametrize("note", NOTES, ids=lambda note: note["id"])
def test_a_note_has_80_to_160_words(note: dict[str, str]) -> None:
    assert 80 <= len(note["abstract"].split()) <= 160


@needs_lists
def test_no_note_shares_a_run_of_more_than_eight_words_with_its_abstract() -> None:
    texts = originals()
    assert len(texts) == len(NOTES)
    for note, text in zip(NOTES, texts, strict=True):
        run = longest_common_run(tokens(note["abstract"]), tokens(text))
        assert len(run) <= 8 or is_name(run), (note["id"], " ".join(run))


@needs_lists
def test_a_note_keeps_every_figure_of_its_abstract() -> None:
    for note, text in zip(NOTES, originals(), strict=True):
        figures = set(re.findall(r"\d+(?:[.,]\d+)*", text.replace("\\%", "%")))
        assert figures <= set(re.findall(r"\d+(?:[.,]\d+)*", note["abstract"])), note["id"]


@needs_lists
def test_titles_urls_and_areas_are_the_known_ones() -> None:
    rows = [json.loads(line) for line in (LISTS / "titles.jsonl").read_text("utf-8").splitlines()]
    for note, row in zip(NOTES, rows, strict=True):
        assert {key: note[key] for key in ("title", "url", "area")} == {
            key: row[key] for key in ("title", "url", "area")
        }
