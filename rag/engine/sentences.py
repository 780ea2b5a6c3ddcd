"""What tells the sentences of an abstract that answer a question, and how much it tells.

The sentence most like a question is often not the one that answers it: within a paper its name
and theme stand everywhere, and the plain sentence that lists what was asked for shares few words
with the question. So each sentence gets features near [0, 1], among them whether it has what the
question wants: a figure, a reason, a result. Their weights, in ``sentences.json``, are learned by
``evals/sentences.py``. Knows English cue words and arithmetic; no index, no other paper.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from math import log, log1p
from typing import TYPE_CHECKING

import numpy as np

from rag.engine.expectations import wanted
from rag.retrieve.terms import stem, terms

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Column = NDArray[np.float64]
    """A number for each sentence of an abstract, shape (sentences,)."""

BEGINNING = 5
"""Letters by which words are related that no stemmer brings together: "diverge", "divergence"."""

_WISHES: Mapping[str, re.Pattern[str]] = {
    "reason": re.compile(r"\b(?:why|how come|reasons?|caused?|causes)\b"),
    "denial": re.compile(
        r"\b(?:how come|enough|by itself|alone|just)\b"
        r"|\b(?:right|so|(?:is|does|do|are|did|was|were)n['’]t (?:it|they|she|he))\?"
    ),
    "result": re.compile(
        r"\bhow (?:well|good|much|far)\b|\b(?:improve\w*|gains?|outperform\w*|results?|achieve\w*"
        r"|perform\w*|beat\w*|better|help\w*|effect\w*|find\w*|found|show\w*|happen\w*|bring\w*"
        r"|lower\w*|higher|win\w*)\b"
    ),
}
"""What a question wants, by its wording: a premise may have to be denied."""

_ACCESS = re.compile(
    r"\b(?:code|available|open-?sourc\w*|public\w*|releas\w*|links?|url|repository|download\w*)\b"
)
"""Asks for what else is the least telling sentence of an abstract: where its code is."""

_QUESTION = re.compile(
    r"\?|^\W*(?:how|what|which|who|whose|why|when|where|is|are|was|were|do|does|did|can|could)\b"
)
"""Told from a statement, of which one wants to know whether it holds."""

_CUES: Mapping[str, re.Pattern[str]] = {
    "digit": re.compile(r"\d"),
    "number": re.compile(
        r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|fifty"
        r"|hundred|thousand|million|half|double|twice)\b"
    ),
    "reason": re.compile(
        r"\b(?:because|since|due to|owing to|stems?|explain\w*|caus\w+|reasons?|why|aris\w+"
        r"|attribut\w+|trace\w*|lead\w* to|led to|so that|thereby|via)\b"
    ),
    "denial": re.compile(
        r"\b(?:not|no|nor|never|only|cannot|insufficient\w*|fails?|without|hardly|rarely|less than"
        r"|rather|instead|contrary|but)\b|n't\b"
    ),
    "result": re.compile(
        r"\b(?:outperform\w*|improv\w*|achiev\w*|state-of-the-art|superior|better|gains?|reduc\w*"
        r"|surpass\w*|increas\w*|decreas\w*|rais\w*|lower\w*|exceed\w*|competitive|higher"
        r"|effective|significant\w*|associated)\b|%"
    ),
    "finding": re.compile(
        r"\b(?:show\w*|demonstrat\w*|finds?|found|findings?|results?|reveal\w*|conclude\w*"
        r"|suggest\w*|indicat\w*|experiments?|evaluat\w*|prov(?:e|es|ed|en))\b"
    ),
    "problem": re.compile(
        r"^(?:however|but|yet|although|while|despite|recent|current|prior|unfortunately)\b"
        r"|\b(?:fail\w*|suffers?|limitations?|challeng\w+|difficult\w*|lacks?|under-?explored"
        r"|unclear|poorly|existing|remains?|unknown|little is known|whether)\b"
    ),
    "aim": re.compile(
        r"\b(?:aim\w*|objective|purpose|sought|to (?:determine|investigate|examine|assess"
        r"|evaluate))\b"
    ),
    "code": re.compile(
        r"https?:|\b(?:open-?sourced?|github|code (?:is|can|will)|publicly|available)\b"
    ),
}
"""What a sentence has, by its wording, in lower case like the wishes."""

_ALONE = ("finding", "problem", "aim", "digit")
"""Cues that tell something whatever is asked."""
_OF_A_STATEMENT = ("covered", "dense", "place", "finding", "aim")
"""Features that weigh differently where a statement is put in the place of a question."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a question wants of one paper: its wording, its terms beyond the paper's name, each
    with its rarity in the corpus, and whether it wants a figure."""

    wording: str
    rarity: Mapping[str, float]
    wants_number: bool


def scores(texts: Sequence[str], cosines: NDArray[np.float32], asked: Asked) -> Column:
    """How well each sentence of one abstract answers; ``cosines`` are theirs to the question."""
    learned = weights()
    total = np.full(len(texts), learned["bias"])
    for name, column in features(texts, cosines, asked).items():
        total += learned[name] * column
    return total


@cache
def weights() -> Mapping[str, float]:
    """The weight of each feature by its name, and the ``bias``."""
    text = files("rag.engine").joinpath("sentences.json").read_text(encoding="utf-8")
    learned: dict[str, float] = json.loads(text)
    return learned


def features(texts: Sequence[str], cosines: NDArray[np.float32], asked: Asked) -> dict[str, Column]:
    """The features of each sentence of one abstract, by name."""
    wording = asked.wording.lower()
    states = not _QUESTION.search(wording)
    told = [text.lower() for text in texts]
    found = {"cosine": np.asarray(cosines, np.float64)}
    found |= _words([terms(text) for text in texts], asked)
    found |= _places(len(texts))
    found |= {name: _cued(name, told) for name in _ALONE}
    found["code"] = _cued("code", told, not _ACCESS.search(wording))
    found["statement: result"] = _cued("result", told, states)
    for name, wish in _WISHES.items():
        found[f"wanted {name}"] = _cued(name, told, bool(wish.search(wording)))
    for name in ("digit", "number"):
        found[f"wanted {name}"] = _cued(name, told, asked.wants_number)
    return found | {f"statement: {name}": found[name] * states for name in _OF_A_STATEMENT}


def coverage(sentences: Sequence[set[str]], asked: Iterable[str]) -> Column:
    """Share of the asked terms in each sentence, weighed by rarity among the sentences."""
    counts = Counter(term for sentence in sentences for term in sentence)
    n = len(sentences)
    rarity = {term: log(1 + (n - counts[term] + 0.5) / (counts[term] + 0.5)) for term in asked}
    return _shares(sentences, rarity)


def _words(bags: Sequence[Sequence[str]], asked: Asked) -> dict[str, Column]:
    """What the words of a question say of each sentence, given as its terms. A ``dense`` one has
    few others: it repeats the question, which says whether a statement holds, but little else."""
    sentences = [set(bag) for bag in bags]
    within = coverage(sentences, asked.rarity)
    nouns = {stem(word) for word in wanted(asked.wording)}
    beginnings = dict.fromkeys(term[:BEGINNING] for term in asked.rarity)
    return {
        "covered": _shares(sentences, asked.rarity),
        "covered loosely": coverage([{t[:BEGINNING] for t in s} for s in sentences], beginnings),
        "before": np.concatenate([within[:1], within[:-1]]),
        "dense": np.minimum(1, within * [10 / max(len(bag), 5) for bag in bags]),
        "wanted noun": _flags(nouns & sentence for sentence in sentences),
        "length": np.array([log1p(len(bag)) / 3 for bag in bags]),
    }


def _cued(name: str, texts: Sequence[str], counts: bool = True) -> Column:
    """Which sentences have a cue, none of them where it does not count: to search costs most."""
    cue = _CUES[name]
    return _flags(cue.search(text) for text in texts) if counts else np.zeros(len(texts))


def _places(sentences: int) -> dict[str, Column]:
    place = np.arange(sentences) / max(sentences - 1, 1)
    return {"place": place, "first": _flags(place == 0), "last": _flags(place == 1)}


def _shares(sentences: Sequence[set[str]], weight: Mapping[str, float]) -> Column:
    """Share of the weight that each sentence has; 0 if nothing weighs."""
    total = sum(weight.values()) or 1.0
    return np.array([sum(w for t, w in weight.items() if t in s) / total for s in sentences])


def _flags(found: Iterable[object]) -> Column:
    return np.array([bool(each) for each in found], np.float64)
