"""What is being asked: which kind of question, about which papers, after which turns.

Rules on the wording only; a wrong kind degrades to ``fact``, which any question can be.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
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

_LINK = re.compile(r"^(?:(?:and|but|so|then|also|now|ok(?:ay)?)\b[,\s]*)+", re.I)
"""Only joins a question to the one before."""
_COUNT = re.compile(
    r"\b(how many|what number|the number|^number) (of the |of )?([\w-]+ )?"
    r"(papers|works|abstracts|studies|articles)\b"
    r"|^how many (of (these|those|them)\b|(are|were) (about|on)\b"
    r"|(use|mention|stud(y|ied)|deal|look|work|appl(y|ied)|report|evaluate|propose|introduce)\b)"
    r"|\bcount (all |the )*(papers|works|abstracts|studies|articles)\b"
    r"|^of (all |the |these |those |\d+ )*(papers|works|abstracts|studies|articles),? how many\b"
    r"|^how often (is|are|do|does)\b.*\b(mention\w*|come|turn|appear|occur|used)\b"
    r"|^(is|are|do|does|did) (there )?.*\b(more than (one|two|three|\d+)|several|(only|just) one) "
    r"(papers?|works?|abstracts?|stud(y|ies)|articles?)\b",
    re.I,
)
_LIST = re.compile(
    r"\b(which|what|all|any|the|list|name)\b.{0,25}\b(papers|works|abstracts|studies)\b(?!['’])"
    r"|^(list|name|enumerate)\b|\bpapers\b(?!['’]).{0,40}\b(are there|that|about|on)\b"
    r"|^(papers|works|abstracts|studies)[: ]+\w|^(show|give|tell) (me )?(everything|all)\b"
    r"|^(everything|all)( of)?( the)?( (work|research))?( (that|there) is)?( here)? (on|about)\b"
    r"|^what (else )?(is|was) (else )?there (here )?(on|about)\b"
    r"|^who (works|studies|uses|releases|shares|publishes|mentions|reports)\b|^whose\b"
    r"|^(which|what) (authors|groups|teams|people|researchers)\b"
    r"|^where (do|does|did|is|are|was|were) .+\b((come|turn|crop|show)s? up|appear|occur"
    r"|mentioned|discussed)\W*$"
    r"|^(which|what) (ones|of (these|those|them))\b|^who else\b"
    r"|\b(the|those) ones (that|which|who|on|about|with|without|using|for|from)\b"
    r"|\b(narrow|filter|restrict|limit)\w* (it|them|this|that|these|those|the list)( down)?"
    r" (to|by)\b"
    r"|^(do|does|did|have|has|are|is) (any|some) of (the|these|those|them)\b"
    r"|^(is|are|was|were) there (anything|something|any (work|research|literature|results?)) "
    r"(here )?(on|about)\b|^anything (here )?(on|about)\b",
    re.I,
)
_METHODS = re.compile(
    r"^(which|what) ((other|of the|kinds? of) )*(methods|approaches|systems|techniques|algorithms"
    r"|frameworks|solutions|ideas) (that |which )?(are there|exist|need|require|work|can|handle"
    r"|deal|beat|outperform|surpass|exceed|claim|promise|avoid|reduce|improve|help|address|tackle|apply"
    r"|rely|make|come|run|do not|don['’]t|are (?!used|combined|compared)\w+|were (tried|tested"
    r"|evaluated|shown))\b",
    re.I,
)
"""Asks for whatever does something, of which each paper has one."""
_FIND = re.compile(
    r"^(is|are|was|were) there (here )?(any|some|a|an|anything|something|work|works|research"
    r"|literature|results|papers?|ways|methods)\b"
    r"|^(do|does|did|has|have|is|are) (any|some|one|a) (single )?(paper|work|abstract|study)\b"
    r"|^(does|did|has|is) (anyone|anybody|someone|somebody|anything|something)\b"
    r"|^(anything|something|anyone|anybody|any work|any research)\b"
    r"|^who (has|have|works?|stud(y|ies|ied)|uses?|look\w*|tries|tried|can|could)\b"
    r"|^(what|which papers?|where) (should|could|can|do|would) (i|we|one) (read|look|start)\b"
    r"|^how (could|can|might|should|would) (one|i|we|somebody|someone|you)\b"
    r"|^(which|what) (paper|work|abstract|study|article)\b"
    r"|^(has|have|had|did|does|do|is|are) (any ?(one|body)|some ?(one|body))\b|^any (papers?|works?"
    r"|studies|literature)\b"
    r"|^(do|can|could|would) you (know|recommend|suggest|point)\b"
    r"|^(i am|i['’]m|we are|we['’]re) (looking|searching) for\b"
    r"|^(i|we) (need|want|would like|am after) (a |an |some |to read )?\b.{0,20}"
    r"\b(papers?|works?|stud(y|ies)|something|anything|literature|research)\b",
    re.I,
)
"""Asks for a paper, not for a sentence: "who works on", "what should I read", "how could one"."""
SIMILAR = re.compile(
    r"\b(papers?|works|anything|something|abstracts|studies) (\w+ )?"
    r"(like|similar to|related to|close to|akin to|resembling)\b"
    r"|\bmore (papers |works )?like (this|that|it|these)\b"
    r"|\b(are|is) (most )?(similar|related) to\b|^similar to\b|\brelated work\b",
    re.I,
)
"""Asks for the papers near one that is named, or was talked about."""
_COMPARE = re.compile(
    r"\b(compare[sd]?|comparison|contrast\w*|versus|vs\.?|differ(s|ent|ence|ences|ently)?"
    r"|as opposed to|respectively|in each|each of|the other|(two|both) papers|(do|they) each)\b"
    r"|\beach (say|report|find|propose|claim|use|show)\b|\b(similarit\w+ between|in common)\b"
    r"|\bwhich (one|of (them|the two))\b.*\b(which one|the other)\b"
    r"|\b(each|either) (case|of (them|the two))\b|\bunlike\b"
    r"|\bwhat does each\b|\b(do|does|did|is|are|was|were)\b[^?]+\b(and|or) [^?]+\beach\b(?! of\b)"
    r"|\band (how|what|which|when|where) (in|by|for|from|with|under|family|according)\b \w",
    re.I,
)
_COMPARED = re.compile(
    r"\b(is|are|was|were|been|being) ((?!how\b)[\w-]+ ){0,3}?compared\b"
    r"|^(what|which) ([\w-]+ ){1,3}(do|does|did|is|are) [^?]*\bcompared? (with|to|against)\W*$",
    re.I,
)
"""Asks what a paper itself compares."""
_COMPARING = re.compile(
    r"^(which|what|list|name)( of)?( the)? (papers|works) (that )?compare\b"
    r"|^(papers|works|abstracts|studies) (on|about)\b"
    r"|^(list|name|find|show|give)( me)? (two|three|four|five|\d+|all|every|some|any|the) "
    r"(\w+ )?(papers?|works?|abstracts?|studies)\b",
    re.I,
)
"""Asks for papers, whatever they hold against what."""
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
_RANKS = re.compile(
    r"\b(more|most|less|least|better|best|worse|worst)\b"
    r"|\b(is|are|was|were|does|do|works?|performs?|runs?|learns?|trains?) (the )?\w{2,}(er|est)\b",
    re.I,
)
"""Asks which of two is ahead."""
_ABOUT = frozenset(
    "do does work works about paper method model system framework approach problem solve address"
    " summary summarize summarise overview main idea contribution introduce propose tell describe"
    " explain define definition mean means stand give tl dr tldr sentence sentences word words line"
    " short brief briefly quick quickly nutshell gist essence point points key simple simply plain"
    " terms english should care read know matter important goal aim purpose topic subject message"
    " takeaway takeaways intro introduction please one two three few".split()
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
    are, each called by its name; ``request`` is what a follow-up asks, without what points at
    papers."""

    asked: str
    standalone: str
    text: str
    kind: str
    wants_number: bool
    introduces: bool = False
    request: str = ""

    def of(self, text: str) -> Question:
        """The same kind of question, asked in other words."""
        return replace(self, asked=text, text=text)

    @property
    def narrows(self) -> bool:
        """Whether it asks which of the papers of a conversation do something."""
        return self.kind in ("list", "count") and kind_of(self.asked) in ("list", "count")

    @property
    def wish(self) -> str:
        """What is asked of papers, whichever they are."""
        return self.request or self.standalone


