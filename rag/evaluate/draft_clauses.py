"""Questions for the figures of plain clauses, in any field: "mortality rose from 8 % to 19 %"
becomes "From what to what did mortality rise?".

Knows how English asks for a figure where it stands; not what is a result and what is none. A clause
that is built otherwise is not asked about.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from rag.evaluate import clause_forms as forms
from rag.evaluate.draft import TAGS, Draft, Facts, Named
from rag.evaluate.quantities import facts_of_count, facts_of_figure, quantities
from rag.retrieve.terms import terms
from rag.summarize.verbs import OUTCOMES, base, is_third, is_verb

MOST_WORDS = 24
"""Of a question, without the name of its paper."""
TELLING, LEAST = 6, 4
"""Stems of a question that does without the name of its paper, and of one that has to."""
_ASKING = frozenset(terms("how many how much from what to what"))
_OWN = frozenset(("it", "we", "our method", "our approach", "our model", "this method"))
_Read = tuple[re.Match[str], str]


class _Asked(NamedTuple):
    """A question without its mark, and what it asks for."""

    question: str
    facts: Facts


def clause_drafts(one: Named) -> Iterator[Draft]:
    """A question for each sentence that has a figure in a place that is known."""
    for sentence in one.sentences():
        every = (_asked(clause, one) for clause in _clauses(sentence))
        asked = next(filter(None, every), None)
        if asked:
            gold, why = (one.paper.paper_id,), f"the abstract gives {asked.facts[0][0]}"
            yield Draft(asked.question, gold, asked.facts, "number", sentence, why, TAGS)


def _clauses(sentence: str) -> Iterator[str]:
    """The clauses of a sentence that hold a figure, without what leads up to them; those with
    formulas are too intricate."""
    bare = forms.LEAD.sub("", sentence.rstrip(" ."))
    apart = bare.replace(" and ", ", and ")
    for piece in dict.fromkeys((*forms.PIECES.split(bare), *forms.PIECES.split(apart))):
        if forms.NUMBERED.search(piece) and not forms.INTRICATE.search(piece):
            yield piece


def _asked(clause: str, one: Named) -> _Asked | None:
    """The question that the first form which a clause has is put in; None if it cannot be."""
    asked = next(filter(None, (ask(clause, one) for ask in _WAYS)), None)
    question = _whole(asked.question, one) if asked and asked.facts else ""
    return asked._replace(question=question) if asked and question else None


def _whole(question: str, one: Named) -> str:
    """A question with the paper's name where it says too little without; "" if it cannot be put."""
    named = bool(one.called) and one.called in question
    bare = question.replace(one.called, "") if named else question
    if len(bare.split()) > MOST_WORDS or forms.VAGUE.search(bare):
        return ""
    stems = len(set(terms(question)) - _ASKING)
    if named or stems >= (TELLING if one.called else LEAST):
        return f"{question}?"
    return f"{question}, according to {_abstract(one)}?" if one.called else ""


def _abstract(one: Named) -> str:
    return one.called if one.called.startswith("the ") else f"the abstract of {one.called}"


def _has_name(one: Named) -> bool:
    """Whether what it is called is the name of a system or a title, not a guessed subject."""
    return bool(one.called) and not one.called.startswith("the work on ")


def _read(form: re.Pattern[str], clause: str, one: Named) -> _Read | None:
    """How a clause fills a form, and its subject as it stands in a question."""
    found = form.match(clause)
    subject = _subject(found["s"], one) if found else ""
    return (found, subject) if found and subject else None


def _subject(words: str, one: Named) -> str:
    """A subject inside a question; "" where it is none or cannot be understood by itself."""
    if words.lower() in _OWN:
        return one.called
    unclear = not one.called and re.fullmatch(r"[Tt]he \w+", words)
    if unclear or forms.NO_SUBJECT.match(words) or forms.VAGUE.search(words):
        return ""
    first = words.split()[0]
    within = re.search(rf"[a-z,] {re.escape(first)}\b", one.paper.text)  # so it is a name
    ordinary = first in ("A", "An", "The") or not (within or first == one.called)
    return words[0].lower() + words[1:] if first.istitle() and ordinary else words


def _changed(clause: str, one: Named) -> _Asked | None:
    """… rose from 8 % to 19 %, … fell by 72 % …"""
    for form, asks in ((forms.FROM_TO, "From what to what"), (forms.BY, "By how much")):
        if read := _read(form, clause, one):
            found, subject = read
            does, verb = forms.CHANGE[found["v"]]
            if not re.search(r"\d| and ", found["o"]):
                question = f"{asks} {does} {subject} {verb}{found['o']}{_after(found)}"
                return _Asked(question, _facts(found))
    return None


def _was_changed(clause: str, one: Named) -> _Asked | None:
    """… was delayed by three days …"""
    if not (read := _read(forms.PASSIVE_BY, clause, one)):
        return None
    found, subject = read
    return _Asked(
        f"By how much {found['aux']} {subject} {found['v']}{_after(found)}", _facts(found)
    )


def _has_more(clause: str, one: Named) -> _Asked | None:
    """… had 26 % more of something."""
    if not (read := _read(forms.HAS_MORE, clause, one)):
        return None
    found, subject = read
    does = {"had": "did", "has": "does", "have": "do"}[found["v"]]
    much = f"How much {found['more']} {found['o']}".partition(" and ")[0]
    return _Asked(f"{much} {does} {subject} have", _facts(found))


