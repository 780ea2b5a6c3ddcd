"""A sentence without what only its abstract needs: asides, citations, marks of markup.

Knows characters, not grammar. It only deletes, so what is left stands in the sentence.
"""

from __future__ import annotations

import re

_ASIDE = re.compile(r"(?:\s+|^)(?:\([^()]*\)|\[[^][]*\])(?=[\s,.;:!?)\]]|$)")
_SHORT_FORM = re.compile(r"(?<=[a-z])\((?:[A-Z][\w-]*[A-Z][\w-]*|[^()]*\s[^()]*)\)")
"""Glued to its word; what else is glued is a formula's: "O(n)"."""
_SPELLED = re.compile(r",? short for [^,.;:]{3,120}(?:,|$)")
_UNCLOSED = re.compile(r"\s+[(\[][^()\[\]]*$")
_INSERTED = re.compile(
    r"\s[–—]\s([^–—.;:]{3,200}?)\s[–—]\s|—([^—.;:]{3,200}?)—|\s--?\s([^-.;:]{3,200}?)\s--?\s"
)
_ITEM = re.compile(r"(?:^|(?<=[,;:] )|(?<=and )|(?<=or ))\(?(?:[ivx]{1,4}|\d|[a-e])\)\s+|[•▪]\s*")
_COMMAND = re.compile(r"\\[a-zA-Z]+\*?|\\.")
_URL = re.compile(r"(?:\s+(?:at|on|from|in))?\s*:?\s*[<(]?(?:https?://|www\.)\S+")
_MARK = re.compile(r"\*\*|[`$\\{}]|^[\s>#*•-]+")
_TAG = re.compile(
    r"</?(?:a|b|i|u|p|em|strong|su[bp]|br|span|div|script|style|iframe|img|h[1-6]|ul|ol|li|code|pre|"
    r"table|t[rdh]|svg|form|input|font|center|small|mark|details|summary)(?:\s[^<>]*|/)?(?:>|$)"
    r"|<[a-z]+\s+[a-z-]+=[^<>]*(?:>|$)",
    re.I,
)
_TERMINAL = re.compile(r"\x1b?\[\d{1,3}(?:;\d{1,3})*m|\x1b?\]\d;|[\x00-\x08\x0e-\x1f\x7f]")
"""What sets the colours or the title of a terminal."""
_LINK = re.compile(r"\[([^][]*)\]\([^()]*\)")
_LOOSE = re.compile(r"(?<!\w)_+|_+(?!\w)")
_EMPHASIS = re.compile(r"(?<![\w*_])([*_])(\S|\S[^*_]*\S)\1(?![\w*_])")
_UNOPENED = re.compile(r"^([^(]*?)\)")
_SPACE_BEFORE = re.compile(r"\s+(?=[,.;:!?)])")
_REPEATED = re.compile(r"([,;:])(?:\s*[,;:])+")
_EDGES = " \"'“”‘’.,;:!?…)]-–—。！？"
_LONGEST = 2_000
_NESTED = 3


def plain(sentence: str) -> str:
    """The sentence as one line, without asides, markup and its last full stop."""
    text = " ".join(sentence[:_LONGEST].split())
    text = _TAG.sub("", _TERMINAL.sub("", text))
    text = _ITEM.sub("", _URL.sub("", _LINK.sub(r"\1", _SPELLED.sub("", text))))
    for _ in range(_NESTED):
        text = _SHORT_FORM.sub("", _ASIDE.sub("", text))
    text = _INSERTED.sub(" ", _UNCLOSED.sub("", text))
    text = _EMPHASIS.sub(r"\2", _MARK.sub("", _COMMAND.sub("", text)))
    text = _UNOPENED.sub(r"\1", _LOOSE.sub("", text))
    text = _SPACE_BEFORE.sub("", " ".join(text.split()))
    return _unquoted(_REPEATED.sub(r"\1", text).lstrip(_EDGES).rstrip(_EDGES))


def _unquoted(text: str) -> str:
    """With the closing marks that belong to an opening one inside."""
    for opening, closing in ("“”", "()", "[]", '""', "‘’"):
        inside = text.count(opening) - (0 if opening == closing else text.count(closing))
        if inside % 2 if opening == closing else inside == 1:
            text += closing
    return text
