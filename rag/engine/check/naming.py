"""The names in a statement, and whether its quotes know them.

A name is what is written like one: MHRoPE, GPT-4o, a capital inside a sentence. Knows spelling
(hyphens, plurals, letters that stand for words), not what a name means.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from rag.corpus.sentences import OPENERS
from rag.engine.check.numbers import numbers
from rag.engine.check.reading import REMEMBERED, Reading, Word
from rag.retrieve.terms import STOP_WORDS

LONGEST = 8
"""Words that one name is made of at most: "Qwen2.5-VL-7B" is six."""

_TOKEN = re.compile(r"[^\W_](?:[^\W_]|[-.+&@_](?=[^\W_]))*")
_PART = re.compile(r"[^-]+(?:-\d+(?![^\W_]))*")
_GLUED = re.compile(r"\d[^\W\d_]|[^\W\d_]\d")
_OPENING = re.compile(r"(?:^|[.?!:;]\s|\(?[\divx]{1,4}\)\s)[\"'(\[]*$")
"""What stands before the first word of a sentence or of an item of a list."""
_ACRONYM = re.compile(r"(?=.*[A-Z].*[A-Z])[^\W\d_]{2,7}")
_CAPITALISED = re.compile(r"[A-Z][a-z]+")
LONG_ACRONYM = 4
"""Letters from which on an acronym fits the first letters of some words by no accident."""
MEANINGS: dict[str, tuple[str, ...]] = {
    "ai": ("artificialintelligence",),
    "ml": ("machinelearning",),
    "dl": ("deeplearning",),
    "nn": ("neuralnetwork",),
    "dnn": ("deepneuralnetwork", "deepnetwork"),
    "cnn": ("convolutionalneuralnetwork", "convolutionalnetwork"),
    "gnn": ("graphneuralnetwork",),
    "rnn": ("recurrentneuralnetwork",),
    "lm": ("languagemodel",),
    "llm": ("languagemodel", "largelanguagemodel", "lm"),
    "slm": ("smalllanguagemodel",),
    "vlm": ("visionlanguagemodel",),
    "mllm": ("multimodallargelanguagemodel", "multimodalllm"),
    "rl": ("reinforcementlearning",),
    "drl": ("deepreinforcementlearning", "deeprl"),
    "sft": ("supervisedfinetuning",),
    "cot": ("chainofthought",),
    "icl": ("incontextlearning",),
    "moe": ("mixtureofexperts", "mixtureofexpert"),
    "rag": ("retrievalaugmentedgeneration",),
    "kg": ("knowledgegraph",),
    "qa": ("questionanswering",),
    "vqa": ("visualquestionanswering",),
    "ood": ("outofdistribution",),
    "sgd": ("stochasticgradientdescent",),
    "mdp": ("markovdecisionprocess", "markovdecisionprocesses"),
    "ode": ("ordinarydifferentialequation",),
    "pde": ("partialdifferentialequation",),
    "sde": ("stochasticdifferentialequation",),
    "gan": ("generativeadversarialnetwork",),
    "vae": ("variationalautoencoder",),
    "sota": ("stateoftheart",),
    "2d": ("twodimensional",),
    "3d": ("threedimensional",),
    "4d": ("fourdimensional",),
}
"""Short letters of the field and what they stand for, spaces left out."""

_SUBJECT_VERB = re.compile(
    r"""
      (?: is | was | can | cannot | has | does | did | will | also | [a-z]+ly
        | (?:achiev|adapt|address|adopt|align|allow|appl|avoid|beat|becom|build|captur|combin|compil
            |comput|consist|construct|creat|decompos|deliver|demonstrat|deriv|detect|employ|enabl
            |encod|evaluat|exceed|explor|extend|find|generaliz|generat|get|giv|handl|identif|improv
            |incorporat|integrat|introduc|keep|learn|let|leverag|lower|maintain|mak|obtain|offer
            |optimiz|outperform|perform|predict|preserv|produc|propos|provid|quantif|reach|reduc
            |refin|reli|remain|remov|replac|requir|resolv|retain|scal|select|show|solv|stay|support
            |surpass|tackl|tak|transform|treat|turn|unif|us|yield)(?:i?e?s|ed)
      )\b
    | (?<=,\ )(?:an?|the|which)\b
    """,
    re.VERBOSE,
)
"""What follows a name that a sentence begins with."""
_ORDINARY_END = re.compile(
    r"(?:s|ing|ion|ment|ity|ness|[ae]nce|ism|acy|ship|ure|al|ogy|ory|ers?|ly|ed|more)$"
)
_ORDINARY = frozenset(
    "code data work research software everyone nobody nothing noise text speech language "
    "knowledge hardware feedback someone something anyone life behavior behaviour synthesis "
    "search speed".split()
)


@dataclass(frozen=True, slots=True)
class Name:
    """A mention of a name: the words from ``first`` up to ``last``, which is not included;
    ``parts`` are those of a compound, "Qwen2.5" and "7B", in the same way. ``distinct`` unless
    all that makes it a name is a first capital."""

    shown: str
    first: int
    last: int
    parts: tuple[tuple[int, int], ...]
    distinct: bool


@lru_cache(maxsize=REMEMBERED)
def names(reading: Reading) -> tuple[Name, ...]:
    """What is written like a name, in order; a compound is given whole."""
    return tuple(_names(reading))


def _names(reading: Reading) -> Iterator[Name]:
    for token in _TOKEN.finditer(reading.text):
        opens = _opens(reading, token.start())
        spans = [part.span() for part in _PART.finditer(reading.text, *token.span())]
        if any(_is_name(reading, *span, opens and i == 0) for i, span in enumerate(spans)):
            parts = tuple((reading.index(start), reading.index(end)) for start, end in spans)
            distinct = any(re.search(r"\w[A-Z\d]", part) for part in token[0].split("-"))
            yield Name(token[0], parts[0][0], parts[-1][1], parts, distinct)


def _opens(reading: Reading, offset: int) -> bool:
    """Whether a word that begins there has its capital from its place."""
    return bool(_OPENING.search(reading.text, max(0, offset - 8), offset))


def _is_name(reading: Reading, start: int, end: int, opens: bool) -> bool:
    """Whether ``text[start:end]``, which may open a sentence, is written like a name."""
    text = reading.text[start:end]
    if _GLUED.search(text):
        return not _is_number(reading, start, end)
    if any(char.isupper() for char in text[1:]) or (text[0].isupper() and text[-1].isdigit()):
        return True
    return text[0].isupper() and not opens and text not in ("A", "I")


def _is_number(reading: Reading, start: int, end: int) -> bool:
    return any(
        number.start <= start and end <= number.end and not number.name
        for number in numbers(reading)
    )


def leading(reading: Reading) -> Iterator[Name]:
    """First words that by what follows them can be names, and by their form are no other nouns."""
    for token in _TOKEN.finditer(reading.text):
        if _opens(reading, token.start()) and _can_name(token[0]):
            index = reading.index(token.start())
            after = reading.words[index + 1 : index + 2]
            if after and _SUBJECT_VERB.match(reading.text, after[0].start):
                yield Name(token[0], index, index + 1, ((index, index + 1),), False)


def _can_name(word: str) -> bool:
    ordinary = word.casefold() in STOP_WORDS | _ORDINARY or word in OPENERS
    written = word.isalpha() and word.istitle()
    return written and not ordinary and not _ORDINARY_END.search(word.casefold())


class Known:
    """The names that some readings know, in every spelling that is taken for the same."""

    def __init__(self, readings: Iterable[Reading]) -> None:
        self.stems: frozenset[str] = frozenset().union(*(reading.stems for reading in readings))
        self._grams = frozenset[str]().union(*map(_grams, readings))
        self._initials = frozenset[str]().union(*map(_initials, readings))
        self._acronyms = frozenset(
            word.low.removesuffix("s")
            for reading in readings
            for word in reading.words
            if _ACRONYM.fullmatch(word.text)
        )

    def holds(self, reading: Reading, name: Name) -> bool:
        """Whether a name of a statement is known: whole, by its parts, or spelled out."""
        words = reading.words[name.first : name.last]
        return (
            self._spells(words)
            or any(map(self._spells, _around(reading.words, name)))
            or self._abbreviates(words)
            or any(map(self._spells_out, _around(reading.words, name)))
            or (len(name.parts) > 1 and all(self._part(reading, *part) for part in name.parts))
        )

    def _spells(self, words: Sequence[Word]) -> bool:
        """Whether words stand somewhere in a row, however they are joined there."""
        if len(words) == 1 and words[0].stem in self.stems:
            return True
        return not self._grams.isdisjoint(_plurals("".join(word.low for word in words)))

    def _part(self, reading: Reading, first: int, last: int) -> bool:
        """Of a compound, "GPT-4-based", only what is written like a name has to be known."""
        words = reading.words[first:last]
        ordinary = len(words) == 1 and words[0].text.islower()
        return ordinary or self._spells(words) or self._abbreviates(words)

    def _abbreviates(self, words: Sequence[Word]) -> bool:
        """Whether letters stand for words of the quotes."""
        letters = "".join(word.low for word in words).removesuffix("s")
        if len(letters) >= LONG_ACRONYM and letters in self._initials:
            return True
        return any(not self._grams.isdisjoint(_plurals(m)) for m in MEANINGS.get(letters, ()))

    def _spells_out(self, words: Sequence[Word]) -> bool:
        """Whether capitalised words are what letters in the quotes stand for."""
        written = (_CAPITALISED.fullmatch(word.text) or word.low in STOP_WORDS for word in words)
        return "".join(word.low[0] for word in words) in self._acronyms and all(written)


def _plurals(squashed: str) -> set[str]:
    return {squashed, squashed + "s", squashed.removesuffix("s")}


def _around(words: Sequence[Word], name: Name) -> Iterator[Sequence[Word]]:
    """The stretches of up to five words that hold a name and more."""
    for first in range(max(0, name.last - 5), name.first + 1):
        for last in range(name.last, min(len(words), first + 5) + 1):
            if last - first > name.last - name.first:
                yield words[first:last]


@lru_cache(maxsize=REMEMBERED)
def _grams(reading: Reading) -> frozenset[str]:
    """Every run of up to LONGEST words, written as one."""
    lows = [word.low for word in reading.words]
    return frozenset(
        "".join(lows[first : first + length])
        for length in range(1, LONGEST + 1)
        for first in range(len(lows) - length + 1)
    )


@lru_cache(maxsize=REMEMBERED)
def _initials(reading: Reading) -> frozenset[str]:
    """First letters of every run of LONG_ACRONYM to six words, with and without small ones."""
    found: set[str] = set()
    for words in (reading.words, [word for word in reading.words if word.content]):
        letters = "".join(word.low[0] for word in words)
        found |= {
            letters[first : first + length]
            for length in range(LONG_ACRONYM, 7)
            for first in range(len(letters) - length + 1)
        }
    return frozenset(found)
