"""Words that point at another sentence of the abstract: a line may not have them.

"These models" says as much as "the models", "to address this issue" says nothing at all; where
only a noun such as "issue" is pointed at, the line leans on a sentence that its reader has not
seen.
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
_DETERMINER = re.compile(r"(?<=[\w,] )(?:this|these|those) (?!\w+ly\b)(?=[a-z])")
_SPARED = re.compile(
    rf"(?<=[\w,] )(?:this|these) (?!{_GENERIC}|\w+ly\b)(?=(?P<noun>[a-z]+)(?!,| \w+,))"
)
"""Where "the" says as much."""
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
_KNOWN = (
    r"(?:trade-?off|gap|challenge|problem|issue|limitation|phenomenon|shortcoming|bottleneck|"
    r"question|insight|difficulty|discrepancy|conversion|aforementioned|former|latter)s?"
)
"""What says nothing unless it is said what of."""
_LEANING = re.compile(
    r"^(?:this|these|those|that|it|its|they|their|such|he|she|however|but|and|thus|hence|therefore)\b"
    r"|(?:^|^[^,]*, )we (?:can|could|hope|believe|expect|have (?!\w+ed)|need|must|"
    r"should|know|may|want)\b"
    r"|^(?:although|though|whereas|because|since|if|unless|when|while|despite)\b[^,]*$"
    r"|^we (?:\w+ ){1,3}?(?:it|them|they)\b"
    r"|\b(?:the (?:latter|former|above|aforementioned|said)|as such|to do so)\b"
    r"|\bthis(?:[.,]|$)|[:?]$"
    r"|^(?:the|such) (?:(?:resulting|new) )?(?:approach|framework|method|model|system|"
    r"algorithm|technique|conversion|pipeline|procedure|module)s?\b(?! (?:of|for|that|in|to)\b)"
    rf"|\bthe {_KNOWN}(?=[,.]|$)"
    r"|\bthat (?:although|while|when|if)\b[^,]*$"
    r"|\b(?:identif\w+|address\w*|tackl\w+|uncover\w*|reveal\w*|stud(?:y|ies)|expose\w*) "
    r"an? (?:[\w-]+ ){0,4}(?:issue|problem|challenge|limitation|phenomenon|gap|question)$"
    r"|\b(?:achieve|address|solve|tackle|overcome|mitigate|resolve|alleviate|do) (?:it|them|so)\b"
    r"|\bin response\b(?! to)|\bsuch (?:\w+ing|work)\b"
    r"|^we (?:\w+ )?(?:evaluate|test|validate|compare) (?:our|the|this) (?:\w+ )?(?:method|model|"
    r"approach|framework|algorithm|system)s?\b|^we are (?:able|given)\b|\bwe lack\b"
    r"|\bthe following \w+$"
    r"|^(?:\S+ ){1,5}(?:two|three|four|five|six|several) (?:[\w-]+ ){0,2}[a-z]+s$"
    r"|\b(?:provide|give|offer|propose|present) an? (?:[\w-]+ ){0,4}(?:answer|solution|"
    r"alternative)$"
    r"|^our goal is\b[^:]{0,40}$|^our code\b"
    r"|^we (?:provide|release) (?:the |our )?[\w -]*(?:code|weights)\b"
    r"|\b(?:we|they|authors) (?:trace|attribute|link|reduce) (?:it|them)\b",
    re.I,
)
_DEMONSTRATIVE = re.compile(
    r"\b(?:this|these|those(?! (?:of|that|who|in|from|with|for|on|found|\w+ed)\b)) (\w+)", re.I
)
_STEM = 5
"""Letters by which two forms of a noun are known for the same."""


def detached(text: str) -> str:
    """Without the phrases that only point at a problem told before."""
    text = _FOR_THIS.sub("", _FILLS_THIS.sub("", _IN_RESPONSE.sub("", text)))
    return _SPARED.sub(lambda found: found[0] if _told(found, found["noun"]) else "the ", text)


def unpointed(text: str) -> str:
    """With "the" for "this" and "these" before any word, where nothing better is to be had."""
    return _DETERMINER.sub("the ", text)


def leans(text: str) -> bool:
    """Whether a word points at another sentence, or the text only leads up to one."""
    if _LEANING.search(text):
        return True
    return any(not _told(found, found[1]) for found in _DEMONSTRATIVE.finditer(text))


def _told(found: re.Match[str], noun: str) -> bool:
    """Whether the noun, in this or another form, stands before what points at it."""
    return noun[:_STEM].lower() in found.string[: found.start()].lower()
