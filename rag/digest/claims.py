"""The stretch of a sentence that says what a figure in it is of, if one can be read by itself.

A claim is in the sentence's own words, so nothing is said that the abstract does not say; which
stretch reads best is a matter of where clauses begin and end. Where each one starts in the middle
of something, or says only that a figure is good, there is none.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from rag.digest.figures import Figure

LONGEST, SHORTEST = 15, 4
"""Words of a claim."""
NEAR = 25
"""Characters behind a claim in which another figure shows that a list goes on."""
RESULT = re.compile(
    r"\b(?:improv|achiev|reduc|outperform|surpass|boost|gain|accura|fast|speed|scor|lower|higher|"
    r"better|exceed|increas|decreas|drop|fewer|less|sav|cut|accelerat|error|attain|reach|yield|"
    r"enhanc|retain|rais|rate|deliver|success|precision|recall|cheaper|smaller)\w*|\bF1\b|\bAU\w+",
    re.I,
)
_LEAD = re.compile(
    r"(?:Finally|Furthermore|Moreover|Additionally|Specifically|Notably|Remarkably|Empirically|"
    r"Overall|Importantly|Consequently|Similarly|Meanwhile|First|Second|Third|Also|Thus|Here|"
    r"For (?:example|instance)|In (?:addition|particular|this (?:work|paper)|summary|total)|"
    r"To (?:this end|facilitate \w+)|As a result),? (?=\S)|\((?:\d|[ivx]{1,3}|[a-d])\) (?=\S)"
)
"""What a sentence begins with and a claim does not."""
_WORD = re.compile(r"\S+")
_VERB = re.compile(
    r"(?:achiev|improv|reduc|boost|outperform|surpass|exceed|increas|decreas|rais|lower|deliver|"
    r"yield|attain|reach|obtain|enhanc|accelerat|cut|sav|show|retain|preserv|requir|us|rang|"
    r"compris|contain|consist|includ|cover|span|collect|curat|incur|provid|enabl|offer|demonstrat)"
    r"(?:e[sd]|s|ed|ing|ting)$",
    re.I,
)
_JOINS = frozenset("and but or while whereas yet although though".split())
_BREAKS = frozenset(
    "while whereas but which that compared relative demonstrating outperforming surpassing "
    "indicating suggesting highlighting showing without although despite thereby".split()
)
_EASES = frozenset("on in over for with across when using under at via from than through".split())
_REPORTS = re.compile(
    r"(?:show|demonstrat|reveal|find|found|indicat|suggest|prov|confirm|observ|report|establish|"
    r"verif|highlight|result|achiev)\w*$",
    re.I,
)
"""What comes before a "that" with which a whole clause begins; any other goes with a noun."""
_PARTICIPLE = re.compile(r"\w+ed$")
_SUBJECTS = frozenset(
    "and but also further which it we method framework approach algorithm system".split()
)
"""Before a verb: it goes on with what a paper does, or the paper's own thing does it. What anything
else does is told with its name."""
_HEADS = frozenset("a an the our this".split())
_CONTENT = re.compile(r"[^\W\d_][\w@+-]*")
_EMPTY = frozenset(
    """
    a an the our its their it they this these that which we of in on by to from for over with
    across at and or up than as is are be was were has have had can could may also even just
    only about nearly approximately more less most least fewer higher lower better worse faster
    best strong strongest average averaged mean overall total relative absolute significant
    significantly substantial substantially consistent consistently considerable further
    additional large small improvement improvements improve improves improved improving gain
    gains increase increases increased increasing decrease decreases decreasing reduction
    reductions reduce reduces reduced reducing performance boost boosts boosting achieve
    achieves achieved achieving yield yields yielding reach reaches reached reaching attain
    attains obtain obtains deliver delivers outperform outperforms outperforming surpass
    surpasses surpassing exceed exceeds exceeding show shows showing demonstrate demonstrates
    use uses using require requires requiring method methods approach approaches framework model
    models baseline baselines prior previous existing state-of-the-art sota competing key
    evaluation metrics metric results result experiments respectively compared while data
    percent points percentage point times fold both all some certain cases scenarios settings
    various different several multiple drop rise ratio figure levels level range ranges ranging
    """.split()
)
"""What does not say of what a figure is."""
_GOVERNS = re.compile(
    r"\b(?:achiev|reach|attain|obtain|yield|deliver|scor|show|demonstrat|see)\w*(?: an?)?\s*$", re.I
)
_AT_ONCE = re.compile(
    r"\s*(?:(?:relative |average |absolute |overall )*(?:reduction|improvement|gain|increase|drop|"
    r"boost|decrease)s? ?(?:$|[,;)]|(?:over|compared|relative|with|against)\b)|$|[,;)]|"
    r"(?:in|on|for|over|across|with|and|at|while|when)\b)"
)
"""Behind a figure that a verb governs: what it is of has not been said, nor will it be."""
_ALONE = re.compile(r"\w+\s*$")
_THAT = re.compile(r"\bthat\s*$")
_FINITE = re.compile(r"\b(?:can|could|is|are|was|were|has|have|may|\w{3,}s)\b")
_OF_SIZES = re.compile(r"(?:includ|rang|compris|contain|consist)\w*\b", re.I)
_APPOSED = re.compile(r"[,;:—]\s(?:an?|the|our|this)\s[^,]{0,4}$")
"""A phrase that begins here stands beside something that it says nothing of."""
_HANGING = re.compile(r"(?:with|on|in|for|over|across|under|using|at|through) [^,]*$", re.I)
"""A beginning without what it leads up to."""
_SO_MUCH = re.compile(r"\b(?:improvement|gain|reduction|increase)s?(?: ranging)?\s*$")
_VAGUE = re.compile(r"\b(?:former|latter|these|those|such|their|of its)\b", re.I)
_GOES_ON = re.compile(r",? (?!\w+(?:s|ing|ed)\b)[^,\d]{1,30},? (?:and|or)\b|,? (?:and|or) \w+[.,;]")
"""What follows where a list is cut."""
_LISTED_ON = re.compile(r",? (?:and|or) (?:[\w-]+ ){0,3}[\w-]+[.,;]")
"""The same, behind a claim that has a comma itself."""
_UNFINISHED = re.compile(
    r"-\w+(?:ing|ed)$|\b(?:cases|those|average|no|more|less|demonstrate|show|reveal|indicate)s?$"
)
_TWO_SENTENCES = re.compile(r"(?<!e\.g)(?<!i\.e)(?<!vs)(?<!al)[.!?]\s")
_GAIN_OF = re.compile(
    r"(?:^|\b(?:an?|with|average|relative|absolute|significant|performance|total|overall) )"
    r"(?:improvement|gain|reduction|increase)s? of\s*$"
)
_LISTS = re.compile(r"\d.*(?:, |\band\b|\bor\b|/).*\d")
_JOINT = re.compile(r"(?:,|/)(?! ?(?:and|or|respectively|with|as|while)\b)|\b(?:and|or)\b")
"""Between the items of a list."""
_COMMA = re.compile(r"[,;:—](?!\d)|\.\s|/\s")
_WEAK = frozenset(
    "of by to and or the a an is are as than that which its their along both up".split()
)


def claim_of(
    sentence: str, figure: Figure, others: Sequence[Figure], name: str
) -> tuple[int, int] | None:
    """Start and end of the stretch of a sentence that best says what a figure is of; ``name`` is
    that of the paper's own system."""
    words = [found.span() for found in _WORD.finditer(sentence)]
    starts = [start for start, _ in words]
    first = bisect_right(starts, figure.start) - 1
    last = bisect_right(starts, figure.end - 1) - 1
    best: tuple[float, tuple[int, int]] | None = None
    for begin, opening in _openings(sentence, words, first, name):
        for stop, closing in _closings(sentence, words, last):
            length = stop - begin + 1
            place = _trimmed(sentence, words[begin][0], words[stop][1], figure)
            if not SHORTEST <= length <= LONGEST or _broken(sentence, place, figure, others):
                continue
            score = opening + closing + _reading(sentence, place, figure, others) + 0.15 * length
            if best is None or score > best[0]:
                best = score, place
    return best[1] if best else None


