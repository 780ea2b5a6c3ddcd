"""Words that a line break cut in two become whole again.

Knows how typesetting breaks English; knows no dictionary, so the text itself is asked first how
it writes the word elsewhere.
"""

from __future__ import annotations

import re

_LIKELY = re.compile(r"-\s+[a-z]{2}")  # on its own because it is what makes the search fast
_BROKEN = re.compile(
    r"""
    (?<![\w-])(?P<head>(?:\w+-)*[^\W_]+)-\s+
    (?!(?:and|or|nor|to|but|vs|versus|as|then|not|und|oder|bis|sowie|et|ou|
        of|in|on|for|with|from|by|at|the|an|is|are|was|were|we|it|this|that|these|those|
        which|who|whose|where|when|while|if|so)\b)
    (?P<tail>[a-z]{2,}(?:-[a-z]+)*)(?!\w)
    """,
    re.VERBOSE,
)
"""What follows a hyphen and a space and is neither a word in its own right, as in "pre- and
post-training" and behind a dash, nor a name."""

_WORD = re.compile(r"\w+(?:-\w+)*")
_MAX_HEAD = 40

_COMPOUND_HEAD = re.compile(
    r"(?:.*-)?(?i:agent|cross|data|dual|end|evidence|fine|ground|high|large|long|low|multi|non|open|"
    r"real|reward|self|short|single|small|state|task|text|three|time|two|well)"
    r"|.*-(?:by|in|of|on|the|to)|[a-z]|\d+|.*ly"
)
_COMPOUND_TAIL = re.compile(
    r"(?:agnostic|alpha|associated|aware|based|beta|centric|deficient|dependen(?:t|ce)|driven|"
    r"efficient|engineered|free|gamma|induced|level|like|mediated|negative|oriented|positive|"
    r"related|relevant|restricted|robust|scale|shot|specific|step|trained|tuned|weighted)"
)
_SIGNED = re.compile(r".*(?:[A-Z\d]|[A-Z]s)")  # "CD25- cells" have no CD25: a sign, not a hyphen
_PREFIX = re.compile(r"(?:anti|counter|hyper|inter|micro|over|post|semi|super|trans|ultra|under)")
_SUFFIX = re.compile(r"(?:[aeiou]|ful|less|ly|ment|ness|sion|ties|tion|tive)")


def join_words(text: str) -> str:
    """``text`` with "perfor- mance" as "performance" and "data- driven" as "data-driven"."""
    if not _LIKELY.search(text):
        return text
    known = frozenset(_WORD.findall(_BROKEN.sub(" ", text).lower()))
    return _BROKEN.sub(lambda broken: _joined(broken, known), text)


def _joined(broken: re.Match[str], known: frozenset[str]) -> str:
    head, tail = broken["head"], broken["tail"]
    whole, hyphenated = head + tail, f"{head}-{tail}"
    if len(head) > _MAX_HEAD:
        return broken[0]
    if whole.lower() in known:
        return whole
    if hyphenated.lower() in known or _is_compound(head, tail, known):
        return hyphenated
    return broken[0] if _SIGNED.fullmatch(head) else whole


def _is_compound(head: str, tail: str, known: frozenset[str]) -> bool:
    if _COMPOUND_HEAD.fullmatch(head) or _COMPOUND_TAIL.fullmatch(tail):
        return True
    is_word = len(head) > 3 and head.lower() in known and not _PREFIX.fullmatch(head.lower())
    return is_word and len(tail) > 4 and not _SUFFIX.match(tail)
