"""Which papers a question is put to: by area, venue, status, year or id."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from rag.errors import QuestionError
from rag.types import Paper

SHOWN = 20
"""Values of a field that are named to whoever asked for another one."""
LIKE = 70
"""Of 100: how like a value has to be to be proposed."""
LEAST_PART = 3
"""Letters that may be found in almost anything."""
_FIELDS = ("area", "venue", "status", "year")


@dataclass(frozen=True, slots=True)
class Filters:
    """Every field that is set must match: years and ids exactly, the others as a part of the
    value, in any case. Several ids mean any of them."""

    area: str | None = None
    venue: str | None = None
    status: str | None = None
    year: int | None = None
    papers: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return self != Filters()

    def __and__(self, other: Filters) -> Filters:
        """These, and those of the other for the fields that these leave open."""
        open_ = {name: getattr(other, name) for name in _FIELDS if getattr(self, name) is None}
        return replace(self, **open_)

    def match(self, paper: Paper) -> bool:
        """Whether a paper passes."""
        texts = ((self.area, paper.area), (self.venue, paper.venue), (self.status, paper.status))
        return (
            all(want is None or want.casefold() in (have or "").casefold() for want, have in texts)
            and self.year in (None, paper.year)
            and (not self.papers or paper.paper_id in self.papers)
        )

    def rows(self, papers: Iterable[Paper]) -> list[int]:
        """Rows of the papers that pass. Raises QuestionError if none does, or an id is of none:
        it says which value no paper has, which is nearest and which there are."""
        everything = list(papers)
        rows = [row for row, paper in enumerate(everything) if self.match(paper)]
        known = {paper.paper_id for paper in everything}
        unknown = [paper_id for paper_id in self.papers if paper_id not in known]
        if unknown:
            raise _no_such_paper(unknown[0], everything)
        if not rows:
            raise self._nothing_passes(everything)
        return rows

    def _nothing_passes(self, papers: Sequence[Paper]) -> QuestionError:
        """For the first field whose value no paper has, else for all of them together."""
        for name in _FIELDS:
            wanted = getattr(self, name)
            if wanted is not None and not any(map(Filters(**{name: wanted}).match, papers)):
                values = {str(v) for paper in papers if (v := getattr(paper, name)) is not None}
                message = f"No paper has {name} {str(wanted)!r}."
                return QuestionError(message, _hint(name, str(wanted), values))
        return QuestionError("No paper passes all of the filters.", "leave one of them out")


def _hint(name: str, wanted: str, values: Iterable[str]) -> str:
    """The nearest of a field's values and, up to a length, the others."""
    known = sorted(values)
    if not known:
        return f"leave --{name} out: none of the papers has one"
    close = nearest(wanted, known)
    others = "; ".join(known[:SHOWN]) + (f"; and {len(known) - SHOWN} more" * (len(known) > SHOWN))
    meant = f"did you mean {close[0]!r}? " if close else ""
    return f"{meant}--{name} can be: {others}"


def _no_such_paper(paper_id: str, papers: Sequence[Paper]) -> QuestionError:
    """For an id that is of no paper: the ids that look like it, or whose papers are called so."""
    ids = {paper.handle: paper.paper_id for paper in papers}
    ids |= {paper.paper_id: paper.paper_id for paper in papers}
    close = dict.fromkeys(ids[name] for name in nearest(paper_id, list(ids)))
    meant = f"did you mean {' or '.join(close)}? " if close else ""
    fix = f"{meant}rag list shows the papers and their ids"
    return QuestionError(f"No paper has the id {paper_id!r}.", fix)


def nearest(wanted: str, known: Sequence[str], limit: int = 3) -> list[str]:
    """The values most like a misspelt one, best first, ties in the order given; it may be none.
    A part of a value counts as the whole of it."""
    from rapidfuzz import fuzz, process, utils

    found = process.extract(
        wanted,
        known,
        scorer=fuzz.partial_ratio if len(wanted) > LEAST_PART else fuzz.ratio,
        processor=utils.default_process,
        limit=limit,
        score_cutoff=LIKE,
    )
    return [value for value, *_ in found]