def _many_do(clause: str, one: Named) -> _Asked | None:
    """26 eels were tagged …"""
    found = forms.MANY_DO.match(clause)
    if found and not forms.TIMES.search(found["things"]):
        return _counted(found, f"{found['things']} {found['rest']}")
    return None


def _we_do(clause: str, one: Named) -> _Asked | None:
    """We tagged 26 eels …"""
    found = forms.WE_DO.match(clause)
    seen = forms.participle(found["v"]) if found else ""
    if not (found and seen):
        return None
    return _counted(found, f"{_things(found)} were {seen}{_after(found)}")


def _does(clause: str, one: Named) -> _Asked | None:
    """The field covers 26 hectares …, the mutants housed six species …"""
    if not (read := _read(forms.DOES, clause, one)):
        return None
    found, subject = read
    verb, things = found["v"], _things(found)
    if is_third(verb) or (verb.endswith("s") and subject == one.called):
        return _counted(found, f"{things}{_after(found)} does {subject} {base(verb)}")
    seen = "" if is_verb(verb) else forms.participle(verb)
    return _counted(found, f"{things} were {seen} by {subject}{_after(found)}") if seen else None


def _does_in(clause: str, one: Named) -> _Asked | None:
    """… separates them with 94 % purity, … in 88 % of cases, … on 62 sites."""
    if not (read := _read(forms.DOES_IN, clause, one)):
        return None
    found, subject = read
    known = is_third(found["v"]) or (found["v"].endswith("s") and subject == one.called)
    words = found["o"].split()
    another = is_verb(words[0]) or any(map(is_third, words)) or forms.LOOSE.search(found["o"])
    if not known or another or (found["count"] and found["p"] == "with"):
        return None
    place, does = found["p"].capitalize(), f"does {subject} {base(found['v'])}{found['o']}"
    if found["count"]:
        return _counted(found, f"{found['things']}{_behind(found)} {does}", f"{place} how many")
    share = "share " if found["noun"].startswith("of ") else ""
    return _Asked(f"{place} what {share}{found['noun']}{_behind(found)} {does}", _facts(found))


def _is(clause: str, one: Named) -> _Asked | None:
    """Their speed was 6.8 km a day."""
    read = _read(forms.IS, re.sub(r"^(?:Its|Their|its|their) ", "the ", clause), one)
    return _Asked(f"What {read[0]['aux']} {read[1]}", _facts(read[0])) if read else None


def _share(clause: str, one: Named) -> _Asked | None:
    """… accounts for 35 % of something."""
    if not (read := _read(forms.SHARE, clause, one)):
        return None
    found, subject = read
    does = f"{'does' if found['third'] else 'do'} {subject} {found['v']}{found['p'] or ''}"
    return _Asked(f"What share{_behind(found)} {does}", _facts(found))


def _amount(clause: str, one: Named) -> _Asked | None:
    """… at a depth of 4,100 m."""
    found = forms.AMOUNT.search(clause) if _has_name(one) else None
    return (
        _Asked(f"What {found['noun']} does {_abstract(one)} report", _facts(found))
        if found
        else None
    )


def _mentioned(clause: str, one: Named) -> _Asked | None:
    """What is counted anywhere else, if the abstract counts such things but once."""
    found = forms.MENTION.search(clause) if _has_name(one) else None
    if not found or forms.TIMES.search(found["things"]):
        return None
    noun = found["things"].rpartition(" ")[2]
    counts = re.findall(rf"\b(?:{forms.COUNT})(?: [\w-]+){{0,3}} {noun}\b", one.paper.text)
    told = (clause[: found.start("count")], found["count"])
    if len(counts) > 1 or base(noun) in OUTCOMES or any(map(forms.NOT_TOLD.search, told)):
        return None
    return _counted(found, f"{found['things']}{found['rest']} does {_abstract(one)} mention")


def _counted(found: re.Match[str], what: str, asks: str = "How many") -> _Asked:
    return _Asked(f"{asks} {what}", facts_of_count(found["count"], found["things"]))


def _things(found: re.Match[str]) -> str:
    """What is counted, with the "of" behind it."""
    return found["things"] + (_behind(found) if found["rest"].startswith(" of ") else "")


def _facts(found: re.Match[str]) -> Facts:
    return facts_of_figure(found["fig"]) or tuple(quantities(found["fig"]))


def _after(found: re.Match[str]) -> str:
    """What a question goes on with: not what the figure is a part of."""
    return "" if found["rest"].startswith(" of ") else _behind(found)


def _behind(found: re.Match[str]) -> str:
    """What comes behind a figure, as far as it is one thing and has no figure of its own."""
    cut = forms.TAIL.search(found["rest"])
    rest = found["rest"][: cut.start()] if cut else found["rest"]
    whole = forms.LOOSE.sub("", rest)
    if cut and cut["joint"] and whole == rest:
        whole = forms.unhalved(whole, found["rest"][cut.end("joint") :])
    return "" if forms.NUMBERED.search(whole) else whole


_WAYS: tuple[Callable[[str, Named], _Asked | None], ...] = (
    _changed,
    _was_changed,
    _has_more,
    _many_do,
    _we_do,
    _does,
    _does_in,
    _is,
    _share,
    _amount,
    _mentioned,
)
"""Ways to ask, the most natural first."""
