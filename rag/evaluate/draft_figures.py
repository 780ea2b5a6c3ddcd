"""Questions for the figures that abstracts give: "reduces the error by 38 %" becomes "By how much
does X reduce the error?".

Knows a few ways in which a claim is put; one that is put otherwise is not asked about.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from rag.digest.findings import A_PAPER, findings
from rag.evaluate.clause_forms import CHANGING, unhalved
from rag.evaluate.draft import TAGS, Draft, Named
from rag.evaluate.draft_clauses import clause_drafts
from rag.evaluate.quantities import facts_of_figure
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
    r"(?:,(?!\d)|[;:(—]|\s(?:(?P<joint>and)|while|whereas|but|which|along|compared|relative|versus|vs\.?|over|"
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
    """What a paper found comes first, the most telling figure of it at the top; then figures of
    other sentences, of neither more than three."""
    asked = set()
    for draft in _of_findings(one):
        asked.add(draft.quote)
        yield draft
    others = (draft for draft in clause_drafts(one) if draft.quote not in asked)
    yield from islice(others, A_PAPER)


def _of_findings(one: Named) -> Iterator[Draft]:
    entry = Entry(1, one.paper, "", (), True, 1.0)
    for finding in findings([entry], {one.paper.paper_id: one.spans}):
        question = _question(finding, one) if one.called else ""
        facts = facts_of_figure(finding.figure)
        if question and facts:
            quote = finding.citation.quote
            why = f"the abstract gives {finding.figure}"
            yield Draft(question, (one.paper.paper_id,), facts, "number", quote, why, TAGS)


def _question(finding: Finding, one: Named) -> str:
    """What asks for a finding's figure; "" where its claim is put in none of the known ways."""
    before, _, after = finding.claim.partition(finding.figure)
    after = _own(after).rstrip(" .")
    for subject, said in _clauses(_REPORTED.sub("", before), one):
        found = _VERB.match(said)
        verb = _plain_form(found["verb"], bare=not subject) if found else None
        if found and verb and ":" not in said and not _SCALE.match(after):
            thing = _unhedged(said[found.end() :].strip())
            changed = verb in CHANGING or not thing.endswith(" by")
            asked = _asked(thing, finding.figure, after) if changed else ""
            whole = asked.replace(_DOES, f"does {subject or one.called} {verb}")
            return f"{whole}?" if 0 < len(asked.split()) <= MOST_WORDS else ""
    return ""


def _own(after: str) -> str:
    """What comes behind a figure, as far as it is about the same thing."""
    cut = _FURTHER.search(after)
    if not cut:
        return after
    before = after[: cut.start()]
    return unhalved(before, after[cut.end("joint") :]) if cut["joint"] else before


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


_SCALE = re.compile(r"\s?(?:thousand|million|billion|trillion)\b")
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
