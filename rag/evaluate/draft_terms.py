"""Questions for what names mean: "We present X, a graph network that …" becomes "What is X?", and
"policy optimization (PO)" becomes "What does PO stand for?".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain, islice

from rag.digest.phrases import IDLE
from rag.engine.check.naming import MEANINGS
from rag.evaluate.draft import TAGS, Draft, Named
from rag.summarize.naming import named_first
from rag.summarize.openings import first_person, opened
from rag.summarize.plain import plain
from rag.summarize.verbs import OUTCOMES, base

TRIED = 3
"""Letters that one paper is asked about."""
_IS = re.compile(r"(?:is|are) (?:an?|the) (?P<what>.+)")
_PHRASE_END = re.compile(
    r"[.,;:()—–]|\s(?:that|which|who|whose|to|by|via|with|for|from|in|on|of|under|where|using|based|"
    r"designed|built|capable|consisting|comprising|containing|and)\b"
)
_DOES = re.compile(r"(?P<verb>[a-z]{2,}[^\Wius]s) (?P<what>.+)")
_OBJECT_END = re.compile(
    r"(?:[.,;:()—–]| (?:that|which|who|whose|to|by|how|where|using|based|taken|without|and|through|"
    r"as|so|such|when|while|is|are)\b).*"
    r"| (?:in|of|from|with|into|for|on|across|over|at|via|within|under|towards?) "
)
_QUALIFYING = re.compile(r"ed$|-")
"""A last word that a noun should come behind."""
_NO_OBJECT = re.compile(
    r"(?:this|these|those|that|it|them|us|both|all|no|not|well|from|on|to|in|as|at|by|for|into|up|"
    r"out|only|through|via|with|under|across|over|within|toward|towards|more|less|between|beyond|"
    r"among|better|best|competitive|strong|state)\b"
)
_SAYS_LITTLE = frozenset(
    "show demonstrate ha doe employ utilize use leverage comprise consist contain include adopt "
    "incorporate encompass depend rely become represent overcome keep preserve maintain enhance "
    "help suffer provide offer enjoy make introduce feature exhibit present propose operate give "
    "establish model consider have be need require formalize take bring support".split()
).union(OUTCOMES)
"""Verbs that say how well something works or what it is made of, not what it does."""
_ARTICLE = re.compile(r"^(?:an?|the|each|every|its|their|all|any) ")
_PRAISE = frozenset(
    "novel new simple yet effective efficient first general unified comprehensive principled "
    "powerful lightweight scalable flexible systematic large-scale practical versatile "
    "innovative".split()
)
MOST_WORDS = 4
"""Of what a system is said to be."""
_LETTERS = re.compile(r"\((?P<short>[A-Z][A-Za-z0-9-]{1,9})\)")
_WORD = re.compile(r"[^\s()]+")
_PART = re.compile(r"[^\W_]+")
_INTRODUCED = re.compile(
    r"\b(?:introduc|propos|present|develop|design|call|term|nam|defin|releas|construct)\w*\b", re.I
)
_SMALL = frozenset("a an and by for from in of on or the to via with".split())


def term_drafts(one: Named) -> Iterator[Draft]:
    """What the paper's system is or does, then what its letters stand for."""
    return chain(islice(chain(_system(one), _doing(one)), 1), _letters(one))


def _system(one: Named) -> Iterator[Draft]:
    """What a system is, where a sentence says so in the noun that is looked for."""
    for sentence, said in _of_system(one):
        found = _IS.match(said)
        what = _noun(found["what"]) if found else ""
        if what and what in sentence:
            why = f"the abstract says what {one.name} is"
            question = f"What is {one.name}?"
            facts = ((what,),)
            yield Draft(question, (one.paper.paper_id,), facts, "definition", sentence, why, TAGS)
            return


