"""What publishers and databases put around an abstract is taken off.

Knows the word "Abstract" before it, and notices of rights, keywords and comments behind it;
knows nothing about markup, which is gone by then. Only whole notices are taken, each of a form
of its own and of bounded length, so that no sentence of the authors is lost with them.
"""

from __future__ import annotations

import re

from rag.corpus.sentences import HEADING, OPENERS

_OPENING = "|".join(sorted(OPENERS))

_NONE = re.compile(
    r"[\[(]?(?:(?:no|without) abstract(?: (?:is )?(?:available|provided|found))?|"
    r"abstract (?:is )?(?:un|not )(?:available|provided)|not available|n/?a|none|null|nan|-+)"
    r"[\])]?\.?",
    re.IGNORECASE,
)
"""What stands where there is no abstract."""

_WORD = r"(?:A(?:bstracts?|BSTRACTS?)|(?i:résumé|resumen|resumo|zusammenfassung|аннотация|реферат))"
_LABEL = re.compile(
    rf"[*\s]*(?:{_WORD}(?:\s*[:：.]\s*(?:[—–-]\s*)?|\s*[—–]\s*|\s+-\s+|-(?=[A-Z]))(?=[\w\"“‘(\[$])"
    rf"|摘\s*要\s*[:：]?\s*"
    rf"|S(?:ummary|UMMARY)\s*[:—–]\s*"
    rf"|A(?:bstract|BSTRACT)\s*(?=(?:{_OPENING}|{HEADING})(?:[\s:.]))"
    rf"|ABSTRACT\s+(?=[A-Z][a-z]))"
)
_GLUED = re.compile(r"A(?:bstract|BSTRACT)(?=([A-Z]\w+))")

# A dot that ends no notice: inside "B.V." and before "Inc., NY", behind the initial of "J. Wiley".
_HOLDER = r"(?:[^.©]|\.(?!\s*$|\s+[A-Z\"“(\[])|(?<=\s[A-Z])\.){0,200}?"
_RIGHTS = r"(?i:all rights reserved|todos los derechos reservados|tous droits réservés)\b\.?"
_END = rf"(?:,?\s*{_RIGHTS}|(?<!\s[A-Z])\.(?:\s*{_RIGHTS}|(?=\s*$|\s+[A-Z©\"“(\[]))|,?\s*(?=©)|$)"
_YEAR = r"(?:19|20)\d\d\b"

_NOTICES = (
    rf"(?:(?:Crown )?[Cc]opyright )?©\s*(?=[\dA-Z(]|[Tt]he [Aa]uthor|$|©){_HOLDER}{_END}",
    rf"(?:Crown )?[Cc]opyright,? (?:\([Cc]\) ?)?(?:by [^.]{{1,60}}?)?{_YEAR}{_HOLDER}{_END}",
    rf"(?<=[.!?)\]\"”] )\([Cc]\),? ?{_YEAR}{_HOLDER}{_END}",
    rf"\([Cc]\) ?{_YEAR} [^.]{{0,100}}(?i:reserved|published by)\b{_HOLDER}{_END}",
    r"\(?PsycI(?:NFO|nfo) Database Record\b[^()]{0,40}(?:\([Cc]\))?[^()]{0,80}\)?\.?",
    r"\(Source: journal abstract\)\.?",
    r"[\[(](?i:abstract from (?:authors?|publisher))[\])]\.?",
    r"Copyright of .{1,200}? is the property of .{0,900}"
    r"(?:\(Copyright applies to all Abstracts\.?\)|$)",
    rf"This article is protected by copyright\.(?: {_RIGHTS})?",
    rf"This is an open[ -]access article\b{_HOLDER}{_END}",
    rf"(?:Published by |Licensee )(?=[A-Z]){_HOLDER}(?:\.?$|{_RIGHTS})",
    rf"{_RIGHTS}(?=\s*$)",
    r"For permissions,? please .{1,100}$",
)
_NOTICE = re.compile(rf"(?:^|(?<=[.!?:;)\]\"”’])\s*|\s)(?:{'|'.join(_NOTICES)})")
_SIGNS = (
    "©",
    "opyright",
    "(c)",
    "(C)",
    "eserved",
    "atabase Record",
    "ABSTRACT FROM",
    "Published by",
)

_TAIL = re.compile(
    r"(?<=[.!?)\]])\s*(?:"
    r"(?:(?i:(?:author\s|additional\s)?key[\s-]?words(?:\sand\sphrases)?|index\sterms|mots[\s-]clés)|"
    r"Palabras\sclave|Schlüssel(?:wörter|begriffe)|关键词)\s*[:：—–-]\s*(?P<terms>[^.!?]{1,500}[.]?)"
    r"|Comments?:\s*(?:\d+\spages|(?i:accepted|to\sappear|published|preprint|submitted|under\sreview|"
    r"in\sproceedings|presented|draft|code|camera|extended|full\sversion))\b.{0,300}"
    r")$"
)


def strip_boilerplate(text: str) -> str:
    """``text``, one clean line, without label and notices; empty if it only says there is none."""
    text = _without_label(text)
    if any(sign in text for sign in _SIGNS):
        text = _without_notices(text)
    text = _TAIL.sub("", text).strip()
    return "" if _NONE.fullmatch(text) else text


def _without_label(text: str) -> str:
    if label := _LABEL.match(text):
        return text[label.end() :]
    glued = _GLUED.match(text)
    # "AbstractWe" is a label; "AbstractNet" that comes again is a name.
    if glued and text.count(glued[0] + glued[1]) == 1:
        return text[glued.end() :]
    return text


def _without_notices(text: str) -> str:
    """Notices follow one another, so that taking one may lay the next one bare."""
    for _ in range(4):
        shorter = _NOTICE.sub(" ", text).strip()
        if shorter == text:
            break
        text = shorter
    return text
