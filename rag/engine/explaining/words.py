"""The words of a question as they were searched, and as papers write them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np

from rag.engine.explaining.values import Word
from rag.retrieve.hybrid import Retriever, Signals, plain
from rag.retrieve.spelling import parted, spellings
from rag.retrieve.terms import STOP_WORDS, stem, words
from rag.types import Paper


def words_of(retriever: Retriever, signals: Signals, question: str) -> dict[str, Word]:
    """Term → the word of the question that was read as it, in the question's order."""
    asked = words(parted(plain(question)))
    parts = _apart(asked, signals.repairs)
    spelt: dict[str, list[str]] = {}
    for word, term in signals.repairs.items():
        spelt.setdefault(term, []).append(word)
    asked_as = {term: [parts.get(word, word) for word in ones] for term, ones in spelt.items()}
    return {term: _word(retriever, term, ones) for term, ones in asked_as.items()}


def _apart(asked: Sequence[str], repairs: Mapping[str, str]) -> dict[str, str]:
    """Part → the word that was read as several of them."""
    whole = [word for word in asked if word not in repairs and word not in STOP_WORDS]
    parts = [part for part in repairs if part not in asked]
    return {part: word for word in whole for part in parts if part in word}


def _word(retriever: Retriever, term: str, asked: Sequence[str]) -> Word:
    having = retriever.lexical.having([term])
    own = " ".join(dict.fromkeys(asked))
    if len(asked) == 1 and stem(own) == term:
        return Word(own, own, int(having.sum()))
    first = next(map(int, np.flatnonzero(having)), None)
    written = first is not None and written_in(retriever.snapshot.paper(first), term)
    return Word(own, written or own, int(having.sum()))


def written_in(paper: Paper, term: str, asked: str = "") -> str | None:
    """How a paper writes a term, in whichever of its spellings, best as it was ``asked``; None if
    it does not."""
    ways = {term, *spellings(term)}
    found = dict.fromkeys(word for word in words(paper.indexed_text) if stem(word) in ways)
    return asked if asked in found else next(iter(found), None)


def phrase_in(paper: Paper, phrase: Sequence[str]) -> str | None:
    """The words of a paper that have the stems of a phrase side by side, as they stand there."""
    tokens = [word for word in words(paper.indexed_text) if word not in STOP_WORDS]
    stems, width = list(map(stem, tokens)), len(phrase)
    for at in range(len(tokens) - width + 1):
        if stems[at : at + width] == list(phrase):
            run = tokens[at : at + width]
            there = re.search(r"\W{1,3}".join(map(re.escape, run)), paper.indexed_text, re.I)
            return there.group() if there else " ".join(run)
    return None
