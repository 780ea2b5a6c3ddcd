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


def base_of_ing(form: str) -> str | None:
    """proposing → propose; None for a verb that is not in the list, as spelling does not tell."""
    return _OF_ING.get(form)


def is_known(verb: str) -> bool:
    """Whether a plain form is in the list."""
    return verb in _KNOWN
