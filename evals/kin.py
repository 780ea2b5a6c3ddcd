"""Learn which words go with which topics, from papers with their authors' keywords.

    python evals/kin.py PAPERS.jsonl [--without FOLDER]

Writes ``rag/retrieve/kin.json``. Papers of the real lists in FOLDER and of ``topics_corpora.json``
are left out, so that figures measured on them are not of what was learnt by heart.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from rag.corpus import read_file
from rag.retrieve.content import content_term, content_terms, content_words
from rag.types import Paper

HERE = Path(__file__).parent
OUT = HERE.parent / "rag" / "retrieve" / "kin.json"

FEWEST = 6
"""Papers on a topic from which its words are learnt."""
COMMON = 0.5
"""Share of the papers from which on a topic sets nothing apart."""
TOGETHER, SURPLUS, LIKELIHOOD = 3, 1.5, 7.0
"""Least papers that a word shares with a topic, times more than by chance, and the G² of that."""
OFTEN = 3
"""A plural, or small letters, that are this many times rarer than what is most frequent are taken
for usual: what is told of many is in the plural, and headings have capitals everywhere."""
_NAME, _TOKEN = re.compile(r"[\w-]+(?: [\w-]+)*"), re.compile(r"\w+")
SHORT = (",", ":")
WORDS = 40
"""Words kept of a topic."""

Kin = dict[str, tuple[float, float, dict[str, float]]]


def learn(papers: Sequence[Paper]) -> Kin:
    """For each topic, a term or terms of a keyword parted by spaces: the score of papers that are
    not about it, that of papers that are, both means, and its words with what each adds."""
    documents = [set(content_terms(paper.indexed_text)) for paper in papers]
    holders = defaultdict(list)
    for row, document in enumerate(documents):
        for word in document:
            holders[word].append(row)
    frequency = {word: len(rows) for word, rows in holders.items()}
    kin: Kin = {}
    for topic, about in sorted(_topics(papers).items()):
        if not FEWEST <= len(about) <= COMMON * len(papers):
            continue
        if found := _words(about, documents, frequency):
            scores = np.zeros(len(papers))
            for word, weight in found.items():
                scores[holders[word]] += weight
            inside = np.isin(np.arange(len(papers)), list(about))
            means = scores[~inside].mean(), scores[inside].mean()
            kin[topic] = (round(float(means[0]), 2), round(float(means[1]), 2), found)
    return kin


def _topics(papers: Iterable[Paper]) -> Mapping[str, set[int]]:
    """The papers on each keyword of up to four terms, and on each term of keywords and titles."""
    topics: dict[str, set[int]] = defaultdict(set)
    for row, paper in enumerate(papers):
        for keyword in paper.keywords:
            phrase = content_terms(keyword)
            if 1 < len(phrase) <= 4:
                topics[" ".join(phrase)].add(row)
        for heading in (*paper.keywords, paper.title or ""):
            for term in content_terms(heading):
                if not term.isdigit():
                    topics[term].add(row)
    return topics


def _words(
    about: set[int], documents: Sequence[set[str]], frequency: Mapping[str, int]
) -> dict[str, float]:
    """The words that set a topic's papers apart, most telling first, with their log-odds."""
    counts = Counter(word for row in about for word in documents[row])
    everything, size = len(documents), len(about)
    ranked = []
    for word, together in counts.items():
        chance = size * frequency[word] / everything
        if not word.isalpha() or together < TOGETHER or together <= SURPLUS * chance:
            continue
        table = (together, size - together, frequency[word] - together)
        likelihood = _likelihood(*table, everything - sum(table))
        if likelihood >= LIKELIHOOD:
            weight = round(float(np.log((together + 0.5) / (chance + 0.5))), 1)
            ranked.append((-likelihood, word, weight))
    return {word: weight for _, word, weight in sorted(ranked)[:WORDS]}


def _likelihood(*table: int) -> float:
    """Dunning's G² of a two-by-two table, given by rows."""
    observed = np.array(table, float).reshape(2, 2)
    expected = np.outer(observed.sum(1), observed.sum(0)) / observed.sum()
    seen = observed > 0
    return float(2 * (observed[seen] * np.log(observed[seen] / expected[seen])).sum())


def _spelt(papers: Iterable[Paper]) -> dict[str, str]:
    """Each term as it is spelt most often; of two as often the first in the alphabet."""
    counts = Counter(word for paper in papers for word in content_words(paper.indexed_text))
    found: dict[str, str] = {}
    for word, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        found.setdefault(content_term(word), word)
    return found


def _names(papers: Sequence[Paper]) -> dict[str, str]:
    """Each topic as most authors write it who have it as a keyword, in the letter case in which
    abstracts have its words. A topic that hardly any keyword is by itself has none."""
    written: dict[str, Counter[str]] = defaultdict(Counter)
    for paper in papers:
        for keyword in sorted({keyword.casefold() for keyword in paper.keywords}):
            written[" ".join(content_terms(keyword))][keyword] += 1
    cases = Counter(token for paper in papers for token in _TOKEN.findall(paper.text))
    usual: dict[str, str] = {}
    for token, count in sorted(cases.items(), key=lambda item: (-item[1], item[0])):
        small = token.casefold()
        usual.setdefault(small, small if OFTEN * cases[small] >= count else token)
    names = {}
    for topic, forms in written.items():
        form = min(forms, key=lambda form: (-forms[form], form))
        if OFTEN * forms[form + "s"] >= forms[form]:
            form += "s"
        if forms.total() >= FEWEST and _NAME.fullmatch(form):
            names[topic] = _TOKEN.sub(lambda match: usual.get(match[0], match[0]), form)
    return names


def _letters(paper: Paper) -> str:
    return "".join(character for character in paper.text if character.isalnum())[:200]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("papers")
    parser.add_argument("--without", type=Path, default=HERE.parent.parent / "shared" / "corpus")
    arguments = parser.parse_args()
    lists = [read_file(str(path)) for path in sorted(arguments.without.glob("*.txt"))]
    kept_apart = {_letters(paper) for reading in lists for paper in reading.records}
    corpora = json.loads((HERE / "topics_corpora.json").read_text(encoding="utf-8"))
    measured = {paper_id for ids in corpora.values() for paper_id in ids}
    papers = [
        paper
        for paper in read_file(arguments.papers).records
        if paper.paper_id not in measured and _letters(paper) not in kept_apart
    ]
    spelt = _spelt(papers)
    names = _names(papers)
    kin = {
        topic: (
            outside,
            inside,
            {spelt[word]: weight for word, weight in words.items()},
            names.get(topic, ""),
        )
        for topic, (outside, inside, words) in learn(papers).items()
    }
    lines = [
        f"{json.dumps(topic)}:{json.dumps(found, separators=SHORT)}"
        for topic, found in sorted(kin.items())
    ]
    OUT.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    print(f"{len(kin):,} topics of {len(papers):,} papers in {OUT.name}")


if __name__ == "__main__":
    main()
