"""A title or an abstract as it was typed or scraped becomes one line of plain, readable Unicode.

Knows the order of the steps; LaTeX, markup, hyphens, headings and notices have modules of their
own. Knows nothing about files. Never raises, whatever the text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import cache

from rag.corpus.boilerplate import strip_boilerplate
from rag.corpus.headings import part_headings
from rag.corpus.hyphenation import join_words
from rag.corpus.latex import latex_to_text
from rag.corpus.markup import strip_html, strip_markdown
from rag.corpus.sentences import OPENERS

_MAX_PASSES = 8

_SURROGATE = re.compile("[\ud800-\udfff]")
# Controls but tab and newline; what is invisible: soft hyphen, zero width, bidi.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\xad"
    "\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb]"
)
# Mojibake and ligatures need a letter beyond ASCII; general punctuation, arrows and
# mathematical signs alone are neither, and most abstracts have no more than those.
_MAYBE_BROKEN = re.compile(r"[^\x00-\x7f\u2010-\u2027\u2190-\u23ff]")
_URL = re.compile(r"((?:https?://|www\.)[^\s<>{}]+)")

_BRACES = re.compile(r"\{([^{},]*)\}")
_TRANSLATED = re.compile(r"^\[([^\[\]]{12,})\]\.?$")  # PubMed's; "[Re]" is part of a title
_FULL_STOP = re.compile(
    r"(?<=[a-z\d)\]”]{3})(?<!\betc)(?<!\bet al)(?<!\binc)(?<!\bspp)\.$", re.IGNORECASE
)

# Marker, pattern, replacement: only where the marker stands is the pattern looked for.
_TYPESETTING: tuple[tuple[str, re.Pattern[str], str], ...] = (
    ("--", re.compile(r"(?<![-–—])(?:\s---\s?|---\s)(?!-)"), " — "),
    ("--", re.compile(r"(?<![-–—])---(?!-)"), "—"),
    ("--", re.compile(r"(?<=\S)\s--\s(?=\S)|(?<=[\w)])--\s(?=\w)"), " – "),
    ("--", re.compile(r"(?<=[\w)%”×°])--(?=[\w(“])"), "–"),
    ("`", re.compile(r"``([^`]*?)(?:''|’’|\"|``)"), r"“\1”"),
    ("`", re.compile(r"(?<![\w`])`([^\s`'][^`']{0,200})'(?![\w'])"), r"‘\1’"),
    ("``", re.compile(r"``([^`']{1,200})['’]{2}"), r"“\1”"),
    ("''", re.compile(r"(?<![\w'])''(?=\w)|(?<=[^\s'])''(?![\w('])"), '"'),
    ("~", re.compile(r"(?<=[^\s\d%(/~<>=$])~+(?=\S|$)|(?<=[\d%])~+(?=[^\s\d]|$)"), " "),
    ("\u0338", re.compile("\u0338="), "≠"),  # drawn over the sign that comes next
    ("•", re.compile(r"(?<=[.:;!?]) ?• ?(?=\w)"), " "),
    (". . .", re.compile(r"\s?\.(?: \.){2,}"), "…"),
    (" .", re.compile(r"(?<=[.!?]) \.(?=\s|$)"), ""),
    (" ,", re.compile(r"(?<=[\w)\]”’%]) ,(?=\s)"), ","),
    (" .", re.compile(r"(?<=[\w)\]”’%]) \.(?=\s|$)"), "."),
    (
        ".",
        re.compile(rf"\.(?:(?<=[a-z]{{2}}\.)|(?<=[)\]”’%\d]\.))(?=(?:{'|'.join(OPENERS)})\b)"),
        ". ",
    ),
)


def clean_text(raw: str) -> str:
    """``raw`` as plain text: one line, single spaces, NFC, no markup, nothing invisible.

    LaTeX, Markdown, HTML, authors' to-do notes, mojibake and ligatures are resolved, and a
    space that is missing after a full stop is put in. Idempotent.
    """
    text = raw
    # What one pass uncovers (an escaped mark, a tag written as entities) the next removes.
    for _ in range(_MAX_PASSES):
        cleaned = _pass(text)
        if cleaned == text:
            break
        text = cleaned
    return text


def clean_abstract(raw: str) -> str:
    """``raw`` as ``clean_text`` has it, its headings parted from the prose, without what publishers
    add; empty where it only says that there is no abstract. Idempotent."""
    text = clean_text(part_headings(raw))
    for _ in range(_MAX_PASSES):
        bare = strip_boilerplate(part_headings(text))
        if bare == text:
            break
        text = clean_text(bare)
    return text


def clean_title(raw: str) -> str:
    """``raw`` as ``clean_text`` has it, without the full stop, the braces and the brackets around
    a translation that databases put there. Idempotent."""
    text = clean_text(raw)
    for _ in range(_MAX_PASSES):
        bare = _FULL_STOP.sub("", _BRACES.sub(r"\1", _TRANSLATED.sub(r"\1", text)))
        if bare == text:
            break
        text = clean_text(bare)
    return text


def _pass(text: str) -> str:
    text = _INVISIBLE.sub("", _repaired(_SURROGATE.sub("", text)))
    text = text.replace("\u2010", "-").replace("\u2011", "-")  # typed as hyphens, searched as such
    text = strip_markdown(strip_html(latex_to_text(text)))
    text = join_words(text)
    parts = _URL.split(text)
    parts[::2] = map(_typeset, parts[::2])
    return unicodedata.normalize("NFC", " ".join("".join(parts).split()))


def _repaired(text: str) -> str:
    """``text`` without mojibake and ligatures, which only other letters than ASCII can be."""
    return _ftfy()(text) if _MAYBE_BROKEN.search(text) else text


@cache
def _ftfy() -> Callable[[str], str]:
    """ftfy with only its repairs: entities are ours, quotes and wide letters may stay."""
    from ftfy import TextFixerConfig, fix_text

    config = TextFixerConfig(unescape_html=False, uncurl_quotes=False, fix_character_width=False)
    return lambda text: fix_text(text, config)


def _typeset(text: str) -> str:
    """Dashes, quotes and ties of TeX as Unicode, and a space after each full stop."""
    for marker, pattern, replacement in _TYPESETTING:
        if marker in text:
            text = pattern.sub(replacement, text)
    return text
