"""Markdown lists and digests: papers as headings, items or rows of tables, with what is said of
them below.

Knows labelled values ("**Abstract:** …", a heading "Abstract", ``<details>``) and links. A list of
titles alone has no abstracts, which is told entry by entry.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from rag.corpus.fields import field_of, knows, record_from
from rag.corpus.readers.columns import Row, names_known, records
from rag.corpus.readers.lines import lines_of
from rag.corpus.readers.shapes import is_cut_off, is_names
from rag.corpus.record import RawRecord, Reader, reject
from rag.types import Rejection

_HEADING = re.compile(r"^ {0,3}(#{1,6})[ \t]+(\S.*)$", re.MULTILINE)
_CLOSING_MARKS = re.compile(r"(?:[ \t]#+)?[ \t]*$")
_ITEM = re.compile(
    r"^(?:(?:[-*+•]|\d{1,4}[.)])[ \t]+(?=\*\*|__|\[|<a )|(?=\*\*\[[^\n]+\]\())(.+)$", re.MULTILINE
)
"""An item of a list, not one inside another, that begins with a title: bold, or a link; also a
line that begins with a bold link."""
_LABEL = re.compile(
    r"^[ \t]*(?:[-*+•>][ \t]+)?(?:(\*\*|__|<b>|<strong>)([^*_<>\n]{2,40}?)[:：]?"
    r"(?:\1|</b>|</strong>)[ \t]*[:：]?|([^\W\d_][\w ()/-]{1,30})[:：])[ \t]*",
    re.MULTILINE,
)
"""A label at the start of a line: ``**Abstract:** …``, ``- **Venue**: …`` or ``Abstract: …``."""
_LINK = re.compile(r"\[((?:[^\[\]]|\[[^\[\]]*\])+)\]\(\s*<?(https?://[^\s()<>]+)[^()]*\)")
_ANCHOR = re.compile(
    r"<a\s[^<>]*href=[\"']?([^\s\"'<>]+)[^<>]*>((?:(?!<a\s).)*?)</a>", re.IGNORECASE
)
_NUMBER = re.compile(r"^(?:\[\d+\]|\d+[.)])\s+")
_BOLD = re.compile(r"^(\*\*|__)(.+?)\1")
_PARTED = re.compile(r"\n\s*\n|\n(?=\s*(?:[-*+]\s|[*_]))|(?<=[*_])\n")
_ITEM_MARK = re.compile(r"^(?:>|[-*+](?=\s)|\s)+")
_COMMENT = re.compile(r"<!--(?:(?!<!--).)*?-->", re.DOTALL)
_SUMMARY = re.compile(r"<summary>\s*(?:<\w+>|\*\*)?([^<>*]*)(?:</\w+>|\*\*)?\s*</summary>", re.I)
_TAG = re.compile(r"</?(?:details|summary|div|p|br|center|hr)\b[^<>]*>", re.IGNORECASE)
_RULE = re.compile(r"^[ \t]*(?:[-*_][ \t]*){3,}$", re.MULTILINE)
_TABLE_RULE = re.compile(
    r"^[ \t]*\|?(?:[ \t]*:?-+:?[ \t]*\|)+(?:[ \t]*:?-+:?)?[ \t]*$", re.MULTILINE
)
_SEPARATOR = re.compile(r"(?<!\\)\|")
_PROSE = 80
"""Characters from which on a paragraph that nothing labels is an abstract."""
_LISTED = 3
"""Items with links from which on a file is a list of titles."""
_HEAD = 200_000


@dataclass(frozen=True, slots=True)
class _Section:
    line: int
    heading: str
    body: str
    is_item: bool


def sniff(text: str, suffix: str) -> bool:
    """Whether headings or items stand over abstracts, or rows of a table name what they hold."""
    head = text[:_HEAD]
    if any(_rows(head)):
        return True
    sections = list(_sections(head))
    told = [section for section in sections if "abstract" in _fields(section)]
    if any("abstract" in _labelled(_plain(section.body)) for section in told):
        return True
    items = [section for section in sections if section.is_item]
    listed = [section for section in items if _link(section.heading)]
    return len(told) > 1 or (len(listed) >= _LISTED and 2 * len(listed) > head.count("\n\n") + 1)


def read(text: str) -> Iterator[RawRecord | Rejection]:
    """The record of each row, or of each section that says something of a paper."""
    if rows := list(_rows(text)):
        yield from records(rows)
        return
    sections = list(_sections(text))
    labelled = any("abstract" in _labelled(_plain(section.body)) for section in sections[:-1])
    for section in sections:
        fields = _fields(section, labelled)
        if section is sections[-1] and is_cut_off(text):
            yield reject(section.line, "what the file ends with is cut off")
        elif len(fields) > 1:
            yield record_from(fields, section.line)


def _sections(text: str) -> Iterator[_Section]:
    """Headings, and items that begin with a title, with what follows each."""
    text = _COMMENT.sub(lambda comment: "\n" * comment[0].count("\n"), text)
    found = [
        (match.start(), match.end(), match[match.lastindex or 0], match.re is _ITEM)
        for match in (*_HEADING.finditer(text), *_ITEM.finditer(text))
        if match.re is _ITEM or field_of(match[2]) is None  # such a heading is a label
    ]
    line_of = lines_of(text)
    found = sorted(match for match in found if not _is_label(match[2]))
    ends = [start for start, *_ in found[1:]] + [len(text)]
    for (start, head_end, heading, is_item), end in zip(found, ends, strict=False):
        heading = _CLOSING_MARKS.sub("", heading).strip()
        yield _Section(line_of(start), heading, text[head_end:end], is_item)


def _is_label(heading: str) -> bool:
    """Whether an item is a labelled value: ``- **Abstract:** …``."""
    label = _LABEL.match(heading)
    return label is not None and knows(label[2] or label[3])


def _fields(section: _Section, labelled: bool = False) -> dict[str, object]:
    """Title and link of the heading, and what is labelled or, where abstracts are not
    ``labelled``, stands as prose below it."""
    title, url, rest = _title(section.heading)
    body = _plain(f"{rest}\n\n{section.body}" if rest else section.body)
    fields: dict[str, object] = {"title": title, **({"url": url} if url else {})}
    fields |= _labelled(body)
    before = body[: labels[0].start()] if (labels := _labels(body)) else body
    paragraphs = [_ITEM_MARK.sub("", part.strip()) for part in _PARTED.split(before)]
    if people := next(filter(is_names, map(_unlinked, paragraphs)), None):
        fields.setdefault("authors", people.strip("*_ "))
    longest = max(paragraphs, key=len, default="")
    if not labelled and (url or section.is_item) and len(longest) >= _PROSE:
        fields.setdefault("abstract", longest)
    return fields


def _unlinked(text: str) -> str:
    return _LINK.sub(lambda link: link[1], text)


def _title(heading: str) -> tuple[str, str | None, str]:
    """A heading's title, its link, and what else stands in its line."""
    heading = _NUMBER.sub("", heading)
    bold = _BOLD.match(heading)
    link = _link(bold[2] if bold else heading)
    if bold:
        rest = heading[bold.end() :]
        beside = link or _link(rest)
        return (
            (link[0] if link else bold[2]),
            (beside[1] if beside else None),
            rest.lstrip(" :-–—."),
        )
    if link:
        return link[0], link[1], heading[link[2] :].lstrip(" :-–—.")
    return heading, None, ""


