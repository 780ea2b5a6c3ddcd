"""Where a long sentence may end earlier: before what only adds to it.

Knows the words that begin clauses and phrases, those that no sentence ends with, and which verbs
want which preposition. Every result is a beginning of the sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from rag.summarize.verbs import is_third, is_verb

SHORTEST = 4
"""Words that a beginning has at least."""

_CLAUSE = re.compile(
    r"(?:which|where|wherein|while|whereas|when|with|without|by|thus|thereby|hence|so|because|since|"
    r"although|though|leading|as|in|for|under|across|on|using|via|through|such|including|"
    r"especially|particularly|even|rather|instead|unlike|based|compared|[a-z]{3,}ing|and|but|or|"
    r"yet|whose|then|respectively|namely|i\.e\.|e\.g\.|from|at|given|if|to)\b"
)
_PHRASE = frozenset(
    "by for in on with from via using through while when where wherein which that without across "
    "under such including and or to as based leading whose because since during within over into "
    "between among against toward towards at so rather resulting whereas after before thereby "
    "despite".split()
)
_UNFINISHED = frozenset(
    "a an the this these those that its their our his her of in on at by for with from to as into "
    "via than and or but nor if when while where which who whose whether is are was were be been "
    "being has have had do does did can could will would may might must should not no both either "
    "neither between such more most less very using based rely relies lead leads leading aim aims "
    "able due show shows find finds prove proves demonstrate demonstrates shown found how what "
    "why we it they i.e e.g vs et only also even further each any every all some many few several "
    "consist consists depend depends focus focuses result order so because since compared "
    "according seek seeks tend tends need needs allow allows allowing enable enables enabling "
    "ensure ensures ensuring give gives given make makes making become becomes remain remains "
    "suggest suggests reveal reveals respect regard through across within without under over "
    "during against toward towards among including like unlike upon about after before per "
    "respectively then there well attempt attempts aiming designed required capable known used "
    "introduce propose present novel new different various same other first one two three achieve "
    "achieves provide provides address addresses improve improves outperform outperforms "
    "significantly substantially directly jointly highly fully automatically effectively "
    "efficiently simultaneously dynamically explicitly adaptively large high low small good "
    "strong multiple specific certain diverse up existing current recent general real natural non "
    "self matches surpasses exceeds reduces yields delivers attains obtains maintains preserves "
    "enhances facilitates generates produces predicts defined introduces proposes presents "
    "requires features includes comprises covers remaining becoming specifically "
    "particularly".split()
)
"""No sentence ends with these."""
_ATTACHED = frozenset(
    "based rely relies relying lead leads depend depends depending consist consists focus focuses "
    "focusing result results due such able aim aims aiming according compared order refer "
    "referred refers contribute contributes need needs has have seek seeks tend tends attempt "
    "attempts how whether used known so argue argues is are be applied adapted number set class "
    "family variety range kind amount degree part suffer suffers account accounts as well rather "
    "not learns focused relied led depended consisting believe capable opposed close robust "
    "equivalent similar invariant seen regarded together along easy hard difficult responsible "
    "consistent associated deal deals dealing equipped search leading tailored subject prone lies "
    "lie resides stems arises prior orthogonal akin corresponding respect sensitive relative "
    "competitive comparable agnostic correlate correlates correlated interact interacts concerned "
    "faced lack lacks lacking send sends sent couple couples coupling engage engages engaging "
    "involve involves involving correspond corresponds originate "
    "extrapolate contain contains containing e.g "
    "i.e namely including sense case "
    "cases belief fact view observation fashion manner".split()
)
"""What follows these belongs to them."""
_WANTED = {
    "to": r"enabl|allow|requir|encourag|forc|caus|train|guid|incentiviz|help|teach|push|driv|"
    r"prompt|us|ask|from|map|appl|compar|reduc|adapt|transfer|lead|extend|translat|attribut|"
    r"align|reformulat|ability|capacity|need|attempt|potential|fail|able|too|enough",
    "with": r"combin|integrat|replac|coupl|pair|align|equip|merg|unif|augment|interleav|compar|"
    r"substitut|associat|endow|provid|deal|connect|fus",
    "by": r"replac|multipl|divid|follow",
    "as": r"treat|view|formulat|cast|model|regard|represent|us|defin|refram|interpret|fram|serv|"
    r"act|describ|as|same|such|know|express|recast|consider|reformulat",
    "into": r".*",
    "from": r"shift|mov|differ|deriv|rang|transfer|stem|distinguish|separat|protect|prevent|ris",
    "that": r"so|such|show|find|prov|ensur|suggest|reveal|demonstrat|argu|believ|observ|confirm|"
    r"indicat|hypothes|assum|claim|impl|guarante",
    "for": r"account|search|look|call|allow|substitut|too",
    "on": r"depend|rel|focus|build|bas|impos|condition",
    "between": r"differ|gap|relation|trade|connect|balanc|interplay|distinguish|similarit|"
    r"correlat|link|distance|align|bridg|interact|tension|discrepan|divergen|mismatch",
    "over": r"advantag|improv|gain|prefer|superior",
}
"""Stems of words, not long before, that are nothing without a phrase that begins so."""
_PARTNERS = {
    "with": r"combin|coupl|replac|pair|align|equip|integrat|augment|merg|endow|substitut|unif",
    "to": r"enabl|allow|requir|encourag|forc|incentiviz|from|map|transfer|extend|attribut|restrict",
    "into": r"transform|convert|turn|translat|split|divid|decompos|integrat|incorporat|inject",
    "as": r"establish|treat|view|formulat|cast|regard|refram|recast|interpret|characteri",
    "from": r"shift|differ|distinguish|separat|protect|prevent|deriv|recover|infer|learns?$",
    "on": r"rely|relies|depend|condition|impos",
}
"""The same for words of which the phrase may come after another one: "combine A from B with C"."""
_LOOK_BACK = 7
_ITEM = 8
"""Words of an item of a list, at most."""
_STATEMENT = 6
"""Words of "show that" and what comes after it, at most, that can be without a verb."""
_PARTNER = {word: re.compile(rf"(?:{stems})") for word, stems in _PARTNERS.items()}
_WANTING = {word: re.compile(rf"(?:{stems})") for word, stems in _WANTED.items()}
_OF = _UNFINISHED | frozenset(
    "number set class family variety range kind type amount degree part lack use majority half "
    "series sequence combination pair collection suite instance form sort group level levels "
    "presence absence effect effects impact role problem task importance benefits benefit ability "
    "power performance quality effectiveness nature case choice notion concept idea types kinds "
    "sets terms means way ways out instead because capable space speed value values rate cost "
    "order sense case cases".split()
)
"""Words that say nothing without what they are of."""
_PAIRED = frozenset("both between either from not whether".split())
_OWN = frozenset("a an the we its their our is are can how what why it they this these".split())
"""What begins a phrase of its own after "and"."""
_BEING = frozenset("is are was were be been being".split())
_PARTICIPLES = frozenset(
    "drawn taken chosen built given sent held kept made fed written driven".split()
)
_MANNER = frozenset("during while across within over without".split())
"""What begins a phrase that says how, when or where something is done."""
_DIGITS = frozenset("0123456789%×x")
_WORD = re.compile(r"\w")
_ADJECTIVE = re.compile(r"(?:al|ive|ous|ic|able|ible|ary|ful|less|ent|ant|er|ed|ly|ing)$")
"""Ends of words that may share a noun with the word after "and"."""
_ASKING = frozenset("how why whether what".split())
"""These want a verb, which does not stand next to them."""
_TURN = re.compile(r"(?:but|yet|though|although|except|unless|only|if)\b")
_LIMITS = re.compile(r"\b(?:only|not|no|never|except|unless|if|fails?|cannot)\b", re.I)
_HOLDS = re.compile(r"(?:when|whenever|if|unless|provided|only|except|until)\b", re.I)
"""What a statement may hold under alone, and which thus stays with it."""
_IF = re.compile(r"(?:\w+ ){0,8}(?:if|unless|provided that|only when|whenever|as long as)\b")
_CLAIMS = re.compile(r"\b(?:show|prove|find|demonstrate|achieve|outperform|guarantee|hold)s?\b")
_CIRCUMSTANCE = re.compile(r"(?:under|given|once)\b")
_COMPARES = re.compile(
    r"\b(?:more|less|fewer|greater|better|worse|rather|other|(?:high|low|larg|small|fast|slow|"
    r"strong|weak|short|long|rich|cheap|deep|wid|narrow)er)\b(?!.*\bthan\b)"
)
_NOT_JUST = re.compile(r"\bnot (?:just|only|merely|simply|as)?\b(?!.*\bbut\b)")
_ANNOUNCED = re.compile(
    r"(?:\b(?:two|three|four|five|six|seven|several|following|of|key|main|core)\b[^,;:]{0,60}|s"
    r"|\b(?:through|by|via|with|including)): "
)
"""What a list comes after."""
_MORE_TO_COME = re.compile(r"[,;]|\b(?:and|or)\b")
_LISTED = re.compile(r"[^,;]{0,80}[,;] (?:and|or)\b")


@dataclass(frozen=True, slots=True)
class Cut:
    """A beginning of a sentence; ``clean`` where a clause ends there, not only a phrase."""

    text: str
    words: int
    clean: bool


def cuts(text: str, *, vague: bool = False) -> Iterator[Cut]:
    """The beginnings that can stand alone, longest first; the whole text is not among them.

    ``vague`` ones may leave out what something is of.
    """
    words = text.split()
    for i in range(len(words) - 1, SHORTEST - 1, -1):
        kind = _kind(words, i)
        if kind is None and vague and words[i] == "of" and _bare(words[i - 1]) not in _OF:
            kind = False
        if kind is not None and not _turns(words, i) and not _halves(words, i):
            yield Cut(" ".join(words[:i]).rstrip(" ,;:–—-"), i, kind)


def trimmed(text: str, limit: int) -> str:
    """The first ``limit`` words of a text that has no better place to end, less the phrase that
    is broken off and the words that no sentence ends with."""
    whole = text.split()
    words = whole[:limit]
    if len(whole) > limit:
        broken = (i for i in range(len(words) - 1, limit // 2, -1) if _bare(words[i]) in _PHRASE)
        words = words[: next(broken, limit)]
    while len(words) > 1 and (_bare(words[-1]) in _UNFINISHED or not _WORD.search(words[-1])):
        words.pop()
    return " ".join(words).rstrip(" ,;:–—-")


def _kind(words: Sequence[str], i: int) -> bool | None:
    """Whether the text may end before word ``i``: True after a clause, False after a phrase."""
    last, following = words[i - 1], _bare(words[i])
    bare = _bare(last) or _bare(words[i - 2])
    if bare in _UNFINISHED or not _ASKING.isdisjoint(map(_bare, words[max(0, i - 3) : i])):
        return None
    if _half(words, i) or _just_begun(words, i):
        return None
    if last.endswith((";", ":")) or "–" in (last, words[i]) or "—" in (last, words[i]):
        return True
    if last.endswith(","):
        return True if _CLAUSE.match(following) and not _in_list(words, i) else None
    if bare[-1:] in _DIGITS and following in ("on", "in", "over", "of", "to"):
        return None
    if bare[-1:] in _DIGITS and words[i - 2] in ("and", "or", "to", "from", "than"):
        return None
    if following in ("and", "or"):
        joined = _in_list(words, i) or _waiting(words, i) or _ADJECTIVE.search(bare)
        if joined or following == "or" or not _begins(_bare(words[i + 1])):
            return None
        return False
    if _bare(words[i - 2]) in ("that", "which", "who", "we"):
        return None
    if bare.endswith("ing") and following in ("from", "to", "into"):
        return None
    if following in ("such", "including", "like") and _leads(_bare(words[i - 2])):
        return None
    if (bare.endswith("ed") or bare in _PARTICIPLES) and not (
        _bare(words[i - 2]) in _BEING and following in _MANNER
    ):
        return None
    if words[i - 2] == "to" and is_verb(bare):
        return None
    if following not in _PHRASE or bare in _ATTACHED or _wanted(words, i, following):
        return None
    return False


def _turns(words: Sequence[str], i: int) -> bool:
    """Whether what would be lost takes back what is said: "but only where …"."""
    return bool(_TURN.match(_bare(words[i])) and _LIMITS.search(" ".join(words[i:])))


def _halves(words: Sequence[str], i: int) -> bool:
    """Whether what would be lost is the other half of what is kept: "than" of "more", "but" of
    "not only", the end of a list, the condition of a claim, "with" of "combine"."""
    kept, lost = " ".join(words[:i]), " ".join(words[i:])
    return bool(
        (_COMPARES.search(kept) and " than " in f" {lost}")
        or (_NOT_JUST.search(kept) and re.match(r"(?:\S+ ){0,9}but\b", lost))
        or (_ANNOUNCED.search(kept) and _MORE_TO_COME.search(lost))
        or (_comma(words[max(0, i - _ITEM) : i - 1]) and _LISTED.match(lost))
        or _HOLDS.match(lost)
        or (_CLAIMS.search(kept) and _CIRCUMSTANCE.match(lost))
        or (not kept.endswith(",") and _IF.match(lost))
        or (not words[i - 1].endswith((",", ";", ":")) and _partner(words, i))
    )


def _partner(words: Sequence[str], i: int) -> bool:
    """Whether a word before wants a phrase that has not come yet and comes soon."""
    soon = [_bare(word) for word in words[i : i + _LOOK_BACK]]
    before = [_bare(word) for word in words[max(0, i - 2 * _LOOK_BACK) : i]]
    for preposition, wants in _PARTNER.items():
        last = max((at for at, word in enumerate(before) if wants.match(word)), default=None)
        if last is not None and preposition in soon and preposition not in before[last:]:
            return True
    return False


def _in_list(words: Sequence[str], i: int) -> bool:
    """Whether a list goes on at word ``i``: a comma shortly before it, or ", and" to come."""
    if not words[i - 1].endswith(","):
        return _comma(words[max(0, i - 6) : i - 1])
    if words[i] in ("and", "or"):
        return _comma(words[max(0, i - 9) : i - 1])
    if words[i] == "then":
        return True
    ahead = words[i : i + 9]
    to_come = any(w.endswith(",") and then in ("and", "or") for w, then in pairwise(ahead))
    return to_come or _comma(words[max(0, i - 4) : i - 1])


def _comma(words: Sequence[str]) -> bool:
    return any(word.endswith(",") for word in words)


def _waiting(words: Sequence[str], i: int) -> bool:
    """Whether "both", "between" or "either" waits for an "and" or "or"."""
    return any(_bare(word) in _PAIRED for word in words[max(0, i - _LOOK_BACK) : i])


def _leads(word: str) -> bool:
    """Whether a word wants more than a plain noun after it: "covering domains such as …"."""
    return word.endswith("ing") or word in ("of", "in", "to", "on", "across", "for")


def _begins(word: str) -> bool:
    """Whether what comes after "and" is a phrase of its own, not one more word before a noun."""
    return word in _PHRASE | _OWN or word.endswith(("ing", "ly")) or is_verb(word) or is_third(word)


def _just_begun(words: Sequence[str], i: int) -> bool:
    """Whether "shows that" is followed by so little that its verb may be still to come."""
    before = [_bare(word) for word in words[max(0, i - _STATEMENT) : i]]
    reports = (then == "that" and _WANTING["that"].match(word) for word, then in pairwise(before))
    return any(reports)


def _half(words: Sequence[str], i: int) -> bool:
    """Whether one of "both … and" is said and the other is not."""
    before = [_bare(word) for word in words[max(0, i - 2 * _LOOK_BACK) : i]]
    last = max((at for at, word in enumerate(before) if word in ("both", "between")), default=None)
    return last is not None and "and" not in before[last:]


def _wanted(words: Sequence[str], i: int, following: str) -> bool:
    """Whether a word before wants the phrase that begins at ``i``."""
    wanting = _WANTING.get(following)
    if wanting is None:
        return False
    return any(wanting.match(_bare(word)) for word in words[max(0, i - _LOOK_BACK) : i])


def _bare(word: str) -> str:
    return word.lower().strip("\"'“”‘’,;:.()[]")
