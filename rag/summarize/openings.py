"""How a sentence begins: what only leads up to its statement is dropped, "this paper" says "we".

Knows the phrases that abstracts open sentences with; deletes and conjugates, adds no meaning.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from rag.summarize.verbs import base, base_of_ing

LEAST = 3
"""Words that an opening leaves over."""
_PAPER = r"(?:paper|work|study|article|report|letter|thesis|manuscript|survey|project|research)"
_LINKS = (
    r"however|moreover|furthermore|in addition|therefore|herein|afterwards|thus|hence|here|instead|"
    r"in summary|in short|in particular|first|second|third|then|next|also|meanwhile|besides|as a "
    r"result|in response|in contrast|on the (?:other|one) hand|further|and|but|for example|for "
    r"instance|in fact|indeed|yet|so|still|nevertheless|nonetheless|in essence|for this purpose|"
    r"to (?:this|that) end|at (?:its|the) core|in this way|(?:in|by) doing so|as such|in general|"
    r"again|together|taken together|of note|to (?:the best of )?our knowledge|in our work|"
    r"in practice|at the same time|overall|in sum|in specific|(?:more |most )?[a-z]+ly|"
    rf"in (?:this|the present|the current) (?:{_PAPER}|context|regard|setting|case|direction|note|"
    r"vein|light)"
)
_LINK = re.compile(rf"^(?:{_LINKS})\b(?:\s*[,:]\s*|\s+(?=(?:we|our|this|the|it)\b))", re.I)
_AMID = re.compile(rf",?\s(?:in|throughout) (?:this|the (?:present|current)) {_PAPER}\b,?", re.I)
_MEANS = (
    r"to|by|with|motivated|inspired|prompted|encouraged|based|building|built|using|leveraging|through|via|as|from|upon|"
    r"unlike|although|though|while|whereas|because|since|despite|rather|instead|towards?|drawing|"
    r"after|following|beyond|besides|guided|driven|equipped|armed|grounded|due|against|formulated|"
    r"contrary|compared|thanks|of|similar|there|it is|[a-z]+ing"
)
_CONDITION = r"in|for|under|on|when|where|if|at|across|among|within|over|given|once"
_BRINGS = r"we (?:\w+ )?(?:introduce|propose|present|develop|design|release)\b"
_LEADING = re.compile(
    rf"^(?:(?:{_MEANS})\b.{{0,400}}?,\s+(?:here,?\s+)?(?=we\s)"
    rf"|(?:{_CONDITION})\b.{{0,400}}?,\s+(?={_BRINGS}))",
    re.I,
)
"""Conditions stay, as a claim may hold under them alone; what is introduced is so anyway."""
_CLAIMS = (
    "show|prove|find|demonstrate|establish|observe|achieve|obtain|improve|reduce|derive|outperform"
)
_CONDITIONED = re.compile(
    rf"^(?:{_CONDITION})\b.{{0,400}}?,\s+(?=we\s(?!(?:\w+ )?(?:{_CLAIMS})\b))", re.I
)
"""What is claimed keeps its condition at any length."""
_TO_WE = re.compile(
    r"^(?:in order to|to|motivated by|inspired by|in (?:light|view) of)\b[^,]{5,160}?\s"
    r"(?=we\s(?:\w+ly\s)?[a-z]+\s)",
    re.I,
)
_OUR_NAME = re.compile(r"^(?:Our|Their) (?:\w+ )?\w+, ([A-Z]\S*(?: [A-Z]\S*){0,6}), ")
_REPORT = re.compile(
    r"^(?:our|the|extensive|comprehensive|experimental|empirical|numerical)?\s?(?:[\w-]+ ){0,2}?"
    r"(?:results?|experiments?|evaluations?|analys[ie]s|findings|simulations?|observations?)"
    r"(?: (?:on|across|in|over|with) [^,]{3,80}?)? (?:show|demonstrate|reveal|indicate|confirm|"
    r"suggest|find|verify|prove)s? that (?!(?:our|this|these|it|they|the proposed|such)\b)",
    re.I,
)
_LABEL = re.compile(r"^(?:our (?:[a-z]+ )?contributions? [^:]{2,40}|[A-Z][a-z]+): (?=we\s)", re.I)
_LATER_WE = re.compile(
    r"^(?:this|that|these|it|such)\b.{0,200}?,\s+(?:and|so|thus|therefore|hence)\s+(?=we\s)", re.I
)
_NO_WE = r"(?:(?!\bwe\b)[^,])"
_POINTING = re.compile(
    r"^(?:to|for|in|by|with|based on|building on|motivated by|inspired by|given|from|on|through|"
    rf"using|as|under|despite|beyond)\b{_NO_WE}{{0,60}}?\b(?:this|these|those|such|"
    r"(?<=for )that|(?<=to )that|it|them|its|the (?:above|aforementioned|former|latter|problem|"
    rf"issue|challenge|gap|limitation)s?)\b{_NO_WE}{{0,120}}(?:,\s+|(?<=\s)(?=we\s))",
    re.I,
)
_THIS_PAPER = re.compile(
    rf"(?:^|(?<=, )|(?<= and ))(?:this|the present|the current|our) {_PAPER}\s"
    r"(?:also |further |therefore |thus |first )?(?!is\b|has\b|was\b|does\b)(?P<verb>[a-z]{3,}s)\b"
    r"(?:(?P<and> and )(?P<other>[a-z]{3,}s)\b)?(?=\s)",
    re.I,
)
_AND_PRESENTS = re.compile(r"(?<= and )(?:presents|introduces|proposes)\b")
_AFTER_WE = re.compile(
    r"\b(we) (?:therefore|then|also|further|furthermore|hence|thus|next|finally|first|here|"
    r"instead|additionally|subsequently|consequently|now|in turn|firstly|lastly)\s+",
    re.I,
)
_AIM = re.compile(r"^We (?:aim|seek|attempt|try|strive) to (?=[a-z]+\s)", re.I)
_BY_DOING = re.compile(
    r"^We (?:make progress|take a step|do so|do this|achieve this|"
    r"(?:address|tackle|overcome|resolve|fill|bridge|close|solve|mitigate|answer|approach|meet) "
    r"(?:this|these|that|those|the above|such)\b[^,]{0,60}?),? by (?P<verb>[a-z]+ing)\b"
)
_THROUGH = re.compile(
    r"^We (?:address|tackle|overcome|resolve|fill|bridge|close|mitigate|answer) "
    r"(?:this|these|those|the above|such)\b[^,]{0,60}? (?:through|with|via|using) (?=an?\b|the\b)"
)
_ON_THE_WAY = re.compile(
    r"^We .{3,200}?,? (?:to|and) (?=(?:propose|introduce|present|develop|design) (?:the )?"
    r"[^a-z\s]*[A-Z])"
    r"|^We \w+ (?:this|these) [^,]{3,40} and (?=(?:propose|introduce|present)\b)"
)
_AUTHORS = re.compile(r"\b[Tt]he authors(?= (?!of\b|who\b|and\b)[a-z]+)")
_QUOTED = re.compile(
    r"^According to the authors, (?P<next>\w)|,? according to the authors(?=[,:.])"
)
_FAR = 3
"""Sentences from one with the authors, from which on "they" are others."""
_THEY = re.compile(
    r"\b[Tt]hey(?= (?:also |then |first |further )?(?:propose|introduce|present|develop|design|"
    r"derive|build|construct|find|show|prove|demonstrate|study|replicate|obtain|establish|release)\b)"
)


def first_person(sentences: Sequence[str]) -> list[str]:
    """The sentences as the authors would say them themselves, who call themselves neither "the
    authors" nor, soon after, "they"."""
    told, since = list[str](), _FAR
    for sentence in sentences:
        text = _QUOTED.sub(lambda found: (found["next"] or "").upper(), sentence)
        since = 0 if text != sentence or _AUTHORS.search(text) else since + 1
        text = _AUTHORS.sub(_as_we, text)
        near = since == 1 or (since == _FAR - 1 and not text.startswith("They"))
        if near and _THEY.search(text):
            text, since = _THEY.sub(_as_we, text), 0
        told.append(text)
    return told