def _link(text: str) -> tuple[str, str, int] | None:
    """The words of the first link, where it leads and where it ends."""
    if link := _LINK.search(text):
        return link[1], link[2], link.end()
    if anchor := _ANCHOR.search(text):
        return anchor[2], anchor[1], anchor.end()
    return None


def _plain(body: str) -> str:
    """What stands below a heading, without HTML; a summary, and a heading, that names a field
    is its label."""
    body = _SUMMARY.sub(
        lambda found: f"\n**{found[1].strip()}:** " if knows(found[1]) else "\n", body
    )
    body = _HEADING.sub(lambda found: f"**{found[2]}:** ", body)
    return _RULE.sub("", _TAG.sub("\n", body))


def _labels(body: str) -> list[re.Match[str]]:
    return [label for label in _LABEL.finditer(body) if label[2] or knows(label[3])]


def _labelled(body: str) -> dict[str, object]:
    """The labelled values that we know, by field. A bold label ends a value whatever it says."""
    labels = _labels(body)
    fields: dict[str, object] = {}
    ends = [*(label.start() for label in labels[1:]), len(body)]
    for label, end in zip(labels, ends, strict=False):
        value = body[label.end() : end].strip().rstrip(" \t\n-*+")  # marks of empty items
        if value and (field := field_of(label[2] or label[3])):
            fields.setdefault(field, value)
    return fields


def _rows(text: str) -> Iterator[Row]:
    """The rows of the first table whose header names what we know."""
    line_of = lines_of(text)
    for rule in _TABLE_RULE.finditer(text):
        line = line_of(rule.start()) - 1
        header = _cells(text[: rule.start()].rstrip("\n").rpartition("\n")[2])
        if names_known(header) < 2:
            continue
        addressed = [] if "url" in map(field_of, header) else ["url"]
        yield line, header + addressed
        for number, row in enumerate(text[rule.end() + 1 :].split("\n"), start=line + 2):
            if "|" not in row:
                break
            link = _link(row)
            cells = _cells(row)[: len(header)]
            padding = [""] * (len(header) - len(cells))
            yield number, cells + padding + ([link[1] if link else ""] if addressed else [])


def _cells(row: str) -> list[str]:
    cells = (cell.strip().replace("\\|", "|") for cell in _SEPARATOR.split(row.strip().strip("|")))
    return [_TAG.sub(" ", _SUMMARY.sub("", cell)).strip() for cell in cells]


MARKDOWN = Reader("markdown", sniff, read)
