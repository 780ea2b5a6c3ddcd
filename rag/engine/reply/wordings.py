"""How models say that they do not know, think aloud, greet, and list their sources.

Each reads one tidied sentence, and only what it says as a whole counts: a paper about refusals
can be talked about.
"""

from __future__ import annotations

import re

REFUSAL = "NOT IN THE ABSTRACTS"
"""What a model is told to write, and nothing else, when the sentences do not answer."""

_HEDGE = re.compile(
    r"^(?:(?:however|but|unfortunately|sorry|i(?:['’]m| am) (?:very )?sorry|i apologi[sz]e|also"
    r"|thus|therefore|so|additionally|moreover|note that|it (?:seems|appears) that"
    r"|as an? ai[^,]{0,40}|(?:based on|according to|from|in)\b[^,.]{0,60}\b"
    r"(?:abstracts?|sentences|context|passages|information|text))\b[\s,;:]*(?:but\s+)?)+",
    re.I,
)
_GIVEN = (
    r"(?:(?:the|these|this|those|any|all|of|none|provided|given|available|above|numbered|shown"
    r"|retrieved)\s+){1,5}"
)
_TEXTS = (
    r"(?:abstracts?|context|sentences|passages?|excerpts?|documents?|papers?|texts?|information)"
)
_NOT = r"(?:(?:do|does|did)(?:\s+not|n['’]?t)|never|fails? to|can(?:not|['’]t| not))"
_SAY = (
    r"(?:\s+\w+ly)?\s+(?:say|state|mention|provide|contain|give|specify|include|describe|discuss"
    r"|address|report|answer|cover|offer|indicate|name|reveal|disclose|explain|define|list|detail"
    r"|tell|have|clarify|identify|seem to)\b"
)
_TOLD = (
    r"(?:\w+ly\s+)?(?:mentioned|stated|said|specified|provided|given|reported|described|disclosed"
    r"|discussed|available|found|answered|addressed|included|named|present|contained|clear)"
)
_MISSING = r"(?:\bnot|n['’]t|\bnever|\bnowhere)\s+"

_MARKER = re.compile(
    r"^\W*not[\s_-]+in[\s_-]+(?:the[\s_-]+)?abstracts?\b"
    r"|(?-i:\bNOT[\s_-]+IN[\s_-]+THE[\s_-]+ABSTRACTS?\b)",
    re.I,
)
_OF_ABSTRACTS = re.compile(
    rf"^{_GIVEN}abstracts?(?:\s+(?:provided|given|above|shown))?\s+{_NOT}{_SAY}"
    rf"|^(?:no|neither|none of {_GIVEN})\s*abstracts?\s+(?:\w+ly\s+)?\w+",
    re.I,
)
"""Of a sentence that speaks of the abstracts themselves, as none of them does."""
_OF_ANYTHING = re.compile(
    rf"^{_GIVEN}{_TEXTS}(?:\s+(?:provided|given|above|shown|here))?\s+{_NOT}{_SAY}"
    r"|^(?:there\s+(?:is|are|was|were)\s+)?(?:no|not\s+(?:any|enough)|insufficient)\s+(?:\w+\s+){0,2}"
    r"(?:information|mention|details?|answer|statement)\b"
    r"|^(?:i|we)\s+(?:cannot|can['’]?t|can not|could\s?n[o'’]t|could not|(?:am|was|were) unable to"
    r"|do not|don['’]t|did not|didn['’]t)\s+(?:\w+ly\s+)?"
    r"(?:answer|find|determine|know|say|provide|tell|locate|see|have)\b"
    rf"|{_MISSING}{_TOLD}(?:\s+(?:in|by|from)\s+{_GIVEN}{_TEXTS})?\W*$"
    rf"|{_MISSING}in\s+{_GIVEN}abstracts?\W*$"
    r"|^(?:it(?:\s+is|['’]s)\s+(?:not possible|impossible|unclear|unknown)"
    r"|(?:this|that|the|your)\s+(?:question|answer|information)\s+"
    r"(?:can(?:not|['’]?t| not)|is\s?n[o'’]t))\b"
    rf"|^not\s+{_TOLD}\W*$|^not\s+in\s+{_GIVEN}{_TEXTS}\W*$"
    r"|^(?:n/?a|none|unknown|unanswerable|no answer|i don['’]?t know|i do not know)\W*$",
    re.I,
)
_YET = re.compile(r"[,;]?\s(?:but|however|although|though)\b,?\s+", re.I)

