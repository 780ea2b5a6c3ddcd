"""Forms of English clauses with a figure in them, as patterns.

Knows where a figure may stand and the forms of some verbs; nothing of questions or papers. Groups:
``s`` subject, ``v`` verb, ``o`` object, ``p`` preposition, ``fig`` a figure with its unit,
``count`` how many ``things``, ``rest`` what comes behind.
"""

from __future__ import annotations

import re

from rag.evaluate.quantities import NO_NOUN, PLURAL
from rag.summarize.verbs import is_third, is_verb, third

# --- verbs ---------------------------------------------------------------------------------------

_CHANGES = {
    **{
        verb: f"{verb}ed" for verb in "lower boost extend shorten lengthen delay climb slow".split()
    },
    **{verb: f"{verb}ed" for verb in "exceed outperform surpass shift widen narrow speed".split()},
    **{verb: f"{verb}d" for verb in "raise increase decrease reduce improve decline".split()},
    **{verb: f"{verb}d" for verb in "accelerate enhance underestimate overestimate".split()},
    **{"drop": "dropped", "fall": "fell", "rise": "rose", "grow": "grew", "shrink": "shrank"},
    **{"cut": "cut", "beat": "beat", "lift": "lifted", "advance": "advanced"},
}
"""Verbs of change and their past."""
CHANGE = {
    **{third(plain): ("does", plain) for plain in _CHANGES},
    **{past: ("did", plain) for plain, past in _CHANGES.items()},
}
"""Forms with their helping verb and plain form: rose → did, rise. A plain form may be a noun."""
CHANGING = frozenset(_CHANGES)
_SEEN = {
    **{verb: verb for verb in "found built held put set read made kept lost met bought".split()},
    **{"saw": "seen", "took": "taken", "drew": "drawn", "gave": "given", "chose": "chosen"},
}
"""Past → participle, of verbs with forms of their own."""
_DONE_TO_THINGS = frozenset(
    "collect evaluate examine test analyze compare introduce present propose release annotate "
    "curate consider investigate construct conduct survey interview assemble record report sample "
    "select train benchmark gather observe".split()
)


def participle(verb: str) -> str:
    """tagged, collect → tagged, collected; "" for what may be no verb of doing something to
    things."""
    if verb in _SEEN:
        return _SEEN[verb]
    if verb in _DONE_TO_THINGS:
        return f"{verb}d" if verb.endswith("e") else f"{verb}ed"
    return verb if verb.endswith("ed") and len(verb) > 4 else ""


def unhalved(before: str, behind: str) -> str:
    """What stands before an "and" without the phrase that this goes on with: of "questions in
    English" only "questions", if " and German" comes behind."""
    word = (behind.split() or [""])[0]
    anew = is_third(word) or is_verb(word) or word.endswith("ing") or NUMBERED.search(word)
    return before if anew or word in ("we", "it", "a", "the") else _PHRASE.sub("", before)


# --- figures -------------------------------------------------------------------------------------

_HEDGE = (
    r"(?:(?:up to|more than|less than|fewer than|at least|at most|over|nearly|almost|about|around|"
    r"approximately|roughly|only|just|an estimated|a total of|[~∼≈])\s?)?"
)
_COUNT_WORDS = (
    "two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|"
    "seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
)
NUMBERED = re.compile(rf"\d|\b(?:half|thirds?|{_COUNT_WORDS})\b", re.I)
_DIGITS = r"(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?"
COUNT = rf"(?:{_DIGITS}[KM]?|(?i:{_COUNT_WORDS}))(?:\s(?:thousand|million|billion))?"
_PERCENT = rf"{_DIGITS}\s?(?:%|percent\b|per\scent\b)(?:\s?points?)?"
_PART = r"(?:half|(?:one|two|three|a)[\s-](?:thirds?|quarters?|tenth|fifths?))"
_IN_UNITS = rf"{COUNT}\s(?:{PLURAL}|{NO_NOUN}[A-Za-z]{{1,3}}\b)"
_MEASURE = rf"(?:{_PERCENT}|{_PART}|{_DIGITS}\s?[×x](?!\w)|{_IN_UNITS})"
_THINGS = rf"(?P<things>(?:{NO_NOUN}[a-z][\w-]*\s){{0,2}}?{NO_NOUN}{PLURAL})"
_MANY = rf"{_HEDGE}(?P<count>{COUNT}) {_THINGS}"
TIMES = re.compile(
    r"\b(?:seconds|minutes|hours|days|weeks|months|years|decades|degrees|times|points|orders|knots|"
    r"microns|met(?:re|er)s|\w*lit(?:re|er)s|parameters|steps|epochs|folds?|layers|bits)\b"
)
"""What is measured in, not counted."""
NOT_TOLD = re.compile(
    r"\b(?:beyond|exceed\w*|above|than|every|per|to|the|these|those|each|first|last|top|its|their|"
    r"all|any|between|until|under|below)\s(?:\w+\s)?$|\d,? (?:and|or|to)\s$|\b(?:two|three|[1-3])$",
    re.I,
)
"""Before a count, or as one, what makes it a bound, known before, or too small to be telling."""

# --- clauses -------------------------------------------------------------------------------------