def _as_we(found: re.Match[str]) -> str:
    return "We" if found[0][0] == "T" else "we"


def opened(text: str) -> str:
    """The sentence from where its statement begins, for a reader who knows none of the others."""
    text = _AMID.sub(_comma, text)
    while True:
        shorter = _LINK.sub("", text, count=1)
        shorter, changed = _THIS_PAPER.subn(_we, shorter, count=1)
        if changed:
            shorter = _AND_PRESENTS.sub(lambda found: base(found[0]), shorter, count=1)
        for lead in (_LABEL, _LEADING, _TO_WE, _LATER_WE, _POINTING):
            shorter = lead.sub("", shorter, count=1)
        if shorter == text or len(shorter.split()) < LEAST:
            return _to_the_point(text)
        text = capital(shorter)


def unconditioned(text: str) -> str:
    """Without the condition that a sentence begins with, for one that is too long with it."""
    return capital(_CONDITIONED.sub("", text))


def capital(text: str) -> str:
    """With a capital first, unless that is a name in lower case with a mark or digit in it."""
    return text[:1].upper() + text[1:] if text.split(" ", 1)[0].isalpha() else text


def _we(found: re.Match[str]) -> str:
    """ "This paper shows and proves" with its authors as the subject."""
    also = f" and {base(found['other'])}" if found["and"] else ""
    return f"we {base(found['verb'])}{also}"


def _to_the_point(text: str) -> str:
    """What the authors did, not that they set out to."""
    text = _AFTER_WE.sub(r"\1 ", text)
    text = _ON_THE_WAY.sub("We ", _AIM.sub("We ", text))
    text = capital(_REPORT.sub("", _OUR_NAME.sub(r"\1 ", text)))
    text = _THROUGH.sub("We present ", text)
    found = _BY_DOING.match(text)
    verb = base_of_ing(found["verb"]) if found else None
    return f"We {verb}{text[found.end() :]}" if found and verb else text


def _comma(found: re.Match[str]) -> str:
    """Two commas around "in this paper" belong to it; one does not."""
    return "" if found[0].startswith(",") or not found[0].endswith(",") else ","
