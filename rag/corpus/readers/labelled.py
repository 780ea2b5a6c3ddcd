"""Plain text in which labels say what is what: "Title: …", "Authors: …", "Abstract: …".

Also the mails in which arXiv lists new papers, whose abstracts stand between lines of two
backslashes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rag.corpus.fields import field_of, record_from
from rag.corpus.readers.lines import lines_of
from rag.corpus.record import RawRecord, Reader, reject
from rag.types import Rejection

_LABEL = re.compile(
    r"^[ \t]*(?:(?:[-*•]|\[?\d{1,4}[\].)])[ \t]+)?"
    r"([^\W\d_][\w ()/-]{1,30}?)[ \t]*[:：][ \t]*(?=\S|\n)",
    re.MULTILINE,
)
_RULE = re.compile(r"^[ \t]*(?:[-=_*#~][ \t]*){4,}$", re.MULTILINE)
_EITHER = frozenset(("text", "paper", "name", "source", "link", "links", "event", "resume", "site"))
"""Names that begin too many lines of prose to be labels there."""

_MAILED = re.compile(r"^\\\\[ \t]*\narXiv:(\S+)", re.MULTILINE)
_MAIL_RULE = re.compile(r"^[-%]{2,}[-% ]{18,}$|^%%--%%.*$", re.MULTILINE)
_MAIL_PARTS = re.compile(r"^\\\\(?:[ \t]*$|[ \t]*\(.*$)", re.MULTILINE)
_MAIL_END = re.compile(r"^\\\\[ \t]*\(", re.MULTILINE)
_HEADER = re.compile(r"^([A-Za-z-]+): ((?:.*\n?)(?:[ \t]+.*\n?)*)", re.MULTILINE)

_Label = tuple[int, int, str]


def sniff(text: str, suffix: str) -> bool:
    """Whether titles and abstracts are labelled, most of them both."""
    fields = [field for _, _, field in _labels(text[:200_000])]
    titles, abstracts = fields.count("title"), fields.count("abstract")
    return titles > 0 and abstracts > 0 and 2 * abstracts >= titles


def read(text: str) -> Iterator[RawRecord | Rejection]:
    """A record from each label on that the first record begins with."""
    labels = _labels(text)
    begins = _begins(labels)
    line_of = lines_of(text)
    for begin, end in zip(begins, [*begins[1:], len(labels)], strict=False):
        line = line_of(labels[begin][0])
        stop = labels[end][0] if end < len(labels) else len(text)
        yield record_from(_fields(text, labels[begin:end], stop), line)
    if not labels:
        yield reject(1, "no line begins with a label that is known")


def _labels(text: str) -> list[_Label]:
    """Where each label that we know begins, where its value does, and its field."""
    known = ((found, field_of(found[1])) for found in _LABEL.finditer(text))
    return [
        (found.start(), found.end(), field)
        for found, field in known
        if field and found[1].strip().casefold() not in _EITHER
    ]


def _begins(labels: list[_Label]) -> list[int]:
    """A record begins where the field that the first one begins with comes again."""
    return [place for place, (_, _, field) in enumerate(labels) if field == labels[0][2]]


def _fields(text: str, labels: list[_Label], stop: int) -> dict[str, object]:
    fields: dict[str, object] = {}
    ends = [*(begin for begin, _, _ in labels[1:]), stop]
    for (_, begin, field), end in zip(labels, ends, strict=True):
        value = _RULE.split(text[begin:end])[0].strip()
        if value:
            fields.setdefault(field, value)
    return fields


def sniff_mail(text: str, suffix: str) -> bool:
    """Whether a paper is listed as in arXiv's mails."""
    return _MAILED.search(text[:20_000]) is not None


def read_mail(text: str) -> Iterator[RawRecord | Rejection]:
    """The record of each paper listed; new versions are listed without abstracts."""
    line_of = lines_of(text)
    begins = [found.start() for found in _MAILED.finditer(text)]
    for begin, end in zip(begins, [*begins[1:], len(text)], strict=False):
        line = line_of(begin) + 1
        entry = _MAIL_RULE.split(text[begin:end])[0]
        _, header, *rest = _MAIL_PARTS.split(entry)
        fields = {name: " ".join(value.split()) for name, value in _HEADER.findall(header)}
        arxiv = _MAILED.match(entry)
        if end == len(text) and not _MAIL_END.search(entry):
            yield reject(line, "the entry is cut off by the end of the file")
        else:
            abstract = rest[0].strip() if rest else ""
            yield record_from({**fields, "arxiv": arxiv and arxiv[1], "abstract": abstract}, line)


LABELLED = Reader("labelled", sniff, read)
ARXIV_MAIL = Reader("arxiv-mail", sniff_mail, read_mail)
