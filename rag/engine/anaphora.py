"""Words that point back: which "it", "that" or "the authors" needs the turns before a question.

Patterns, no grammar: "Is it true that …" points nowhere, nor does "models and their memory".
"""

from __future__ import annotations

import re

from rag.engine.question import kind_of
from rag.retrieve.terms import STOP_WORDS, words

FAR = 5
"""Words with a meaning before a pronoun, from which on it is taken to stand for one of them."""

_REQUEST = frozenset("please tell explain elaborate detail details example examples say".split())

_PARTS = frozenset(
    "code codes source open github repository data dataset datasets weights checkpoints demo"
    " available public publicly released release limitations limitation weaknesses drawbacks"
    " results result experiments experiment baselines baseline theory proof proofs evaluation"
    " evaluated ablation ablations metrics benchmark benchmarks contribution contributions"
    " conclusion conclusions findings future work".split()
)
"""What any paper can have: a question of such words only has no subject of its own."""

_AUXILIARY = (
    r"(?:do|does|did|is|are|was|were|can|could|will|would|should|has|have|had|may|might|must)"
)
_TWO_MORE = r"(?=(?:\W+(?:an?|the|to|of|on|for|in|with))*\W+\w{3,}(?:\W+(?:an?|the))?\W+\w{3,})"
"""Two words at least follow: "it takes to train a model", but not "it takes to train"."""

_IDLE = re.compile(
    r"\b(?:it(?:['’]s| is| was)?|(?:is|was|be|isn['’]t|wasn['’]t) it)(?: \w+ly| also| even)?"
    r" (?:true|false|possible|impossible|known|common|clear|likely|unlikely|necessary|fair|worth)"
    r" (?:that|to|if|whether|for)\b"
    r"|\b(?:is|was|be|isn['’]t) it (?:\w+ )?(?:hard|difficult|easy|better|best|important|useful)"
    rf" (?:to|if|that|for)\b{_TWO_MORE}"
    rf"|\bit (?:takes?|took|costs?) (?:\S+ ){{0,3}}to\b{_TWO_MORE}"
    r"|\b(?:does|did|would|will) it (?:matter (?:that|if|whether|how|which|what|when)"
    r"|help (?:to|if|when)|make sense|mean (?:that|to|for|when|if))\b"
    r"|\bit (?:seems|appears|turns out|follows)\b"
    r"|\b(?:weather|time|day|date|year|month|season)\b(?: \w+)? (?:is|was) it\b"
    r"|\bis it (?:raining|snowing|sunny|windy|cold outside|late|early)\b"
    r"|\bthere(?:['’]s| (?:is|are|was|were|be|been|exists?|has|have)\b)"
    r"|\b(?:is|are|was|were|be|been|exists?) there\b"
    r"|\b(?:this|these|the same) (?:days?|year|month|week|time|conference|corpus|index)\b"
    r"|\b(?:those|such) (?:who|that|which|as)\b|\bthat (?:said|is to say)\b",
    re.I,
)
"""Words that look as if they pointed back and do not."""

_NO_SUBJECT = (
    r"(?:its?|they|their|he|she|his|her|this|that|these|those|the|there|you|we|i|not|any|also|ever"
    r"|used|made|done|shown|more|\w+ed)\b"
)
_SINGULAR = rf"\b{_AUXILIARY} (?:an? (?:\w+ )?)?(?!{_NO_SUBJECT})\w+(?<!s)\b"
_PLURAL = rf"\b{_AUXILIARY} (?:(?!{_NO_SUBJECT})\w+ ){{0,2}}?(?!{_NO_SUBJECT})\w+s\b"
_WHEN = r"(?:when|if|that|because|while|what|whether|how|where|once|after|before|unless)"
_WITHIN = re.compile(
    rf"{_SINGULAR}[^?]*?\b(?:its|itself|{_WHEN} it)\b"
    rf"|{_PLURAL}[^?]*?\b(?:their|themselves|{_WHEN} they)\b"
    rf"|^(?:if|when|once|after) (?!{_NO_SUBJECT})[^?,]*,[^?]*?\b(?:its?|they|their|them)\b",
    re.I,
)
"""A pronoun that stands for something in the same question."""

_OF_A_LIST = re.compile(
    r"\b(?:papers|works|abstracts|studies)\b[^?]*?"
    r"\b(?:their|them|themselves|(?<!do )(?<!did )(?<!are )(?<!have )they)\b"
    r"|\b(?:papers?|works?|who)\b[^?]*?\b(?:an?|\w+s) \w+\b[^?]*?\b(?:its?|them)\b",
    re.I,
)
"""The same in a request for papers: "which papers release their code"."""

_POINTING = re.compile(
    r"\b(?:it|its|itself|they|them|their|theirs|themselves|he|him|his|she|her|hers)\b"
    r"|\b(?:this|these|those|such)\b"
    rf"|(?:^|\b(?:{_AUXILIARY}|and|but|or|so|how|why|what|when|where|of|in|on|for|with|from|to|by"
    r"|at|than|like|beyond|after|before|into|under|behind|use|using|about) )that\b"
    r"|\bthere\b"
    r"|\bthe (?:paper|authors?|method|model|system|approach|framework|technique|algorithm|study"
    r"|work|same|others?|former|latter)\b(?! (?:of|that|which|who|called|named|by|on|about|for)\b)"
    r"|\b(?:that|which|another|either|neither) one\b|^which (?:is|was)\b",
    re.I,
)

_DEFINES = re.compile(r"^(what|who)('s| is| are) (an? )?(?!new\b|next\b|\w+ed\b)[\w-]+\W*$", re.I)

_OPENING = re.compile(r"^(and|but|so|then|also|or|what about|how about|what of|how so)\b", re.I)


def plain(question: str) -> str:
    """The question with every word that only seems to point back blanked out, as long as it was."""
    text = _IDLE.sub(_blank, question)
    text = _OF_A_LIST.sub(_blank, text)
    return _WITHIN.sub(_blank, text)


def leans(question: str) -> bool:
    """Whether a word of the question points back beyond it.

    What comes after so many words that mean something has most likely been named among them.
    """
    found = _POINTING.search(plain(question))
    return found is not None and content(question[: found.start()]) < FAR


def content(text: str) -> int:
    """How many words of a text mean something by themselves."""
    return sum(word not in STOP_WORDS and word not in _REQUEST for word in words(text))


def _blank(found: re.Match[str]) -> str:
    return " " * len(found[0])


def continues(question: str) -> bool:
    """Whether a question cannot be understood without the turns before it."""
    text = question.strip()
    if leans(text):
        return True
    if kind_of(text) in ("list", "count") or _DEFINES.search(text):
        return False
    if _PARTS.issuperset(word for word in words(text) if word not in STOP_WORDS):
        return True
    few = 3 if text[:3].lower() == "why" else 2
    return content(text) < few and plain(text) == text or bool(_OPENING.search(text))
