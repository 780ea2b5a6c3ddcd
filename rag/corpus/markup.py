"""Markdown and HTML marks are taken off text, for reading as one plain line.

Knows the marks that people use in abstracts; knows nothing about LaTeX. A parser would be
no help: what it should not touch (``A* search``, ``2**3``, ``snake_case``, ``p < 0.05``) is
prose that happens to look like Markdown or HTML.
"""

from __future__ import annotations

import html
import re

from rag.corpus.math_text import script

_ENTITY = re.compile(r"&(?:amp;)*(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z]\w{1,30});", re.IGNORECASE)
_ATTRIBUTES = r"""(?:\s+[\w:-]+\s*=\s*(?:"[^"<>]*"|'[^'<>]*'|[^\s<>"'=]+))*\s*/?"""
_SCRIPT_TAG = re.compile(r"<(?:jats:)?(su[bp])>([^<>]{1,40})</(?:jats:)?\1>", re.IGNORECASE)
_BREAKING_TAG = re.compile(
    rf"</?(?:jats:)?(?:br|p|div|li|ul|ol|h[1-6]|tr|td|sec|title|list|list-item|disp-formula|"
    rf"abstract|abstracttext){_ATTRIBUTES}>",
    re.IGNORECASE,
)
_INLINE_TAG = re.compile(
    rf"</?(?:a|b|i|u|em|strong|sub|sup|span|code|tt|small|big|mark|font|italic|bold|sc|roman|"
    rf"monospace|underline|xref|ext-link|uri|named-content|inline-formula|tex-math|alternatives|"
    rf"math|(?:jats|mml|m|xlink|ce):[\w-]+){_ATTRIBUTES}>",
    re.IGNORECASE,
)
_HEADING_TAG = re.compile(
    r"<((?:jats:)?title|h[1-6])>\s*([^<>]{1,80}?)[\s.:]*</\1>(?:\s|<(?!/)[^<>]{1,20}>)*(?=\S)",
    re.IGNORECASE,
)
_LABELLED_TAG = re.compile(r"<AbstractText\s[^<>]*?Label=\"([^\"<>]{1,80})\"[^<>]*>", re.IGNORECASE)

# Marker, pattern, replacement: only where the marker stands is the pattern looked for.
_MARKDOWN: tuple[tuple[str, re.Pattern[str], str], ...] = (
    ("", re.compile(r"^(?:[ \t]*(?:#{1,6}|[-*+•>])[ \t]+(?!\d))+", re.MULTILINE), ""),
    ("](", re.compile(r'!?\[([^\[\]]*)\]\((?=[^\s()]*[/.#:])[^\s()]*(?:\s"[^"()]*")?\)'), r"\1"),
    ("<http", re.compile(r"<(https?://[^\s<>]+)>"), r"\1"),
    ("`", re.compile(r"`{3,}"), ""),
    ("`", re.compile(r"(?<!`)`([^`'\n]+)`(?!`)"), r"\1"),
    ("**", re.compile(r"(?<![\d*])(?:\*\*)+|(?:\*\*)+(?![\d*])"), ""),
    ("*", re.compile(r"(?<![\w*/\\^)])\*(?=[^\s*])([^*]*)(?<=\S)\*(?![\d*])"), r"\1"),
    ("__", re.compile(r"(?<!\w)__(?=\S)([^_]*[\sA-Z][^_]*)(?<=\S)__(?!\w)"), r"\1"),
    (
        "_",
        re.compile(r"(?:^|(?<=[\s(\[\"“‘'*—–-]))_(?=[^\s_])([^_]*)(?<=\S)_(?![\w⋆∗∞({^])"),
        r"\1",
    ),
)


def strip_html(text: str) -> str:
    """``text`` with entities as characters and without the tags that papers use inline."""
    if "&" in text:
        text = _ENTITY.sub(_entity, text)
    if "<" in text:
        text = _SCRIPT_TAG.sub(lambda tag: script(tag[2], "_^"[tag[1].lower() == "sup"]), text)
        text = _LABELLED_TAG.sub(r" \1: ", _HEADING_TAG.sub(r" \2: ", text))
        text = _INLINE_TAG.sub("", _BREAKING_TAG.sub(" ", text))
    return text


def strip_markdown(text: str) -> str:
    """``text`` without emphasis, code, link, heading, quote and bullet marks."""
    for marker, pattern, replacement in _MARKDOWN:
        if marker in text:
            text = pattern.sub(replacement, text)
    return text


def _entity(entity: re.Match[str]) -> str:
    """The character, however many times its ampersand was escaped on the way here."""
    return html.unescape("&" + entity[0].replace("amp;", "")[1:])
