"""Whether a statement denies what its quotes affirm, or the reverse.

A rule of thumb on the wording: where one side has a "not" between two words, the other has to
have something like it between the same two. Knows no grammar, and of the many words that deny
only those in its lists.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from rag.engine.check.reading import AUTHORS, REMEMBERED, Reading, Word

NEAR = 7
"""Words that a denial is sought within of what it may deny."""
HINTS_NEAR = 4
"""The same for a mere hint, such as "only"."""
DOUBLE = 4
"""Words within which two denials cancel: "cannot do without"."""

MOST = 50
"""Denials of a text that are looked at."""

_DENYING = re.compile(
    r"not|no|never|without|neither|nor|none|nothing|nobody|hardly|seldom|untrue|lack(?:s|ed|ing)?|unable"
)
_PLAIN = re.compile(r"not|never")
"""What has to be answered. "Without" may retell any verb: "sidesteps", "spares"."""
_FAILING = re.compile(r"fail(?:s|ed|ing|ures?)? to\b")
_HARMLESS = re.compile(r"not (?:only|just|merely|necessarily|solely|simply|limited to)|no longer")
"""What behind a "not" leaves the rest of the sentence standing."""
_TIED = re.compile(r"not|no|never|without|little|few|none|neither|fail\w*|lack\w*|unable")
"""What denies the word beside it, also from behind: "needs no labels"."""
_HINTING = re.compile(
    r"""
      un(?!i|der|til|less|cover|lock|fold|veil)\w{4,} | non\w* | mis\w{4,} | \w{3,}less(?:ly)?
    | under(?:explor|stud|perform|util|repres|develop|estimat|specif)\w*
    | in(?:abil|accur|adequ|applic|coher|compat|compl|consist|correct|depend|direct|disting|effect
        |effic|feas|flex|secur|sens|stab|suffic|tract|valid|variant|vis)\w*
    | im(?:balanc|perfect|possib|practic|precis)\w* | ir(?:regul|relev|respect)\w*
    | ill | illegal\w* | dis(?:able|agree|card|regard)\w*
    | (?:absen|avoid|blind|bypass|challeng|circumvent|confin|contra|deficien|degrad|difficult
        |differ|drop|eliminat|exclud|fail|hard|hinder|ignor|limit|mere|miss|neglect|obscur|obviat|overlook
        |poor|preclud|prevent|prohibit|rare|refus|reject|remov|replac|restrict|scarc|sidestep|skip
        |struggl|suffer)\w*
    | agnostic | alone | beyond | cannot | costly | despite | expensive | falls? | few | fixed
    | free | frozen | gaps? | inferior | instead | largely | less | little | loses? | losing | loss
    | lost | only | open | prone | quadratic | rather | regardless | too | unlike | zero
    """,
    re.VERBOSE,
)
"""What a "not" may retell: "insufficient", "rather than", "rarely", "free"."""
_LOSS = re.compile(
    r"(?:abandon|alter|chang|compromis|forgo|giv|harm|hurt|los|sacrific|troubl)\w*|problems?|effort"
)
"""What denied is an affirmation: "without giving up"."""
_ADVERSE = re.compile(
    r"challeng\w+|costly|difficult|expensive|hard|limited|open|poor|prone|rare|scarce|suffer\w*"
    r"|under(?:developed|explored|studied)|unsolved"
)
"""What denied is good news, and no way to retell bad news."""
_EMPTY = re.compile(
    r"requir(?:e|es|ing)|using|needs?|needing|leveraging|relying|additional|further|\w+ly|still|yet"
    r"|even|always|quite|well"
)
"""Words that are passed over: "without using labels" denies labels."""
_PREFIX = re.compile(r"anti|de|dis|il|im|in|ir|non|under|un")


@dataclass(frozen=True, slots=True)
class Denial:
    """A denying word with the words of content before and behind it, the nearest first."""

    index: int
    before: tuple[Word, ...]
    behind: tuple[Word, ...]


@lru_cache(maxsize=REMEMBERED)
def denials(reading: Reading) -> tuple[Denial, ...]:
    """The denials of a text, without those that leave it standing or cancel each other."""
    words, lower = reading.words, reading.text.lower()
    places = [
        index
        for index, word in enumerate(words)
        if (_DENYING.fullmatch(word.low) or _FAILING.match(lower, word.start))
        and reading.text[word.start - 1 : word.start] != '"'
        and not _HARMLESS.match(lower, word.start)
    ][:MOST]
    return tuple(
        _denial(words, index)
        for index in places
        if not any(_cancel(words[index], words[other]) for other in places)
    )


def _denial(words: Sequence[Word], index: int) -> Denial:
    before = reversed(words[max(0, index - NEAR) : index])
    behind = words[index + 1 : index + 1 + NEAR]
    return Denial(
        index,
        tuple(word for word in before if word.content or word.stem == AUTHORS),
        tuple(word for word in behind if _denied(word, words[index])),
    )


def _denied(word: Word, denying: Word) -> bool:
    """Whether a word is in the reach of a denial and one that it can mean."""
    if not word.content or word.place - denying.place > NEAR:
        return False
    return not (_EMPTY.fullmatch(word.low) or _DENYING.fullmatch(word.low))


def _cancel(one: Word, other: Word) -> bool:
    """Whether two denials are close, in one clause, and not the same."""
    return one.low != other.low and abs(one.place - other.place) <= DOUBLE


@lru_cache(maxsize=REMEMBERED)
def hints(reading: Reading) -> tuple[int, ...]:
    """Indices of the words that deny or hint at a denial."""
    return tuple(
        index
        for index, word in enumerate(reading.words)
        if _DENYING.fullmatch(word.low) or _HINTING.fullmatch(word.low)
    )


def contradictions(said: Reading, quotes: Sequence[Reading]) -> Iterator[str]:
    """What speaks against a statement's polarity, in words."""
    there = [denial for quote in quotes for denial in denials(quote)]
    for denial in denials(said):
        if any(_repeats(denial, other) for other in there):
            continue
        plain = _PLAIN.fullmatch(said.words[denial.index].low)
        unanswered = plain and not any(_answers(quote, denial) for quote in quotes)
        if unanswered or any(_affirms(quote, denial) for quote in quotes):
            yield f'the quotes do not say "{_shown(said, denial)}"'
    for quote in quotes:
        for denial in denials(quote):
            repeated = any(_repeats(denial, other) for other in denials(said))
            if not repeated and not _affirms(quote, denial) and _affirms(said, denial):
                yield f'the quotes say "{_shown(quote, denial)}"'


