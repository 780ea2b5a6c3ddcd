"""Words that point at another sentence of the abstract: a line may not have them.

"These models" says as much as "models", "to address this issue" says nothing at all; where only a
noun such as "issue" is pointed at, the line leans on a sentence that its reader has not seen.
"""

from __future__ import annotations

import re

_GENERIC = (
    r"(?:(?:\w+ )?(?:challenge|issue|problem|limitation|result|finding|gap|question|insight|idea|"
    r"observation|approach|method|model|work|goal|end|reason|phenomenon|paradigm|setting|view|"
    r"perspective|matter|shortcoming|barrier|need|fact|technique|framework|concern|discrepancy|"
    r"obstacle)(?:e?s)?|is|are|was|can|implies|means|leads|allows|enables|to|by|in|with|will|has)\b"
)
"""What says nothing without the sentence in which it was spelled out."""
_THESE = re.compile(rf"(?<=[\w,] )(?:these|those)\s(?!{_GENERIC})(?=(?P<noun>[a-z]+))")
_THIS = re.compile(rf"(?<=[\w,] )this (?!{_GENERIC}|\w+ly\b)(?=[a-z])")
_DETERMINER = re.compile(r"(?<=[\w,] )(?:this|these|those) (?!\w+ly\b)(?=[a-z])")
_FOR_THIS = re.compile(
    r" (?:to|for|that|which|aimed at|aiming to) (?:\w+ly )?(?:address|bridg|fill|tackl|overcom|"
    r"solv|alleviat|mitigat|resolv|clos|combat|handl|circumvent|fix)\w* "
    r"(?:each of |all of |both of )?(?:this|these|those|such|the above|both) "
    rf"{_GENERIC}(?= (?:by|via|through|using|with)\b|[,.]|$)"
)
_IN_RESPONSE = re.compile(r" in response$")
_FILLS_THIS = re.compile(
    r"\b(?:fills|closes|bridges|addresses|tackles|solves|resolves|overcomes) (?:this|these) "
    rf"{_GENERIC} and (?=[a-z]+s\b)"
)
_LEANING = re.compile(
    r"^(?:this|these|those|that|it|its|they|their|such|he|she|however|but|and)\b"
    r"|(?:^|^[^,]*, )we (?:can|could|hope|believe|expect|have (?!\w+ed)|need|must|"
    r"should|know|may|want)\b"
    r"|^(?:although|though|whereas|because|since|if|unless|when|while|despite)\b[^,]*$"
    r"|^we (?:\w+ ){1,3}?(?:it|them|they)\b"
    r"|\b(?:the (?:latter|former|above|aforementioned|said)|as such|to do so)\b|\bthis[.,]|[:?]$",
    re.I,
)
_DEMONSTRATIVE = re.compile(r"\b(?:this|these|those) (\w+)", re.I)
_STEM = 5
"""Letters by which two forms of a noun are known for the same."""


def detached(text: str) -> str:
    """Without the pointing words that can be spared."""
    text = _FILLS_THIS.sub("", _IN_RESPONSE.sub("", text))
    text = _THESE.sub(_unless_told, _FOR_THIS.sub("", text))
    return _THIS.sub("the ", text)


def unpointed(text: str) -> str:
    """With "the" for "this" and "these" before any word, where nothing better is to be had."""
    return _DETERMINER.sub("the ", text)


def leans(text: str) -> bool:
    """Whether a word points at another sentence, or the text only leads up to one."""
    if _LEANING.search(text):
        return True
    return any(not _told(found, found[1]) for found in _DEMONSTRATIVE.finditer(text))


def _unless_told(found: re.Match[str]) -> str:
    return found[0] if _told(found, found["noun"]) else ""


def _told(found: re.Match[str], noun: str) -> bool:
    """Whether the noun, in this or another form, stands before what points at it."""
    return noun[:_STEM].lower() in found.string[: found.start()].lower()
