"""What a line or a paragraph of plain text is, by its shape: a heading, names, a reference, a page
number.

Knows no format; each shape errs on the side of prose, so that no abstract is lost.
"""

from __future__ import annotations

import re

from rag.corpus.sentences import sentence_spans

HEADING_WORDS = 20
HEADING_CHARS = 250

# Chinese and Japanese put no spaces between words, which have about two characters each.
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]{1,2}|[^\s\u3040-\u30ff\u3400-\u9fff]+")
# No question mark: many titles ask, no abstract is a lone question.
_ENDS_SENTENCE = re.compile(r"[.!。！][\"'”’」』)\]*}]*$")

_WHOLE_END = re.compile(r"[.!?。！？…)\]}>\"”’'%*|_-]\s*\Z|\n\s*\Z|https?://\S+\Z")

_MARKS = re.compile(r"[*_†‡§¶#✉∗⋆]+|[¹²³⁰-⁹]+|\^?\{?\d[\d,]*\}?|\([^()]*\)")
"""What stands at names beside them: footnotes, affiliations in parentheses."""
_BETWEEN = re.compile(r"\s*(?:[,;·•|&、，；]|\band\b|\bund\b|\bet\b(?! al))\s*")
_PARTICLES = frozenset(
    "de da del della di do dos du van von der den la le el al bin ibn ter y".split()
)
_MOST_WORDS = 5

_PAGE = re.compile(r"\W*(?:(?:page|p\.|seite)\s*)?\d{1,4}(?:\s*(?:/|of|von)\s*\d{1,4})?\W*", re.I)

_AUTHOR_FIRST = re.compile(
    r"(?:\W*\d{1,3}\W+)?"
    r"(?:[A-ZÀ-Þ][\w'’-]+(?: [A-ZÀ-Þ][\w'’-]+)?,? (?:[A-ZÀ-Þ]\.?[ -]?){1,3}(?=[\s,;(&.]|$)"
    r"|(?:[A-ZÀ-Þ]\. ?-?){1,3}(?:[a-z]{2,3} )*[A-ZÀ-Þ][\w'’-]+(?:,| and |;)"
    r"|[A-ZÀ-Þ][\w'’-]+, [A-ZÀ-Þ][a-z]+[.,;])"
)
_PUBLISHED = re.compile(
    r"\d[-–]\d|\bpp?\.|\bdoi\b|\bvol\b|\bjournal\b|proc(?:eedings|\.)|\bin: |conference|workshop"
    r"|transactions|press\b|arxiv|https?://|\d+\s*\(\d+\)",
    re.IGNORECASE,
)
_YEAR = re.compile(r"\b(?:19|20)\d{2}[a-z]?\b")
_LONGEST_REFERENCE = 600


def is_cut_off(text: str) -> bool:
    """Whether a file ends within a line and within a sentence."""
    return not _WHOLE_END.search(text[-200:])


def ends_sentence(text: str) -> bool:
    """Whether some sentence of the text ends in it."""
    sentences = (text[start:end] for start, end in sentence_spans(text))
    return any(map(_ENDS_SENTENCE.search, sentences))


def is_short(text: str) -> bool:
    """One line of the length of a title."""
    few = len(text) <= HEADING_CHARS and len(_WORD.findall(text)) <= HEADING_WORDS
    return few and "\n" not in text


def is_heading(line: str) -> bool:
    """One short line in which no sentence ends."""
    return is_short(line) and not ends_sentence(line)


def is_names(line: str) -> bool:
    """People's names and nothing else, two or more or one of at least two words."""
    if len(line) > 3_000 or "http" in line:
        return False
    names = [name.split() for name in _BETWEEN.split(_MARKS.sub(" ", line)) if name.strip()]
    if not names or (len(names) == 1 and len(names[0]) < 2):
        return False
    return all(len(name) <= _MOST_WORDS and all(map(_is_name_word, name)) for name in names)


def _is_name_word(word: str) -> bool:
    bare = word.strip(".,'’\"()-")
    if bare.casefold() in _PARTICLES or not bare:
        return True
    return (
        bare[0].isalpha()
        and not bare[0].islower()
        and not any(char.isdigit() or char in ":?!/" for char in word)
    )


def is_page_number(line: str) -> bool:
    return _PAGE.fullmatch(line) is not None


def is_reference(text: str) -> bool:
    """An entry of a bibliography: who, when and where, and no abstract."""
    if len(text) > _LONGEST_REFERENCE:
        return False
    told = _AUTHOR_FIRST.match(text) and _YEAR.search(text) and _PUBLISHED.search(text)
    return told is not None
