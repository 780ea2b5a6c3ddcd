"""What tells the sentence that says what a paper brings: its place, its words, its weight.

Knows English cue words and arithmetic; every feature is a number near [0, 1].
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from math import log, sqrt

from rag.retrieve.terms import terms

_WE = r"\b(?:we|the authors) (?:\w+ )?"
_CUES: dict[str, str] = {
    "we propose": _WE + r"(?:propose|introduce|present|describe)\b",
    "we develop": _WE + r"(?:develop|design|build|create|construct|devise|formulate|release)\b",
    "we show": _WE + r"(?:show|demonstrate|find|prove|observe|establish|reveal|verify)\b",
    "we study": _WE + r"(?:study|investigate|examine|analy[sz]e|explore|consider|address|tackle|"
    r"revisit)\b",
    "we evaluate": _WE + r"(?:evaluate|test|validate|conduct|perform|experiment|apply|compare)\b",
    "we can": r"\bwe (?:can|could|have|need|must|should|hope|believe|expect|know|may|want)\b",
    "we": r"\b(?:we|the authors)\b",
    "this paper": r"\b(?:in )?this (?:paper|work|study|article)\b",
    "this paper does": r"\bthis (?:paper|work|study|article) \w+s\b",
    "novel": r"\b(?:novel|new)\b",
    "kind": r"\b(?:method|approach|framework|model|algorithm|architecture|benchmark|dataset|system|"
    r"technique)\b",
    "experiments": r"\b(?:experiments?|results?|evaluations?|empirical\w*)\b",
    "named": r"\b(?:called|named|termed|dubbed|namely)\b",
    "contrast": r"^(?:however|but|yet|although|while|despite|unfortunately|existing|recent|current|"
    r"previous)\b",
    "link": r"^(?:moreover|furthermore|additionally|in addition|finally|also|further|second)\b",
    "specifically": r"^(?:specifically|in particular|concretely|first|more specifically)\b",
    "pointing": r"^(?:this|these|it|they|such|those|its|their|the (?:former|latter|proposed))\b",
    "code": r"\b(?:code|github|available|open-sourced?|https?)\b",
    "by": r"\b(?:by|via|using|through)\b",
    "also": r"\b(?:also|further|moreover)\b",
    "number": r"\d",
    "question": r"\?|\bwhether\b",
    "is introduced": r"\b(?:is|are) (?:introduced|proposed|presented|developed|designed)\b",
    "the problem": r"\b(?:problem|task) of\b",
}
_PATTERNS = {name: re.compile(pattern, re.I) for name, pattern in _CUES.items()}

_MARKED = ("we propose", "we develop", "we show", "we study", "we")
"""Cues of which the first sentence to have them is marked."""


def features(sentences: Sequence[str], handle: str) -> list[dict[str, float]]:
    """The features of each sentence of one abstract, in their order."""
    bags = [Counter(terms(sentence)) for sentence in sentences]
    whole = sum(bags, Counter[str]())
    rows = [_features(sentences, i, bags, whole, handle) for i in range(len(sentences))]
    for cue in _MARKED:
        first = next((row for row in rows if row[cue]), None)
        for row in rows:
            row[f"first {cue}"] = float(row is first)
    return rows


def _features(
    sentences: Sequence[str],
    i: int,
    bags: Sequence[Counter[str]],
    whole: Counter[str],
    handle: str,
) -> dict[str, float]:
    text, n = sentences[i], len(sentences)
    length = len(text.split())
    row = {name: float(bool(pattern.search(text))) for name, pattern in _PATTERNS.items()}
    row["place"] = i / max(1, n - 1)
    row["first"] = float(i == 0)
    row["last"] = float(i == n - 1)
    row["length"] = log(1 + length) / 4
    row["short"] = float(length < 10)
    row["long"] = max(0.0, length - 30) / 30
    row["central"] = _cosine(bags[i], whole)
    row["density"] = sum(whole[term] for term in bags[i]) / max(1, len(bags[i])) / max(1, n)
    row["handle"] = float(bool(handle) and handle in text)
    row["spells out"] = float(bool(handle) and (f"({handle}" in text or f"{handle} (" in text))
    row["defines"] = float(bool(handle) and text.startswith((f"{handle} is a", f"{handle}, a")))
    return row


def _cosine(bag: Counter[str], whole: Counter[str]) -> float:
    """Of a sentence and its abstract, by counts of stems."""
    dot = sum(count * whole[term] for term, count in bag.items())
    norms = sqrt(sum(c * c for c in bag.values()) * sum(c * c for c in whole.values()))
    return dot / norms if norms else 0.0
