"""A run and its comparison as JUnit XML, for what shows test results beside a change.

What reads this turns a build red for any <failure>. So only what shuts the gate is one: a metric,
the cases that got worse in it, or what the gate could not compare. A case that got worse or raised
something though the gate tolerates it is <skipped> with the reason, for it to be seen; one that is
merely as wrong as before has passed, its faults in <system-out>. Red here and a shut gate are thus
always the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from rag.evaluate import wording
from rag.evaluate.types import Changed, Comparison, Failure, Run, Sample, SuiteName
from rag.publish.content import shown
from rag.publish.evals import cases, content
from rag.publish.evals.content import Row
from rag.publish.evals.headline import headline

_MESSAGE = 2_000
"""Characters of a message at most."""


def junit(run: Run, comparison: Comparison | None, failures: Sequence[Failure] = ()) -> str:
    """A test suite for each suite: its metrics that gate, then its samples. What the gate says of
    no suite's metric stands in a suite of its own. ``failures`` are those of a run that is
    compared with nothing."""
    root = Element("testsuites", name="rag eval")
    rows = content.rows(run, comparison)
    shut = content.held_against(comparison, failures)
    left = list(shut)
    changes = {_key(cases.either(c)): c for c in comparison.changed} if comparison else {}
    for suite in rows:
        found = SubElement(root, "testsuite", name=suite)
        for row in rows[suite]:
            own = [f for f in left if (f.suite, f.metric) == (suite, row.metric)]
            left = [f for f in left if f not in own]
            _metric(found, suite, row, own)
        held = _held(suite, shut)
        for sample in content.samples(run, suite):
            _sample(found, sample, changes.get(_key(sample)), held)
    _gate(SubElement(root, "testsuite", name="gate"), left, headline(run, comparison, shut))
    for element in [*root, root]:
        _count(element)
    indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(root, encoding="unicode")}\n'


def _held(suite: str, shut: Sequence[Failure]) -> set[str]:
    """The metrics of a suite that the gate is shut because of."""
    return {
        "completed" if failure.kind == "all-errors" else failure.metric
        for failure in shut
        if failure.suite == suite
    }


def _key(sample: Sample) -> tuple[SuiteName, str]:
    return sample.suite, sample.case


def _metric(parent: Element, suite: str, row: Row, failures: Sequence[Failure]) -> None:
    if not failures and not (row.difference and row.difference.gates):
        return
    test = _test(parent, f"{suite}.metrics", row.metric)
    for failure in failures:
        _say(test, "failure", failure.text, failure.kind)
    figure = wording.share(row.figure.value if row.figure else None)
    _write(test, f"{figure}, change {wording.moved(row.difference)}")


def _sample(parent: Element, sample: Sample, changed: Changed | None, held: set[str]) -> None:
    repeat = f" #{sample.repeat + 1}" if sample.repeat else ""
    test = _test(parent, f"{sample.suite}.{sample.kind or 'cases'}", f"{sample.case}{repeat}")
    test.set("time", f"{sample.ms / 1000:.3f}")
    lost = _lost(changed) if changed else set()
    if sample.error:
        _say(test, _tag(lost, held), f"raised: {sample.error}")
    elif changed and lost and sample.repeat == cases.either(changed).repeat:
        _say(test, _tag(lost, held), cases.moved(changed))
    if sample.faults:
        _write(test, "\n".join(sample.faults))


def _tag(lost: set[str], held: set[str]) -> str:
    return "failure" if lost & held else "skipped"


def _lost(changed: Changed) -> set[str]:
    """The metrics in which a case got worse. A new or rewritten one that raises is not compared
    with what it was, and ought to have completed all the same."""
    before, after = changed.before, changed.after
    raises = after and after.error and not (before and before.error)
    return {*changed.worse, *(["completed"] if raises else [])}


def _gate(parent: Element, left: Sequence[Failure], told: str) -> None:
    """What was not told beside a metric, or else the headline, of a test that passed."""
    for failure in left:
        name = " ".join(filter(None, [failure.kind, failure.suite, failure.metric]))
        _say(_test(parent, "gate", name), "failure", failure.text, failure.kind)
    if not left:
        _write(_test(parent, "gate", "verdict"), told)


def _test(parent: Element, classname: str, name: str) -> Element:
    return SubElement(parent, "testcase", classname=shown(classname), name=shown(name))


def _say(test: Element, tag: str, message: str, kind: str = "") -> None:
    told = SubElement(test, tag, message=shown(message[:_MESSAGE]))
    if kind:
        told.set("type", shown(kind))


def _write(test: Element, text: str) -> None:
    """What a test printed. A line keeps no character that XML does not know."""
    lines = text[:_MESSAGE].split("\n")
    SubElement(test, "system-out").text = "\n".join(map(shown, lines))


def _count(element: Element) -> None:
    tests = list(element.iter("testcase"))
    element.set("tests", str(len(tests)))
    for name, tag in (("failures", "failure"), ("skipped", "skipped")):
        element.set(name, str(sum(test.find(tag) is not None for test in tests)))
    element.set("errors", "0")
    element.set("time", f"{sum(float(test.get('time', '0')) for test in tests):.3f}")
