"""Questions in other languages than the embedder knows: noticed, not guessed at.

The built-in embedder knows English. Names are written alike everywhere, so a question in any
language may still find its paper by them; where it cannot, somebody has to say what would.
Knows scripts and a few little words, no language.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rag.retrieve.spelling import FAR, parted
from rag.retrieve.terms import STOP_WORDS, stem, words

if TYPE_CHECKING:
    from rag.retrieve.lexical import Lexical

ENGLISH_ONLY = "all-MiniLM-L6-v2"
"""What the identity of the built-in embedder begins with."""

_LITTLE_WORDS = frozenset(
    "der die das und ist nicht mit wie welche welcher welches für von zu den dem ein eine einen "
    "wird werden kann auf bei gibt es wer wo warum als oder auch nach sich sie wir noch nur zum "
    "zur im vom besser mehr macht andere anderen "
    "le la les des est dans pour quel quelle quels quelles une un du au aux qui que sur par avec "
    "comment pourquoi sont ce cette ou plus mieux fait quoi "
    "el los las de del qué cómo cuál cuáles para una con por como son es en se y "
    "il lo gli che di per della del nel come quale quali è sono con "
    "os as um uma não dos das na no quais qual "
    "het een van wat welke hoe zijn voor niet met "
    "och är att det som på hur vilka i na jest jak co czy które".split()
) - {"a", "i", "as", "on", "no", "an", "in"}
"""Of German, French, Spanish, Italian, Portuguese, Dutch, Swedish and Polish: those that make up
the most of any text."""

_SHARED = frozenset("a am as at die in no on so was will".split())
"""Are as common in English as in another of these languages, and tell nothing."""
_SHORT = re.compile(
    r"^\W*(?:was (?:ist|sind|bedeutet|heißt|heisst|macht|kann|tut)|wer (?:ist|sind)"
    r"|wie funktioniert|wozu dient|qu['’]est[- ]ce (?:que|qu['’])|c['’]est quoi"
    r"|que (?:signifie|fait|veut dire)"
    r"|qu?i est|comment fonctionne|(?:qué|que) (?:es|son|significa|hace)|cómo funciona"
    r"|(?:che )?cos['’](?:è|e)|(?:che )?cosa (?:è|significa|fa)|come funziona"
    r"|o que (?:é|e|são|significa|faz)|como funciona|wat (?:is|zijn|betekent|doet)|hoe werkt"
    r"|vad (?:är|betyder|gör)|hur fungerar|co to jest|czym jest|co oznacza|jak działa"
    r"|welche[rsnm]?|wie ?viele|wie|warum|quel(?:le)?s?|combien|pourquoi|cuánt[oa]s"
    r"|cuál(?:es)?|quant[io]s?|quais|quali|hoeveel|welke|hur många|vilka|które|ile)\b",
    re.I,
)
"""How short questions begin, which may have too few little words to tell."""

FEWEST = 2
"""Little words from which on a text in Latin letters is taken for foreign."""
FOUND_IN = 0.1
"""Share of the papers at most that have a word by which a question finds its paper."""

_NOT_ENGLISH = (
    "The question does not seem to be in English, the only language that the built-in embedder "
    "knows"
)
_INSTEAD = (
    "Ask in English, or set RAG_EMBED_MODEL to a multilingual embedding model and run rag rebuild."
)
NOTE = f"{_NOT_ENGLISH}, and no word of it finds a paper here. {_INSTEAD}"
REFUSED = f"{_NOT_ENGLISH}, so papers may have been missed. {_INSTEAD}"


def is_foreign(question: str) -> bool:
    """Whether a question is mostly in a far script, or has more little words of other languages
    than of English."""
    if mostly_far(question):
        return True
    begins = _SHORT.match(question)
    if begins and not _english(set(words(question[begins.end() :]))):
        return True
    asked = set(words(question))
    little = sum(word in _LITTLE_WORDS for word in asked)
    english = _english(asked)
    return little >= FEWEST and little > english


def _english(asked: set[str]) -> int:
    """How many little words are of English and of no other language."""
    return len(asked & STOP_WORDS - _LITTLE_WORDS - _SHARED)


def mostly_far(question: str) -> bool:
    """Whether over a third of the letters are of a far script: names take the more letters."""
    return 3 * len(FAR.findall(question)) > sum(map(str.isalpha, question))


def latin(question: str) -> str:
    """The words of a question that are in no far script, such as names; it may be none."""
    return " ".join(word for word in parted(question).split() if not FAR.search(word))


def foreign(question: str, lexical: Lexical) -> str | None:
    """What to tell whoever asked in a language that the embedder does not know, where no word
    of the question finds a paper either; None if there is nothing to tell.

    For an English-only embedder: see ``ENGLISH_ONLY``.
    """
    if not is_foreign(question):
        return None
    asked = [word for word in words(latin(question)) if word not in STOP_WORDS | _LITTLE_WORDS]
    found = any(_finds(lexical, stem(word)) for word in asked if len(word) > 1)
    return None if found else NOTE


def _finds(lexical: Lexical, term: str) -> bool:
    """Whether the term tells a few of the papers from the others."""
    having = int(lexical.having([term]).sum())
    return 0 < having <= max(1, FOUND_IN * lexical.papers)
