"""True statements about abstracts, with the one to three sentences that each rests on.

Sentences as they stand, parts of them, the same reworded by rule, our own paraphrases, the
sentences of our notes, which retell the original abstracts, and two papers' in one. Without
the real abstracts the notes stand in for them.
"""

from __future__ import annotations

import json
import random
import re
import zlib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from rag.corpus import read_file
from rag.corpus.clean import clean_text
from rag.corpus.handle import find_handle
from rag.corpus.sentences import sentence_spans
from rag.engine.check import Quoted
from rag.evaluate.papers import keys_of
from rag.retrieve.terms import terms

HERE = Path(__file__).parent
NOTES = HERE.parent / "rag" / "sample" / "iclr2026_notes.jsonl"
HALVES = ("dev", "held-out")
SAMPLED = 120
"""Papers taken from the large list besides the two short ones and those of our paraphrases."""
SEED = 7


@dataclass(frozen=True)
class Abstract:
    """A paper's sentences, and what it goes by; ``key`` decides its half."""

    key: str
    names: tuple[str, ...]
    sentences: tuple[str, ...]

    def quote(self, *which: int) -> tuple[Quoted, ...]:
        return tuple(Quoted(self.sentences[i], self.names) for i in which)


@dataclass(frozen=True)
class Trial:
    """A statement with its quotes; ``kind`` is where it is from, or what is wrong with it."""

    kind: str
    key: str
    statement: str
    quotes: tuple[Quoted, ...]

    @property
    def half(self) -> str:
        return HALVES[zlib.crc32(self.key.encode()) % 2]


def abstracts(shared: Path) -> list[Abstract]:
    """The two lists and a sample of the large one; the notes where there is none of these."""
    files = sorted((shared / "corpus").glob("0*.txt")) or [NOTES]
    papers = [paper for file in files for paper in read_file(str(file)).records]
    keys = keys_of(papers, HERE / "papers.jsonl")
    found = [_abstract(keys[p.paper_id], p.text, p.handle, p.title) for p in papers]
    first = {abstract.sentences[0] for abstract in found}
    more = _sample(shared / "data" / "iclr2026" / "iclr2026_accepted_12areas.jsonl")
    return found + [abstract for abstract in more if abstract.sentences[0] not in first]


def _abstract(key: str, text: str, handle: str, title: str | None) -> Abstract:
    sentences = tuple(text[start:end] for start, end in sentence_spans(text))
    return Abstract(key, (handle, title) if title else (handle,), sentences)


def _sample(file: Path) -> Iterator[Abstract]:
    if not file.is_file():
        return
    rows = [json.loads(row) for row in file.read_text(encoding="utf-8").splitlines()]
    chosen = {row["id"] for row in random.Random(SEED).sample(rows, SAMPLED)}
    chosen |= {row["key"] for row in _paraphrases()}
    for row in rows:
        if row["id"] in chosen:
            text, title = clean_text(row["abstract"]), clean_text(row["title"])
            yield _abstract(row["id"], text, find_handle(text, title), title)


def _paraphrases() -> Iterator[dict[str, str | int]]:
    """Our paraphrases: ``key`` of the paper, ``sentence`` from 1, ``text``."""
    rows = (HERE / "paraphrases.jsonl").read_text(encoding="utf-8").splitlines()
    return map(json.loads, rows)


def true_statements(abstracts: Sequence[Abstract]) -> list[Trial]:
    """What the abstracts say, in their words and in others, on the sentences that say it."""
    trials = []
    for abstract in abstracts:
        for i, sentence in enumerate(abstract.sentences):
            for kind, text in (
                ("verbatim", sentence),
                ("part of a sentence", _part(sentence)),
                ("reworded by rule", _reworded(sentence, abstract.names[0])),
            ):
                if text and (kind == "verbatim" or text != sentence):
                    trials.append(Trial(kind, abstract.key, text, abstract.quote(i)))
    by_key = {abstract.key: abstract for abstract in abstracts}
    trials += _paraphrased(by_key)
    trials += _retold(by_key)
    return trials + [*_joined(trials)]