@dataclass(frozen=True, slots=True)
class FollowUp:
    """A question that can be understood alone, and the ``rows`` of the papers that it goes on
    about, best first: none if it is about no paper of the conversation; ``note`` tells the reader
    why it was taken for a question of its own, if it points at papers that there were not;
    ``request`` is the question without the words that point at papers. ``put`` is what a fragment
    such as "what about sound?" would be as a question, before its pointers are spelt out."""

    standalone: str
    rows: tuple[int, ...] = ()
    note: str = ""
    request: str = ""
    put: str = ""


def understand(
    question: str,
    standalone: str,
    names: Sequence[str] = (),
    about: int = 0,
    request: str = "",
) -> Question:
    """The kind and wishes of a question; ``standalone`` differs from it in a follow-up, which
    goes on ``about`` so many papers, and asks the ``request`` of them. ``names`` are the handles
    that ``standalone`` calls papers by."""
    kind = kind_of(standalone)
    if SIMILAR.search(standalone) and (names or about):
        kind = "similar"
    elif standalone != question and about:
        kind = _kind_of_follow_up(kind, question, about)
    elif kind == "fact" and len(names) == 1 and not _beyond(standalone, names):
        kind = "definition"
    elif _FIND.search(standalone) and (kind == "list" or (kind == "fact" and not _systems(names))):
        kind = "find"
    if kind == "fact" and len(_systems(names)) > 1:
        kind = "compare"
    if kind == "fact" and not (names or about) and _METHODS.search(standalone):
        kind = "list"
    introduces = len(names) > 1 and not _beyond(standalone, names) - _AGAINST
    kind = "compare" if introduces and kind != "similar" else kind
    framed = kind in ("list", "count", "find") and not (standalone != question and about)
    text = FRAME.sub("", standalone) if framed else standalone
    wants_number = bool(_QUANTITY.search(question))
    asked = Question(question, standalone, text, kind, wants_number, introduces, request)
    return replace(asked, text=asked.wish) if about and asked.narrows else asked


