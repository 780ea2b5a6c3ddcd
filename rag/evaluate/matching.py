"""Does a text say what was expected? Facts and forbidden words, as a person writes them.

An alternative is text or, between slashes, a regular expression. Knows texts only: no case, no
paper, no file.
"""

from __future__ import annotations

import re
import unicodedata
import warnings
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from typing import Any, TypeAlias

from rag.errors import QuestionError

Expression: TypeAlias = Any
"""A pattern of the library ``regex``, which has no types."""

SEARCHED = 20_000
"""Characters of a text that are searched: no answer is longer."""
SECONDS = 2.0
"""That a person's pattern may take; one in a thousand of that is usual."""
LONGEST = 1_000
"""Characters of an alternative."""

_HYPHENS = dict.fromkeys(map(ord, "‐‑‒–—―−﹘﹣－"), "-")
_QUOTES = {**dict.fromkeys(map(ord, "‘’‚‛′`´"), "'"), **dict.fromkeys(map(ord, "“”„‟″«»"), '"')}
_UNSEEN = dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u2060\ufeff"))
_ALIKE = {**_HYPHENS, **_QUOTES, **_UNSEEN, ord("⁄"): "/"}
_RAISED = re.compile("[⁰¹²³⁴-⁹]+")
_TOKEN = re.compile(r"\w+(?:(?<=\d)[.,]\d\w*)*|[^\w\s]")
# A repeated group with an endless repetition in it, in its usual form: no other is looked for.
_NESTED = re.compile(r"(?<!\\)\((?:[^()\\]|\\.)*(?:[+*]|,\})(?:[^()\\]|\\.)*\)(?:[+*]|\{\d*,\})")


def found(alternative: str, text: str) -> bool:
    """Whether ``text`` says it, without regard to case, spacing and kinds of hyphens and quotes.

    Text is not found inside a longer word or number: "3" is in neither "38" nor "3.5". Raises
    QuestionError for a pattern that takes too long.
    """
    pattern, plain = compiled(alternative), _plain(text)
    if isinstance(pattern, re.Pattern):
        return bool(pattern.search(plain))
    try:
        return bool(pattern.search(plain, timeout=SECONDS))
    except TimeoutError as error:
        fix = "give its repetitions bounds, as in .{0,40}, and fewer of them"
        raise QuestionError(f"The pattern {alternative} takes too long.", fix) from error


def missing(facts: Sequence[tuple[str, ...]], text: str) -> list[tuple[str, ...]]:
    """The facts of which ``text`` has no alternative, in their order."""
    return [fact for fact in facts if not any(found(one, text) for one in fact)]


def present(forbidden: Iterable[str], text: str) -> list[str]:
    """What of the forbidden stands in ``text`` after all, in its order."""
    return [one for one in forbidden if found(one, text)]


def is_pattern(alternative: str) -> bool:
    """Whether it stands between slashes, and so is a regular expression."""
    return len(alternative) > 1 and alternative[0] == alternative[-1] == "/"


@cache
def compiled(alternative: str) -> re.Pattern[str] | Expression:
    """The pattern that finds an alternative in plain text; raises ValueError, saying why not."""
    if len(alternative) > LONGEST:
        raise ValueError(f"it is longer than {LONGEST:,} characters")
    if is_pattern(alternative):
        return _expression(alternative[1:-1])
    tokens = list(_TOKEN.finditer(_plain(alternative)))
    if not tokens:
        raise ValueError("nothing of it is a word, a number or a sign")
    pattern = _begin(tokens[0][0]) + re.escape(tokens[0][0])
    for before, after in zip(tokens, tokens[1:], strict=False):
        apart = before.end() < after.start() and _is_word(before[0]) and _is_word(after[0])
        pattern += (r"\s+" if apart else r"\s*") + re.escape(after[0])
    return re.compile(pattern + _end(tokens[-1][0]), re.IGNORECASE)


def _expression(pattern: str) -> Expression:
    """What is written in one way in the texts is so in a pattern; a hyphen makes no range of it.

    By ``regex``, which can be stopped: Python's own patterns may take for ever.
    """
    import regex

    if _NESTED.search(pattern):
        raise ValueError("it repeats a repetition, which may take for ever; bound one, as in {0,9}")
    alike = {code: rf"\{to}" if to == "-" else to for code, to in _ALIKE.items()}
    plain = _composed(_RAISED.sub(r"\\^\g<0>", pattern).translate(alike))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # of what later Pythons will read otherwise
            re.compile(plain)  # what Python itself does not read is no pattern of this house
            return regex.compile(plain, regex.IGNORECASE)
    except (re.error, regex.error, OverflowError, RecursionError, Warning) as error:
        raise ValueError(f"it is no regular expression ({error})") from error


@lru_cache(maxsize=4096)
def _plain(text: str) -> str:
    """One way to write what is read alike. Powers are set off, or 10⁵ would read as 105."""
    known = text[:SEARCHED]
    plain = _composed(_RAISED.sub(r"^\g<0>", known).translate(_ALIKE))
    return re.sub(r"\s+", " ", plain)


def _composed(text: str) -> str:
    """Ligatures, widths and styles undone; what this makes anew is made alike, too."""
    return unicodedata.normalize("NFKC", text).translate({ord("⁄"): "/"})


def _is_word(token: str) -> bool:
    return token[0].isalnum() or token[0] == "_"


def _begin(token: str) -> str:
    """What may not stand before a text that begins so."""
    number = r"(?<!\d[.,])" if token[0].isdigit() else ""
    return rf"(?<!\w){number}" if _is_word(token) else ""


def _end(token: str) -> str:
    """What may not stand after a text that ends so."""
    number = r"(?![.,]\d)" if token[-1].isdigit() else ""
    return rf"(?!\w){number}" if _is_word(token) else ""
