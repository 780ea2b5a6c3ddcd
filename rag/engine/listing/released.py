"""What papers give away: code, data, models or a demo; and who asks for that.

"Code" is a word of many papers, and few of those release any. One that does says so in a sentence
with the thing and a verb of giving, "available" or an address. Knows wordings, no index.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

_THINGS: Mapping[str, str] = {
    "code": r"codes?(?:bases?)?|implementations?|software|scripts?|pipelines?|toolkits?"
    r"|repositor(?:y|ies)|repos?",
    "data": r"data(?:[- ]?sets?)?|benchmarks?|corp(?:us|ora)|annotations?",
    "models": r"models?|weights|checkpoints?",
    "demo": r"demos?|project (?:web)?(?:page|site)s?|websites?",
}
_WORDS: Mapping[str, str] = {
    "code": "code codebase implementation software script pipeline toolkit repository repo",
    "data": "data dataset datasets benchmark corpus corpora annotation",
    "models": "model weights checkpoint",
    "demo": "demo project website webpage",
}
_ADVERB = r"(?:publicly|openly|freely|fully|readily|currently|also|already|made|been|be)"
_ENDS = (
    r"\b(?=\W*$|\s*[,;/]|\s+(?:and|or|is|are|was|were|that|which|with|on|at|for|to|as|but|not|publicly"
    r"|openly|freely|available|online|public|released?|open)\b)"
)
"""What may follow the thing itself: "code generation" is another thing."""
_GIVES = re.compile(
    r"\b(?:releas(?:e|es|ed|ing)|publish(?:es|ed)?|shar(?:e|es|ed)|give away|makes?"
    r"|(?:(?:gives?|provides?|contains?|includes?|have|has|with) )?(?:a |the |any )?"
    r"(?:links?|urls?) to"
    r"|(?<!use )(?<!with )(?<!on )(?<!of )open-?sourc(?:e|es|ed|ing))"
    r"(?P<between>(?:[\s,]+(?!on\b|from\b|using\b)[\w-]+){0,4})\s*$",
    re.I,
)
_HAS = re.compile(
    r"\b(?P<has>has|have|having|with|provides?|includes?|offers?|comes? with|without|no|lacks?"
    r"|lacking)(?:\s+(?:their|its|the|any|an?|own|source|(?P<public>public|open|open-source"
    r"|(?:publicly|freely|openly) \w+|released|available)))*\s*$",
    re.I,
)
_OFFERED = re.compile(
    rf"\s+(?:that |which )?(?:(?:is|are|was|were|will)\b\s*)?(?P<denied>not\s+)?(?:{_ADVERB}\s+)*"
    r"(?:available|released|open(?:[- ]sourced?)?|online|public|out|promised|downloadable)\b"
    r"(?:,? or (?:at least )?(?:will be|promised|announced)\b)?",
    re.I,
)
_DENIED = re.compile(
    r"\b(?:(?:do|does|did|have|has|is|are)(?:n['’]t| not)|not|never|no|without|lacks?|lacking)\b"
    r"(?:\s+(?:\w+)){0,3}\s*$",
    re.I,
)
REACH = 100
"""Characters before a thing in which it is said to be given away."""
_HAD = ("code", "demo")
"""Things that a paper can only have by giving them away."""
_LINK = re.compile(r"\b(?:links?|urls?|github|repositor(?:y|ies)|repos?)\b", re.I)
_ADDRESS = r"(?:https?:|www\.|github|4open|hugging ?face)"
_PLACE = re.compile(_ADDRESS, re.I)
_HINTS = (
    "releas",
    "availab",
    "sourc",
    "http",
    "public",
    "git",
    "4open",
    "huggingface",
    "found at",
    "provide",
    "access",
    "shar",
    "www",
)
_NO = re.compile(r"\b(?:not|no|never|unavailable|lack\w*|without|absence)\b", re.I)


@dataclass(frozen=True, slots=True)
class Release:
    """``things`` that are wanted of papers, any of them; with ``lacking`` of those papers that do
    not say that they give any, with ``linked`` of those that say where."""

    things: tuple[str, ...]
    lacking: bool = False
    linked: bool = False


def asked(text: str) -> tuple[Release, str] | None:
    """What a request wants papers to give away, and the rest of the request; None if nothing."""
    things: list[str] = []
    begin, end, lacking = len(text), 0, False
    for name, thing in _THINGS.items():
        for found in re.finditer(rf"\b(?:{thing}){_ENDS}", text, re.I):
            left, after = max(found.start() - REACH, 0), text[found.end() :]
            before = text[left : found.start()]
            gives, offered = _GIVES.search(before), _OFFERED.match(after)
            has = None if after.strip(" ?.!") else _had(name, before)
            if not (gives or offered or has) or _makes_nothing(gives, offered):
                continue
            things.append(name)
            start = min(left + m.start() if m else found.start() for m in (gives, has))
            denied = _DENIED.search(text[left:start])
            has_none = has is not None and _NO.fullmatch(has["has"])
            lacking |= bool(denied or has_none or (offered and offered["denied"]))
            begin = min(begin, left + denied.start() if denied else start)
            end = max(end, found.end() + (offered.end() if offered else 0))
    if not things:
        return None
    called = text[begin:end]
    release = Release(tuple(dict.fromkeys(things)), lacking, bool(_LINK.search(called)))
    return release, f"{text[:begin]} {text[end:]}"


def _had(thing: str, before: str) -> re.Match[str] | None:
    """That a thing is said to be had in a way in which it is given away."""
    found = _HAS.search(before)
    plain = found and (thing in _HAD or (found["public"] and found["has"].lower() != "with"))
    return found if plain else None


def _makes_nothing(gives: re.Match[str] | None, offered: re.Match[str] | None) -> bool:
    """Whether something is only made: to "make data" is to give it away if it is made public."""
    return bool(gives and gives.group().lower().startswith("make") and not offered)


def given(wanted: Release, sentences: Sequence[str]) -> int | None:
    """Place of the first sentence in which a paper says that it gives away what is wanted."""
    for place, text in enumerate(sentences):
        gives = hints_at(text.lower()) and any(
            _given(thing).search(text) for thing in wanted.things
        )
        if gives and not _NO.search(text) and not (wanted.linked and not _PLACE.search(text)):
            return place
    return None


def hints_at(text: str) -> bool:
    """Whether a text in small letters may say at all that something is given away."""
    return any(hint in text for hint in _HINTS)


def words_for(wanted: Release) -> list[str]:
    """The words by one of which a paper calls what is wanted."""
    return [word for thing in wanted.things for word in _WORDS[thing].split()]


@cache
def _given(thing: str) -> re.Pattern[str]:
    """How a sentence says that its paper gives a thing away."""
    called = rf"\b(?:{_THINGS[thing]})\b"
    open_ = (
        r"available|releas\w+|open[- ]?sourc\w+|public\w*|accessible|found|shared|published|here"
    )
    given = rf"(?:is|are|will|can|has|have|made)\b[^.;]{{0,40}}\b(?:{open_})\b"
    if thing not in _HAD:
        given = rf"(?:{given})(?=\s*$|[.,;:]*\s*$|\s+(?:at|on|upon|in|from|via|to|as|under)\b)"
    gives = (
        r"\b(?:(?:we|to|will|also|by|and|authors)\s+(?:\w+ly\s+)?(?:releas(?:e|ing)|publish(?:ing)?"
        r"|shar(?:e|ing)|mak(?:e|ing)(?=.*\b(?:public|available|open)))"
        rf"|(?:we|to|will)\s+(?:\w+ly\s+)?open-?source"
        rf"{'|we (?:also )?provide' * (thing in _HAD)})\b"
    )
    return re.compile(
        rf"{called}(?:(?:,| and| or| &|/)[^.;]{{0,60}}|\s+(?:for|of|to|used)\b[^.;]{{0,60}}"
        rf"|\s*\([^)]*\))?[\s:,]*(?:{given}|(?:publicly |freely )?available\b|released\b)"
        rf"|{called}[^.;]{{0,40}}?\W{_ADDRESS}|{gives}[^.;]{{0,80}}?{called}(?!-)",
        re.I,
    )