def _openings(
    sentence: str, words: Sequence[tuple[int, int]], first: int, name: str
) -> Iterator[tuple[int, float]]:
    """Words up to the first of a figure at which a claim may begin, and how well."""
    lead = _LEAD.match(sentence)
    opens = bisect_right(words, (lead.end(), 0)) if lead else 0
    for index in range(max(opens, first - LONGEST + 1), first + 1):
        word = sentence[slice(*words[index])]
        before = sentence[slice(*words[index - 1])] if index else ""
        if index == opens:
            yield index, 2.0
        elif before.lower() == "that":
            reporting = sentence[slice(*words[index - 2])] if index > 1 else ""
            if _REPORTS.match(reporting):
                yield index, 3.0
        elif word.lower() in _EASES | _JOINS | _BREAKS:
            continue
        elif _VERB.match(word):
            if word.endswith("ing") or _goes_on(sentence, words, index, name):
                yield index, 2.0
        elif before[-1] in ",;:—" and (
            word.lower() in _HEADS or _has_verb(sentence, words, index, first)
        ):
            yield index, 1.0


def _goes_on(sentence: str, words: Sequence[tuple[int, int]], index: int, name: str) -> bool:
    """Whether a verb can be read without what stands before it."""
    skipped = index - 1 if sentence[slice(*words[index - 1])].endswith("ly") else index
    before = sentence[slice(*words[skipped - 1])] if skipped else ""
    follows = before.lower() in _SUBJECTS or before == name
    if before.endswith(","):  # the second of two verbs, not what comes after an apposition
        *_, last = sentence[: words[skipped - 1][1] - 1].split(",")
        follows = any(map(_VERB.match, last.split()))
    verb = sentence[slice(*words[index])]
    return follows and not (_PARTICIPLE.match(verb) and skipped < index)


