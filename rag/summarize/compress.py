"""A sentence of an abstract becomes a line: shorter, self-standing, the system's name first.

Only deletes, moves a name to the front and exchanges words for introducing something: no number
and no name is changed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rag.corpus.sentences import sentence_spans
from rag.summarize import MAX_WORDS
from rag.summarize.cuts import cuts, trimmed
from rag.summarize.naming import is_bare, named_first, short_form
from rag.summarize.openings import capital, opened, unconditioned
from rag.summarize.plain import plain
from rag.summarize.pointing import detached, leans, unpointed
from rag.summarize.whole import is_whole

MIN_WORDS = 6
"""Words that a line has at least, "We" aside, where there is a choice."""
MAX_CHARS = 400
"""A guard for texts without spaces."""
ENOUGH = 16
"""Words from which on the end of a clause is preferred to a longer line."""

_HYPE = re.compile(r"\b(?:([Aa]n?) )(?:novel|new)(?:,| and| yet| but)? (?=(\w\S*))")
_HYPE_INSIDE = re.compile(
    r"(?<= )(?<!is )(?<!are )(?<!be )(?<!and )novel (?=(?!in\b|to\b|for\b|and\b|yet\b|but\b)[a-z])"
)
_VOWEL = re.compile(
    r"[aeio]|[AEIO](?=[a-z])|[uU](?!ni|s[aeiu]|ti|bi|[A-Z])|[AEFHILMNORSX](?=[A-Z\d-]|$)"
    r"|h(?:onest|our)|8|11\b|18\b"
)
_FILLERS = re.compile(
    r"\b(?:([Aa]n?) )?(?:effectively|efficiently|significantly|substantially|simply|simultaneously|"
    r"successfully|extensive|comprehensive|various|respectively) (?=([a-z]\S*))"
)
"""Words that a line can do without, where that saves a longer cut."""

_LEFT_OPEN = re.compile(r",? \(?(?:e\.g|i\.e|such as|including)[.,:]*$")


def lines(sentence: str, handle: str) -> Iterator[str]:
    """The lines that can be made of a sentence, the best first; none of a question."""
    if sentence.rstrip(" \"'”’)").endswith("?"):
        return
    bare = plain(short_form(sentence, handle))
    text = capital(detached(opened(bare)))
    if len(text.split()) > MAX_WORDS:
        text = unconditioned(text)
    named = named_first(text, bare)
    for variant in dict.fromkeys((without_hype(named), named, text)):
        yield from map(finished, shortened(variant, MAX_WORDS))
    if handle and (spelled := re.match(rf"{re.escape(handle)} \([^()]+\)(?= [a-z])", sentence)):
        yield from map(finished, shortened(spelled[0] + text.removeprefix(handle), MAX_WORDS))


def beginning(sentence: str) -> str:
    """The first words of a sentence, much as they stand there, whatever it is; empty if nothing
    of it can be read."""
    text = trimmed(unpointed(plain(sentence)), MAX_WORDS)[:MAX_CHARS]
    if not any(map(str.isalnum, text)):
        return ""
    start, end = sentence_spans(text)[0]
    return finished(text[start:end])


def is_sentence(line: str) -> bool:
    """Whether a line can be read and is one sentence."""
    return len(line) <= MAX_CHARS + 1 and len(sentence_spans(line)) == 1


def stands_alone(line: str) -> bool:
    """Whether a reader who knows no other sentence of the abstract can follow a line."""
    enough = len(line.removeprefix("We ").split()) >= MIN_WORDS and not is_bare(line.rstrip("."))
    return enough and is_whole(line) and not leans(line.rstrip("."))


def shortened(text: str, limit: int) -> Iterator[str]:
    """The text in at most ``limit`` words, or where it can be cut, the best place first: where a
    clause ends, or else the latest."""
    while len(text.split()) > limit and _FILLERS.search(text):
        text = _FILLERS.sub(_left, text, count=1)
    if len(text.split()) <= limit:
        yield text
        return
    found = [cut for cut in cuts(text) if MIN_WORDS <= cut.words <= limit]
    if not found or found[0].words < ENOUGH:
        found += [cut for cut in cuts(text, vague=True) if ENOUGH <= cut.words <= limit]
    clean = (cut for cut in found if cut.clean and cut.words >= ENOUGH)
    by_length = sorted(found, key=lambda cut: -cut.words)
    yield from dict.fromkeys(cut.text for cut in (*clean, *by_length))


def without_hype(text: str) -> str:
    """Without "novel", which every paper says; "a" and "an" follow what is then next."""
    return _HYPE_INSIDE.sub("", _HYPE.sub(_left, text))


def _left(found: re.Match[str]) -> str:
    """What is left of an article and a word: the article as the word behind wants it."""
    if not found[1]:
        return ""
    right = "an" if _VOWEL.match(found[2]) else "a"
    return f"{right.capitalize() if found[1][0] == 'A' else right} "


def finished(text: str) -> str:
    """A sentence: a capital and a full stop."""
    text = _LEFT_OPEN.sub("", text.strip()).rstrip(" .,;:–—-?!…。！？")
    first = text.split(" ", 1)[0]
    if first.islower() and re.fullmatch(r"[^\W\d_]+(?:[-,'’][a-z]+)*,?", first):
        text = text[:1].upper() + text[1:]
    return f"{text}."
