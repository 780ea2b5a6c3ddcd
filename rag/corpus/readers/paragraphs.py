"""Plain text: abstracts parted by blank lines, perhaps with headings or titles.

Knows abstracts from headings by their shape; knows nothing about markup.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby, pairwise

from rag.corpus.record import RawRecord, Reader, reject
from rag.corpus.sentences import sentence_spans
from rag.types import Rejection

HEADING_WORDS = 20
HEADING_CHARS = 250
TITLED_SHARE = 0.8
"""Headings are titles if at least this share of the abstracts stands right below one."""

# Chinese and Japanese put no spaces between words, which have about two characters each.
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]{1,2}|[^\s\u3040-\u30ff\u3400-\u9fff]+")
# No question mark: many titles ask, no abstract is a lone question.
_ENDS_SENTENCE = re.compile(r"[.!。！][\"'”’」』)\]*}]*$")


@dataclass(frozen=True)
class _Paragraph:
    line: int
    text: str

    @cached_property
    def is_heading(self) -> bool:
        """One short line in which no sentence ends."""
        if "\n" in self.text or len(self.text) > HEADING_CHARS:
            return False
        if len(_WORD.findall(self.text)) > HEADING_WORDS:
            return False
        sentences = (self.text[start:end] for start, end in sentence_spans(self.text))
        return not any(map(_ENDS_SENTENCE.search, sentences))


def sniff(text: str, suffix: str) -> bool:
    """Any text is text."""
    return True


def read(text: str) -> Iterator[RawRecord | Rejection]:
    """A record for each abstract; what else stands in the file is skipped or rejected.

    Headings are titles where abstracts and headings alternate. Before the first abstract
    any other heading is the file's header and is skipped; after it, it is rejected.
    """
    paragraphs = list(_paragraphs(text))
    titled = _are_titled(paragraphs)
    in_header = True
    around: list[_Paragraph | None] = [None, *paragraphs, None]
    for before, paragraph, after in zip(around, paragraphs, around[2:], strict=False):
        if not paragraph.is_heading:
            in_header = False
            title = before.text if titled and before and before.is_heading else None
            yield RawRecord(paragraph.line, paragraph.text, title=title)
        elif not in_header and not (titled and after and not after.is_heading):
            yield reject(paragraph.line, f"looks like a heading, not an abstract: {paragraph.text}")


def _paragraphs(text: str) -> Iterator[_Paragraph]:
    lines = enumerate(text.split("\n"), start=1)
    for blank, group in groupby(lines, key=lambda line: not line[1].strip()):
        if not blank:
            numbered = list(group)
            yield _Paragraph(numbered[0][0], "\n".join(line for _, line in numbered).strip())


def _are_titled(paragraphs: list[_Paragraph]) -> bool:
    """Whether headings and abstracts alternate: a single pair is a header and its text."""
    above = [
        before.is_heading for before, paragraph in pairwise(paragraphs) if not paragraph.is_heading
    ]
    return sum(above) >= max(2, TITLED_SHARE * len(above))


PARAGRAPHS = Reader("text", sniff, read)