LEAD = re.compile(
    r"^(?:(?:On|In|At|Over|During|After|With|Among|Across|Under|Below|For|By|When|Here|Moreover|"
    r"Furthermore|However|Finally|Notably|Further|Overall|Additionally|Specifically|Experiments|"
    r"Results|To)\b[^,]{0,90}, )?(?:[^,]{1,80}? (?:show|find|found|demonstrate|report|reveal|"
    r"suggest|indicate|prove|observe|confirm)(?:s|d|ed)? that )?"
)
"""What leads up to a main clause."""
PIECES = re.compile(r"[;:] |, (?:and|but|while|whereas|which|where|with|showing|yielding|as) |\. ")
INTRICATE = re.compile(r"[$\\{}=]")
VAGUE = re.compile(r"\b(?:it|its|they|their|them|this|these|those|he|she|our|we)\b", re.I)
"""What points to something outside its sentence."""
NO_SUBJECT = re.compile(
    r"(?:and|or|but|while|whereas|where|when|which|that|who|if|as|by|to|on|in|at|of|with|from|for|"
    r"than|over|after|during|there|then|thus|also|both|only|not|here|among|across|under)\b|"
    r".*(?:\b(?:that|is|are|was|were)\b|\d)",
    re.I,
)
_PLACES = r"with|without|in|of|on|at|for|by|from|to|into|across"
TAIL = re.compile(
    r" (?:(?P<joint>and|or)|but|while|whereas|than|compared|which|that|from an?|until|over)"
    r"\b.*$"
)
"""Where something else begins; a ``joint`` may cut one thing in half."""
LOOSE = re.compile(rf"(?: (?:{_PLACES}|the|an?|as))+$")
_PHRASE = re.compile(rf" (?:{_PLACES}|\w+ing)(?: (?!(?:{_PLACES})\b)\S+)*$")

_SUBJECT = r"^(?P<s>(?:[^\s,()]+ ){0,8}?[^\s,()]+)"
_NO_VERB = r"(?!(?:is|was|has|does|as|its|this|thus|us|across|towards)\b)"
_VERB, _THIRD = rf"(?P<v>{_NO_VERB}[a-z]+)", rf"(?P<v>{_NO_VERB}[a-z]+s)"
_CHANGED = rf"(?P<v>{'|'.join(CHANGE)})(?P<o>(?: [^\s,]+){{0,8}}?)"
_REST = r"(?P<rest>(?: [^\s,;:()]+){0,9})$"

BY = re.compile(rf"{_SUBJECT} {_CHANGED} by {_HEDGE}(?P<fig>{_MEASURE}){_REST}")
FROM_TO = re.compile(
    rf"{_SUBJECT} {_CHANGED} (?P<fig>from {_DIGITS}\S*(?:\s(?:%|[a-z]{{1,7}}))?\sto {_DIGITS}\S*"
    rf"(?:\s(?:%|[a-z]{{1,2}}\b))?){_REST}"
)
PASSIVE_BY = re.compile(
    rf"{_SUBJECT} (?P<aux>was|were|is|are) (?P<v>\w+ed) by {_HEDGE}(?P<fig>{_MEASURE}){_REST}"
)
IS = re.compile(
    rf"{_SUBJECT} (?P<aux>was|is|are|were) {_HEDGE}(?P<fig>{_MEASURE})(?: (?:a|per) \w+)?(?:,.*)?$"
)
HAS_MORE = re.compile(
    rf"{_SUBJECT} (?P<v>had|has|have) (?P<fig>{_MEASURE}) (?P<more>more|less|fewer|higher|lower) "
    r"(?P<o>[a-z]+(?: [^\s,]+){0,3})"
)
MANY_DO = re.compile(rf"^{_MANY} (?P<rest>(?:were|had|have)(?: [^\s,;()]+){{1,9}})$")
WE_DO = re.compile(
    rf"^(?:[Ww]e|[Tt]he authors)(?: also| further| then| \w+ly)? {_VERB} {_MANY}{_REST}"
)
DOES = re.compile(rf"{_SUBJECT} {_VERB} {_MANY}{_REST}")
DOES_IN = re.compile(
    rf"{_SUBJECT} {_THIRD}(?P<o>(?: [^\s,]+){{1,8}}?) (?P<p>with|in|at|within|on|for|across) "
    rf"(?:{_HEDGE}(?P<fig>{_PERCENT}) (?P<noun>(?:of )?{NO_NOUN}[a-z]+)|{_MANY})"
    r"(?P<rest>(?: (?:of|in|at|along|from) [^\s,]+(?: [^\s,]+){0,3})?)"
)
SHARE = re.compile(
    rf"{_SUBJECT} (?P<v>account|make|cover|represent|constitute|comprise|contain|use)(?P<third>s)?"
    rf"(?P<p> for| up)? {_HEDGE}(?P<fig>{_PERCENT}|{_PART})(?P<rest> of(?: [^\s,]+){{1,6}})"
)
_AMOUNTS = (
    "accuracy|precision|recall|sensitivity|specificity|purity|depth|height|speed|rate|temperature|"
    "budget|overhead|score|size|length|width|age|cost|error|probability|frequency|speedup|latency|"
    "concentration|pressure|distance|resolution|efficiency|correlation|coefficient|dose"
)
_PRAISE = (
    r"(?:low|high|small|large|substantial|remarkable|impressive|mere|new|strong|significant)\b"
)
AMOUNT = re.compile(
    rf"\b(?:an?|the) (?P<noun>(?:(?!{_PRAISE})[a-z][\w-]* ){{0,2}}(?:{_AMOUNTS})) of {_HEDGE}"
    rf"(?P<fig>{_PERCENT}|{_DIGITS}\s?[a-jl-zA-JLN-Z][A-Za-z]{{0,2}}\b|\d+\.\d+)(?! of\b)"
)
MENTION = re.compile(
    rf"(?<![\w.,–/-]){_MANY}(?P<rest>(?: (?:of|in|at|along|from|near|off) (?:the )?[\w-]+"
    r"(?: (?=[A-Z])[\w-]+){0,3}(?=$|[,.;:)]| (?:that|which|and|with|to|by|at|on|is|are|was|were|it|"
    r"we|they|showed|from|for|in)\b))?)"
)
