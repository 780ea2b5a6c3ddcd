"""What the suites share: how a case becomes a Sample, and checks that trust nobody's word.

Whatever the product made is looked at as claims: quotes are held against the stored abstracts,
facts are searched in the texts. What only one suite asks for is in its own module.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import TypeVar

from rag.digest.saved import Claim, Saved
from rag.digest.verify import verify
from rag.engine.check import Checker
from rag.errors import HOPELESS, BudgetError, EmbedderError, RagError, StoreError
from rag.evaluate.matching import found, is_pattern
from rag.evaluate.papers import Names
from rag.evaluate.types import Case, Quote, Sample
from rag.store.snapshot import Snapshot
from rag.types import Citation, Usage

POINTLESS = (*HOPELESS, BudgetError, EmbedderError, StoreError)
"""Errors that every other case would meet, too: they end a run instead of failing a case."""
DIGITS = 6
FAULTS, FAULT_CHARS = 10, 80
"""Faults of a sample at most, and characters of what one names."""
PAPERS, QUOTES, TEXT_CHARS, ERROR_CHARS = 10, 50, 4_000, 500
"""Of a sample at most; its hash is over all that there is."""

TextOf = Callable[[str], str | None]
"""paper_id → the text that is quoted, None if there is no such paper."""
Made = TypeVar("Made")


@dataclass(frozen=True, slots=True)
class Marks:
    """Scores by metric, and what is wrong, a plain sentence each."""

    scores: Mapping[str, float]
    faults: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Result:
    """What came of a case in ``ms`` milliseconds, and its marks; ``papers`` are all names."""

    ms: int
    marks: Sequence[Marks]
    outcome: str = ""
    text: str = ""
    quotes: tuple[Quote, ...] = ()
    papers: tuple[str, ...] = ()
    usage: Usage = Usage()


def sampled(case: Case, repeat: int, expected: str, work: Callable[[], Result]) -> Sample:
    """The sample of a case; what ``work`` raises becomes its error, but for POINTLESS."""
    sample = Sample(
        case=case.id,
        suite=case.suite,
        subject=case.subject,
        kind=case.kind,
        tags=case.tags,
        repeat=repeat,
        scores={"completed": 0.0},
        expected=expected,
    )
    try:
        return _filled(sample, work())
    except POINTLESS:
        raise
    except Exception as error:  # a case that breaks the product is what a run is there to find
        return replace(sample, error=_told(error))


def timed(make: Callable[[], Made]) -> tuple[Made, int]:
    """What is made, and the milliseconds that it took."""
    began = time.perf_counter()
    made = make()
    return made, round(1000 * (time.perf_counter() - began))


def _filled(sample: Sample, result: Result) -> Sample:
    scores = {"completed": 1.0}
    for marks in result.marks:
        scores.update(marks.scores)
    faults = dict.fromkeys(fault for marks in result.marks for fault in marks.faults)
    return replace(
        sample,
        scores=scores,
        outcome=result.outcome,
        text=_at_most(TEXT_CHARS, result.text),
        quotes=result.quotes[:QUOTES],
        papers=result.papers[:PAPERS],
        faults=tuple(faults)[:FAULTS],
        usage=result.usage,
        ms=result.ms,
        words=_hash(result),
    )


def _hash(result: Result) -> str:
    """12 hex digits of all that a reader gets."""
    quotes = [[quote.paper, quote.text] for quote in result.quotes]
    words = json.dumps([result.outcome, result.text, quotes, result.papers])
    return hashlib.sha256(words.encode()).hexdigest()[:12]


def _told(error: Exception) -> str:
    message = error.message if isinstance(error, RagError) else str(error)
    return _at_most(ERROR_CHARS, f"{type(error).__name__}: {message}")


def fact_marks(case: Case, texts: Sequence[str]) -> Marks:
    """Whether any of the texts has each expected fact."""
    if not case.facts:
        return Marks({})
    lacking = [fact for fact in case.facts if not holds(texts, fact)]
    value = share(len(case.facts) - len(lacking), len(case.facts))
    return Marks({"facts": value}, [f"lacks the fact {_any(fact)}" for fact in lacking])


def forbidden_marks(case: Case, texts: Sequence[str]) -> Marks:
    """Whether none of the texts has what must not be said."""
    if not case.forbidden:
        return Marks({})
    said = [one for one in case.forbidden if holds(texts, [one])]
    faults = [f"says what it must not: {short(one)}" for one in said]
    return Marks({"no forbidden": float(not said)}, faults)


def holds(texts: Iterable[str], fact: Sequence[str]) -> bool:
    """Whether any text has any alternative of a fact."""
    return any(found(one, text) for text in texts for one in fact)


def quote_marks(claims: Sequence[Claim], text_of: TextOf) -> Marks:
    """Whether each quote stands where it is said to; a sentence that counts as supported and has
    no quote is taken for one whose quote does not."""
    checks, faults = [], []
    for claim in claims:
        for citation in claim.citations:
            checks.append(_is_exact(citation, claim, text_of))
            if not checks[-1]:
                faults.append(f"quotes what does not stand there: {short(citation.quote)}")
        if claim.supported and not claim.citations:
            checks.append(False)
            faults.append(f"has no quote for: {short(claim.text)}")
    return Marks({"quote integrity": mean(checks)} if checks else {}, faults)


def _is_exact(citation: Citation, claim: Claim, text_of: TextOf) -> bool:
    """Whether the quote is these characters of that paper, and it is the one it should be of."""
    text, start, end = text_of(citation.paper_id), citation.start, citation.end
    right = claim.paper_id in (None, citation.paper_id) and text is not None
    return right and 0 <= start < end and (text or "")[start:end] == citation.quote


def support_marks(claims: Sequence[Claim], snapshot: Snapshot, checker: Checker | None) -> Marks:
    """How many sentences are carried by their quotes: by the product's own word and, given a
    ``checker`` that is not the product's, by that of ``rag verify``, too."""
    checks, faults = [], []
    for claim in claims:
        doubt = "" if claim.supported else "the product says so itself"
        if checker and not doubt:
            doubt = _doubt(claim, snapshot, checker)
        checks.append(not doubt)
        if doubt:
            faults.append(f"has no support for: {short(claim.text)} ({short(doubt)})")
    return Marks({"support": mean(checks)} if checks else {}, faults)


