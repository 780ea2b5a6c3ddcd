"""What is being asked: which kind of question, about which papers, after which turns.

Rules on the wording only; a wrong kind degrades to ``fact``, which any question can be.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from rag.retrieve.terms import STOP_WORDS, words


class Turn(NamedTuple):
    """An earlier question and its answer; ``papers`` are the ids of the answer's sources, in the
    order shown, empty where only the texts are known. Those of one that was ``refused`` were near
    to the question at best, and nothing that it was about."""

    question: str
    answer: str
    papers: tuple[str, ...] = ()
    refused: bool = False


CONTEXT_CHARS = 2_000
"""Of each text of a turn, where the conversation's paper has to be searched for."""

_COUNT = re.compile(r"\bhow many (of the )?(papers|works|abstracts|studies)\b", re.I)
_LIST = re.compile(
    r"\b(which|what|all|any|the|list|name)\b.{0,25}\b(papers|works|abstracts|studies)\b"
    r"|^(list|name|enumerate)\b|\bpapers\b.{0,40}\b(are there|that|about|on)\b"
    r"|^who (works|studies|uses)\b"
    r"|^(is|are|was|were) there (anything|something|any (work|research|literature|results?)) "
    r"(here )?(on|about)\b|^anything (here )?(on|about)\b",
    re.I,
)
_COMPARE = re.compile(
    r"\b(compare[sd]?|comparison|contrast\w*|versus|vs\.?|differ(s|ent|ence|ences|ently)?"
    r"|as opposed to|respectively|in each|each of|the other|(two|both) papers|(do|they) each)\b"
    r"|\bwhat does each\b|\band (how|what|which|when|where) (in|family|according)\b",
    re.I,
)
FRAME = re.compile(
    r"^.{0,20}?\b(papers?|works?|abstracts|studies|anything|something|research|literature)\b"
    r"(\s+(here|there|that|which|are|is|do|does|deal"
    r"|with|mention|use|report|study|studies|look|looks|talk|work|about|on|at|the|role|of|for"
    r"|results|evaluate|apply|treat|treats|say|all))*\s+(?=\S)",
    re.I,
)
"""The part of a request for papers that says nothing about the papers wanted."""
_QUANTITY = re.compile(
    r"\bhow (many|much|far|large|big|long|often|fast|small|high|accurate)\b|\b(number|share"
    r"|fraction|percent(age)?|proportion|margin|factor|size|score|speed-?up|overhead|points)\b",
    re.I,
)
_ABOUT = frozenset(
    "do does work works about paper method model system framework approach problem solve address"
    " summary summarize summarise overview main idea contribution introduce propose tell describe"
    " explain define definition mean means stand give".split()
)
"""Words of a request to say what a paper is about; in one there is nothing else but its name."""
_AGAINST = frozenset(
    "compare compared comparison contrast contrasted versus vs differ differs difference"
    " differences different respectively papers methods models".split()
)
"""The same of a request to hold papers against each other."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question and how to go about it: ``asked`` as it was put, ``standalone`` so that it can
    be understood alone, ``text`` to search for; ``introduces`` if it only asks what several papers
    are, each called by its name."""

    asked: str
    standalone: str
    text: str
    kind: str
    wants_number: bool
    introduces: bool = False


@dataclass(frozen=True, slots=True)
class FollowUp:
    """A question that can be understood alone, and the ``rows`` of the papers that it goes on
    about, best first: none if it is about no paper of the conversation; ``note`` tells the reader
    why it was taken for a question of its own, if it points at papers that there were not."""

    standalone: str
    rows: tuple[int, ...] = ()
    note: str = ""


def understand(
    question: str, standalone: str, names: Sequence[str] = (), about: int = 1
) -> Question:
    """The kind and wishes of a question; ``standalone`` differs from it in a follow-up, which
    goes on ``about`` so many papers. ``names`` are the handles that ``standalone`` calls papers
    by."""
    kind = kind_of(standalone)
    if standalone != question and about:
        kind = _kind_of_follow_up(kind, about)
    elif kind == "fact" and len(names) == 1 and not _beyond(standalone, names):
        kind = "definition"
    introduces = len(names) > 1 and not _beyond(standalone, names) - _AGAINST
    kind = "compare" if introduces else kind
    framed = kind in ("list", "count") and not (standalone != question and about)
    text = FRAME.sub("", standalone) if framed else standalone
    wants_number = bool(_QUANTITY.search(question))
    return Question(question, standalone, text, kind, wants_number, introduces)


def _kind_of_follow_up(kind: str, papers: int) -> str:
    """One on several papers wants something of each."""
    if papers < 2:
        return "follow-up"
    return kind if kind != "fact" else "compare" if papers == 2 else "list"


def kind_of(question: str) -> str:
    """count, compare, list or fact, by the wording."""
    if _COUNT.search(question):
        return "count"
    if _COMPARE.search(question):
        return "compare"
    return "list" if _LIST.search(question) else "fact"


def _beyond(question: str, names: Sequence[str]) -> set[str]:
    """What a question asks besides what the papers of those names are about."""
    return set(words(question)) - STOP_WORDS - _ABOUT - set(words(" ".join(names)))


def context_of(history: Sequence[Turn]) -> str:
    """The text by which to find the paper that a conversation is about: its last two turns."""
    texts = (text for turn in history[-2:] for text in turn[:2])
    return " ".join(text[:CONTEXT_CHARS] for text in texts)


class Names:
    """Finds which papers of a corpus a question calls by their handles."""

    def __init__(self, handles: Sequence[str]) -> None:
        self._rows: dict[tuple[str, ...], list[int]] = {}
        for row, handle in enumerate(handles):
            self._rows.setdefault(_squashed(handle), []).append(row)
        self._longest = max((len(key) for key in self._rows), default=0)

    def rows(self, question: str) -> list[int]:
        """Rows of the papers that are named, in the order in which they are named.

        A handle that several papers share names none of them. Of overlapping handles the
        longer one counts.
        """
        found: list[int] = []
        tokens = words(question)
        begin = 0
        while begin < len(tokens):
            length, row = self._longest_at(tokens, begin)
            if row is not None and row not in found:
                found.append(row)
            begin += max(length, 1)
        return found

    def _longest_at(self, tokens: Sequence[str], begin: int) -> tuple[int, int | None]:
        for length in range(min(self._longest, len(tokens) - begin), 0, -1):
            key = tuple(tokens[begin : begin + length])
            rows = self._rows.get(key, [])
            if len(rows) == 1 and _distinctive(key):
                return length, rows[0]
        return 0, None


def _squashed(handle: str) -> tuple[str, ...]:
    return tuple(words(handle))


def _distinctive(key: Sequence[str]) -> bool:
    """Whether words can be a name at all: not one stop word, not one letter."""
    return len(key) > 1 or (len(key[0]) > 1 and key[0] not in STOP_WORDS)
