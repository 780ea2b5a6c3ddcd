"""Whether a line is whole: nothing left open at its end, in its brackets or in its grammar.

Knows marks, small words and the verbs that abstracts use, not their meaning: a whole line may be
refused, and another one is then taken.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from rag.summarize.verbs import is_third, is_verb

_ENDS = frozenset(
    "a an the this these those that its their our in on at by for with from to as into via than "
    "and or but nor if when while where which who whose whether of between because since is are "
    "was were be been has have not e.g i.e namely including like such toward towards through "
    "upon per using lack lacks vs et how why what based aims seeks enabling allowing "
    "enables allows rely relies consists consisting just only specifically particularly".split()
)
"""Words that leave a line open when they are its last."""
_PAIRS = (("(", ")"), ("[", "]"), ("“", "”"))
_STRAY = re.compile(r"[{}\\\x00-\x1f\x7f]|\]\(|<\w[^<>]*$|\be\.g\.?$|\[\d*;?\d*m\b")
_QUOTE_OPENS = re.compile(r"(?<!\w)'(?=\w)")
_QUOTE_CLOSES = re.compile(r"(?<=\w)'(?!\w)")
_CUT_OFF = re.compile(
    r"\bnot (?:just|only|merely|simply)$|, an? [a-z]+$"
    r"|\bbetween (?:an?|the|one)\b(?!.*\band\b)"
    r"|\b(?:two|three|four|five|six|key|core|main|consisting of|of|following)(?: [\w-]+){0,4}: "
    r"(?!.*\b(?:and|or|while)\b)[^;]*$"
)
"""The first half of what has two, or the first item of a list announced."""
_PASSIVE = re.compile(r"\b\w+ed (?:on|in|with|for|from|to|by|upon|at|of)$")
"""An end as in "data that models are trained on"."""
_CLAUSE = re.compile(
    r"(?<!\bin )(?<!\bof )(?<!inside )(?<!\bfor )(?<!\bfrom )(?<!\bwith )(?<!\bon )(?<!\bby )"
    r"\b(?:that|which|who|where|wherein|whereby|whose|whether|because|although|whereas)\b"
    r"(?! (?:to|of|is,)\b)"
)
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*|[,;:–—]")
_NAMED_VERB = re.compile(r"\S*[A-Z]\S* (?:\w+ly )?[a-z]+[^su\W]s\b")
"""A name and what it does, whatever the verb."""
_AUXILIARY = frozenset(
    "is are was were has have had do does did can could will would may might must should cannot "
    "isn't aren't doesn't don't".split()
)
_PAST = frozenset("found led held made became began shown gave took went came let".split())
_BEFORE_NOUNS = frozenset(
    "a an the this these those its their our his her each every any no some of in on at by for "
    "with from into via to under over between more most less new such both".split()
)
_BEFORE_PLAIN = frozenset(
    "we they that which who and not people often also still always never only long , ".split(" ")
)
"""What may stand before the plain form of a verb; a sentence may begin with it."""
_OBJECTS = frozenset("the a an its their how whether it them into".split())
"""What follows a verb and hardly ever a noun in the plural."""
_AFTER_PARTICIPLES = frozenset("by from in on with using to for at as via through of under".split())


def is_whole(line: str) -> bool:
    """Whether a sentence lacks neither an end, a mark, a verb nor the other half of a pair."""
    text = line.rstrip(".")
    if _STRAY.search(text) or not _balanced(text) or _CUT_OFF.search(text):
        return False
    last = text.rsplit(" ", 1)[-1].lower().strip("\"'“”‘’,;:.()[]")
    return (last not in _ENDS or _PASSIVE.search(text) is not None) and _has_verbs(text)


def _balanced(text: str) -> bool:
    """Whether every bracket and quotation mark that opens also closes, and the other way round."""
    if text.count('"') % 2 or text.count("‘") > text.count("’"):
        return False
    if len(_QUOTE_OPENS.findall(text)) > len(_QUOTE_CLOSES.findall(text)):
        return False
    for opening, closing in _PAIRS:
        depth = 0
        for character in text:
            depth += (character == opening) - (character == closing)
            if depth < 0:
                return False
        if depth:
            return False
    return True


def _has_verbs(text: str) -> bool:
    """Whether there may be a verb for the sentence, for each clause in it and for the last one."""
    words = _WORD.findall(text)
    clauses = [*_CLAUSE.finditer(text)]
    last = _WORD.findall(text[clauses[-1].start() :]) if clauses else words
    found = _verbs(words) + bool(_NAMED_VERB.match(text))
    return found > len(clauses) and (not clauses or _verbs(last) > 0)


def _verbs(words: Sequence[str]) -> int:
    around = zip(["", *words], words, [*words[1:], ""], strict=False)
    return sum(_is_verb(before.lower(), word, after) for before, word, after in around)


def _is_verb(before: str, word: str, after: str) -> bool:
    """Whether a word may be a finite verb where it stands."""
    if word in _AUXILIARY or word in _PAST or "'" in word and word.endswith("n't"):
        return True
    if before in _BEFORE_NOUNS:
        return False
    if is_third(word) or (before == "we" and not word.endswith("ly")):
        return True
    if word.endswith("s") and not word.endswith("ss"):
        if after in ("of", "are", "have", "in", "that"):
            return False
        return before in ("that", "which", "who") or before.endswith("ly") or after in _OBJECTS
    if word.endswith("ed"):
        return after not in _AFTER_PARTICIPLES or before in ("we", "they")
    plural = before in _BEFORE_PLAIN
    return is_verb(word) and (plural or before.endswith(("s", "ly")))
