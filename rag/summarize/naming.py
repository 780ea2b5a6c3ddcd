"""A system's name as the subject: "We present X, a Y that Z" becomes "X is a Y that Z".

Knows how abstracts introduce a system; only words for introducing are exchanged.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from rag.summarize.verbs import base_of_ing, is_known, third

MARK = "\ue000"
"""Stands for a system's name in patterns, so that one serves all systems."""
SMALL = 4
"""Words without a letter in its short form that a name has at most: "of", "and the"."""
_INTRODUCE = (
    r"(?:introduce|propose|present|develop|design|release|build|construct|create|describe|devise|"
    r"contribute|formulate|offer|curate|establish|implement|unveil|provide|derive|open-source)"
)
_WE = rf"^We (?:(?:\w+ly|have) )?{_INTRODUCE}d? (?:and \w+ )?"
_TOKEN = r"(?:[\w@*+./&:’'-]*[A-Z\d][\w@*+./&’'-]*)"
_NAME = (
    rf"[\"“‘']?(?P<name>{_TOKEN}"
    rf"(?:(?: (?:of|for|in|to|the|and|with|via|on|by|from|as))? {_TOKEN}){{0,7}})"
    r"(?<!’)[\"”’']?"
)
_ARTICLE = r"(?P<article>an?|the|our|two|three|four)"
_CALLED = (
    r",? (?:called|named|termed|dubbed|coined|namely|denoted(?: as| by)?|(?:that|which) we "
    r"(?:call|term|dub|name|refer to as)|referred to as|titled),? "
)
_GOING_ON = r"(?P<rest>(?:,? (?:that|which|to|for|by|with|using|in|where|based)\b.*|, .+)?)$"

_APPOSED = re.compile(
    rf"{_WE}(?:the |our |an? )?(?:novel |new )?{_NAME}"
    rf"(?:(?:: [A-Z][^,.;:]{{5,120}})?,|:| [–—-]+) {_ARTICLE} (?P<rest>.+)$"
)
_RELATIVE = re.compile(
    rf"{_WE}(?:the |our )?{_NAME},? (?:which|that) (?P<rest>(?:\w+ly )?[a-z]+s\b.+)$"
)
_PURPOSE = re.compile(rf"{_WE}(?:the |our )?{_NAME},? to (?P<verb>[a-z]+)(?P<rest>\s.+)$")
_DOING = re.compile(rf"{_WE}(?:the |our )?{_NAME}, (?P<verb>[a-z]+ing)(?P<rest>\s.+)$")
_KIND = re.compile(rf"{_WE}(?P<article>an?) (?P<kind>[^,;:]{{4,120}}?){_CALLED}{_NAME}{_GOING_ON}")
_KIND_FIRST = re.compile(
    rf"{_WE}(?P<article>an?) (?P<kind>[^,;:]{{4,120}}(?:,|(?<=framework)|(?<=method)|(?<=model)|"
    rf"(?<=approach)|(?<=algorithm)|(?<=benchmark)|(?<=dataset)|(?<=system))) {_NAME}"
    r"(?P<rest>,? (?:that|which|to|for|by|with|using|where|based)\b.+|)$"
)
_BARE = re.compile(rf"{_WE}(?:the |our |an? )?{_NAME}(?: [a-z-]+)?$")
_PROPOSED_AS = re.compile(r"^(\S+ (?:is|are)) (?:proposed|introduced|presented) as (?=an?\b|the\b)")
_GOAL = re.compile(
    r"^(?:.{0,120}, )?(?:in order )?to (?:\w+ly )?(?P<verb>[a-z]+)(?P<rest> .{4,160}), we (?:\w+ )?"
    r"(?:introduce|propose|present|develop|design)\b",
    re.I,
)
_ALSO = re.compile(
    r",? and (?:(?:then|also|further|empirically|theoretically|experimentally) )?(?:demonstrate|"
    r"show|prove|validate|evaluate|provide|propose|introduce|analyze|apply|use|study|establish|"
    r"present|find|conduct|develop|derive|verify|investigate|illustrate)\b.*$"
)
_WRITTEN = re.compile(r"\S[A-Z\d]|^[A-Z]\S*(?: [A-Z]\S*)+$")
_PLURAL = re.compile(r"(?=[A-Z][a-z]+$).*[^aisu]s$")
_SEVERAL = re.compile(r"(?:[\w-]+ ){0,2}(?:family|set|suite|class|series|collection|pair|group)\b")
"""What several things are, so that their name is one of several."""
_POINTS = re.compile(r"\b(?:this|these|those|such|it|them)\b", re.I)