_MUSING = re.compile(
    r"(?-i:\bI\b(?![./]))|\b(?:let['’]?s|okay|hmm+|alright|wait|abstracts|the abstract)\b"
    r"|\bthe (?:user|question)(?:['’]s)?\s+(?:is|asks?|wants?|needs?|says?|here|about|mentions)\b"
    r"|^(?:ok\b|let me\b|we (?:need|have|should|must|are asked)\b|analysis(?-i:[A-Z]))",
    re.I,
)
_MUSED = re.compile(
    r"^(?:okay|ok|hmm+|alright|wait|well|so|first|now|next|then|but|and|also)?[\s,.:;-]*"
    r"(?:let me\b|let['’]?s\b|(?:i|we)(?:['’]ll| will| need to| have to| should| must)\s+"
    r"(?:answer|find|look|check|cite|read|identify|determine|respond|write|give)\b"
    r"|i (?:look|check|read)\b|(?:i am|i['’]m|we are) asked\b"
    r"|the user\b|the question (?:is|asks)\b|my task\b|analysis(?-i:[A-Z]))"
    r"|^(?:okay|ok|hmm+|alright|wait)\b|^as an? (?:ai|language model)\b",
    re.I,
)
_COURTESY = re.compile(
    r"^(?:sure|certainly|of course|absolutely|great question|good question|thanks?|thank you)\b"
    r".{0,40}$"
    r"|^here(?:['’]s|\s+(?:is|are))\s.{0,60}\b(?:answer|summary|json|response|list|sentences?"
    r"|statements?|information)\b.{0,40}$"
    r"|^(?:i )?hope (?:this|that|it)\b|^(?:please )?let me know\b|^(?:please )?feel free\b"
    r"|^if you (?:have|need|want)\b|^is there anything\b|^(?:do|would) you (?:want|need|like)\b"
    r"|^happy to help\b|^the (?:answer|response) (?:is|follows)\W*$",
    re.I,
)
_SOURCES = re.compile(
    r"^\W*(?:references?|sources?|citations?|bibliography|works cited|footnotes?"
    r"|(?:cited|relevant|supporting)\s(?:sentences?|papers|abstracts|sources))\s*(?::|\W*$)",
    re.I,
)
_ASKED = re.compile(r"^\W*(?:user|human|question|q|system|### ?\w+)\s*:", re.I)
_ASKED_HEADING = re.compile(
    r"\W*(?:user|human|question|system|instructions?|input|prompt|task)\b", re.I
)


def is_marker(text: str) -> bool:
    """Whether a sentence is the refusal that was asked for."""
    return bool(_MARKER.search(text))


def parted(text: str, *, cited: bool) -> tuple[str, str]:
    """What a sentence says is not in the abstracts, and what it says otherwise; either is empty.

    With ids it must be of the abstracts that it says so: "no information is lost" is a finding.
    What follows a "but" then counts as said.
    """
    said = _HEDGE.sub("", text)
    if is_marker(text) or _OF_ABSTRACTS.search(said):
        yet = _YET.search(text, len(text) - len(said)) if cited else None
        return (text[: yet.start()], text[yet.end() :]) if yet else (text, "")
    return (text, "") if not cited and _OF_ANYTHING.search(said) else ("", text)


def is_musing(text: str) -> bool:
    """Whether a reply that begins so may turn out to be thoughts, which only their end shows."""
    return bool(_MUSING.search(text))


def is_talk(text: str) -> bool:
    """Whether a sentence without ids is about the conversation, not about papers."""
    return bool(_MUSED.search(text) or _COURTESY.search(text))


def opens_sources(text: str) -> bool:
    """Whether a list of references begins."""
    return bool(_SOURCES.match(text))


def asks(text: str, *, heading: bool) -> bool:
    """Whether the other side of the conversation is made to speak."""
    return bool((_ASKED_HEADING if heading else _ASKED).match(text))