def _doing(one: Named) -> Iterator[Draft]:
    """What a system does, where a sentence begins with it: what it does that to is looked for."""
    for sentence, said in _of_system(one) if one.called == one.name else ():
        found = _DOES.match(said)
        if not found or base(found["verb"]) in _SAYS_LITTLE:
            continue
        nouns = [noun for noun in _objects(found["what"]) if noun in sentence]
        if len(" ".join(nouns).split()) > 1:
            why, facts = f"the abstract says what {one.name} does", tuple((noun,) for noun in nouns)
            question = f"What does {one.name} do?"
            yield Draft(question, (one.paper.paper_id,), facts, "definition", sentence, why, TAGS)


def _of_system(one: Named) -> Iterator[tuple[str, str]]:
    """Each sentence that is of the system, and what it says behind its name."""
    for sentence in one.sentences():
        lead = first_person([plain(sentence)])[0]
        said = named_first(opened(lead), lead)
        if said.startswith(f"{one.name} "):
            yield sentence, said.removeprefix(f"{one.name} ")


def _objects(what: str) -> Iterator[str]:
    """The nouns that a verb and the next preposition have, without articles and praise."""
    for place, part in enumerate(_OBJECT_END.split(what)[:2]):
        words = _ARTICLE.sub("", part).split()
        if _NO_OBJECT.match(part):
            return
        while words and words[-1].endswith("ly"):
            words.pop()
        while words and (words[0].lower() in _PRAISE or words[0].endswith("ly")):
            words.pop(0)
        telling = [word for word in words if word.lower() not in IDLE]
        whole = telling and len(words) <= MOST_WORDS and not _QUALIFYING.search(words[-1])
        if whole and not (place and words[0].endswith("ing")):
            yield " ".join(words)
        elif not place:
            return


def _noun(what: str) -> str:
    """The noun phrase that a definition begins with, without praise; "" if it says nothing that
    could not be said of any paper."""
    head, _, parts = what.partition(" of ")
    words = _PHRASE_END.split(head, maxsplit=1)[0].split()
    while words and (words[0].lower() in _PRAISE or words[0].endswith("ly")):
        words.pop(0)
    if len(words) == 1 and words[0] == head.split()[-1]:
        words += ["of", *_PHRASE_END.split(parts, maxsplit=1)[0].split()]
    telling = [word for word in words if word.lower() not in IDLE]
    whole = 2 <= len(words) <= MOST_WORDS and not words[-1].endswith(("ly", "ed", "of"))
    return " ".join(words) if telling and whole else ""


def _letters(one: Named) -> Iterator[Draft]:
    """What letters stand for, those first that the paper itself brings; letters that the whole
    field knows are no question to this paper."""
    firsts: dict[str, tuple[str, str]] = {}
    for sentence in one.sentences():
        for match in _LETTERS.finditer(sentence):
            spelled = spelled_out(sentence[: match.start()], match["short"])
            if spelled and match["short"].lower() not in MEANINGS:
                firsts.setdefault(match["short"], (spelled, sentence))
    own = sorted(firsts, key=lambda short: not _INTRODUCED.search(firsts[short][1]))
    for short in own[:TRIED]:
        spelled, sentence = firsts[short]
        place = "" if short == one.name or not one.called else f" in {one.called}"
        why = f"the abstract spells {short} out"
        question = f"What does {short} stand for{place}?"
        yield Draft(
            question, (one.paper.paper_id,), ((spelled,),), "definition", sentence, why, TAGS
        )


def spelled_out(before: str, short: str) -> str:
    """The words at the end of ``before`` whose first letters are those of ``short``, in order;
    small words count or not, and so do the parts of one with a hyphen. "" if there are none."""
    letters = [letter.lower() for letter in short if letter.isalnum()]
    words = list(_WORD.finditer(before))
    for begin in range(len(words) - 1, max(-1, len(words) - 2 * len(letters) - 1), -1):
        text = before[words[begin].start() :].strip()
        if _spells([word[0] for word in words[begin:]], letters):
            return text.strip("\"'“”‘’")
    return ""


def _spells(words: list[str], letters: list[str]) -> bool:
    """Whether words begin with just these letters."""
    parts = [part for word in words for part in _PART.findall(word.lower())]
    telling = [part for part in parts if part not in _SMALL]
    return any([part[0] for part in some] == letters for some in (parts, telling))
