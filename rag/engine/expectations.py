"""What a question expects of its evidence, read off its wording.

The right paper may still not say what is asked: a figure where its abstract has none, a name
that it does not mention, a detail that papers keep for their later sections. Similarity does
not notice; these checks do.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Set

from rag.retrieve.terms import STOP_WORDS, stem, words

_RATE_ASKED = re.compile(
    r"\b(percent(age)?|per ?cent|accuracy|margin|fraction|share|speed-?up|win rate|by how much"
    r"|how many (percentage )?points)\b",
    re.I,
)
_RATE = re.compile(
    r"\d\s?(%|×|x\b|per ?cent|points?|times)|[+−±]\d|(?<![A-Za-z] )(?<![A-Za-z-])\b\d+\.\d+", re.I
)
"""A measured figure; "Gemini 2.5" is none, since the number belongs to the name before it."""

_COUNT_ASKED = re.compile(r"\b(?:how many|number of)\s+((?:[\w-]+\s*){1,3})", re.I)
_COUNT = re.compile(
    r"\d[\d.,]*|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen"
    r"|fifteen|sixteen|twenty|thirty|forty|fifty|hundred|thousand|million|several|many"
)
_COUNT_REACH = 3
"""Words within which a number counts the noun after it: "four essential new features"."""

_WANTED = re.compile(
    r"\b(?:how many|how much|what|which|whose|number of)\s+((?:[\w-]+\s*){1,4})", re.I
)
_AUXILIARY = frozenset(
    "do does did is are was were be has have had can could should would will must may".split()
)
_GENERIC = frozenset(
    "kind kinds type types sort sorts way ways share fraction percentage number two three new"
    " exact main part idea ideas thing things margin total end extent raw basis information"
    " dimensions aspects".split()
)

_SELDOM_WORDS = frozenset(
    "gpu gpus tpu tpus vram affiliation affiliations university institution license licence"
    " annotator annotators participant participants volunteer volunteers reviewer reviewers"
    " optimizer optimiser hyperparameter hyperparameters epoch epochs dropout pytorch"
    " tensorflow languages dollars".split()
)
_SELDOM_PHRASES = re.compile(
    r"\b(learning[- ]rate|batch[- ]size|weight decay|random seeds?|base (llm|model)"
    r"|names of (the|all)|language pairs?|programming language|training time|wall[- ]clock"
    r"|sample complexity|(convergence|complexity|error|regret) bounds?"
    r"|(gpu|training|compute|node)[- ](hours|days|weeks|budget)|how much .{0,40} costs?"
    r"|what did .{0,60} cost|costs? of (training|annotat\w+|inference)"
    r"|who (wrote|are the authors|is the author)|authors of)\b",
    re.I,
)
"""Details that papers report and abstracts seldom do."""

_COSTS = frozenset(
    map(stem, "cost costs computation computational overhead expensive cheap".split())
)
"""Words for what something takes: with a figure beside one of them it may well be told."""

_NAME = re.compile(r"(?<!^)(?<![.?!:] )\b[A-Z][\w-]*|\b[a-z]+[A-Z]\w*|\b\w*[A-Z]\w*[A-Z0-9]\w*")
"""Capitalised inside a sentence, or with a capital or digit inside."""


def lacks_figure(question: str, text: str) -> bool:
    """Whether a figure is asked for and the text has none of that kind."""
    if _RATE_ASKED.search(question):
        return not _RATE.search(text)
    asked = _COUNT_ASKED.search(question)
    nouns = _content(asked.group(1)) if asked else []
    return bool(nouns) and not _counts(nouns, text)


def wanted(question: str) -> list[str]:
    """The words after the question word: "how many hours" wants hours."""
    phrases = (match.group(1) for match in _WANTED.finditer(question))
    return [word for phrase in phrases for word in _content(phrase) if word not in _GENERIC]


def seldom_stated(question: str, text: str) -> bool:
    """Whether a detail is asked for that abstracts seldom give and this text does not mention."""
    details = {stem(word) for word in _SELDOM_WORDS.intersection(words(question))}
    phrase = _SELDOM_PHRASES.search(question)
    plain = words(text)
    stems = {stem(word) for word in plain}
    unsaid = phrase and " ".join(words(phrase.group())) not in " ".join(plain)
    if unsaid and _COSTS & {stem(word) for word in words(question)}:
        unsaid = not (_COSTS & stems and _RATE.search(text))
    return bool(unsaid) or not details <= stems


def unknown_name(question: str, repairs: Mapping[str, str], known: Set[str]) -> bool:
    """Whether the question holds a name that the corpus lacks even after repair.

    ``known`` are the corpus's terms; a repair of a name counts only if it is close.
    """
    for name in _NAME.findall(question):
        for word in words(name):
            if word not in STOP_WORDS and not _near(word, repairs.get(word, stem(word)), known):
                return True
    return False


def _near(word: str, term: str, corpus: Set[str]) -> bool:
    """Whether a known term can be what a name's word meant: a part of it, or one slip away."""
    return term in corpus and (stem(word) in term or abs(len(word) - len(term)) <= 1)


def _content(phrase: str) -> list[str]:
    """The words of a noun phrase, up to the verb."""
    found = []
    for word in words(phrase):
        if word in _AUXILIARY:
            break
        if word not in STOP_WORDS:
            found.append(word)
    return found


def _counts(nouns: Iterable[str], text: str) -> bool:
    """Whether a number stands shortly before one of the nouns."""
    stems = {stem(noun) for noun in nouns}
    tokens = words(text)
    return any(
        _COUNT.fullmatch(token)
        and stems & {stem(word) for word in tokens[i + 1 : i + 1 + _COUNT_REACH]}
        for i, token in enumerate(tokens)
    )
