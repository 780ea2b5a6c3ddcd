"""Questions for the figures that abstracts give: "reduces the error by 38 %" becomes "By how much
does X reduce the error?".

Knows a few ways in which a claim is put; one that is put otherwise is not asked about.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rag.digest.findings import findings
from rag.evaluate.draft import TAGS, Draft, Named
from rag.summarize.verbs import OUTCOMES, base, base_of_ing, is_third, is_verb
from rag.types import Entry, Finding

MOST_WORDS = 16
"""Of what stands in a question besides the name."""
_HEDGE = re.compile(
    r"(?:^|\s)(?:up to(?: an?)?|(?:more|less|fewer|greater) than|at (?:least|most)|no more than|as "
    r"(?:much|many|little|few|low|high) as|over|under|nearly|almost|about|around|below|above|only|"
    r"just|merely|approximately|roughly|an?|the|total|average|[~∼≈<>≤≥+])\s*$",
    re.I,
)
"""What stands right before a figure and is no part of what is asked for."""
_REPORTED = re.compile(r"^.*\b(?:that|where) (?=\S)")
_OURS = re.compile(
    r"(?:we|it|(?:our|this|the(?: proposed)?)(?: [\w-]+){0,3}? (?:method|model|framework|approach|"
    r"algorithm|system|baseline|technique|architecture|pipeline|dataset|benchmark))\s+",
    re.I,
)
_OTHER = re.compile(r"(?P<name>(?=\S*[A-Z]\S*[A-Z])[\w.-]+(?<!s)) (?=[a-z])")
"""Another system, by its name."""
_HOLDING = re.compile(r"(?:compris|contain|consist|includ|cover|spann)ing$")
_VERB = re.compile(r"(?:(?:also|further|even|only|\w+ly) )?(?P<verb>[a-z-]+)(?=\s|$)")
_FURTHER = re.compile(
    r"(?:,(?!\d)|[;:(—]|\s(?:and|while|whereas|but|which|along|compared|relative|versus|vs\.?|over|"
    r"than|without|respectively)\b).*$"
)
"""Where what comes behind a figure goes on to something else."""
_MEASURED = re.compile(r"(?:an?|the|its) (?P<what>[^,]{3,60}?) of")
_NOUN = re.compile(r"(?!(?:of|on|in|for|with|to|at|by|from|across|under|when|as)\b)[\w-]")
_COMPARED = re.compile(r" (?:\w+er|less|more|better|worse)\b")
_COUNTED = re.compile(
    r"[^a-z]*?\d\S*(?: (?:million|billion|trillion|thousand))? (?P<things>[a-z].*)"
)


def figure_drafts(one: Named) -> Iterator[Draft]:
    """Of a paper at most three, the most telling figure first."""
    entry = Entry(1, one.paper, "", (), True, 1.0)
    for finding in findings([entry], {one.paper.paper_id: one.spans}):
        question = _question(finding, one)
        facts = facts_of_figure(finding.figure)
        if question and facts:
            quote = finding.citation.quote
            why = f"the abstract gives {finding.figure}"
            yield Draft(question, (one.paper.paper_id,), facts, "number", quote, why, TAGS)


def _question(finding: Finding, one: Named) -> str:
    """What asks for a finding's figure; "" where its claim is put in none of the known ways."""
    before, _, after = finding.claim.partition(finding.figure)
    after = _FURTHER.sub("", after).rstrip(" .")
    for subject, said in _clauses(_REPORTED.sub("", before), one):
        found = _VERB.match(said)
        verb = _plain_form(found["verb"], bare=not subject) if found else None
        if found and verb and ":" not in said:
            asked = _asked(_unhedged(said[found.end() :].strip()), finding.figure, after)
            whole = asked.replace(_DOES, f"does {subject or one.called} {verb}")
            return f"{whole}?" if 0 < len(asked.split()) <= MOST_WORDS else ""
    return ""


