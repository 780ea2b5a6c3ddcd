"""Questions for what names mean: "We present X, a graph network that …" becomes "What is X?", and
"policy optimization (PO)" becomes "What does PO stand for?".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

from rag.digest.phrases import IDLE
from rag.engine.check.naming import MEANINGS
from rag.evaluate.draft import TAGS, Draft, Named
from rag.summarize.naming import named_first
from rag.summarize.openings import first_person, opened
from rag.summarize.plain import plain

TRIED = 3
"""Letters that one paper is asked about."""
_IS = re.compile(r"(?:is|are) (?:an?|the) (?P<what>.+)")
_PHRASE_END = re.compile(
    r"[.,;:()—–]|\s(?:that|which|who|whose|to|by|via|with|for|from|in|on|of|under|where|using|based|"
    r"designed|built|capable|consisting|comprising|containing|and)\b"
)
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
    """What the paper's system is, then what its letters stand for."""
    return chain(_system(one), _letters(one))


def _system(one: Named) -> Iterator[Draft]:
    """What a system is, where a sentence says so in the noun that is looked for."""
    for sentence in one.sentences():
        lead = first_person([plain(sentence)])[0]
        said = named_first(opened(lead), lead)
        found = _IS.match(said.removeprefix(f"{one.name} ")) if said.startswith(one.name) else None
        what = _noun(found["what"]) if found else ""
        if what and what in sentence:
            why = f"the abstract says what {one.name} is"
            question = f"What is {one.name}?"
            facts = ((what,),)
            yield Draft(question, (one.paper.paper_id,), facts, "definition", sentence, why, TAGS)
            return


def _noun(what: str) -> str:
    """The noun phrase that a definition begins with, without praise; "" if it says nothing that
    could not be said of any paper."""
    words = _PHRASE_END.split(what, maxsplit=1)[0].split()
    while words and (words[0].lower() in _PRAISE or words[0].endswith("ly")):
        words.pop(0)
    telling = [word for word in words if word.lower() not in IDLE]
    whole = 2 <= len(words) <= MOST_WORDS and not words[-1].endswith(("ly", "ed"))
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
        place = "" if short == one.name else f" in {one.called}"
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
