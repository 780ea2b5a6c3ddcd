"""Other ways to write a search term: Greek letters, British and American, irregular plurals.

Knows terms (stems) alone, no corpus: most of the spellings given are no words at all, and the
index drops those that no paper has.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from string import ascii_lowercase

from rag.retrieve.terms import stem

_GREEK = dict(
    zip(
        "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho "
        "sigma tau upsilon phi chi psi omega".split(),
        "αβγδεζηθικλμνξοπρστυφχψω",
        strict=True,
    )
)
_NAMES = {letter: name for name, letter in _GREEK.items()}
_NAMED = re.compile(rf"({'|'.join(_GREEK)})(\d*)")
_LETTER = re.compile(f"[{''.join(_NAMES)}]")

_ENDINGS = (
    *(("ys", "yz"), ("enc", "ens"), ("ogu", "og"), ("tr", "ter"), ("br", "ber"), ("ll", "l")),
    ("is", "iz"),
)
"""British and American ends of stems: analyse, defence, catalogue, centre, fibre, modelling."""
_INNER = (("our", "or"), ("ae", "e"), ("oe", "e"))
"""The same within a stem: behaviour, haemoglobin, oestrogen."""
_FEWEST_LETTERS = 5
"""Below this the rules make other words: "hour" is not "hor", "poem" not "pem"."""

LONGEST = 40
"""Letters up to which anything is a word, for which other spellings are looked for."""

SUBSTITUTED = 7
"""Letters of a word from which on one of them may be wrong."""

_KEYS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
_BESIDE = {key: {*row[max(i - 1, 0) : i + 2]} - {key} for row in _KEYS for i, key in enumerate(row)}
"""The keys to the left and right of each."""

_STEM_LETTERS = 4
_INFLECTED = re.compile(
    r"(\w)\1?(?:at|iz|is|ic)?(?:e|e?s|e?d|[eo]rs?|ings?|ions?|ly|ally|al|ments?|ity|ities|able|[ea]nts?|[ea]nces?)?"
)
"""The last letter of a stem, perhaps doubled, and an end."""

_PLURALS = {
    stem(plural): stem(singular)
    for plural, singular in (
        *(("matrices", "matrix"), ("vertices", "vertex"), ("criteria", "criterion")),
        *(("corpora", "corpus"), ("phenomena", "phenomenon"), ("analyses", "analysis")),
        *(("hypotheses", "hypothesis"), ("mice", "mouse"), ("syntheses", "synthesis")),
        ("maths", "mathematics"),
    )
}
_SINGULARS = {singular: plural for plural, singular in _PLURALS.items()}

_FAR_SCRIPT = (
    r"\u0400-\u058f\u0590-\u07ff\u0900-\u0fff\u1100-\u11ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
)
"""Letters that no English word has: Cyrillic, Hebrew, Arabic, the scripts of Asia; not Greek."""
FAR = re.compile(f"[{_FAR_SCRIPT}]")
_MEETING = re.compile(f"(?<=[{_FAR_SCRIPT}])(?=[A-Za-z0-9])|(?<=[A-Za-z0-9])(?=[{_FAR_SCRIPT}])")


def parted(text: str) -> str:
    """``text`` with a space where Latin letters or digits touch those of a far script, in which
    names stand without spaces around them."""
    return _MEETING.sub(" ", text)


@lru_cache(maxsize=10_000)
def spellings(term: str) -> frozenset[str]:
    """What else the term may be written as, most of it nowhere used."""
    if len(term) > LONGEST:
        return frozenset()
    return frozenset((*_greek(term), *_plural(term), *_across_the_ocean(term))) - {term}


def _greek(term: str) -> Iterator[str]:
    if named := _NAMED.fullmatch(term):
        yield _GREEK[named[1]] + named[2]
    if _LETTER.search(term):
        yield _LETTER.sub(lambda letter: _NAMES[letter[0]], term)


def _plural(term: str) -> Iterator[str]:
    for table in (_PLURALS, _SINGULARS):
        if term in table:
            yield table[term]


def _across_the_ocean(term: str) -> Iterator[str]:
    """British for American and the other way round."""
    if len(term) < _FEWEST_LETTERS:
        return
    pairs = [
        pair
        for british, american in _ENDINGS
        for pair in ((british, american), (american, british))
    ]
    yield from (term.removesuffix(old) + new for old, new in pairs if term.endswith(old))
    for british, american in _INNER:
        for old, new in ((british, american), (american, british)):
            yield from (
                term[: found.start()] + new + term[found.end() :]
                for found in re.finditer(old, term)
            )
    if term.endswith("is"):  # "optimise": the stem of "optimize" has lost its end
        yield stem(term.removesuffix("is") + "ize")
    yield term + "is"


def slips(word: str) -> set[str]:
    """The words that a word may have been meant as, one slip of a finger away.

    A letter too many or too few, two in the wrong order and, in longer words, a wrong one: in
    short ones that makes another word as easily ("gemma" is not "gamma"). The first letter is
    right: few get it wrong.
    """
    places = range(1, len(word))
    wrong = {word[:i] + word[i + 1 :] for i in places} | _lacking_or_swapped(word)
    if len(word) >= SUBSTITUTED:
        wrong |= {word[:i] + letter + word[i + 1 :] for i in places for letter in ascii_lowercase}
    return wrong - {word}


def near_slips(word: str) -> set[str]:
    """The same for a short word, of which most letters make another word: one too many is a
    doubled one, and a wrong one is on the next key."""
    places = range(1, len(word))
    wrong = {word[:i] + word[i + 1 :] for i in places if word[i] == word[i - 1]}
    wrong |= _lacking_or_swapped(word)
    wrong |= {word[:i] + key + word[i + 1 :] for i in places for key in _BESIDE.get(word[i], ())}
    return wrong - {word}


def _lacking_or_swapped(word: str) -> set[str]:
    places = range(1, len(word))
    lacking = (
        word[:i] + letter + word[i:] for i in (*places, len(word)) for letter in ascii_lowercase
    )
    swapped = (word[:i] + word[i + 1] + word[i] + word[i + 2 :] for i in places if word[i + 1 :])
    return {*lacking, *swapped}


def inflected(word: str, term: str) -> bool:
    """Whether a word is what its stem becomes with a usual end, so that it may be a real one: of
    made-up words the stemmer cuts off what it takes for ends as well."""
    return len(term) >= _STEM_LETTERS and bool(_INFLECTED.fullmatch(word[len(term) - 1 :]))


def forms(word: str) -> list[str]:
    """What an inflected word may be a form of; most of it is no word at all."""
    bare = [word.removesuffix(end) for end in ("s", "es", "d", "ed", "ing") if word.endswith(end)]
    once = [base[:-1] for base in bare if base[-1:] == base[-2:-1] and not word.endswith("s")]
    found = [*bare, *once, *(base + "e" for base in bare)]
    return [base for base in found if len(base) >= _FEWEST_LETTERS]