def _clauses(said: str, one: Named) -> Iterator[tuple[str, str]]:
    """Ways to read what comes before a figure: who does it, and the clause from the verb on. The
    subject is "" where none stands there: it is the paper's own thing then, too."""
    if f"{one.name} " in said:
        yield one.called, said.rpartition(f"{one.name} ")[2]
    if own := _OURS.match(said):
        yield one.called, said[own.end() :]
    if other := _OTHER.match(said):
        yield other["name"], said[other.end() :]
    yield "", said


_DOES = "\0"


def _asked(thing: str, figure: str, after: str) -> str:
    """The question with a mark where its subject and verb belong. ``thing`` stands between the
    verb and the figure."""
    counted = _COUNTED.fullmatch(figure)
    if figure.startswith("from "):
        return f"From what to what {_DOES} {thing}{after}" if thing else ""
    if thing.endswith(" by"):
        return f"By how much {_DOES} {thing.removesuffix(' by')}{after}"
    if thing.endswith(" to"):
        return f"To what {_DOES} {thing.removesuffix(' to')}{after}"
    if counted and thing.rpartition(" ")[2] in ("", "of"):
        return f"How many {counted['things']}{after} {_DOES}"
    if measured := _MEASURED.fullmatch(thing):
        return f"What {measured['what']} {_DOES}{after}"
    if thing:
        return ""
    if _COMPARED.match(after):
        return f"How much{after} {_DOES}"
    if figure.endswith(("%", "percent")) and after.startswith(" of "):
        return f"What share{after} {_DOES}"
    return f"What{after} {_DOES}" if _NOUN.match(after.strip()) else ""


def _unhedged(thing: str) -> str:
    while _HEDGE.search(thing):
        thing = _HEDGE.sub("", thing)
    return thing.strip()


def _plain_form(verb: str, *, bare: bool) -> str | None:
    """reduces, reducing, reduced, reduce → reduce; None for what is no verb that is known, or may
    be none where it stands ``bare``, without a subject."""
    if is_third(verb) or base(verb) in OUTCOMES:
        return base(verb)
    if verb.endswith("ing"):
        return "comprise" if _HOLDING.match(verb) else base_of_ing(verb)
    if bare:
        return None
    shorter = (verb, verb.removesuffix("d"), verb.removesuffix("ed"))
    return next((form for form in shorter if is_verb(form)), None)


_QUANTITY = re.compile(
    r"(?:[+\-−–]\s?)?(?P<number>(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?|\.\d+)"
    r"(?P<unit>\s?(?:%|percent(?:age)?(?:[\s-]points?)?|per cent|[x×](?![^\W_])|[\s-]?fold\b|"
    r"times\b|points?\b|pp\b|[KkMBT](?![^\W_])|million\b|billion\b|trillion\b|thousand\b|"
    r"(?:ms|milliseconds?|seconds?|minutes?|hours?|GB|MB|KB|TB|Hz|kHz|MHz|mm|cm|km|kg|dB|FPS|fps)\b))?"
)
_ALIKE = {
    "%": ("%", " percent"),
    "x": ("×", "x", " times", "-fold"),
}


def facts_of_figure(figure: str) -> tuple[tuple[str, ...], ...]:
    """A figure as facts of a case: each quantity in it with its unit, in the ways that units are
    written, the way of ``figure`` first. A range lends its unit to both ends."""
    found = list(_QUANTITY.finditer(figure))
    units = [match["unit"] or "" for match in found]
    last = next(filter(None, reversed(units)), "")
    facts = (_written(m["number"], u or last) for m, u in zip(found, units, strict=True))
    return tuple(dict.fromkeys(facts))


def _written(number: str, unit: str) -> tuple[str, ...]:
    """Ways to write a quantity; the way it stands comes first."""
    bare = unit.strip(" -")
    family = "%" if bare[:1] == "%" or bare.startswith(("percent", "per ")) else ""
    family = "x" if bare in ("x", "×", "fold", "times") else family
    ways = [f"{number}{unit}", *(f"{number}{other}" for other in _ALIKE.get(family, ()))]
    if "," in number:
        ways.append(f"{number.replace(',', '')}{unit}")
    return tuple(dict.fromkeys(ways))
