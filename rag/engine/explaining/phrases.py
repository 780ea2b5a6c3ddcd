"""What kinds, indications and features are called in plain words.

A name without a phrase here is shown as it is, so that nothing is kept from whoever asks.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

KINDS: Mapping[str, str] = {
    "fact": "a question for a fact",
    "list": "a request for all papers on something",
    "count": "a request to count papers",
    "compare": "a comparison",
    "follow-up": "a question that goes on about a paper of the conversation",
    "find": "a search for a paper",
    "definition": "a question for what a paper is about",
    "similar": "a request for papers like one",
}


@dataclass(frozen=True, slots=True)
class Phrase:
    """How an indication is put where it reaches ``bound``, ``high``, and where it does not,
    ``low``; "" says nothing."""

    high: str
    low: str = ""
    bound: float = 0.5

    @property
    def neutral(self) -> float:
        """The value that would say nothing."""
        return self.bound if self.low else 0.0


def _always(text: str) -> Phrase:
    return Phrase(text, text)


INDICATIONS: Mapping[str, Phrase] = {
    "covered": _always("what was found has {share} of what is asked, rarer words counting more"),
    "similarity": Phrase(
        "the nearest sentence is close in meaning ({value} of 1)",
        "the nearest sentence is not close in meaning ({value} of 1)",
    ),
    "evidence": Phrase(
        "its best sentence is like those that answer such questions",
        "its best sentence is unlike those that answer such questions",
        bound=0.8,
    ),
    "named": Phrase("a paper is called by its name, so that one has to say it"),
    "uncovered": Phrase(
        "{share} of what is asked for stands in none of the papers found", bound=0.01
    ),
    "continued": Phrase("the question goes on with a conversation, so its words say little"),
    "unknown_name": Phrase("something is named that no abstract here mentions"),
    "figure_missing": Phrase("a figure is asked for, and the paper gives none of that kind"),
    "seldom_stated": Phrase("a detail is asked for that abstracts seldom give"),
}
"""Which way each of them speaks is for the outcome's weights to say, not for its phrase."""


def neutral(name: str) -> float:
    """The value of an indication that would say nothing."""
    return INDICATIONS[name].neutral if name in INDICATIONS else 0.0


def indicated(name: str, value: float) -> str:
    """An indication in words; "" if it says nothing."""
    phrase = INDICATIONS.get(name)
    if phrase is None:
        return f"{name.replace('_', ' ')}: {value:.2f}"
    text = phrase.high if value >= phrase.bound else phrase.low
    return text.format(share=share(value), value=f"{value:.2f}")


def share(value: float) -> str:
    return f"{value:.0%}".replace("%", " %")


FEATURES: Mapping[str, tuple[str, str]] = {
    "cosine": ("is nearest in meaning", "is unlike the question"),
    "covered": ("has most of the words asked for", "repeats less of the question"),
    "covered loosely": ("has most of the words asked for", "repeats less of the question"),
    "before": ("follows a sentence with the words asked for", "follows no sentence with the words"),
    "dense": ("is to the point", "says more than the question does"),
    "wanted noun": ("has the very thing asked for", "lacks the very thing asked for"),
    "length": ("says more than a short one", "is short"),
    "place": ("stands late, where results are told", "stands early, where a paper says what it is"),
    "first": ("opens the abstract", "does not open the abstract"),
    "last": ("ends the abstract", "does not end the abstract"),
    "finding": ("tells what was found", "is not about what was found"),
    "problem": ("tells the problem", "is not about the problem"),
    "aim": ("tells the aim", "is not about the aim"),
    "digit": ("gives a figure", "gives no figure"),
    "code": ("tells where the code is", "is not about where the code is"),
    "result": ("gives a result", "gives no result"),
    "wanted reason": ("gives a reason, which is asked for", "gives no reason"),
    "wanted denial": ("says that it is not so, or only so far", "denies nothing"),
    "wanted result": ("gives a result, which is asked for", "gives no result"),
    "wanted digit": ("gives a figure, which is asked for", "gives no figure"),
    "wanted number": ("gives a number, which is asked for", "gives no number"),
}
"""Of a sentence that has more of a feature than the paper's others, and of one that has less and
gains by it."""


def feature(name: str, *, more: bool) -> str:
    """What a sentence has or has not, as the end of a sentence that begins with "it"."""
    phrases = FEATURES.get(name.removeprefix("statement: "))
    if phrases is None:
        return f"has {'more' if more else 'less'} of: {name}"
    return phrases[0] if more else phrases[1]
