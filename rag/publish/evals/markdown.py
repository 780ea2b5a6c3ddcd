"""A run and its comparison as the comment of a pull request on GitHub."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from html import escape

from rag.evaluate import wording
from rag.evaluate.types import Changed, Comparison, Failure, Quote, Run, Sample
from rag.publish.content import count, shown
from rag.publish.escaping import escaped
from rag.publish.evals import cases, content, notes
from rag.publish.evals.content import Row
from rag.publish.evals.headline import headline

LIMIT = 60_000
"""Characters at most; GitHub takes 65,536."""
SENTENCE, SENTENCES = 300, 15
"""Of one cause, failure or note, and of a list of them: what is said is never all there is."""
TEXT, QUOTE, QUOTES = 1_000, 300, 5
"""Characters of an answer and of a quote, and how many quotes, in a case side by side."""
_REFERENCE = re.compile(r"@(?=\w)|#(?=\d)|(?<=\bGH)-(?=\d)", re.IGNORECASE)
"""What GitHub would make a mention of a person or a link to an issue of."""
_HEAD = ("metric", "value", "95 % interval", "cases")
_COMPARED = ("before", "change", "verdict")


def markdown(run: Run, comparison: Comparison | None, failures: Sequence[Failure] = ()) -> str:
    """The verdict as a heading, why the gate is shut, the figures, and as many changed cases as
    a comment has room for. ``failures`` are those of a run that is compared with nothing."""
    shut = content.held_against(comparison, failures)
    blocks = [block for block in _blocks(run, comparison, shut) if block]
    if comparison:
        blocks += _cases(comparison, LIMIT - sum(len(block) + 2 for block in blocks))
    return "\n\n".join(blocks) + "\n"


def _blocks(run: Run, comparison: Comparison | None, shut: Sequence[Failure]) -> Iterator[str]:
    yield f"## {_text(headline(run, comparison, shut), SENTENCE * 3)}"
    yield _text(content.about(run, comparison))
    if gate := content.gate(comparison, shut):
        yield f"**{gate}**"
    yield _list([failure.text for failure in shut])
    for suite, rows in content.rows(run, comparison).items():
        samples = content.samples(run, suite)
        before = content.samples(comparison.before, suite) if comparison else ()
        yield f"### {notes.title(suite, samples)}"
        moved, stayed = content.parted(rows)
        yield _figures(moved, comparison)
        yield _stayed(stayed, comparison)
        told = notes.notes(samples, rows, before)
        yield "\n".join(f"- {name}: {_text(note)}" for name, note in told)
    if comparison and comparison.causes:
        yield _folded("What differs from before", _list(comparison.causes))
    made = [f"{name}: {value}" for name, value in content.made_from_rows(run)]
    yield _folded("What it was made from", _list(made))


def _figures(rows: Sequence[Row], comparison: Comparison | None) -> str:
    if not rows:
        return ""
    head = (*_HEAD, *_COMPARED) if comparison else _HEAD
    rule = ["---", *["---:"] * (len(head) - 1)]
    if comparison:
        rule[-1] = "---"
    return "\n".join(_row(cells) for cells in (head, rule, *(_cells(r, comparison) for r in rows)))


def _stayed(rows: Sequence[Row], comparison: Comparison | None) -> str:
    if not rows:
        return ""
    named = f"{', '.join(row.metric for row in rows)} ({count(len(rows), 'metric')})"
    return _folded(f"No difference: {named}", _figures(rows, comparison))


def _cells(row: Row, comparison: Comparison | None) -> Iterator[str]:
    yield from (escaped(row.metric), *wording.figure_cells(row.figure))
    if comparison:
        verdict = row.difference.verdict if row.difference else wording.NONE
        before = wording.share(row.before.value if row.before else None)
        yield from (before, wording.moved(row.difference), _strong(verdict))


def _strong(verdict: str) -> str:
    return f"**{verdict}**" if verdict in ("worse", "better") else verdict


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cases(comparison: Comparison, room: int) -> Iterator[str]:
    found = cases.changed(comparison)
    heading, more = f"### {cases.tally(found)}", "{:,} more changed cases are not shown here."
    yield heading
    room -= len(heading) + len(more) + 10
    mute = cases.wordless(comparison.before), cases.wordless(comparison.after)
    for place, changed in enumerate(found):
        told = _case(changed, mute)
        room -= len(told) + 2
        if room < 0:
            yield more.format(len(found) - place)
            return
        yield told


def _case(changed: Changed, mute: tuple[bool, bool]) -> str:
    """A case folded up; ``mute`` says of each of the two runs whether it keeps no words."""
    sample = cases.either(changed)
    kind = f" ({sample.kind})" if sample.kind else ""
    name = _brief(f"{cases.direction(changed)}: {sample.suite} {sample.case}{kind}", QUOTE)
    heading = f"{name}. {_brief(sample.subject, QUOTE)}"
    sides = changed.before, changed.after
    rows = [
        ("before", "after"),
        ("---", "---"),
        tuple(_outcome(side) for side in sides),
        tuple(map(_words, sides, mute)),
        tuple("<br>".join(map(_quote, side.quotes[:QUOTES])) if side else "" for side in sides),
        tuple(_faults(side) for side in sides),
    ]
    table = "\n".join(_row(cells) for cells in rows if any(cells))
    told = cases.moved(changed) or cases.raised(changed)
    return _folded(heading, "\n\n".join(filter(None, [_text(told), table])))


def _outcome(sample: Sample | None) -> str:
    if sample is None or not sample.outcome:
        return ""
    expected = f" ({_text(wording.plain(sample.expected))} expected)" if sample.expected else ""
    return f"*{_text(wording.plain(sample.outcome))}*{expected}"


def _words(sample: Sample | None, mute: bool) -> str:
    if sample is None:
        return f"*{cases.NOT_RUN}*"
    if mute:
        return f"*{cases.NO_WORDS}*"
    papers = ", ".join(sample.papers)
    return _text(sample.text, TEXT) if sample.text else _text(papers, TEXT)


def _quote(quote: Quote) -> str:
    return f"“{_text(quote.text)}” — {_text(quote.paper)}"


def _faults(sample: Sample | None) -> str:
    faults = [*filter(None, [sample.error]), *sample.faults] if sample else []
    return "<br>".join(f"✗ {_text(fault)}" for fault in faults[:QUOTES])


def _folded(summary: str, body: str) -> str:
    told = _unreferring(escape(shown(summary), quote=False))
    return f"<details><summary>{told}</summary>\n\n{body}\n\n</details>"


def _list(sentences: Sequence[str]) -> str:
    told = [f"- {_text(sentence)}" for sentence in sentences[:SENTENCES]]
    more = len(sentences) - SENTENCES
    return "\n".join([*told, *([f"- and {more:,} more"] if more > 0 else [])])


def _text(text: str, room: int = SENTENCE) -> str:
    """Text from outside, or its beginning, in which no character has a meaning of its own."""
    return _unreferring(escaped(_brief(text, room)))


def _brief(text: str, room: int) -> str:
    text = " ".join(text[: room * 4].split())
    return text if len(text) <= room else text[: room - 1].rstrip() + "…"


def _unreferring(text: str) -> str:
    """GitHub looks for names and numbers after all escapes are gone: a space that nobody sees
    keeps them apart from their sign."""
    return _REFERENCE.sub(r"\g<0>&#8203;", text)