def written_marks(engine: str, model: str | None, *, asked: bool = True) -> Marks:
    """Whether what a model wrote stands, where one was ``asked``: quotes that stand in its place
    are good ones, and would hide that nothing of it was."""
    if model is None or not asked:
        return Marks({})
    stands = engine != "extractive"
    faults = [] if stands else ["quotes stand in place of what the model wrote"]
    return Marks({"written": float(stands)}, faults)


def _doubt(claim: Claim, snapshot: Snapshot, checker: Checker) -> str:
    found = verify(Saved("", (), (claim,)), snapshot, checker)
    return next((each.detail for each in found if each.status == "unsupported"), "")


def quotes_of(claims: Iterable[Claim], names: Names) -> tuple[Quote, ...]:
    """All quotes under the names of their papers, in order, each once."""
    citations = [citation for claim in claims for citation in claim.citations]
    return tuple(dict.fromkeys(Quote(names.name_of(c.paper_id), c.quote) for c in citations))


def texts_of(snapshot: Snapshot) -> TextOf:
    """Reads the stored text of a paper."""

    def text(paper_id: str) -> str | None:
        row = snapshot.row_of.get(paper_id)
        return None if row is None else snapshot.paper(row).text

    return text


def _any(fact: Sequence[str]) -> str:
    """A fact as a person would name it: one alternative of it, the first that is no pattern."""
    return short(next((one for one in fact if not is_pattern(one)), fact[0]))


def mean(values: Iterable[float]) -> float:
    """The mean of one score at least."""
    return round(fmean(values), DIGITS)


def share(part: int, whole: int) -> float:
    return round(part / whole, DIGITS)


def short(text: str) -> str:
    """A text on one line, of a length that a fault can name."""
    return _at_most(FAULT_CHARS, " ".join(text.split()))


def _at_most(length: int, text: str) -> str:
    return text if len(text) <= length else f"{text[: length - 1]}…"
