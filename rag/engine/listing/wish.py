"""What a request for papers asks for: notions, joined by and, or, not and at least.

Rules on the wording only. What they do not understand stays in a notion, of which the papers
then have to have the words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from rag.engine.listing.released import Release
from rag.engine.listing.released import asked as asked_for
from rag.retrieve.terms import STOP_WORDS, words

METHODS = r"(?:methods|approaches|systems|techniques|algorithms|frameworks|solutions|ideas)"
"""Stand for papers at the beginning of a request: each has one."""
PAPERS = r"(?:papers?|works|abstracts?|studies|articles?|publications?)"

_FRAME = frozenset(
    """
    paper papers work works abstract abstracts study studies article articles publication
    publications research researcher researchers literature anything something everything
    anyone somebody someone mention mentions mentioned mentioning report reports use uses using used
    apply applies deal deals treat treats discuss discusses address addresses concern concerns
    look looks looked talk talks involve involves evaluate evaluates test tests compare compares
    role play plays list name names enumerate show find give gives tell please here corpus
    collection contain contains consider considers results experiments run runs say says
    rely relies make makes read could one help interested there thing things both contribute
    contributes introduce introduces propose proposes present presents analyse analyses analyze
    analyzes examine examines investigate investigates explore explores focus focuses count
    need needs require requires requiring number many way ways possible new ones these those else
    every each all conclude conclusions want good like mainly try tries tried out idea ideas
    also still even two three four train trains trained learn learns narrow
    filter restrict limit down just come comes coming came turn turns up crop crops occur occurs
    appear appears touch touches touching dealing treating concerning regarding several overview
    everyone looking wanting i'm we're whose conference handle handles handling authors author
    groups teams people often more than
    """.split()
)
"""Words at the edges of a request that say nothing about the papers wanted."""

_MENTION = re.compile(
    r"\b(?:mention(?:s|ed)?|contain|say nothing|the (?:word|term)s?)\b"
    r"|\b(?:not|never|\w+n['’]t) (?:use|study|involve|rely|concern|deal|look|work)"
    r"|\b(?:neither|none of)\b",
    re.I,
)
_SUBJECT = re.compile(r"\s*(?:about|on)\b", re.I)
_BUT = re.compile(r"\bex(?:cept|cluding)\b", re.I)
"""Say of what is refused that all others are wanted, whatever they do."""
_EVERYTHING = re.compile(
    rf"^(?!.*\b(?:mention\w*|nothing|none|never)\b)"
    rf".*\b(?:{PAPERS}|everything|all|here|there|have|contain|hold|corpus|collection)[\s?!.]*$",
    re.I,
)
"""How a request ends that names papers and nothing that they are on: "how many are there"."""
_ASIDE = re.compile(
    r"^(?:leaving|apart from|besides|except(?: for)?|other than|excluding)\s+(.+?)"
    r"(?:\s+aside)?,\s*(.+)$",
    re.I,
)
_EXCEPT = re.compile(
    r"\b(?:besides|other than|apart from|aside from|except(?: for)?|excluding)\s+"
    r"((?-i:[A-Z])[\w-]*(?:(?:,? and|,? or|,) (?-i:[A-Z])[\w-]*)*),?\s+(?=\w)",
    re.I,
)
"""Papers by name that are not meant: "besides DRIFT and FIRE use human feedback"."""
_NOT = re.compile(
    r",?\s*\b(?:(?:but |and |that |which |yet )*"
    r"(?:do(?:es)?|did|are|is|have|has|can)(?:n['’]t|\s+not)"
    r"|(?:with|needs?|requires?|uses?|has|have|mentions?|contains?)\s+no(?!\s+longer)|none of"
    r"|cannot|neither|(?:but |and )?(?:not|never)|without|except(?: for)?|excluding"
    r"|rather than|other than|besides|apart from|aside from|instead of|says? nothing (?:of|about)"
    r"|(?:has|have|had|having)? ?nothing to do with|unrelated to|lacks?|lacking)\b",
    re.I,
)
_SOME_OF = re.compile(
    r"\b(?:(at least|any|exactly|only|just|at most|no more than|up to) )?"
    r"(one|two|three|four|five|[1-9]) (?:or more )?of"
    r"(?: (?:the following|these(?: \w+)?)(?=:)|(?! the\b)):?\s+(.+)$",
    re.I,
)
_ONLY = re.compile(
    r"(?<=\w )(?<!\bnot )(?<!\bthe )(?<!\bif )(?<!\band )"
    r"\b(?:only|solely|exclusively|purely|nothing (?:but|other than)|nothing else than)\b"
    r"(?!,? (?:one|two|three|four|five|\d+|an?|the|those|ones|papers|works|of|when|if|once)\b)",
    re.I,
)
"""Restricts what papers have; "only two of" is a number of things, and "only papers" of papers."""
_AT_MOST = frozenset(("at most", "no more than", "up to"))
_EXACTLY = frozenset(("exactly", "only", "just"))
_NUMBERS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5}
_BOTH = re.compile(r"\bboth\b", re.I)
_EITHER = re.compile(r",\s*(?:and/or|n?or|and)\b|\band/or\b|\bn?or\b|,", re.I)
_AND = re.compile(r",?\s*\b(?:and|as well as|together with|combined with)\b", re.I)
_BETWEEN = re.compile(r"\b(?:to|for|in|on|with|at|by|from|via|of|about)\b", re.I)
_AGAIN = re.compile(r"\band (?:also )?(?:on|about|of)\b", re.I)
"""Joins what each is enough: "on speech and on audio"."""
_NOUNS = re.compile(
    rf"\b(?:(?:\d\d?|top|best|latest|newest|most|recent|first)\s+){{0,4}}{PAPERS}\b"
    rf"|^(?:which|what) (?:(?:other|of the|kinds? of) )*{METHODS}\b",
    re.I,
)
"""Papers, with how many of them and which come first: all are given, the nearest first."""

_WITHOUT = re.compile(r"(?<![\w/])w/o(?![\w/])", re.I)
_ASIDES = re.compile(
    r"\bplays? (?:a|any|the|some)\b(?: \w+)? (?:part|role)\b"
    r"|,? \bor (?:an?|any|some|other) (?:variant|form|kind|version|sort|type)s?\b"
    r"(?: of (?:it|them)\b)?"
    r"|\bthe (?:word|term|phrase|expression)s?\b(?= \w)(?! of\b)"
    r"| of (?:any|whatever) (?:sort|kind|type|form)s?\b| at all\b|[?.!]\s*which(?: ones)?\W*$"
    r"|,? \band (?:what(?: for)?|how|why|where|when|which|in which)\b(?!.*\bpapers\b).*$",
    re.I,
)
"""What adds nothing to the papers wanted: "plays a part", "or a variant of it", "and what for"."""
_OR_ELSE = re.compile(r",?\s*\bor (?=(?:to|for|in|on|with|at|by|from|via|of|about|under)\b)", re.I)
"""Joins whole alternatives: "with images or with sound from a street"."""
_BRINGS = re.compile(
    r"\b(?:introduc|propos|contribut|present|releas|publish|build|built|bring|provid|creat|offer"
    r"|construct|curat|collect|develop|make available)\w*\b",
    re.I,
)
_MADE = re.compile(
    r"\b(?:(?:that|which) (?:they|the authors)|(?:of )?their own|themselves)\b", re.I
)
"""Says that what is asked for is the paper's own."""

