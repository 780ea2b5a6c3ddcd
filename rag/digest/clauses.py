"""An entry's line as a short clause that can stand beside another: "FIRE balances …".

Knows how lines are built ("X is a method that does Y"); only leaves words out, but for a verb's
ending where "we" becomes "one paper".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from rag.digest.phrases import ALIASES, key
from rag.digest.subjects import known
from rag.retrieve.terms import terms
from rag.summarize.compress import lines
from rag.summarize.openings import first_person
from rag.summarize.verbs import is_known, third
from rag.types import Citation, Entry

WORDS = 16
"""In a clause, at most."""
PLAIN_WORDS = 5
"""In a clause without commas that is preferred to a longer one with them, at least."""
FEWEST, CURT = 4, 5
"""In what a clause says of its subject, and up to which it says little."""
MAX_SENTENCES = 30
"""Of a text that are looked at for a clause; an abstract has about ten."""
TITLE_WORDS = 8
"""In a title that is short enough to stand for its paper in a sentence."""

_RELATIVE = re.compile(
    r"^is (?:an?|the|our) [^,]{3,120}?,? (?:that|which) (?P<does>(?:\w+ly )?[a-z-]{3,}s\b .+)$"
)
_POINTS_AWAY = re.compile(
    r"\b(?:we|our|ours|us|this|these|such|it|they|them|former|latter|i\.e|e\.g)\b|\w\.[A-Z]|\w- \w|"
    r"\bthe (?:[\w-]+ ){0,2}(?:trade-?off|issue|problem|gap|limitation|challenge|dilemma|conflict|"
    r"phenomenon|tension|question|success|former|underlying|resulting|proposed|target)s?\b"
    r"(?! (?:of|between|that|in|for|where|whether)\b)",
    re.I,
)
_DOING = (
    "propose|introduce|present|develop|study|show|find|prove|demonstrate|establish|investigate|"
    "analyze|examine|design|build|formulate|derive|explore|identify|provide|describe|revisit|"
    "reveal|construct|collect|release"
)
_WE = re.compile(rf"^We (?P<adverb>\w+ly )?(?P<verb>{_DOING}) (?P<rest>.+)$")
_CUT_ALWAYS = re.compile(
    rf"[;:—]|\s–\s|,? and (?:\w+ly |then |also |further )?(?:{_DOING}|observe|use|apply|evaluate|"
    r"verify|validate|conduct|compare|discuss|report|argue|give|extend|test|train|learn|obtain|"
    r"offer|outline|highlight|call|characterize|quantify|measure|answer|address|case study)\b"
)
"""What follows is another thing, or goes with "we" and not with "one paper"."""
_AND_VERB = re.compile(
    r",? and (?:\w+ly |then |also |further )?(?P<verb>[a-z]+(?:-[a-z]+)?)(?P<object> (?:an?|the|"
    r"its|their|our|one|two|three|four|several|[A-Z]))?"
)
_INFINITIVE = re.compile(r"\b(?:to|can|could|may|must|will|help|helps|lets?) (?:\w+ly )?[a-z]+")
"""What a verb after "and" may go on with instead: "to find and rank the …"."""
_CUT_IF_LONG = re.compile(
    r",? (?:by|without|through|via|using|while|under|across|thereby|where|so that|in order to)\b"
    r"|, (?=\w+ing\b|which\b|such as\b|with\b|and (?:then )?\w+s\b)"
)
_REPORTS = re.compile(r"^(?:\w+ly )?\w+s that\b")
"""What must be told to its end."""
_BROKEN = re.compile(
    r"(?:^|\s)(?:of|to|and|or|the|an?|in|on|for|with|as|that|which|both|between|from|by)$|"
    r"[,\s](?:driven|based|inspired|guided|motivated|followed|caused|enabled|backed|induced)$|"
    r", \w+(?:ed|en)$"
)
_TWO_VERBS = re.compile(r"(?:\w+ly )?\w+s and \w+ ")
"""The second one still goes with "we"."""
_NAMES_ITSELF = re.compile(
    r"^(?:\w+ly )?(?:proposes|introduces|presents|develops|designs|builds|constructs|provides|"
    r"describes|establishes|formulates|releases) (?:\S+ ){0,4}[A-Z]"
)
_TELLS_LITTLE = re.compile(r"^(?:\w+ly )?(?:is an?|is the|proposes|introduces|presents)\b")
_BOASTS = re.compile(
    r"^(?:\w+ly )?(?:achieves|outperforms|improves|surpasses|excels|attains|preserves|requires|"
    r"integrates seamlessly|works|scales|generalizes|accelerates|reduces|enhances|boosts|addresses|"
    r"overcomes|resolves|treats|consistently|exceeds|ensures|retains|beats)\b"
)
_INTRODUCING = r"\b(?:propos|introduc|present|develop|call|term|dub|nam)\w*\b"
_OWN = re.compile(r"\b(?:we|this (?:paper|work|study))\b", re.I)


@dataclass(frozen=True)
class Clause:
    """What a paper does. ``subject`` is empty where it has no name for the sentence; then
    ``does`` goes with "one paper"."""

    subject: str
    does: str
    citations: tuple[Citation, ...]

    def said(self, unnamed: str = "one paper") -> str:
        return f"{self.subject or unnamed} {self.does}"

    @cached_property
    def terms(self) -> frozenset[str]:
        return frozenset(terms(self.does))

    @property
    def tells_little(self) -> bool:
        """Whether it says what something is, or that it is there, and not what it does."""
        return bool(_TELLS_LITTLE.match(self.does))

    @property
    def boasts(self) -> bool:
        """Whether it says how well something does, or what it is good for, and not what it does."""
        return bool(_BOASTS.match(self.does))

    @property
    def cost(self) -> float:
        """How far it is from a named system that does something."""
        dull = 0.5 * self.tells_little + 1.5 * self.boasts
        curt = len(self.does.split()) <= CURT
        return (not self.subject) + dull + curt


def called(entry: Entry) -> str:
    """What to call a paper within a sentence: its system, a short title in quotation marks, or
    nothing."""
    if _is_system(entry.paper.handle) and _is_brought_by(entry.paper.handle, entry):
        return entry.paper.handle
    return titled(entry)


def titled(entry: Entry) -> str:
    """A paper's title in quotation marks, if it is short: what its authors do is done in it, and
    not by their system."""
    paper = entry.paper
    title = " ".join((paper.title or "").split()).rstrip(".")
    if title and len(title.split()) <= TITLE_WORDS and not re.search(r"[“”\"]", title):
        return f"“{title}”"
    return ""


def is_titled(name: str) -> bool:
    """Whether what a paper is called is a title."""
    return name.startswith("“")


def clause(entry: Entry) -> Clause | None:
    """The clause of an entry whose line is supported; None where none can be made of it."""
    line = " ".join(entry.line.split()).rstrip(".")
    if not entry.supported or not entry.citations or len(line) > 1_000:
        return None
    handle = entry.paper.handle
    if handle and line.startswith(f"{handle} "):
        rest = line[len(handle) + 1 :]
        relative = _RELATIVE.match(rest)
        does = _short(relative["does"]) if relative else ""
        return _made(entry, handle, does or _short(rest))
    if ours := _WE.match(line):
        rest = _of_one_verb(ours["rest"])
        does = _short(f"{ours['adverb'] or ''}{third(ours['verb'])} {rest}")
        return _made(entry, titled(entry), does)
    return None


def any_clause(entry: Entry, spans: Sequence[tuple[int, int]]) -> Clause | None:
    """The clause of an entry's line or else of another sentence in which the authors say what
    they do."""
    if made := clause(entry):
        return made
    quotes = [entry.paper.text[start:end] for start, end in spans[:MAX_SENTENCES]]
    for (start, end), quote, told in zip(spans, quotes, first_person(quotes), strict=False):
        citations = (Citation(entry.number, entry.paper.paper_id, quote, start, end),)
        for line in lines(told, entry.paper.handle) if _OWN.search(told) else ():
            if made := clause(replace(entry, line=line, citations=citations, supported=True)):
                return made
    return None


def _made(entry: Entry, subject: str, does: str) -> Clause | None:
    said = set(terms(does))
    if (
        not does
        or _POINTS_AWAY.search(does)
        or _TWO_VERBS.match(does)
        or does.count("(") != does.count(")")
    ):
        return None
    if 2 * len(said - set(terms(subject))) <= len(said):
        return None  # a title and its own words
    handle = entry.paper.handle
    if subject != handle and handle and handle in does and _NAMES_ITSELF.match(does):
        return None  # "one paper introduces FIRE, a …"
    if is_titled(subject) and re.search(r"\b(?:called|named|dubbed|termed)\b", does):
        return None
    if subject and (subject in does or (not is_titled(subject) and _NAMES_ITSELF.match(does))):
        return None  # "FIRE proposes Fast Iterative …"
    return Clause(subject, does, entry.citations)


def _of_one_verb(text: str) -> str:
    """What "we" do, up to a second verb in its plain form, which does not go with "one paper"."""
    for found in _AND_VERB.finditer(text):
        before, _, last = found["verb"].rpartition("-")
        if (
            is_known(last)
            and (before or found["object"])
            and not _INFINITIVE.search(text[: found.start()])
        ):
            return text[: found.start()]
    return text


def _short(text: str) -> str:
    """A predicate of at most WORDS words, cut where a piece of it ends; empty if there is none."""
    always = _CUT_ALWAYS.search(text)
    if always and len(text[: always.start()].split()) <= PLAIN_WORDS:
        return ""
    text = text[: always.start()] if always else text
    cuts = [] if _REPORTS.match(text) else [found.start() for found in _CUT_IF_LONG.finditer(text)]
    pieces = [text[:end].rstrip(" ,") for end in (len(text), *reversed(cuts))]
    sizes = {piece: len(piece.split()) for piece in pieces if not _BROKEN.search(piece)}
    fitting = [piece for piece, size in sizes.items() if FEWEST <= size < WORDS]
    plain = [piece for piece in fitting if "," not in piece and sizes[piece] >= PLAIN_WORDS]
    return next(iter((*plain, *(piece for piece in fitting if piece == text))), "")


def _is_system(handle: str) -> bool:
    """Whether it is written like a name and is not a phrase of the paper's subject."""
    words = handle.split()
    topical = key(handle) in known() or any(word.lower() in ALIASES for word in words)
    return bool(re.search(r"[A-Z\d]", handle[1:])) and len(words) <= 2 and not topical


def _is_brought_by(handle: str, entry: Entry) -> bool:
    """Whether a paper can go by its handle: its line or title has it, or it is introduced."""
    paper, name = entry.paper, rf"(?<!\w){re.escape(handle)}(?!\w)"
    if not paper.title or re.search(name, f"{paper.title} {entry.line}"):
        return re.search(name, paper.text) is not None
    return re.search(rf"{_INTRODUCING}[^.]{{0,120}}?{name}", paper.text) is not None
