"""The forms of the verbs that abstracts use. Knows spelling, and a list for the hard way back."""

from __future__ import annotations

import re

_BASES = (
    "accelerate achieve adapt address adopt align allow amplify analyze apply approximate assess "
    "attain augment automate avoid balance beat boost bridge bring build capture cast "
    "characterize combine compare compress compute condition construct control convert create cut "
    "decompose decouple define deliver demonstrate derive design detect develop devise "
    "disentangle distill double embed employ enable encode enhance ensure enrich establish "
    "estimate evaluate exceed examine exploit explore extend extract facilitate find formalize "
    "formulate fuse generalize generate guide halve handle identify implement improve incorporate "
    "increase infer inject integrate interpret introduce investigate learn leverage lift lower "
    "maintain make match maximize measure minimize mitigate model modify obtain offer optimize "
    "outperform parameterize perform plan predict present preserve produce promote propose prove "
    "provide prune quantify rank reach recast recover reduce reformulate reframe refine regularize "
    "remove replace represent require resolve rethink retrieve reuse run sample scale select "
    "separate set shape share shift show simplify simulate solve speed steer study support "
    "surpass synthesize tackle train transfer transform translate treat tune turn unify unlearn "
    "update use utilize verify yield"
).split()
_ALSO = (
    "accentuate access accommodate acquire act activate add adjust admit affect aggregate aid "
    "aim alleviate alternate appear argue arise arm arrive assign assist assume attempt "
    "attend attribute become begin behave benefit breach break calculate call carry "
    "categorize cause challenge change choose circumvent claim clarify classify collaborate "
    "collapse collect come communicate complement complete compose comprise compromise "
    "conceive concentrate conceptualize conduct confirm confront connect consider constrain "
    "consume contribute converge correlate correspond couple cover deal decay decide decode "
    "degrade demand depend describe determine deviate diagnose dictate differ discover "
    "discriminate discuss disrupt distinguish diverge dominate draw drive elevate elicit "
    "eliminate embody emerge emphasize emulate encapsulate encompass encourage endow enforce "
    "evolve execute exhibit exist expect explain express fail fall feature fill fit fix "
    "fluctuate focus follow force form format formulate function generalise give govern grow "
    "guarantee hamper happen harmonize harness help highlight hinder hinge hold identify "
    "ignore illustrate imitate imply impose include incorporate induce influence inherit "
    "initialize interact interfere internalize isolate jailbreak justify keep know lack lead "
    "lie link locate look lose manage manipulate map mask mean meet mimic mirror mix motivate "
    "move narrow need note observe occur operate operationalize optimise orchestrate organize "
    "outline overcome overlook pair permit persist pioneer play pose posit precede prevent "
    "prioritize probe project propagate push quantize re-weight react realize recognize "
    "reconstruct rectify redefine refer reflect regulate rely remain remember report restate "
    "restrict restructure result retain retime reveal review revisit rise route safeguard "
    "satisfy saturate save scale seek serialize serve sharpen showcase soften specify split "
    "stabilize state store strengthen struggle suffer suffice suggest summarize surface "
    "switch synchronize synergize take target teach tend test trace track traverse try "
    "uncover undergo underpin understand unfold unify unlock validate vary want warp weight "
    "work"
).split()
"""Verbs that are only recognized, never put into another form."""
OUTCOMES = (
    "achieve outperform improve reduce surpass exceed match attain deliver yield set boost "
    "increase lower cut close accelerate beat obtain reach gain raise"
).split()
"""What says how well something works, more than how."""


def base(verb: str) -> str:
    """The plain form of a verb in the third person: studies → study, addresses → address."""
    if verb.endswith("ies") and len(verb) > 4:
        return verb[:-3] + "y"
    if re.search(r"(?:ss|sh|ch|x|zz)es$", verb):
        return verb[:-2]
    return verb.removesuffix("s") if not verb.endswith("ss") else verb


def third(verb: str) -> str:
    """A verb in the third person: study → studies, address → addresses."""
    if verb in ("have", "be"):
        return "has" if verb == "have" else "is"
    if re.search(r"[^aeiou]y$", verb):
        return verb[:-1] + "ies"
    return verb + ("es" if re.search(r"(?:s|sh|ch|x|z|o)$", verb) else "s")


def _ing(verb: str) -> str:
    if re.search(r"(?:^|[^aeiou])[aiou][bdgmnpt]$", verb) and len(verb) <= 4:
        return verb + verb[-1] + "ing"
    return re.sub(r"(?<=[^e])e$", "", verb) + "ing"


_OF_ING = {_ing(verb): verb for verb in _BASES}
_KNOWN = frozenset(_BASES)
_PLAIN = _KNOWN.union(_ALSO)
_THIRD = frozenset(map(third, _PLAIN))


def base_of_ing(form: str) -> str | None:
    """proposing → propose; None for a verb that is not in the list, as spelling does not tell."""
    return _OF_ING.get(form)


def is_known(verb: str) -> bool:
    """Whether a plain form is in the list."""
    return verb in _KNOWN


def is_verb(word: str) -> bool:
    """Whether a word is the plain form of a verb; it may be a noun as well."""
    return word in _PLAIN


def is_third(word: str) -> bool:
    """Whether a word is a verb in the third person; some are nouns as well."""
    return word in _THIRD
