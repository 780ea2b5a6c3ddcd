"""Rows that a person wrote by hand → Cases, strictly, each mistake by file and line.

Knows files and the table of fields; whether a case makes sense is for ``lint``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from rag.engine.question import Turn
from rag.errors import NoCases, SourceError
from rag.evaluate.matching import compiled
from rag.evaluate.rows import Problem, read_rows
from rag.evaluate.schema import EXPECTATIONS, LINE, Field, Shape, fields_of
from rag.evaluate.types import OUTCOMES, SUBJECTS, SUITES, Case, SuiteName

FIRST_ROWS: Mapping[SuiteName, str] = {
    "retrieval": '{"id": "r1", "question": "Which papers …?", "gold": ["a paper\'s handle"]}',
    "ask": '{"id": "a1", "question": "By how much …?", "gold": ["a paper\'s handle"], '
    '"facts": ["38 %"]}',
    "summarize": '{"id": "s1", "paper": "a paper\'s handle", "facts": ["what it is about"]}',
    "digest": '{"id": "d1", "topic": "…", "gold": ["a paper\'s handle", "another\'s"]}',
}
"""A row to begin each suite with."""
_SHOWN = 60
"""Characters of a wrong value that a message quotes."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A case and where it stands."""

    path: str
    line: int
    case: Case


def load_suites(folder: Path, wanted: Sequence[str] = ()) -> dict[SuiteName, list[Case]]:
    """The cases of each suite, in the order of the files and their lines.

    A suite is the files SUITE.jsonl and SUITE-*.jsonl of ``folder``; ``wanted`` names suites, or
    files by their paths, and if it is empty all that there are are meant. Raises SourceError
    naming the first line that is no case, or what to write where there is none.
    """
    files = suite_files(folder, wanted)
    suites, problems = read_suites(files)
    if problems:
        more = f" And {len(problems) - 1} more: see rag eval lint." if problems[1:] else ""
        raise SourceError(f"{problems[0]}{more}", problems[0].fix)
    for suite, placed in suites.items():
        if not placed:
            raise NoCases(f"{files[suite][0]} has no cases.", _begin(suite, files[suite][0]))
    return {suite: [one.case for one in placed] for suite, placed in suites.items()}


def suite_files(folder: Path, wanted: Sequence[str] = ()) -> dict[SuiteName, list[Path]]:
    """Which files belong to which suite; raises SourceError where one is not there."""
    given: dict[SuiteName, list[Path]] = {suite: [] for suite in SUITES}
    for name in wanted or [suite for suite in SUITES if _of(folder, suite)]:
        suite, files = _files(folder, name)
        given[suite] += [file for file in files if file not in given[suite]]
    if not any(given.values()):
        what = "holds no suite" if folder.is_dir() else "is no folder"
        raise NoCases(f"{folder} {what}.", _begin("ask", folder / "ask.jsonl"))
    return {suite: files for suite, files in given.items() if files}


def _files(folder: Path, name: str) -> tuple[SuiteName, list[Path]]:
    """The suite that a wanted name means, and its files."""
    if name.endswith(".jsonl"):
        return _suite_of(Path(name)), [Path(name)]
    suite = next((suite for suite in SUITES if suite == name), None)
    if suite is None:
        near = get_close_matches(name, SUITES, n=1)
        hint = f"do you mean {near[0]}? " if near else ""
        raise SourceError(f"There is no suite {name!r}.", f"{hint}suites are {', '.join(SUITES)}")
    files = _of(folder, suite)
    if not files:
        message = f"{folder} has no {suite}.jsonl."
        raise SourceError(message, _begin(suite, folder / f"{suite}.jsonl"))
    return suite, files


def _of(folder: Path, suite: SuiteName) -> list[Path]:
    """SUITE.jsonl, then SUITE-*.jsonl by name."""
    try:
        files = [file for file in folder.iterdir() if file.suffix == ".jsonl"]
    except OSError:
        return []
    return sorted((f for f in files if belongs(f, suite)), key=lambda file: file.stem)


def _suite_of(file: Path) -> SuiteName:
    for suite in SUITES:
        if belongs(file, suite):
            return suite
    fix = f"begin its name with the suite's, as in ask-{file.name}; suites are {', '.join(SUITES)}"
    raise SourceError(f"{file} does not say which suite it belongs to.", fix)


def belongs(file: Path, suite: SuiteName) -> bool:
    """Whether a file's name makes it part of a suite."""
    return file.stem == suite or file.stem.startswith(f"{suite}-")


def _begin(suite: SuiteName, file: Path) -> str:
    return f"write a first case into {file}, one a line: {FIRST_ROWS[suite]}"


def read_suites(
    files: Mapping[SuiteName, Sequence[Path]],
) -> tuple[dict[SuiteName, list[Placed]], list[Problem]]:
    """All cases that can be read, and all that is wrong with the others."""
    problems: list[Problem] = []
    suites = {suite: list(_read(suite, paths, problems)) for suite, paths in files.items()}
    return suites, problems


