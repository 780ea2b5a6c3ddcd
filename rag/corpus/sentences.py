"""Where sentences begin and end in an abstract.

Knows the abbreviations and habits of papers; knows nothing about markup. It is our own:
pysbd is unmaintained, punkt wants data files, and neither gives offsets in linear time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

MAX_SENTENCE_CHARS = 1_000

_OPENERS = (
    "A Additionally After Although An And As At Based Beyond Building Both But By Comprehensive "
    "Consequently Current Despite Due During Each Empirical Empirically Even Existing "
    "Experiments Experimental Extensive Finally First For From Further Furthermore Given Here "
    "Hence How However If In Instead It Its Leveraging Meanwhile Moreover Most Motivated Notably "
    "On Once One Our Overall Recent Results Second Since Some Specifically Such Surprisingly "
    "That The Their Then There Therefore These They This Those Through Thus To Together "
    "Towards Traditional Under Unlike Using We What When Where Whether While With Yet"
)
OPENERS = frozenset(_OPENERS.split())
"""Words that open a sentence and are seldom part of a name."""

_PART = (
    r"background|introduction|context|rationale|importance|objectives?|aims?|purposes?|goals?|"
    r"hypothes[ie]s|(?:study )?design|settings?|patients|participants|subjects|populations?|"
    r"interventions?|exposures?|materials?|methods?|methodology|procedures?|measurements?|"
    r"(?:main |primary )?(?:outcomes?|results?|findings?)(?: (?:and )?measures?)?|"
    r"principal findings|discussion|interpretation|conclusions?|significance|limitations?|"
    r"implications|funding|(?:trial |clinical trial )?registration|author summary|"
    r"data (?:sources?|extraction|synthesis)|study selection|search strategy"
)
HEADING = rf"(?i:(?:{_PART})(?:(?: and |[ ]?&[ ]?|[ ]?/[ ]?|, )(?:{_PART})){{0,2}})"
"""Pattern of the headings inside a structured abstract."""

# The run of marks is taken whole and looked at afterwards: to ask here for the space behind
# it would cost quadratic time on a long run of dots.
_STOP = re.compile(
    r"""
      (?P<wide>[。！？]+["'”’」』）)\]]*)  # Chinese and Japanese: no space needed
    | (?P<paragraph>\n\s*\n)
    | (?P<mark>[.!?…])[.!?…"'”’)\]]*
    """,
    re.VERBOSE,
)
_LAST_TOKEN = re.compile(r"[^\s(\[{“\"‘'/]+$")
_NEXT_TOKEN = re.compile(r"\s*[\"'“‘(\[{]*(\S{0,30})")
_ORDINARY = re.compile(r"[a-zß-öø-ÿ][^A-Z\d/]*")  # in lower case, and not the name "sleep2vec"
_NO_OPENING = tuple(",;:)]–—-…")
_NEVER_LAST = re.compile(
    r"(?:e\.g|i\.e|eg|ie|vs|cf|viz|approx|ca|dr|prof|mrs?|w\.r\.t|s\.t|resp|incl|esp)\."
)
_BEFORE_NUMBER = re.compile(
    r"(?:figs?|eqs?|secs?|tab|refs?|nos?|vol|ch|pp?|thm|lem|alg|app|art|def|prop|cor)\."
)
_SELDOM_LAST = re.compile(
    r"(?:[a-z]\.){2,}|(?:al|inc|ltd|co|corp|jr|sr|univ|proc|natl|acad|sci|biol|chem|phys|lett|symp)\."
)
_NAMED = re.compile(
    r"(?:^|[,;:&(\[“\"‘]|\d{4}\)|\b[A-Z][\w’'-]*\.?|\b(?:a|and|against|as|at|by|d[aeiu]|for|from|in|like|of|on|or|"
    r"than|that|the|to|using|von|via|while|with))\s*$"
)
"""What comes before the initial of a name, rather than before a variable, unit or vitamin."""
_HEADED = re.compile(rf"{HEADING}\.")
_LETTER = re.compile(r"(?<![^\s(\[{“\"‘'/])([A-Za-z])\.$")
_ENUMERATOR = re.compile(r"\s*\(?(?:\d{1,2}|[a-z]|[ivx]{1,4})[.)]+")


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Half-open character spans of the sentences of ``text``, in order.

    Spans do not overlap, begin and end with a character that is not space, and cover all of
    those. None is longer than MAX_SENTENCE_CHARS: a longer one is cut at a semicolon or space.
    """
    edges = [0, *_ends(text), len(text)]
    whole = (_stripped(text, start, end) for start, end in pairwise(edges))
    return [piece for start, end in whole for piece in _pieces(text, start, end)]


def _ends(text: str) -> Iterator[int]:
    start = 0
    for stop in _STOP.finditer(text):
        if stop["mark"] is None or _ends_sentence(text, start, stop):
            start = stop.end()
            yield start


def _ends_sentence(text: str, start: int, stop: re.Match[str]) -> bool:
    """Whether a sentence that began at ``start`` ends with ``stop``."""
    if not text[stop.end() : stop.end() + 1].isspace():
        return False
    following = _NEXT_TOKEN.match(text, stop.end())
    word = following[1] if following else ""
    if word.startswith(_NO_OPENING) or _ORDINARY.fullmatch(word):
        return False
    return stop[0] != "." or not _is_abbreviation(text, start, stop.end(), word)


def _is_abbreviation(text: str, start: int, end: int, word: str) -> bool:
    """Whether the full stop before ``end`` belongs to its token, with ``word`` coming next."""
    sentence = text[max(start, end - 24) : end]
    last = _LAST_TOKEN.search(sentence)
    token = last[0] if last else ""
    if not re.fullmatch(r"[A-Z]{2,}\.", token):  # "MR." is no gentleman
        token = token.lower()
    if _NEVER_LAST.fullmatch(token) or (end - start < 10 and _ENUMERATOR.fullmatch(sentence)):
        return True
    if end - start < 60 and _HEADED.fullmatch(text[start:end].lstrip()):
        return True
    if _BEFORE_NUMBER.fullmatch(token):
        return any(char.isdigit() for char in word[:6])
    if word.rstrip(",;:") in OPENERS:
        return False
    return bool(_SELDOM_LAST.fullmatch(token)) or _is_initial(sentence, word)


def _is_initial(sentence: str, word: str) -> bool:
    """Whether a sentence so far ends with a letter that stands for a word, ``word`` coming next."""
    letter = _LETTER.search(sentence)
    if letter is None:
        return False
    if letter[1].islower():
        return word[:1].isdigit()
    return _NAMED.search(sentence[: letter.start()]) is not None


def _stripped(text: str, start: int, end: int) -> tuple[int, int]:
    span = text[start:end]
    return end - len(span.lstrip()), start + len(span.rstrip())


def _pieces(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The span, in pieces of at most MAX_SENTENCE_CHARS; nothing if it is empty."""
    while end - start > MAX_SENTENCE_CHARS:
        cut = _cut(text, start)
        yield _stripped(text, start, cut)
        start = end - len(text[cut:end].lstrip())
    if start < end:
        yield start, end


def _cut(text: str, start: int) -> int:
    """Where to cut a sentence: behind the last semicolon or space that is not too early."""
    limit = start + MAX_SENTENCE_CHARS
    for mark in ("; ", " "):
        at = text.rfind(mark, start + MAX_SENTENCE_CHARS // 4, limit)
        if at > 0:
            return at + 1
    return limit
