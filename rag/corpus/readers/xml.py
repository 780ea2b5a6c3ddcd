"""XML of bibliographies: PubMed, EndNote, MODS, JATS, OAI-PMH, DBLP, the ACL Anthology.

Read by the standard library's expat, turned into lists and objects, in which papers are found as
in JSON. Entities that a file defines itself are refused.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from xml.parsers import expat

from rag.corpus.fields import field_of
from rag.corpus.readers.nested import papers_in
from rag.corpus.record import RawRecord, Reader, reject
from rag.corpus.values import squashed
from rag.types import Rejection

_ROOTS = "PubmedArticleSet xml mods modsCollection dblp collection OAI-PMH records article volume"
_START = re.compile(rf"\s*<(?:\?xml\b|(?:\w+:)?(?:{'|'.join(_ROOTS.split())})[\s>])")
_NAMED_ENTITY = re.compile(r"&(?!(?:amp|lt|gt|quot|apos);)([A-Za-z]\w{1,30};)")
_TYPES = frozenset("doi pmid pubmed arxiv family given".split())
"""Values of an attribute that say better than its element's name what a text is."""
_RENAMED = {"namepart": "name", "pubmed": "pmid"}
_INLINE = frozenset("style i b u em strong sub sup italic bold sc fixed-case tex-math span".split())
_DEEPEST = 100


@dataclass(slots=True)
class _Element:
    name: str
    line: int
    attributes: dict[str, str]
    parts: list[str | _Element] = field(default_factory=list)

    def text(self) -> str:
        """All text in it; what stands in lines of its own in the file stays apart."""
        return "".join(part if isinstance(part, str) else part.labelled() for part in self.parts)

    def labelled(self) -> str:
        label = self.attributes.get("Label", "")
        apart = " " if squashed(self.name) in ("p", "sec", "title", "abstracttext") else ""
        return f"{apart}{label}: {self.text()}{apart}" if label else apart + self.text() + apart

    def children(self) -> list[_Element]:
        return [part for part in self.parts if isinstance(part, _Element)]


def sniff(text: str, suffix: str) -> bool:
    """Whether it begins as XML does."""
    return _START.match(text[:2_000]) is not None or (suffix == ".xml" and "<" in text[:100])


def read(text: str) -> Iterator[RawRecord | Rejection]:
    """The record of each paper, or why it is none; of damage, where it is."""
    root, damage = _tree(_NAMED_ENTITY.sub(lambda found: html.unescape(found[0]), text))
    lines: dict[int, int] = {}
    value = [{root.name: _value(root, lines)}] if root else []
    papers = papers_in(value)
    for found in papers:
        yield found.record(lines.get(id(found.holder[found.key]), 1))
    if damage:
        yield damage
    elif not papers:
        yield reject(1, f"XML without papers: its root is <{root.name if root else ''}>")


def _tree(text: str) -> tuple[_Element | None, Rejection | None]:
    """The root, without the element that damage is in, and what the damage is."""
    top = _Element("", 0, {})
    stack = [top]
    parser = expat.ParserCreate("utf-8")  # whatever the file says that it was
    parser.buffer_text = True

    def start(name: str, attributes: dict[str, str]) -> None:
        if len(stack) > _DEEPEST:
            raise ValueError("nested too deeply")
        element = _Element(name.rpartition(":")[2], parser.CurrentLineNumber, attributes)
        stack[-1].parts.append(element)
        stack.append(element)

    def declare(*_: object) -> None:
        raise ValueError("it defines entities of its own")

    parser.StartElementHandler = start
    parser.EndElementHandler = lambda _: stack.pop()
    parser.CharacterDataHandler = lambda data: stack[-1].parts.append(data)
    parser.EntityDeclHandler = declare
    damage = None
    try:
        parser.Parse(text.encode("utf-8", "replace"), True)
    except (expat.ExpatError, ValueError) as error:
        damage = reject(parser.CurrentLineNumber, f"not valid XML from here on: {error}")
        _drop_open(stack)
    return next(iter(top.children()), None), damage


def _drop_open(stack: list[_Element]) -> None:
    """Take off the outermost open element that has whole ones of its name beside it."""
    for parent, element in zip(stack[1:], stack[2:], strict=False):
        if sum(other.name == element.name for other in parent.children()) > 1:
            parent.parts.remove(element)
            return
    if len(stack) > 1:
        stack[1].parts.clear()


def _value(element: _Element, lines: dict[int, int]) -> Any:
    """Text, or an object of its children; elements of one name are a list."""
    children = element.children()
    is_prose = any(isinstance(part, str) and part.strip() for part in element.parts)
    is_prose = is_prose or all(child.name.casefold() in _INLINE for child in children)
    if is_prose or field_of(element.name) == "abstract":
        return element.text().strip()
    held: dict[str, Any] = {}
    for child in children:
        name = _name(child)
        value = _value(child, lines)
        if name not in held:
            held[name] = value
        elif isinstance(held[name], list):
            held[name].append(value)
        else:
            held[name] = [held[name], value]
    lines[id(held)] = element.line
    return held


def _name(element: _Element) -> str:
    types = (
        value.casefold() for name, value in element.attributes.items() if "type" in name.casefold()
    )
    name = next((kind for kind in types if kind in _TYPES), element.name)
    if element.name == "name" and any(child.name == "namePart" for child in element.children()):
        return "author"  # of MODS
    return _RENAMED.get(squashed(name), name)


XML = Reader("xml", sniff, read)