def _has_verb(sentence: str, words: Sequence[tuple[int, int]], begin: int, first: int) -> bool:
    """Whether a verb stands between the beginning of a claim and its figure."""
    return any(_VERB.match(sentence[slice(*words[k])]) for k in range(begin + 1, first))


def _closings(
    sentence: str, words: Sequence[tuple[int, int]], last: int
) -> Iterator[tuple[int, float]]:
    """Words from the last of a figure on at which a claim may end, and how well."""
    for index in range(last, min(len(words), last + LONGEST)):
        word = sentence[slice(*words[index])]
        after = sentence[slice(*words[index + 1])] if index + 1 < len(words) else ""
        if not after:
            yield index, 2.0
        elif word.lower() in _WEAK:
            continue
        elif word[-1] in ",;:)" or after[0] in "(—–" or after.lower().strip(",") in _BREAKS:
            yield index, 1.5
        elif after.lower() in _JOINS:
            following = sentence[slice(*words[index + 2])] if index + 2 < len(words) else ""
            if _VERB.match(following):
                yield index, 1.5
            elif index == last:
                yield index, 0.0
        elif after.lower() in _EASES:
            yield index, 0.5


def _trimmed(sentence: str, start: int, end: int, figure: Figure) -> tuple[int, int]:
    """Without the marks around it, but with all of the figure."""
    while end > figure.end and sentence[end - 1] in ",;:.—–":
        end -= 1
    if sentence[start] == "(" and ")" not in sentence[start:end] and start < figure.start:
        start += 1
    return start, max(end, figure.end)


def _broken(
    sentence: str, place: tuple[int, int], figure: Figure, others: Sequence[Figure]
) -> bool:
    """Whether a stretch is cut so that it cannot be read by itself, or does not say of what its
    figure is."""
    claim = sentence[slice(*place)]
    return (
        claim.count("(") != claim.count(")")
        or claim.count('"') % 2 == 1
        or claim.rsplit(None, 1)[-1].lower() in _EASES | _WEAK | _JOINS | _BREAKS
        or any(flaw.search(claim) for flaw in (_VAGUE, _UNFINISHED, _TWO_SENTENCES))
        or (figure.kind != "size" and bool(_OF_SIZES.match(claim)))
        or (figure.kind != "size" and bool(_APPOSED.search(sentence[: place[0] + 5])))
        or bool(_HANGING.match(claim))
        or any(place[0] <= other.start < figure.start for other in others)
        or not _says_of_what(sentence, place, figure)
        or _leaves_items_out(sentence, place, figure, others)
    )


def _says_of_what(sentence: str, place: tuple[int, int], figure: Figure) -> bool:
    """Whether words around a figure tell what it measures, and not only that it is good."""
    before, after = sentence[place[0] : figure.start], sentence[figure.end : place[1]]
    if figure.kind != "size" and not before.strip():
        return False
    if _GOVERNS.search(before) and _AT_ONCE.match(after):
        return False
    if figure.kind == "change" and (_ALONE.fullmatch(before) or _SO_MUCH.search(before)):
        return False
    if _GAIN_OF.search(before) and not after.lstrip().startswith(("in ", "of ")):
        return False
    if _THAT.search(before) and not _FINITE.search(after):
        return False
    if figure.kind == "size":
        return True
    verb = next((found.end() for found in _WORD.finditer(before) if _VERB.match(found[0])), 0)
    around = f"{before[verb:]} {after.split(',')[0]}"
    return any(word.lower() not in _EMPTY for word in _CONTENT.findall(around))


def _leaves_items_out(
    sentence: str, place: tuple[int, int], figure: Figure, others: Sequence[Figure]
) -> bool:
    """Whether a list is cut: several figures without all they are of, or an item that is followed
    by a figure of its own."""
    after = sentence[figure.end : place[1]]
    several = figure.kind in ("gain", "score") and _LISTS.search(
        sentence[figure.start : figure.end]
    )
    if several and "respectively" in sentence and "respectively" not in after:
        return True
    if several:
        shown = sentence[figure.start : figure.end]
        around = max(
            (sentence[place[0] : figure.start], after), key=lambda text: len(_JOINT.findall(text))
        )
        return len(_JOINT.findall(around)) < len(_JOINT.findall(shown))
    following = _LISTED_ON if "," in after else _GOES_ON
    if place[1] > figure.end and following.match(sentence, place[1]):
        return True
    return bool(re.search(r"\b(?:and|or)\b|,", after)) and any(
        place[1] <= other.start <= place[1] + NEAR for other in others
    )


def _reading(
    sentence: str, place: tuple[int, int], figure: Figure, others: Sequence[Figure]
) -> float:
    """What a stretch gains by saying what happened, and loses by saying more than one thing."""
    start, end = place
    around = sentence[start : figure.start] + sentence[figure.end : end]
    crowded = sum(start <= other.start and other.end <= end for other in others)
    commas = len(_COMMA.findall(around))
    return 2.0 * bool(RESULT.search(around)) - 4.0 * crowded - 1.2 * commas
