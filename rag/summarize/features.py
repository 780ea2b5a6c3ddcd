"""What tells the sentence that says what a paper brings: its place, its words, its weight.

Knows English cue words and arithmetic; every feature is a number near [0, 1].
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from math import log, sqrt

from rag.retrieve.terms import terms
from rag.summarize.naming import MARK, short_form
from rag.summarize.verbs import OUTCOMES, third

LOOKED_AT = 40
"""Sentences in which the name of a system without a handle is looked for."""

_WE = r"\b(?:we|this (?:paper|work|study|article)) (?:\w+ )?"
_BY = r"\bwe (?:\w+ ){1,5}by (?:proposing|introducing|presenting|developing|designing)\b"
_AND = r"\bwe [^,.]{3,60} and (?:propose|introduce|present)\b"
_KINDS = (
    r"(?:method|approach|framework|model|algorithm|architecture|benchmark|dataset|system|technique)"
)
_CUES: dict[str, str] = {
    "we propose": _WE + rf"(?:propose|introduce|present|describe|contribute)s?\b|{_BY}|{_AND}",
    "we develop": _WE + r"(?:develop|design|build|create|construct|devise|formulate|release|"
    r"derive)s?\b",
    "we show": _WE + r"(?:show|demonstrate|find|prove|observe|establish|reveal|verify)s?\b",
    "we study": _WE + r"(?:study|studies|investigates?|examines?|analy[sz]es?|explores?|considers?|"
    r"address(?:es)?|tackles?|revisits?)\b",
    "we evaluate": _WE + r"(?:evaluate|test|validate|conduct|perform|experiment|apply|compare)s?\b",
    "we argue": _WE + r"(?:argue|ask|start|begin|attribute|trace|dispute|name|note|notice|"
    r"hypothesi[sz]e|conjecture|conclude|discuss|question|posit|speculate|suggest|motivate)\b",
    "we can": r"\bwe (?:can|could|have|need|must|should|hope|believe|expect|know|may|want)\b",
    "we": r"\bwe\b",
    "our": r"\bour\b",
    "this paper": r"\b(?:in )?this (?:paper|work|study|article)\b",
    "this paper does": r"\bthis (?:paper|work|study|article) \w+s\b",
    "novel": r"\b(?:novel|new|the first)\b",
    "kind": rf"\b{_KINDS}\b",
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
    "is introduced": r"\b(?:is|are) (?:introduced|proposed|presented)\b"
    rf"|^(?:the|our|their) proposed\b|^(?:our|their) {_KINDS}, [A-Z]"
    rf"|^an? (?:\w+ ){{0,2}}{_KINDS} (?:named|called)\b",
    "is studied": r"\b(?:is|are) (?:studied|investigated|analy[sz]ed|scrutini[sz]ed)\b",
    "the problem": r"\b(?:problem|task) of\b",
}
_PATTERNS = {name: re.compile(pattern, re.I) for name, pattern in _CUES.items()}

_BRINGS = ("we propose", "we develop", "is introduced", "system does")
"""Cues of a sentence that may be the one to bring what is new: one cue where any is there."""
_MARKED = ("we propose", "we develop", "we show", "we study", "own", "brings")
"""Cues of which the first sentence to have them is marked."""
_OWN = ("we", "our", "this paper", "is introduced", "is studied", "system does", "system achieves")
"""Cues of a sentence about the paper itself, not of background."""
_NOT_VERBS = (
    r"(?:models|methods|results|experiments|variants|users|outputs|agents|networks|systems|ours|was|"
    r"samples|tasks|benchmarks|has|does|values|scores|this|its|policies|layers)\b"
)
"""What may stand where a verb does and look like one."""
_SPEAK = ("we propose", "we develop", "we study")
"""Cues of authors who begin to say what they do."""
_VERB = (
    rf"(?:\w+ly |also |thus |thereby |then |first )*(?P<verb>is|(?!{_NOT_VERBS})[a-z]+[^s\W]s)\b"
    r"(?! (?:are|were|have|can|show|do)\b)"
)
_NAMED = (
    rf"(?:an? (?:[\w-]+ ){{1,4}}(?:named|called) |(?:our|their) \w+, |"
    rf"(?:the |our |their )?(?:proposed |new |novel |resulting )*){MARK}(?: [a-z-]+)??"
)
_ASIDE = r"(?: \([^()]*\)|,[^,]{3,90},|,)?"
_SUBJECT = re.compile(rf"(?:[^,]{{3,120}}, )?{_NAMED}{_ASIDE} {_VERB}", re.I)
"""A sentence about a system, its name marked: "In storms, the TideNet model (a graph) fills …"."""
_ACHIEVED = frozenset(map(third, OUTCOMES))
_NEVER_NAMES = frozenset("It This That The There Each What He She One".split())


def features(sentences: Sequence[str], handle: str) -> list[dict[str, float]]:
    """The features of each sentence of one abstract, told in the first person, in their order."""
    system = _system(sentences, handle)
    bags = [Counter(terms(sentence)) for sentence in sentences]
    whole = sum(bags, Counter[str]())
    rows = [_features(sentences, i, bags, whole, system) for i in range(len(sentences))]
    _disown(rows)
    for cue in _MARKED:
        first = next((row for row in rows if row[cue]), None)
        for row in rows:
            row[f"first {cue}"] = float(row is first)
    for row in rows:
        row["system brings"] = row["first brings"] * row["system does"]
    return rows


def _disown(rows: Sequence[dict[str, float]]) -> None:
    """Settle which sentences are the paper's own. What is told of a system before its authors
    begin to say what they do is of one that was there before, unless it is called new."""
    spoken = [any(row[cue] for cue in _SPEAK) for row in rows]
    begun = spoken.index(True) if True in spoken else 0
    for i, row in enumerate(rows):
        if i < begun and not row["novel"]:
            row["system does"] = row["system achieves"] = row["defines"] = 0.0
        row["brings"] = float(any(row[cue] for cue in _BRINGS))
        row["own"] = float(any(row[cue] for cue in _OWN) and not row["we argue"])


def _features(
    sentences: Sequence[str],
    i: int,
    bags: Sequence[Counter[str]],
    whole: Counter[str],
    system: str,
) -> dict[str, float]:
    text, n = sentences[i], len(sentences)
    length = len(text.split())
    row = {name: float(bool(pattern.search(text))) for name, pattern in _PATTERNS.items()}
    does = _does(text, system)
    row["system achieves"] = float(does in _ACHIEVED)
    row["system does"] = float(bool(does) and does not in _ACHIEVED)
    row["place"] = i / max(1, n - 1)
    row["first"] = float(i == 0)
    row["last"] = float(i == n - 1)
    row["length"] = log(1 + length) / 4
    row["short"] = float(length < 10)
    row["long"] = max(0.0, length - 30) / 30
    row["central"] = _cosine(bags[i], whole)
    row["density"] = sum(whole[term] for term in bags[i]) / max(1, len(bags[i])) / max(1, n)
    row["handle"] = float(bool(system) and system in text)
    row["spells out"] = float(bool(system) and (f"({system}" in text or f"{system} (" in text))
    row["defines"] = float(bool(system) and text.startswith(_defining(system)))
    return row


def _system(sentences: Sequence[str], handle: str) -> str:
    """What the paper calls its system: its handle, or else the name that first comes up as the
    subject of a sentence and begins another one too."""
    if any(_does(sentence, handle) for sentence in sentences):
        return handle
    seen, sentences = "", sentences[:LOOKED_AT]
    for sentence in sentences:
        name = sentence.split(" ", 1)[0]
        fresh = name[:1].isupper() and name not in _NEVER_NAMES and name not in seen
        again = sum(other.startswith(f"{name} ") for other in sentences) > 1
        if fresh and again and _does(sentence, name) and name.lower() not in " ".join(sentences):
            return name
        seen += sentence
    return handle


def _does(sentence: str, system: str) -> str:
    """The verb that says what a system of that name does, in a sentence with it as the subject;
    empty if it is not."""
    if not system or system not in sentence:
        return ""
    found = _SUBJECT.match(short_form(sentence, system).replace(system, MARK))
    return found["verb"] if found else ""


def _defining(system: str) -> tuple[str, ...]:
    """How a sentence begins that says what a system is."""
    return tuple(f"{system}{text}" for text in (" is a ", " is an ", " is the ", ", a ", ", an "))


def _cosine(bag: Counter[str], whole: Counter[str]) -> float:
    """Of a sentence and its abstract, by counts of stems."""
    dot = sum(count * whole[term] for term, count in bag.items())
    norms = sqrt(sum(c * c for c in bag.values()) * sum(c * c for c in whole.values()))
    return dot / norms if norms else 0.0
