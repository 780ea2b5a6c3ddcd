"""What kind of thing a paper brings: a benchmark, a data set, a method, an attack, theory …

Told from the sentence in which the authors say so, by the noun that heads what they bring. A paper
of which no sentence is clear has no kind.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rag.summarize.openings import first_person
from rag.types import Citation, Entry

MAX_SENTENCES = 30
"""Of a text that are read; an abstract has about ten."""
MAX_CHARS = 1_500
"""Of a sentence; a longer one is none."""

NOUNS = {
    "benchmark": (
        r"benchmarks?|(?:benchmark|test|evaluation) suite|evaluation benchmark|testbed|"
        r"benchmark(?:ing)? framework"
    ),
    "dataset": r"data ?sets?|corpus|corpora|benchmark dataset",
    "attack": r"attacks?|(?:attack|jailbreak|backdoor|red-teaming) (?:method|framework|strategy)",
    "defense": r"defen[cs]e|(?:defen[cs]e|guardrail) (?:method|framework|mechanism|strategy)",
    "evaluation": (
        r"(?:framework|method|approach|protocol|pipeline|environment|tool|system)s?(?: and tool)?"
        r"(?=,? (?:designed )?(?:for|to|that|which) (?:\w+ly )?(?:evaluat|measur|assess|benchmark|"
        r"audit|quantif|red.team)\w+)|evaluation (?:framework|method|pipeline|algorithm|protocol)"
    ),
    "method": (
        r"methods?|framework|architecture|pipeline|approach|technique|paradigm|"
        r"layer|strategy|mechanism|estimator|objective|model|scheme|procedure|system|algorithm"
    ),
}
"""Each kind's nouns, the more telling kind first."""
PLURALS = {
    "benchmark": "benchmarks",
    "dataset": "datasets",
    "attack": "attacks",
    "defense": "defenses",
    "evaluation": "evaluation methods",
    "theory": "theoretical studies",
    "study": "analyses",
    "method": "methods",
}
_SINGULARS = {
    "theory": "a theoretical study",
    "study": "an analysis",
    "attack": "an attack",
    "evaluation": "an evaluation method",
}

_INNER = (
    r"(?:(?!(?:for|on|to|of|with|from|by|using|that|which|in|over|via|as|under|without|where|an?|"
    r"the|our|we|evaluating|benchmarking|analytical|conceptual|theoretical|reward|"
    r"threat|language|foundation)\b)"
    r"[^\s,.;:]+,? ){0,9}?"
)
"""Words before the noun that heads a phrase; none of them begins another phrase."""
_OUTER = (
    r"(?=[,.;:(]|$|\s(?:for|of|to|that|which|in|on|with|designed|called|named|termed|dubbed|where|"
    r"consisting|comprising|based|built|by|spanning|covering|from|using|across|at|tailored|aimed|"
    r"capable|whose|via|under|and|the|an?|atop|over|through|between|within|against|\w+ing|\w+ed)\b)"
)
_ARTICLE = r"(?:an?|the first|our)"
_LONG_FORM = r"(?: ?\([^()]{1,150}\))?"
_THEORY = re.compile(
    r"\b(?:[Ww]e|and|then) (?:\w+ly |then |first )?"
    r"(?:prove (?!that (?:our|[A-Z]{2})|.{0,80}\boutperform)|"
    r"(?:derive|establish|obtain) .{0,60}\b(?:bounds?|convergence|rates?|guarantees?|theor\w+|"
    r"equivalen\w+|complexity)\b)"
    r"|^We (?:\w+ly )?(?:provide|give|present|develop|conduct) an? [^,]{0,40}theoretical analysis"
)
_ANALYSIS = re.compile(
    r"^We (?:\w+ly |first )?(?:(?:study|investigate|examine|analy[sz]e|scrutinize|compare|revisit|"
    r"replicate|deconstruct) (?!this|these|it\b|our\b)|"
    r"(?:conduct|present|provide|perform|carry out) (?:an?|the first) [^,.]{0,60}?\b(?:study|"
    r"analysis|investigation|comparison|examination|deconstruction|audit)\b)"
)
_FURTHER = re.compile(r"(?:Additionally|Finally|Further|Moreover|Also|Lastly|Theoretically)")
_STEP = re.compile(
    r"\b(?:propos|introduc|develop)\w*|\bour (?:method|approach|algorithm|framework)"
)
"""With which an analysis is one step of a paper, and not what it is."""
_BRINGS = re.compile(
    r"\b[Ww]e (?:\w+ly |then |also |first |thus |further )?"
    r"(?:propose|introduce|design|develop|"
    r"present(?! (?:an?|the first) [^.]{0,40}(?:study|analysis)))\b"
)
_YARDSTICK = re.compile(r"bench|arena|data ?set|corpus|eval|metric|suite|model family", re.I)
_IS = {
    kind: re.compile(
        rf"^{_LONG_FORM}(?: is|,|\s?—\s?)(?: \(?i\.e\.,)? ?{_ARTICLE} {_INNER}(?:{nouns}){_OUTER}"
    )
    for kind, nouns in NOUNS.items()
}
"""What follows a name that is one of a kind: ", a new benchmark for …"."""


