"""Elements of an SVG picture. Text and attributes are escaped by the standard library's writer."""

from __future__ import annotations

from itertools import accumulate, takewhile
from xml.etree.ElementTree import Element, SubElement, tostring

from rag.publish.assets import asset
from rag.publish.content import shown

NAMESPACE = "http://www.w3.org/2000/svg"
_NARROW, _WIDE = set("fijlrtI.,:;'!|()[] -"), set("mwMW@%—")


def picture(width: float, height: float, label: str) -> Element:
    """An empty picture that says to those who cannot see it what it shows."""
    box = f"0 0 {number(width)} {number(height)}"
    return Element("svg", {"viewBox": box, "role": "img", "aria-label": shown(label)})


def standalone(svg: Element) -> str:
    """A picture as a file of its own: with its size, its style and a ground to stand on."""
    _, _, width, height = svg.get("viewBox", "").split()
    root = Element("svg", {"xmlns": NAMESPACE, "width": width, "height": height, **svg.attrib})
    SubElement(root, "style").text = asset("figures.css")
    SubElement(root, "rect", {"class": "ground", "width": width, "height": height})
    root.extend(list(svg))
    return tostring(root, encoding="unicode") + "\n"


def inline(svg: Element) -> str:
    """A picture within a page that has its style."""
    return tostring(svg, encoding="unicode")


def add(parent: Element, tag: str, **attributes: float | str | None) -> Element:
    """A new element in ``parent``. In names, ``_`` stands for ``-`` and a last one is dropped;
    numbers are rounded to a tenth."""
    known = {name.rstrip("_").replace("_", "-"): v for name, v in attributes.items()}
    texts = {n: v if isinstance(v, str) else number(v) for n, v in known.items() if v is not None}
    return SubElement(parent, tag, texts)


def write(parent: Element, text: str, x: float, y: float, **attributes: str | None) -> Element:
    """A line of text, its baseline beginning at (x, y)."""
    element = add(parent, "text", x=x, y=y, **attributes)
    element.text = shown(text)
    return element


def hint(parent: Element, text: str) -> None:
    """What shows when a pointer rests on ``parent``."""
    SubElement(parent, "title").text = text


def number(value: float) -> str:
    """At most one decimal, and none where it is zero."""
    return f"{value:.1f}".removesuffix(".0")


def width(text: str, size: float) -> float:
    """About how wide a text is at a font size, as in Helvetica or Source Sans."""
    return size * sum(map(_width, text))


def _width(character: str) -> float:
    if ord(character) > 0x2E80:  # Chinese, Japanese and Korean; emoji
        return 1.0
    if character in _NARROW:
        return 0.3
    return 0.87 if character in _WIDE else 0.68 if character.isupper() else 0.53


def cut(text: str, size: float, room: float) -> str:
    """The text, or as much of its beginning as has room, with an ellipsis."""
    text = " ".join(shown(text).split())
    if width(text, size) <= room:
        return text
    room -= width("…", size)
    reached = accumulate(width(character, size) for character in text)
    return text[: sum(1 for _ in takewhile(lambda end: end <= room, reached))].rstrip() + "…"
