"""Runs and samples ↔ JSON, strictly: these files are committed, merged and edited by people.

Knows their shape, not where they lie. What is read is whole and finite, or a SourceError says
what is not and where. Fields that it does not know it leaves out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any

from rag.digest.parts import Part
from rag.errors import SourceError
from rag.evaluate.types import SUITES, Judged, Provenance, Quote, Run, Sample, SuiteName
from rag.types import Usage

FORMAT = 1
"""Raised when an older program could not read what a newer one writes."""
DIGITS = 6
"""Decimals of a number: more are noise of the machine."""
MOST = 1e15
"""What no score, price or count comes near."""
FIX = "name a file that rag eval wrote, or make a new one with rag eval"
REQUIRED = ("case", "suite", "subject", "kind", "repeat", "scores")
"""Fields of a sample that are written even if they say nothing."""
QUOTE = ("paper", "text")
_UNFIT = re.compile("[\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""What some programs end a line at, what makes a line read otherwise than it is, and halves of
characters, which UTF-8 cannot hold."""


def to_json(run: Run) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "id": run.id,
        "made_from": asdict(run.made_from),
        "suites": {suite: list(ids) for suite, ids in run.suites.items()},
        "selection": dict(run.selection),
        "samples": [sample_to_json(sample) for sample in run.samples],
    }


def from_json(data: Mapping[str, Any], path: str) -> Run:
    """The run that ``to_json`` gave; ``path`` is for errors. Raises SourceError."""
    part = Part(path, "", data)
    _check_format(part)
    with as_ours():
        return _run(part)


@contextmanager
def as_ours() -> Iterator[None]:
    """Give what is wrong with a file the fix for a run."""
    try:
        yield
    except SourceError as error:
        raise SourceError(error.message, FIX) from error


def settled(sample: Sample) -> Sample:
    """The sample as it is read back once written, so that a run that was resumed equals one that
    was not. Raises SourceError where a score is no number: then whoever scores is wrong."""
    return sample_from_json(Part(f"{sample.suite} {sample.case}", "", sample_to_json(sample)))


def sample_to_json(sample: Sample) -> dict[str, Any]:
    """Its fields in their order, without those that say nothing."""
    data = asdict(sample)
    if sample.usage == Usage():
        del data["usage"]
    return {name: _rounded(value) for name, value in data.items() if value or name in REQUIRED}


def sample_from_json(part: Part) -> Sample:
    """Raises SourceError where a field is missing or is not what it should be."""
    judged = part.inner("judged")
    return Sample(
        case=part.text("case"),
        suite=_suite(part, part.text("suite")),
        subject=part.text("subject"),
        kind=part.text("kind"),
        tags=_texts(part, "tags"),
        repeat=part.whole("repeat"),
        scores=_numbers(part.inner("scores")),
        expected=part.optional("expected") or "",
        outcome=part.optional("outcome") or "",
        text=part.optional("text") or "",
        quotes=_quotes(part),
        papers=_texts(part, "papers"),
        faults=_texts(part, "faults"),
        judged={utf8(name): _judged(judged.inner(name)) for name in judged.data},
        usage=_usage(part.inner("usage")),
        ms=part.whole("ms") if part.has("ms") else 0,
        error=part.optional("error") or "",
        words=part.optional("words") or "",
        expects=part.optional("expects") or "",
    )


def _check_format(part: Part) -> None:
    version = part.data.get("format")
    if type(version) is not int or not part.has("samples"):
        raise SourceError(f"{part.path} is no run of evals.", FIX)
    if version > FORMAT:
        what = f"{part.path} has format {version}; this version reads up to format {FORMAT}."
        raise SourceError(what, "upgrade this program (pip install --upgrade)")


def _run(part: Part) -> Run:
    suites = part.inner("suites")
    samples = tuple(map(sample_from_json, part.each("samples", "sample")))
    _check_once(part, samples)
    return Run(
        id=part.text("id"),
        made_from=_made_from(part.inner("made_from")),
        suites={_suite(suites, name): _texts(suites, name) for name in suites.data},
        selection=_plain(part.inner("selection")),
        samples=samples,
    )


def _check_once(part: Part, samples: tuple[Sample, ...]) -> None:
    """Refuse a file that says two things of one sample, as a bad merge does."""
    seen = set()
    for sample in samples:
        if (place := (sample.suite, sample.case, sample.repeat)) in seen:
            raise part.wrong(f"{sample.suite} {sample.case} is there twice")
        seen.add(place)


def _made_from(part: Part) -> Provenance:
    packages = part.inner("packages")
    return Provenance(
        corpus=part.text("corpus"),
        papers=part.whole("papers"),
        embedder=part.text("embedder"),
        engine=part.text("engine"),
        model=part.optional("model"),
        judge=part.optional("judge"),
        prompts=_texts(part, "prompts"),
        settings=_plain(part.inner("settings")),
        packages={utf8(name): packages.text(name) for name in packages.data},
        commit=part.optional("commit"),
    )


def _plain(part: Part) -> dict[str, Any]:
    """An object of whatever JSON can hold."""
    try:
        return dict(json.loads(dumps(part.data)))
    except (ValueError, RecursionError) as error:
        raise part.wrong(f"not JSON ({error})") from error


def _suite(part: Part, name: str) -> SuiteName:
    for suite in SUITES:
        if suite == name:
            return suite
    raise part.wrong(f"there is no suite {name!r}")


def _texts(part: Part, name: str) -> tuple[str, ...]:
    return tuple(map(utf8, part.texts(name)))


def utf8(text: str) -> str:
    """A text that can be written, as ``Part.text`` gives it: without half characters."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def _quotes(part: Part) -> tuple[Quote, ...]:
    """They are most of what a file has, and a Part for each would take half of the time."""
    found: list[Any] = part.many("quotes")
    for quote in found:
        whole = isinstance(quote, dict) and all(isinstance(quote.get(n), str) for n in QUOTE)
        if not whole:
            raise part.wrong('"quotes" is not a list of papers with texts')
    return tuple(Quote(*(utf8(quote[name]) for name in QUOTE)) for quote in found)


def _judged(part: Part) -> Judged:
    score = _number(part, "score") if part.has("score") else None
    return Judged(score, part.optional("reason") or "")


def _usage(part: Part) -> Usage:
    if not part.data:
        return Usage()
    cost = _number(part, "cost_usd")
    return Usage(part.whole("input_tokens"), part.whole("output_tokens"), cost)


def _numbers(part: Part) -> dict[str, float]:
    return {utf8(name): _number(part, name) for name in part.data}


def _number(part: Part, name: str) -> float:
    value: Any = part.data.get(name)
    numeric = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not numeric or not abs(value) < MOST:  # NaN is below nothing
        raise part.wrong(f'"{name}" is not a number')
    return float(value)


def _rounded(value: Any) -> Any:
    """A JSON value with its floats rounded."""
    if isinstance(value, float):
        return round(value, DIGITS)
    if isinstance(value, dict):
        return {name: _rounded(each) for name, each in value.items()}
    return [_rounded(each) for each in value] if isinstance(value, (list, tuple)) else value


def dumps(data: Any, indent: int | None = None) -> str:
    """JSON that people can read and edit; characters that would get in their way are escaped."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, indent=indent)
    return _UNFIT.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