_COMPARATIVE = re.compile(r"\w{3,}er$")
"""Ends a list to all of which it belongs: "generation or inference faster"."""

Says = Callable[[str], bool]

MANY = 6
"""Notions in a list at most: more are a text."""


@dataclass(frozen=True, slots=True)
class Wish:
    """The papers that have all notions of one of the ``options``, the first that finds any, and
    none of ``without``; with ``most`` those that have at ``least`` and at most so many of them.

    Each option is a list of alternatives, each of which is notions to have together.
    ``literal`` if what counts is that a paper mentions them, ``brings`` if that it makes them.
    ``everything`` if no notion is asked for, but papers are; ``release`` is what they have to give
    away besides. ``only`` if they are to have nothing else of that kind.
    """

    options: tuple[tuple[tuple[str, ...], ...], ...]
    without: tuple[str, ...] = ()
    least: int = 0
    literal: bool = False
    brings: bool = False
    everything: bool = False
    most: int = 0
    release: Release | None = None
    only: bool = False


def wish(question: str) -> Wish:
    """What a request for papers asks for."""
    if not (found := asked_for(question)):
        return _notions(question)
    release, rest = found
    wanted = _notions(rest)
    everything = not (wanted.options or wanted.without)
    return replace(wanted, release=release, everything=everything)


