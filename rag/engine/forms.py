"""Answers told by their form: what an abbreviation stands for, and which things a paper names.

Such a sentence begins the answer, whatever the learned scores say of it. Knows of each form who
asks for it, and what to do where no sentence has it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rag.engine.evidence import Evidence
from rag.engine.expansion import abbreviated, expansion, spelling_out
from rag.engine.extractive import SENTENCES
from rag.engine.names import Names
from rag.engine.quoting import Considered


def formed(considered: Considered, names: Names, about: Sequence[int]) -> Considered:
    """The same, beginning with a sentence of the form asked for, if one is and there is such a
    sentence; the question is ``about`` these papers, by name or as a follow-up."""
    asked = considered.question
    if short := abbreviated(asked.standalone):
        return _spelt_out(considered, names, short, about)
    if asked.kind in ("fact", "follow-up") and len(about) == 1:
        return _inventory(considered, about[0])
    return considered


def _spelt_out(
    considered: Considered, names: Names, short: str, about: Sequence[int]
) -> Considered:
    """With what an abbreviation stands for, unless it is asked what the paper is that is called
    so; where that alone is asked for and no paper tells, nothing else will do."""
    only = spelling_out(considered.question.standalone) is not None
    if about and not only and names.rows(short):
        return considered
    if long := expansion(considered.retriever, short, considered.rows):
        return considered.beginning(long, 1 if only else SENTENCES)
    return replace(considered, certain=False) if only else considered


def _inventory(considered: Considered, row: int) -> Considered:
    """With the sentence that names things of the class asked for."""
    from rag.engine.inventory import listing, wanted  # its patterns take a while to be compiled

    if not (things := wanted(considered.question.asked)):
        return considered
    snapshot = considered.retriever.snapshot
    text, spans = snapshot.paper(row).text, snapshot.spans(row)
    sentences = [text[start:end] for start, end in spans]
    place = listing(things, snapshot.handles[row], sentences)
    if place is None:
        return considered
    return considered.beginning(Evidence(row, *spans[place], sentences[place], 0.0), SENTENCES)