def _read(suite: SuiteName, paths: Iterable[Path], problems: list[Problem]) -> Iterator[Placed]:
    """The cases of a suite; what is none becomes problems."""
    seen: dict[str, str] = {}
    for path in paths:
        for line, row in read_rows(path, problems):
            case, wrong = read_case(suite, row)
            if case and case.id in seen:
                wrong = [SourceError(f"the id stands in {seen[case.id]}, too.", "give it another")]
            elif case:
                seen[case.id] = f"{path}, line {line}"
                yield Placed(str(path), line, case)
            id = row["id"] if isinstance(row.get("id"), str) else ""
            problems += [Problem(str(path), line, id, each.message, each.fix) for each in wrong]


def read_case(suite: SuiteName, row: Mapping[str, Any]) -> tuple[Case | None, list[SourceError]]:
    """The case that a row describes, or all that is wrong with it."""
    fields = fields_of(suite)
    wrong = [_unknown(name, suite) for name in row if name not in fields]
    values: dict[str, Any] = {}
    for field in fields.values():
        try:
            if field.name in row:
                values[field.name] = _value(field, row[field.name])
            elif suite in field.required:
                fix = f"{field.text} As in {FIRST_ROWS[suite]}"
                raise SourceError(f'there is no "{field.name}".', fix)
        except SourceError as error:
            wrong.append(error)
    wrong = wrong or _idle(suite, values)
    return (None if wrong else _case(suite, values)), wrong


def _idle(suite: SuiteName, values: Mapping[str, Any]) -> list[SourceError]:
    """What is wrong with a case that nothing could fail."""
    if suite == "retrieval" and not values["gold"]:
        return [SourceError('"gold" is empty.', "name the papers that have to be found")]
    if suite == "ask" and not any(values.get(name) for name in EXPECTATIONS):
        fix = f"give it one of {', '.join(EXPECTATIONS)}"
        return [SourceError("it expects nothing of the answer.", fix)]
    return []


def _case(suite: SuiteName, values: dict[str, Any]) -> Case:
    if "outcome" in fields_of(suite) and (values.get("gold") or values.get("facts")):
        values.setdefault("outcome", "answered")
    return Case(suite=suite, subject=values.pop(SUBJECTS[suite]), **values)


def _unknown(name: str, suite: SuiteName) -> SourceError:
    fields = list(fields_of(suite))
    near = get_close_matches(name.casefold(), fields, n=1)
    fix = f'write "{near[0]}"' if near else f"leave it out; there are {', '.join(fields)}"
    return SourceError(f"a case of {suite} has no field {_shown(name)}.", fix)


def _value(field: Field, value: Any) -> Any:
    """A field's value as a Case has it; raises SourceError."""
    if field.shape in _READ:
        return _READ[field.shape](field.name, value)
    if not isinstance(value, list):
        fix = f'write "{field.name}": [{_EXAMPLES[field.shape]}]'
        raise SourceError(f'"{field.name}" is not a list.', fix)
    return tuple(_READ_EACH[field.shape](field.name, each) for each in value)


def _text(name: str, value: Any) -> str:
    if isinstance(value, str) and value.strip():
        return value
    raise SourceError(f'"{name}" has {_shown(value)} for text.', f'write "{name}" in quotes')


def _line(name: str, value: Any) -> str:
    if re.fullmatch(LINE, _text(name, value)):
        return str(value)
    fix = "write it in one line, without blanks around it"
    raise SourceError(f'"{name}" has {_shown(value)}, which is no plain line.', fix)


def _outcome(name: str, value: Any) -> str:
    if value in OUTCOMES:
        return str(value)
    near = get_close_matches(str(value), OUTCOMES, n=1)
    fix = f'write "{near[0]}"' if near else f"write one of {', '.join(OUTCOMES)}"
    raise SourceError(f'"{name}" cannot be {_shown(value)}.', fix)


def _fact(name: str, value: Any) -> tuple[str, ...]:
    alternatives = value if isinstance(value, list) else [value]
    if not alternatives:
        raise SourceError(f'"{name}" has an empty list.', "fill it, or leave it out")
    return tuple(_alternative(name, each) for each in alternatives)


def _alternative(name: str, value: Any) -> str:
    text = _text(name, value)
    try:
        compiled(text)
    except ValueError as error:
        fix = "what stands between slashes is a regular expression; leave them out for plain text"
        raise SourceError(f'"{name}" has {_shown(text)}: {error}.', fix) from error
    return text


def _turn(name: str, value: Any) -> Turn:
    """A turn as it is written: its papers are names still."""
    match value:
        case [str(asked), str(answer)]:
            return Turn(asked, answer)
        case [str(asked), str(answer), list(papers)]:
            return Turn(asked, answer, tuple(_line(name, each) for each in papers))
    fix = 'write ["question", "answer"] or ["question", "answer", ["paper", …]]'
    raise SourceError(f'"{name}" has {_shown(value)} for a turn.', fix)


def _shown(value: Any) -> str:
    """A value as it stands in the file, cut to fit into a sentence."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


_READ: Mapping[Shape, Callable[[str, Any], Any]] = {
    "line": _line,
    "text": _text,
    "outcome": _outcome,
}
_READ_EACH: Mapping[Shape, Callable[[str, Any], Any]] = {
    "lines": _line,
    "facts": _fact,
    "alternatives": _alternative,
    "history": _turn,
}
_EXAMPLES: Mapping[Shape, str] = {
    "lines": '"…", "…"',
    "facts": '"…", ["…", "or …"]',
    "alternatives": '"…", "…"',
    "history": '["question", "answer"]',
}
