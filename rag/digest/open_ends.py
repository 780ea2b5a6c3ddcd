"""What readers look for and these abstracts do not state.

Each kind is something that words can show to be missing. Where a detector could be wrong it takes
the thing for stated: a paper that is listed here really leaves it open, one that is not may too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from rag.corpus.sentences import OPENERS
from rag.engine.check.naming import MEANINGS
from rag.summarize.openings import first_person
from rag.types import Entry, OpenEnd, Paper

MAX_SENTENCES = 200
"""Of a text; an abstract has about ten."""

_OWN = re.compile(r"\b(?:we|our|this (?:paper|work|study|article))\b", re.I)
_GAIN = re.compile(
    r"\b(?:outperform(?:s|ed|ing)?|surpass(?:es|ed|ing)?|superior (?:performance|results|to)|"
    r"(?:achiev|attain|deliver|set|establish|reach)\w* (?:\w+ ){0,3}state-of-the-art|"
    r"(?:consistent|significant|substantial|notabl|considerabl|markedl|great)(?:ly)? "
    r"(?:improve(?:s|ments?)|better|gains?|outperforms?))\b",
    re.I,
)
_QUANTITY = re.compile(
    r"(?<![A-Za-z])(?<![A-Za-z][-.–])\d|\b(?:twice|thrice|half|halv\w+|doubl\w+|tripl\w+|\w+fold|"
    r"orders? of magnitude|percent\w*|third|quarter)\b",
    re.I,
)
_EXPERIMENTS = re.compile(
    r"\b(?:experiments|(?:extensive|comprehensive|thorough|empirical) (?:\w+ )?evaluations?)\b",
    re.I,
)
_SPECIFIES = re.compile(
    r"\b(?:includ\w+|such as|e\.g|namely|i\.e|rang\w+ from|spanning|covering|like)\b|[:—(]", re.I
)
_RIVALS = re.compile(
    r"\b(?:baselines?|state-of-the-art|(?:existing|prior|previous|competing|conventional|current|"
    r"alternative|other|traditional) (?:[\w-]+ ){0,4}(?:methods?|approaches|models?|techniques?|"
    r"algorithms?|systems?|works?|frameworks?))\b",
    re.I,
)
_SHARED = re.compile(
    r"\b(?:(?:our|source|all|full|the|project|associated) codes?|codebase|"
    r"codes? (?:is|are|and|will|can|at|for reproduc\w+)|github|gitlab|hugging ?face|"
    r"open[- ]?sourc(?:ed|es|ing)|(?:we|fully) open[- ]?source|"
    r"open[- ]?source (?:our|the|all|code|implementation|it|them)|releas\w+|"
    r"(?:make|made|making|is|are|be) (?:\w+ )?available|"
    r"available (?:at|on|online|from|here|upon|under|via)|publicly|repositor\w+|"
    r"(?:web|project|home) ?(?:page|site)s?|https?|www|download\w*)\b|\bcodes?:|://",
    re.I,
)
"""Says that something is given to others; that models are public or open-source does not."""
_TOKEN = re.compile(r"[^\W_][\w.+&@-]*")
_NAME = re.compile(r"[A-Z]|.+[A-Z]|[a-z]+-?\d")


@dataclass(frozen=True)
class _Abstract:
    paper: Paper
    sentences: Sequence[str]

    @cached_property
    def own(self) -> Sequence[str]:
        """The sentences from the first on in which the authors, in whatever person, speak of their
        work, or name what they made."""
        handle = self.paper.handle
        told = first_person(self.sentences)
        first = (i for i, s in enumerate(told) if _OWN.search(s) or (handle and handle in s))
        return self.sentences[next(first, len(self.sentences)) :]

    @cached_property
    def gains(self) -> Sequence[str]:
        """The sentences that say the work does better."""
        return [sentence for sentence in self.own if _GAIN.search(sentence)]

    @cached_property
    def names_others(self) -> bool:
        """Whether there is a name that is neither the paper's own nor a word of the field."""
        own = {part.lower() for part in re.split(r"\W+", self.paper.handle)} | set(MEANINGS)
        return any(_foreign(sentence, own) for sentence in self.sentences)


def open_ends(
    entries: Sequence[Entry], spans: Mapping[str, Sequence[tuple[int, int]]]
) -> tuple[OpenEnd, ...]:
    """What is not stated, with the papers that do not state it, in the entries' order.

    ``spans``: start and end of the sentences of each paper's text, by paper_id.
    """
    papers = {entry.paper.paper_id: entry.paper for entry in entries}
    abstracts = [_abstract(paper, spans.get(paper_id, ())) for paper_id, paper in papers.items()]
    return tuple(_open_ends(abstracts))


def _abstract(paper: Paper, spans: Sequence[tuple[int, int]]) -> _Abstract:
    return _Abstract(paper, [paper.text[start:end] for start, end in spans[:MAX_SENTENCES]])


def _open_ends(abstracts: Sequence[_Abstract]) -> Iterator[OpenEnd]:
    for text, missing in _KINDS:
        ids = tuple(abstract.paper.paper_id for abstract in abstracts if missing(abstract))
        if ids:
            yield OpenEnd(text, ids)


def _no_figure(abstract: _Abstract) -> bool:
    """There is no number that could say how large the gain is."""
    return bool(abstract.gains) and not _QUANTITY.search(abstract.paper.text)


def _no_rival(abstract: _Abstract) -> bool:
    """It does better than others, and no other has a name."""
    return any(map(_RIVALS.search, abstract.gains)) and not abstract.names_others


def _no_data(abstract: _Abstract) -> bool:
    """Experiments are reported, and nothing is told of what they ran on but what kind it is."""
    reports = [sentence for sentence in abstract.own if _EXPERIMENTS.search(sentence)]
    told = abstract.names_others or any(map(_SPECIFIES.search, reports))
    return bool(reports) and not told


def _no_code(abstract: _Abstract) -> bool:
    return bool(abstract.own) and not _SHARED.search(abstract.paper.text)


_KINDS: tuple[tuple[str, Callable[[_Abstract], bool]], ...] = (
    ("A gain is claimed, but its size is not stated", _no_figure),
    ("A gain over others is claimed, but over which is not stated", _no_rival),
    ("Experiments are reported, but on which data is not stated", _no_data),
    ("Whether code, data or models are released is not stated", _no_code),
)


def _foreign(sentence: str, own: set[str]) -> bool:
    """Whether a sentence has a name, by its capitals or digits, that is not among ``own``."""
    for token in _TOKEN.finditer(sentence):
        opens = token.start() < 3 or sentence[: token.start()].rstrip()[-1:] in ":;"
        word = token[0].rstrip(".-")
        if not _NAME.match(word) or (opens and (word[1:].islower() or word in OPENERS)):
            continue
        parts = re.split(r"[\W_]+", word)
        if any(_NAME.match(part) and part.lower().removesuffix("s") not in own for part in parts):
            return True
    return False