@dataclass(frozen=True, slots=True)
class Kind:
    """``name`` is a key of PLURALS; ``citation`` the sentence that tells it."""

    name: str
    citation: Citation

    @property
    def is_made(self) -> bool:
        """Whether it is a thing with a name, and not the paper's study of one."""
        return self.name not in ("theory", "study")


def kind_of(entry: Entry, spans: Sequence[tuple[int, int]]) -> Kind | None:
    """A paper's kind; first as its line tells it, then as its sentences do, in order."""
    handle, paper = entry.paper.handle, entry.paper
    if entry.supported and entry.citations and (name := _made(entry.line, handle)):
        return Kind(name, entry.citations[0])
    some = [(start, end) for start, end in spans[:MAX_SENTENCES] if end - start <= MAX_CHARS]
    quotes = [paper.text[start:end] for start, end in some]
    told = first_person(quotes)
    cited = {(citation.start, citation.end) for citation in entry.citations}
    only_studies = not any(map(_BRINGS.search, told))
    kinds = [_made(quote, handle) for quote in quotes]
    if not any(kinds) and entry.supported and _does_something(entry):
        kinds = [_introduced(one, handle) for one in told]
    if not any(kinds):
        kinds = [
            _studied(one) if only_studies or place in cited else None
            for place, one in zip(some, told, strict=True)
        ]
    for kind, (start, end), quote in zip(kinds, some, quotes, strict=True):
        if kind:
            return Kind(kind, Citation(entry.number, paper.paper_id, quote, start, end))
    return None


def _made(sentence: str, handle: str) -> str | None:
    """The kind of thing that a sentence says a paper's system is."""
    for found in re.finditer(
        rf"(?<![\w-]){re.escape(handle)}(?![\w-])", sentence if handle else ""
    ):
        behind = sentence[found.end() :]
        for kind, is_one in _IS.items():
            if is_one.match(behind):
                return kind
    return None


def _does_something(entry: Entry) -> bool:
    """Whether a paper's line says what its system does; a yardstick is none that does."""
    handle = entry.paper.handle
    does = rf"{re.escape(handle)} (?:\w+ly )?(?!is |was |has )\w+s "
    active = bool(handle) and re.match(does, entry.line) is not None
    return active and not _YARDSTICK.search(f"{handle} {entry.line}")


def _introduced(sentence: str, handle: str) -> str | None:
    """ "method" for a sentence in which the authors introduce their system and no yardstick."""
    introduces = rf"{_BRINGS.pattern} (?:\S+ ){{0,8}}?\(?{re.escape(handle)}(?![\w-])"
    if _YARDSTICK.search(sentence) or not re.search(introduces, sentence):
        return None
    return "method"


def _studied(sentence: str) -> str | None:
    """The kind of study that a sentence, in the first person, says that a paper is."""
    if _FURTHER.match(sentence):
        return None
    plain = re.sub(r"^[^,]{0,80}, (?=we )", "", sentence)
    plain = plain[:1].upper() + plain[1:]
    if _THEORY.search(plain):
        return "theory"
    return "study" if _ANALYSIS.match(plain) and not _STEP.search(plain) else None


def a(kind: str) -> str:
    """A kind with its article."""
    return _SINGULARS.get(kind, f"a {kind}")