def named_first(text: str, lead: str) -> str:
    """``text`` with the system as its subject where it introduces one by name, else as it is.

    ``lead`` is the sentence before its opening was dropped: it may hold what the system is for.
    """
    text = _PROPOSED_AS.sub(r"\1 ", text)
    if found := _APPOSED.match(text):
        return f"{found['name']} {_is(found)} {found['article']} {_own(found)}"
    if found := _RELATIVE.match(text):
        return f"{found['name']} {_own(found)}"
    if (found := _PURPOSE.match(text)) and is_known(found["verb"]):
        return f"{found['name']} {third(found['verb'])}{_own(found)}"
    if (found := _DOING.match(text)) and (verb := base_of_ing(found["verb"])):
        return f"{found['name']} {third(verb)}{_own(found)}"
    if found := _KIND.match(text) or _KIND_FIRST.match(text):
        rest = re.sub(r"^, (?:which|that) ", " that ", _own(found))
        rest = re.sub(r"^, (?=(?:to|by|for|that|using|with|based)\b)", " ", rest)
        return f"{found['name']} is {found['article']} {found['kind'].rstrip(',')}{rest}"
    found, goal = _BARE.match(text), _GOAL.match(lead)
    if found and goal and is_known(goal["verb"]) and not _POINTS.search(goal["rest"]):
        return f"{found['name']} {third(goal['verb'])}{goal['rest']}"
    return text


def is_bare(text: str) -> bool:
    """Whether a sentence names a system and says nothing of it."""
    return bool(_BARE.match(text))


def begins_with(sentence: str, handle: str) -> bool:
    """Whether a sentence says something of a system, by its name."""
    return re.match(rf"{re.escape(handle)}(?: [A-Za-z]+)? [a-z]+", sentence) is not None


def names_system(line: str, handle: str) -> bool:
    """Whether a line is about a system of that name, not about a subject called so."""
    written = _WRITTEN.search(handle) or line.startswith(f"{handle} is ")
    return bool(handle) and line.startswith(f"{handle} ") and bool(written)


def short_form(sentence: str, handle: str) -> str:
    """The sentence with a system's short name where it is spelled out before it in full."""
    spelled, mark, behind = sentence.partition(f"({handle}")
    if not mark or len(handle) < 2 or " " in handle or behind[:1] not in tuple("),:;"):
        return sentence
    words = spelled.split()
    span = range(max(0, len(words) - len(handle) - SMALL), len(words))
    first = next((i for i in span if _may_begin(words[i:], handle)), None)
    if first is None:
        return sentence
    rest = behind[1:] if behind[0] == ")" else f" ({behind.lstrip(' ,;:')}"
    return " ".join([*words[:first], handle]) + rest


def _may_begin(words: Sequence[str], handle: str) -> bool:
    """Whether a name that these words spell out may begin here and is not interrupted."""
    first = words[0].lstrip("\"'“‘")
    capital = first[:1].isupper() and first[0].lower() == handle[0].lower()
    if words[0] == "We":
        return False
    return capital and not any(word.endswith((",", ";", ":")) for word in words)


def _own(found: re.Match[str]) -> str:
    """What is said of the system, without what the authors do besides."""
    return _ALSO.sub("", found["rest"])


def _is(found: re.Match[str]) -> str:
    """The verb for one system or for several."""
    words = found["name"].split()
    named = "and" in words or (len(words) > 1 and _PLURAL.match(words[-1]) is not None)
    counted = found["article"] in ("two", "three", "four")
    return "are" if counted or (named and _SEVERAL.match(found["rest"])) else "is"