def _notions(question: str) -> Wish:
    """The notions that a request wants papers to have or to lack."""
    asked = _WITHOUT.sub("without", question).strip().rstrip("?!. ")
    literal, asked = bool(_MENTION.search(asked)), _ASIDES.sub("", asked)
    if restricted := _ONLY.search(asked):
        asked = f"{asked[: restricted.start()]} {asked[restricted.end() :]}"
        return replace(_notions(asked), only=True)
    without: list[str] = []
    if aside := _ASIDE.match(asked):
        without += _listed(bare(aside.group(1)))
        asked = aside.group(2)
    if known := _EXCEPT.search(asked):
        without += _listed(known[1])
        asked = f"{asked[: known.start()]} {asked[known.end() :]}"
    if refused := _NOT.search(asked):
        rest, asked = asked[refused.end() :], asked[: refused.start()]
        without += [item for part in _NOT.split(rest) for item in _listed(bare(part))]
        others = _SUBJECT.match(rest) or _BUT.search(refused[0])
        literal = literal or bool(others and not bare(asked))
    if (some := _SOME_OF.search(asked)) and len(items := _listed(some[3])) > 1:
        every, (least, most) = tuple((item,) for item in items), _some(some, len(items))
        return Wish((every,), tuple(without), least, literal, most=most)
    brings = bool(_BRINGS.search(asked)) and not without
    asked = _MADE.sub(" ", _BRINGS.sub(" ", asked)) if brings else asked
    options = _options(bare(asked), asked)
    everything = bool(_EVERYTHING.search(asked)) and not (options or refused or without)
    return Wish(options, tuple(without), 0, literal, brings, everything)


def _some(found: re.Match[str], things: int) -> tuple[int, int]:
    """How many of some things papers have to have, and may have."""
    how, number = (found[1] or "").lower(), _NUMBERS.get(found[2].lower()) or int(found[2])
    if how in _AT_MOST:
        return 0, number
    return number, number if how in _EXACTLY else max(things, number)


def bare(text: str) -> str:
    """The words that say something about the papers wanted, in order."""
    parts = (_stripped(part) for part in _NOUNS.split(text))
    return " ; ".join(part for part in parts if part)


def _stripped(text: str) -> str:
    """Without the words of a frame at its edges."""
    tokens = text.split()
    while tokens and _empty(tokens[0]):
        tokens.pop(0)
    while tokens and _empty(tokens[-1]):
        tokens.pop()
    return " ".join(tokens).strip(" ,;:.")


def _empty(token: str) -> bool:
    return all(word in _FRAME or word in STOP_WORDS for word in words(token))


def _options(text: str, asked: str) -> tuple[tuple[tuple[str, ...], ...], ...]:
    """Ways to take the notions of a text apart, likeliest first."""
    if not text:
        return ()
    joined = _items(_AND.split(_BOTH.sub(" ", text)))
    plain = ((text,),)
    if len(others := _items(_OR_ELSE.split(text))) > 1:
        return (tuple((item,) for item in others), plain)
    if " or " in f" {text} ":
        return (tuple((way,) for way in _ways(text)), plain)
    listed = _items([part for run in _AND.split(text) for part in run.split(",")])
    every, each = (tuple(listed),), tuple((item,) for item in listed)
    if not 1 < len(listed) <= MANY:
        return (plain,)
    if _BOTH.search(asked):
        return (every,)
    if _AGAIN.search(text):
        return (each,)
    return (every, each) if len(joined) > 1 else (each, plain)


def completed(ways: Sequence[tuple[str, ...]], says: Says) -> list[tuple[str, ...]]:
    """Ways of one notion each, with the words that it shares with the first or the last of them:
    "image or video generation", "test-time scaling or alignment". ``says`` tells whether papers
    have the whole, and so whether it is meant."""
    if len(ways) < 2 or any(len(way) > 1 for way in ways):
        return list(ways)
    first, last = ways[0][0].split(), ways[-1][0].split()

    def whole(item: str) -> str:
        size = len(item.split())
        wholes = (" ".join([*first[:-size], item]), " ".join([item, *last[size:]]))
        if size < len(last) and _COMPARATIVE.search(ways[-1][0]):
            return f"{item} {last[-1]}"
        return next((text for text in wholes if text != item and says(text)), item)

    return [(whole(item),) for (item,) in ways]


def _ways(text: str) -> list[str]:
    """What "sound or speech in robots" says: each of the things between ``or`` in its place."""
    ways = [""]
    for part in _BETWEEN.split(text):
        items = _items(_EITHER.split(part)) or [part]
        ways = [f"{way} ; {item}" if way else item for way in ways for item in items][: MANY * 2]
    return ways


def _listed(text: str) -> list[str]:
    """The things that a text lists, however they are joined."""
    return _items([part for run in _AND.split(text) for part in _EITHER.split(run)])


def _items(parts: Sequence[str]) -> list[str]:
    return [item for part in parts if (item := bare(part))]
