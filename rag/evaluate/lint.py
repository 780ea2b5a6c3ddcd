"""What is wrong with suites: cases that cannot be read, cannot be met, or that anything meets.

Cases alone show some of it; whether papers exist and abstracts hold what is expected takes an
index. Never asks the product: a case that it fails is what cases are for.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from itertools import chain
from pathlib import Path

from rag.errors import PaperNotFound, QuestionError
from rag.evaluate.cases import FIRST_ROWS, Placed, belongs, read_suites, suite_files
from rag.evaluate.matching import compiled, found, is_pattern, missing, present
from rag.evaluate.papers import Names, read_keys
from rag.evaluate.rows import Level, Problem
from rag.evaluate.types import REFUSED, SUBJECTS, SUITES, Case
from rag.retrieve.hybrid import check_question

WITHOUT_INDEX = "Without an index, it was not looked up whether papers exist and hold the facts."
"""What to say where ``lint`` had no names."""

SAMPLED = 100
"""Abstracts at which it is seen how common an alternative is; below ``FEW`` nothing is common."""
FEW = 10
COMMON = 0.5
NEAR = 0.75
"""How alike (difflib's ratio) a file's name is to a suite's to be a slip."""
_PATTERN = re.compile(r"\\[a-zA-Z.]|\.[*+?]|\(\?|\w\|\w|\[[^\]]+\][*+?]")
"""What text that is meant as text hardly has."""


@dataclass(frozen=True, slots=True)
class Remark:
    """A Problem of a case, without its place."""

    text: str
    fix: str
    level: Level = "error"


def lint(folder: Path, wanted: Sequence[str] = (), names: Names | None = None) -> list[Problem]:
    """All that is wrong with the suites that ``load_suites`` would load, in the order of the files.

    Without ``names``, what takes an index is not looked at. Raises SourceError where there is no
    suite at all.
    """
    files = suite_files(folder, wanted)
    suites, problems = read_suites(files)
    read_keys(folder / "papers.jsonl", problems)
    index = Index(names) if names else None
    for suite, cases in suites.items():
        problems += [] if cases else [_empty(files[suite][0], FIRST_ROWS[suite])]
        problems += _twice(cases)
        problems += _of_cases(cases, index)
    order = {str(path): place for place, path in enumerate(chain.from_iterable(files.values()))}
    problems.sort(key=lambda each: (order.get(each.path, len(order)), each.line))
    return [*problems, *_strays(folder)]


def _of_cases(cases: Iterable[Placed], index: Index | None) -> Iterator[Problem]:
    for placed in cases:
        try:
            found = [*of_case(placed.case), *(index.remarks(placed.case) if index else ())]
        except QuestionError as error:  # a pattern that takes too long
            found = [Remark(error.message, error.fix)]
        yield from (_placed(placed, remark) for remark in found)


def of_case(case: Case) -> Iterator[Remark]:
    """What is wrong with a case, whatever the papers."""
    yield from _unaskable(case)
    yield from _contradictions(case)
    yield from _echoes(case)
    yield from _idle_patterns(case)
    yield from _reference(case)


def _unaskable(case: Case) -> Iterator[Remark]:
    """A question or topic that nobody can work with."""
    if case.suite == "summarize":
        return
    try:
        check_question(case.subject)
    except QuestionError as error:
        yield Remark(error.message, error.fix)


def _contradictions(case: Case) -> Iterator[Remark]:
    """What no answer could be right by."""
    if case.outcome in REFUSED:
        for field in ("facts", "gold") if case.outcome == "not_in_corpus" else ("facts",):
            if getattr(case, field):
                text = f"{case.outcome} is expected, and {field} all the same."
                yield Remark(text, f"leave out the {field}, or expect another outcome")
    elif case.outcome and case.suite == "digest" and not case.gold:
        text = f"{case.outcome} is expected, and no paper is gold."
        yield Remark(text, "name the papers, or leave out the outcome")
    for fact in case.facts:
        if all(_forbids(case.forbidden, alternative) for alternative in fact):
            yield Remark(f"{_or(fact)} is expected, and forbidden.", "take one of them back")
    papers = [*case.gold, *case.maybe]
    for name, count in Counter(name.casefold() for name in papers).items():
        if count > 1:
            yield Remark(f"{name} stands twice in gold and maybe.", "name it once")


def _forbids(forbidden: Sequence[str], alternative: str) -> bool:
    if is_pattern(alternative):
        return alternative in forbidden
    return bool(present(forbidden, alternative))


def _echoes(case: Case) -> Iterator[Remark]:
    """Facts that whoever repeats the question has said; the name of a paper is no question."""
    if case.suite == "summarize":
        return
    said = "\n".join([case.subject, *(text for turn in case.history for text in turn[:2])])
    lacking = missing(case.facts, said)
    fix = "expect what only a paper can say"
    if case.facts and not lacking:
        yield Remark(f"who repeats the {SUBJECTS[case.suite]} passes: it holds every fact.", fix)
        return
    for fact in case.facts:
        if fact not in lacking:
            text = f"the {SUBJECTS[case.suite]} itself holds {_or(fact)}."
            yield Remark(text, fix, "warning")


def _idle_patterns(case: Case) -> Iterator[Remark]:
    for alternative in _alternatives(case):
        if compiled(alternative).search(""):
            yield Remark(f"{alternative} is found in an empty text.", "demand a character of it")


def _reference(case: Case) -> Iterator[Remark]:
    if not case.reference:
        return
    for fact in missing(case.facts, case.reference):
        text = f"the reference does not say {_or(fact)}."
        yield Remark(text, "say it there, or add how it is said there to the fact", "warning")
    for alternative in present(case.forbidden, case.reference):
        yield Remark(f"the reference says {alternative}, which is forbidden.", "change one of them")


@dataclass(frozen=True)
class Index:
    """What takes an index: papers by name, and their abstracts."""

    names: Names

    def remarks(self, case: Case) -> Iterator[Remark]:
        """What is wrong with a case, given these papers."""
        unknown = list(self._unknown(case))
        yield from unknown
        if not unknown:
            yield from self._same_paper(case)
            yield from self._unheld(case)
        yield from self._common(case)

    def _unknown(self, case: Case) -> Iterator[Remark]:
        shown = [name for turn in case.history for name in turn.papers]
        for name in dict.fromkeys([*_evidence(case), *case.maybe, *shown]):
            try:
                self.names.rows([name])
            except PaperNotFound as error:
                yield Remark(error.message, error.fix)

    def _same_paper(self, case: Case) -> Iterator[Remark]:
        """Papers that stand twice, under two names."""
        first: dict[int, str] = {}
        for name in dict.fromkeys((*case.gold, *case.maybe)):
            [row] = self.names.rows([name])
            if first.setdefault(row, name).casefold() != name.casefold():
                yield Remark(f"{first[row]} and {name} are the same paper.", "name it once")

    def _unheld(self, case: Case) -> Iterator[Remark]:
        """Facts that no paper holds which should."""
        texts = [self._text(row) for row in self.names.rows(_evidence(case))]
        says = "the paper does not say" if case.suite == "summarize" else "no gold paper says"
        for fact in case.facts if texts else ():
            if all(missing([fact], text) for text in texts):
                fix = "look it up with rag show, and expect its words or name another paper"
                if any(_looks_like_pattern(each) for each in fact):
                    fix = "put a regular expression between slashes"
                yield Remark(f"{says} {_or(fact)}.", fix)

    def _common(self, case: Case) -> Iterator[Remark]:
        for alternative in _alternatives(case):
            held = sum(found(alternative, text) for text in self._sample)
            if len(self._sample) >= FEW and held >= COMMON * len(self._sample):
                text = f"{alternative} is found in {held} of {len(self._sample)} abstracts."
                yield Remark(text, "demand more of it, or almost any answer has it", "warning")

    def _text(self, row: int) -> str:
        return self.names.snapshot.paper(row).indexed_text

    @cached_property
    def _sample(self) -> list[str]:
        """Texts of papers, evenly spread over the index."""
        rows = range(len(self.names.snapshot))
        return [self._text(row) for row in rows[:: max(1, -(-len(rows) // SAMPLED))]]


def _evidence(case: Case) -> tuple[str, ...]:
    """The papers that have to hold the facts."""
    return (case.subject,) if case.suite == "summarize" else case.gold


def _looks_like_pattern(alternative: str) -> bool:
    return not is_pattern(alternative) and bool(_PATTERN.search(alternative))


def _alternatives(case: Case) -> list[str]:
    return list(dict.fromkeys([*chain.from_iterable(case.facts), *case.forbidden]))


def _twice(cases: Sequence[Placed]) -> Iterator[Problem]:
    """Cases that put the same to the product."""
    first: dict[object, str] = {}
    for placed in cases:
        asked = (" ".join(placed.case.subject.casefold().split()), placed.case.history)
        id = first.setdefault(asked, placed.case.id)
        if id != placed.case.id:
            text, fix = f"it asks the same as {id}.", "make one case of the two"
            yield _placed(placed, Remark(text, fix, "warning"))


def _empty(file: Path, row: str) -> Problem:
    return Problem(str(file), 0, "", "its suite has no case.", f"write a first one: {row}")


def _strays(folder: Path) -> Iterator[Problem]:
    """Files that are named almost as a suite is, and are read by nobody."""
    for file in sorted(folder.glob("*.jsonl")):
        name = re.split("[-_.]", file.stem)[0]
        near = get_close_matches(name.casefold(), SUITES, n=1, cutoff=NEAR)
        if near and not any(belongs(file, suite) for suite in SUITES):
            fix = f"a suite is {near[0]}.jsonl and {near[0]}-….jsonl"
            yield Problem(str(file), 0, "", "it is in no suite.", fix, "warning")


def _or(fact: Sequence[str]) -> str:
    return " or ".join(fact)


def _placed(placed: Placed, remark: Remark) -> Problem:
    return Problem(placed.path, placed.line, placed.case.id, remark.text, remark.fix, remark.level)