def _part(sentence: str) -> str:
    """The sentence up to its last comma or semicolon that leaves eight words, or nothing."""
    for cut in reversed([*re.finditer(r"[,;]\s", sentence)]):
        head = sentence[: cut.start()]
        if len(head.split()) >= 8 and head.count("(") == head.count(")"):
            return head + "."
    return ""


_REWORDINGS = (
    (
        r"^(Specifically|Notably|Moreover|Furthermore|Additionally|In addition|However|Finally), ",
        "",
    ),
    (r"^(In this (paper|work)|To this end|To address (this|these \w+)), ", ""),
    (r"\s\([^()]{0,200}\)", ""),
    (r"(?<=\d)%", " percent"),
    (r"\bWe\b", "The authors"),
    (r"\bwe\b", "the authors"),
    (r"\b[Oo]ur (method|approach|framework|model|system|pipeline)\b", "{name}"),
    (r"\bOur\b", "Their"),
    (r"\bour\b", "their"),
)


def _reworded(sentence: str, name: str) -> str:
    for pattern, replacement in _REWORDINGS:
        sentence = re.sub(pattern, replacement.replace("{name}", name.replace("\\", "")), sentence)
    return sentence[:1].upper() + sentence[1:]


def _paraphrased(originals: Mapping[str, Abstract]) -> Iterator[Trial]:
    for row in _paraphrases():
        key, sentence, text = str(row["key"]), int(row["sentence"]), str(row["text"])
        if key in originals:
            yield Trial("our paraphrase", key, text, originals[key].quote(sentence - 1))


def _retold(originals: Mapping[str, Abstract]) -> Iterator[Trial]:
    """The sentences of our notes on those of the originals; nothing for notes on themselves."""
    for note in read_file(str(NOTES)).records:
        original = originals[note.paper_id]
        if original.sentences[0] not in note.text:
            for start, end in sentence_spans(note.text):
                text = note.text[start:end]
                yield Trial("note", note.paper_id, text, original.quote(*bound(text, original)))


def bound(statement: str, abstract: Abstract, most: int = 3) -> list[int]:
    """The sentences that together share most words with a statement, each adding a tenth."""
    asked = set(terms(statement))
    missing, chosen = set(asked), list[int]()
    having = held(abstract)
    while len(chosen) < most:
        best = max(
            range(len(having)), key=lambda i: len(missing & having[i]) - 1e-3 * len(having[i])
        )
        if chosen and len(missing & having[best]) < max(2, 0.1 * len(asked)):
            break
        chosen.append(best)
        missing -= having[best]
    return sorted(set(chosen))


@cache
def held(abstract: Abstract) -> tuple[frozenset[str], ...]:
    return tuple(frozenset(terms(sentence)) for sentence in abstract.sentences)


def _joined(trials: Sequence[Trial]) -> Iterator[Trial]:
    """Statements that name their papers, those of two papers made into one."""
    named = [
        t
        for t in trials
        if t.kind in ("note", "reworded by rule") and t.quotes[0].names[0] in t.statement
    ]
    chance = random.Random(SEED)
    for half in HALVES:
        ours = [trial for trial in named if trial.half == half]
        for one, other in zip(ours, chance.sample(ours, len(ours)), strict=True):
            if one.key != other.key:
                text = f"{one.statement.rstrip('.')}; {other.statement}"
                yield Trial("two papers", one.key, text, one.quotes + other.quotes)


def sampled(true: Sequence[Trial], each: int) -> list[Trial]:
    """Up to ``each`` true statements of every source in each half."""
    groups: defaultdict[tuple[str, str], list[Trial]] = defaultdict(list)
    for trial in true:
        groups[trial.kind, trial.half].append(trial)
    chance = random.Random(SEED)
    return [t for group in groups.values() for t in chance.sample(group, min(each, len(group)))]
