"""Which things of a class a paper names: benchmarks, data sets, models, baselines, metrics, tasks.

"What datasets is it tested on?" is answered by the sentence that lists some, and such a sentence
need not have the word: "evaluated on Tides and Storms". Knows wordings, no index.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

_NOUNS: Mapping[str, str] = {
    "tests": r"benchmarks?|data ?-?sets?|corp(?:us|ora)|environments?|simulators?|test ?-?beds?"
    r"|test sets?|suites?",
    "models": r"(?:(?:base|language|foundation|backbone|vision-language) )?"
    r"(?:models?|llms?|vlms?|mllms?|backbones?|architectures?|networks?)",
    "baselines": r"(?:(?:other|strong|existing|previous|prior|state-of-the-art) )?"
    r"(?:baselines?|competitors?|methods?|systems|approaches)",
    "metrics": r"metrics?|measures?|scores?",
    "languages": r"languages?",
    "tasks": r"tasks?|domains?|applications?|settings?|problems?",
}
_VERB = (
    r"(?:us(?:e|es|ed)|test(?:s|ed)?|evaluat\w+|tri(?:ed|es)|try|train(?:s|ed)?|report(?:s|ed)?"
    r"|cover(?:s|ed)?|consider(?:s|ed)?|run|appl(?:y|ies|ied)|compar\w+|beat(?:s|en)?"
    r"|outperform\w*|surpass\w*|stud(?:y|ies|ied)|experiment\w*|measur\w+|work(?:s|ed)?|build on"
    r"|rel(?:y|ies) on|fine-?tun\w+|benchmark(?:s|ed)|demonstrat\w+|validat\w+|shown|employ\w*)"
)
_ASKS = re.compile(
    r"\b(?:which|what)(?: (?:kinds? of|types? of|other|public|standard|existing|real-world))* (?:"
    + "|".join(f"(?P<{name}>{noun})" for name, noun in _NOUNS.items())
    + rf")\b(?! (?:of|in|that|which|for|with|from)\b).*?\b{_VERB}\b"
    r"|^(?:on|with|in|against) (?:which|what) (?:"
    + "|".join(f"(?P<{name}2>{noun})" for name, noun in _NOUNS.items())
    + rf")\b.*?\b{_VERB}\b",
    re.I,
)
_NAME = r"(?<![\w-])(?:[A-Z][a-z]*[A-Z\d][\w.+-]*|[A-Z]{2,}[\w.+-]*|[A-Z][a-z]+(?:-[\w.]+)+)"
"""What only a name looks like; a plain capitalised word may begin any sentence."""
_COMMON = re.compile(
    r"[A-Z]*LMs?(?:-\w+)?|[A-Z]?[CRDGN]NNs?|RL\w*|NLP|AI|ML|CV|QA|APIs?|S[oO]TA|KV\S*|SFT|State-\S+"
)
"""Abbreviations of the field, which name no single thing."""
_MODEL = (
    r"(?<![\w-])(?:[A-Z][A-Za-z]*[\d.]*-\d[\w.-]*[bB]?|[A-Z][a-z]+\d[\w.-]*"
    r"|\w*(?:GPT|BERT|LLaMA|Llama|Qwen|ResNet|ViT|CLIP|T5|Gemini|Claude|Mistral|DeepSeek|Gemma|Phi)"
    r"[\w.-]*)"
)
_TRIED = (
    r"(?i:\b(?:evaluat\w+|experiment\w*|tested|tests on|benchmark\w*|results?|achiev\w+"
    r"|outperform\w*|surpass\w*|validat\w+|demonstrat\w+|accuracy|improv\w+|boost\w*"
    r"|trained on|applied to)\b)"
)
_BRINGS = re.compile(r"\bwe (?:propose|introduce|present|develop|design)\b", re.I)
_GROUP = r"(?:[^.;]|\.\d){0,70}?"
_LISTS: Mapping[str, str] = {
    "tests": rf"{_TRIED}(?:[^.;]|\.\d)*?(?:\b(?:on|across|over)\b|\(){_GROUP}{_NAME}"
    rf"|\b(?:benchmarks?|data ?sets?|environments?)\b{_GROUP}{_NAME}"
    rf"|{_NAME}(?: \([^)]*\))? (?:benchmarks?|data ?sets?|environments?|suite)",
    "models": rf"\b(?:models?|on|with|to|such as|for|of)\b{_GROUP}{_MODEL}",
    "baselines": r"\b(?:outperform|surpass|exceed|beat)\w*\b(?! by\b).{8,}"
    r"|\b(?:better|higher|faster|lower|over|than)\b[^.;]{0,60}\b(?:baselines?|methods|models)\b",
    "metrics": rf"\b(?:metrics?|measures?)\b{_GROUP}(?:{_NAME}|:|such as)"
    rf"|{_NAME}[- ](?:score|metric)",
    "languages": r"\b(?:English|Chinese|Mandarin|German|French|Spanish|Hindi|Arabic|Japanese|Korean"
    r"|Russian|Portuguese|Italian|Python|Java|Rust|Lean|Isabelle|Swahili|Turkish|Vietnamese)\b",
    "tasks": rf"\b(?:tasks?|domains?|applications?|settings?|problems?)\b{_GROUP}"
    r"(?:: |\bsuch as\b|\bincluding\b|\bnamely\b|\()"
    r"|\b(?:evaluated|experiments|tested) (?:\w+ )?(?:on|in|across)\b[^.;]*, [^.;]*\band\b"
    r"|,[^.;]* and [\w -]* tasks\b",
}
BACKGROUND = 0.25
"""Share of an abstract at its beginning that tells what others did."""
_ADDRESS = re.compile(r"https?://\S+")
_AHEAD = re.compile(r"\b(?:outperform|surpass|exceed|beat)\w*\b[^,;]*", re.I)
"""Says against what others something was held, which a paper need not use."""
_OWN = re.compile(r"\b(?:we|our|it|results?|experiments?|evaluations?)\b", re.I)


def wanted(question: str) -> str | None:
    """The class of things that a question asks a paper for; None if for none."""
    found = _ASKS.search(question)
    if not found or re.search(r"\bnames? of\b|\bhow many\b", question, re.I):
        return None
    return next(name.rstrip("2") for name, value in found.groupdict().items() if value)


def listing(things: str, handle: str, sentences: Sequence[str]) -> int | None:
    """Place of the sentence of a paper, called by its handle, that names most of such things in a
    place where it says what it was tried on or against; None if none names any."""
    ranked = [
        (_names(things, text.replace(handle, "it") if handle else text), -place)
        for place, text in enumerate(sentences)
        if place >= BACKGROUND * len(sentences)
    ]
    most, place = max(ranked, default=(0.0, 0))
    return -place if most else None


def _names(things: str, text: str) -> float:
    """How well a sentence names things of a class; 0 if not at all."""
    text = _ADDRESS.sub(" ", text)
    text = _AHEAD.sub(" ", text) if things == "models" else text
    said = bool(re.search(rf"\b(?:{_NOUNS[things]})\b", text, re.I))
    tried = bool(re.search(_TRIED, text, re.I))
    if (
        not re.search(_LISTS[things], text)
        or not (tried or said or things == "languages")
        or (not said and _BRINGS.search(text))
    ):
        return 0.0
    names = {*re.findall(_MODEL if things == "models" else _NAME, text)}
    names = {name for name in names if not _COMMON.fullmatch(name)}
    if not names and things in ("tests", "models"):
        return 0.0
    return min(len(names), 4) + 1.5 * said + tried + 0.5 * bool(_OWN.search(text))
