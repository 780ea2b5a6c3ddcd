"""One-line summaries without a model: a sentence of the abstract, compressed and checked."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from functools import cached_property

from rag.corpus.sentences import sentence_spans
from rag.corpus.suspicion import trusted
from rag.engine.check import Checker, Quoted
from rag.summarize import MAX_WORDS
from rag.summarize.chooser import ranked, weights
from rag.summarize.compress import MIN_WORDS, beginning, is_sentence, lines, stands_alone
from rag.summarize.naming import begins_with, is_bare, names_system
from rag.summarize.openings import first_person
from rag.summarize.pointing import unpointed
from rag.summarize.results import LEAST, action, result
from rag.summarize.whole import is_whole
from rag.types import Citation, Paper, Summary

VERSION = 4
"""Of the rules: another one where the same weights give other lines."""
TRIED = 3
"""Sentences of which a line is tried, the most telling first."""
SHORT_OF = 11
"""Words that a line is short of its most, from which on it is completed with any clause."""
Line = tuple[str, tuple[int, ...]]
"""A text, and the indices of the sentences that it rests on."""


class Extractive:
    """A Summarizer whose lines are pieces of the abstract. Never raises; same paper, same line."""

    def __init__(self, checker: Checker) -> None:
        self._checker = checker

    @cached_property
    def identity(self) -> str:
        digest = hashlib.sha256(repr((VERSION, sorted(weights().items()))).encode())
        return f"extractive@{digest.hexdigest()[:8]}"

    def summarize(self, paper: Paper, spans: Sequence[tuple[int, int]]) -> Summary:
        """The first line that the checker supports; the first of all where it supports none."""
        spans = trusted(paper.text, spans or sentence_spans(paper.text))
        sentences = first_person([paper.text[start:end] for start, end in spans])
        tried: dict[Line, Summary] = {}
        for line in _candidates(sentences, paper.handle):
            if line not in tried:
                text, rests_on = line
                tried[line] = self._checked(paper, text, [spans[i] for i in rests_on])
                if tried[line].supported:
                    return tried[line]
        return next(iter(tried.values()), self._checked(paper, f"{paper.name}.", spans[:1]))

    def _checked(self, paper: Paper, text: str, spans: Sequence[tuple[int, int]]) -> Summary:
        names = (paper.handle, *([paper.title] if paper.title else []))
        quotes = [Quoted(paper.text[start:end], names) for start, end in spans]
        verdict = self._checker.check(text, quotes)
        citations = tuple(Citation(1, paper.paper_id, paper.text[s:e], s, e) for s, e in spans)
        return Summary(paper, text, citations, verdict.supported, verdict.support)


def _candidates(sentences: Sequence[str], handle: str) -> Iterator[Line]:
    """Lines that are one sentence, the best first."""
    return ((text, rests_on) for text, rests_on in _made(sentences, handle) if is_sentence(text))


def _made(sentences: Sequence[str], handle: str) -> Iterator[Line]:
    """With a result, without it, then what is whole but leans on other sentences, then lines of
    less telling sentences, then anything, mere beginnings last."""
    order = _order(sentences, handle)
    rest = [i for i in ranked(sentences, handle)[: 3 * TRIED] if i not in order]
    for line, i in _standing(sentences, order, handle):
        completed = _completed(line, i, sentences, handle)
        yield from (made for made in completed if is_whole(made[0]))
        yield line, (i,)
    leaning = [(unpointed(line), (i,)) for i in order for line in lines(sentences[i], handle)]
    leaning = [(line, at) for line, at in leaning if len(line.split()) >= MIN_WORDS]
    yield from (made for made in leaning if is_whole(made[0]))
    yield from ((line, (i,)) for line, i in _standing(sentences, rest, handle))
    yield from leaning
    yield from ((beginning(sentences[i]), (i,)) for i in (*order, *range(len(sentences))))


def _standing(
    sentences: Sequence[str], order: Sequence[int], handle: str
) -> Iterator[tuple[str, int]]:
    """The lines that stand alone, and the sentences that they are of."""
    return ((line, i) for i in order for line in lines(sentences[i], handle) if stands_alone(line))


def _order(sentences: Sequence[str], handle: str) -> list[int]:
    """Sentences to try. One that only names a system is followed by those that begin with it."""
    order = ranked(sentences, handle)[:TRIED]
    first = order[0] if order else 0
    if handle and order and is_bare(next(lines(sentences[first], handle), "").rstrip(".")):
        about = [i for i in range(first + 1, len(sentences)) if begins_with(sentences[i], handle)]
        order[1:1] = about[:TRIED]
    return list(dict.fromkeys(order))


def _completed(line: str, i: int, sentences: Sequence[str], handle: str) -> Iterator[Line]:
    """A line about a system by its name, with what it achieves or, where the line is short, does:
    from a later sentence, if there is room."""
    room = MAX_WORDS - len(line.split()) - 1
    if room < LEAST or ":" in line or not names_system(line, handle):
        return
    later = sentences[i + 1 :]
    found = result(later, handle, room)
    if found is None and room >= SHORT_OF:
        found = action(later, handle, room)
    if found:
        behind, clause = found
        yield f"{line[:-1]}, and {clause}.", (i, i + 1 + behind)