def _systems(names: Sequence[str]) -> list[str]:
    """The names that can only be those of a paper: others are words that are also a subject."""
    return [name for name in names if " " not in name and name[1:] != name[1:].lower()]


def _kind_of_follow_up(kind: str, question: str, papers: int) -> str:
    """One on several papers wants something of each, unless it wants some of
    them."""
    if papers < 2:
        return "follow-up"
    put = kind_of(question)
    if put == "count" or (put == "list" and (papers > 2 or not _RANKS.search(question))):
        return put
    return kind if kind != "fact" else "compare" if papers == 2 else "list"


def kind_of(question: str) -> str:
    """count, compare, list or fact, by the wording."""
    question = _LINK.sub("", question)
    if _COUNT.search(question):
        return "count"
    if _COMPARING.search(question):
        return "list"
    if _COMPARE.search(_COMPARED.sub("", question)):
        return "compare"
    return "list" if _LIST.search(question) else "fact"


def _beyond(question: str, names: Sequence[str]) -> set[str]:
    """What a question asks besides what the papers of those names are about."""
    return set(words(question)) - STOP_WORDS - _ABOUT - set(words(" ".join(names)))


def context_of(history: Sequence[Turn]) -> str:
    """The text by which to find the paper that a conversation is about: its last two turns."""
    texts = (text for turn in history[-2:] for text in turn[:2])
    return " ".join(text[:CONTEXT_CHARS] for text in texts)