def _repeats(denial: Denial, other: Denial) -> bool:
    """Whether two denials are of the same word with the same one before or behind it."""
    heads = [[word.stem for word in d.behind[:1]] for d in (denial, other)]
    near, there = ({w.stem for w in (*d.before[:1], *d.behind[1:2])} for d in (denial, other))
    return heads[0] == heads[1] and (not near or not near.isdisjoint(there))


def _affirms(other: Reading, denial: Denial) -> bool:
    """Whether the words on both sides of a denial stand together without one."""
    if not denial.behind:
        return False
    head, *more = denial.behind
    return any(
        _bare(other, start, at)
        for at, word in enumerate(other.words)
        if word.stem == head.stem
        for start in _partners(other, at, denial.before[:3], more[:1])
    )


def _partners(
    other: Reading, at: int, before: Sequence[Word], behind: Sequence[Word]
) -> Iterator[int]:
    """From where to look for a denial of the word ``at``, if its neighbours are there as well."""
    lefts = {word.stem for word in before}
    for index in range(max(0, at - NEAR), at):
        if other.words[index].stem in lefts:
            yield index
    rights = {word.stem for word in behind}
    if any(word.stem in rights for word in other.words[at + 1 : at + 4]):
        yield max(-1, at - NEAR)


def _bare(other: Reading, start: int, at: int) -> bool:
    """Whether nothing denies or hints at a denial from a word to the word ``at``, or denies a
    little before and behind."""
    around = other.words[max(0, start - 3) : max(0, start)] + other.words[at + 1 : at + 3]
    if any(_TIED.fullmatch(word.low) for word in around):
        return False
    return not any(start < index < at for index in hints(other))


def _answers(other: Reading, denial: Denial) -> bool:
    """Whether something like a denial stands near a word that it denies: a hint of one nearer;
    a real one anywhere if none of those words is there."""
    words, denying = other.words, hints(other)
    strict = [i for i in denying if _TIED.fullmatch(words[i].low)]
    if denial.behind:
        head = denial.behind[0]
        if _LOSS.fullmatch(head.low) or any(_undoes(word.low, head.stem) for word in words):
            return True
        if _ADVERSE.fullmatch(head.low):
            denying = ()
    denied = {word.stem for word in (*denial.behind[:3], *denial.before[:1])}
    places = [i for i, word in enumerate(words) if word.stem in denied]
    if not places:
        return bool(strict)
    return any(0 < abs(i - j) <= NEAR for i in places for j in strict) or any(
        0 < abs(i - j) <= HINTS_NEAR for i in places for j in denying
    )


def _undoes(word: str, stem: str) -> bool:
    """Whether a word is another one with a prefix that denies: "debiased" for "bias"."""
    prefix = _PREFIX.match(word)
    return prefix is not None and word.startswith(stem, prefix.end())


def _shown(reading: Reading, denial: Denial) -> str:
    last = denial.behind[0] if denial.behind else reading.words[denial.index]
    return reading.text[reading.words[denial.index].start : last.end]
