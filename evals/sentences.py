"""Which sentences of a paper answer a question: learn the weights, and measure them.

    python evals/sentences.py [--shared FOLDER] [--fit]

Learned from SciFact's training claims, with the sentences that support or refute them, and from
our questions tagged ``dev``, with the sentences that hold an expected fact: each such sentence
has to score higher than the others of its abstract. ``--fit`` keeps the weights in
``rag/engine/sentences.json``. Printed is what three sentences of the right abstract hold: a whole
rationale of SciFact, by cross-validation over abstracts; the expected facts of our questions, by
how much was seen of them (``more`` as a total only); and the same with groups of features left
out. Baselines in the same run: BM25 over the sentences, their cosines, and the rule by hand that
the weights replaced.
"""

from __future__ import annotations

import argparse
import json
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log1p
from pathlib import Path

import bm25s
import numpy as np
from indexes import HERE, asker_over, corpora

import rag.engine
from rag.embed import Document
from rag.embed.minilm import MiniLM
from rag.engine.answer import Asker
from rag.engine.evidence import asked_of
from rag.engine.question import understand
from rag.engine.sentences import Asked, coverage, features, scores
from rag.evaluate.cases import load_suites
from rag.evaluate.matching import found, missing
from rag.evaluate.metrics import interval
from rag.evaluate.papers import Names
from rag.evaluate.types import Case
from rag.retrieve.terms import terms

SHARED = HERE.parent.parent / "shared"
WEIGHTS = Path(rag.engine.__file__).parent / "sentences.json"
SHOWN = 3
"""Sentences that are looked at."""
FOLDS = 5
STRENGTHS = (0.01, 0.03, 0.1, 0.3, 1.0)
"""Of the penalty, inverse; chosen by cross-validation."""
SPREAD, BEST = 0.45, 1.7
"""What scores spread by within an abstract, and the mean of the best ones: those of the rule by
hand, so that bonuses and the floor of what is shown keep their meaning."""

GROUPS = {
    "similarity": ("cosine",),
    "coverage": ("covered", "before", "dense"),
    "wishes": ("wanted",),
    "cues": ("finding", "problem", "aim", "code", "digit"),
    "place and length": ("place", "first", "last", "length"),
    "statements": ("statement:",),
}
"""Features by the beginnings of their names."""

Vector = np.ndarray
Scorer = Callable[["Example"], Vector]


@dataclass(frozen=True)
class Example:
    """A question put to the right abstract. ``facts`` are what its sentences should say, or
    ``rationales`` the sets of sentences of which one should be there as a whole."""

    source: str
    paper: str
    texts: list[str]
    cosines: Vector
    asked: Asked
    facts: tuple[tuple[str, ...], ...] = ()
    rationales: tuple[frozenset[int], ...] = ()

    @cached_property
    def good(self) -> Vector:
        """Which sentences to find."""
        if self.rationales:
            return np.isin(np.arange(len(self.texts)), [*frozenset().union(*self.rationales)])
        said = (any(found(one, t) for fact in self.facts for one in fact) for t in self.texts)
        return np.fromiter(said, bool)

    @cached_property
    def features(self) -> dict[str, Vector]:
        return features(self.texts, self.cosines, self.asked)

    @property
    def fold(self) -> int:
        return zlib.crc32(self.paper.encode()) % FOLDS

    def held(self, scored: Vector, shown: int = SHOWN) -> float:
        """What the best sentences hold: the share of the facts, or whether a whole rationale."""
        best = np.argsort(-scored.round(4), kind="stable")[:shown].tolist()
        if self.rationales:
            return float(any(rationale <= {*best} for rationale in self.rationales))
        text = " ".join(self.texts[i] for i in best)
        return 1 - len(missing(self.facts, text)) / len(self.facts)


def scifact(folder: Path) -> Iterator[Example]:
    """The training claims that have evidence, each with its abstract."""
    records = [json.loads(line) for line in (folder / "corpus.jsonl").open(encoding="utf-8")]
    having = Counter(t for r in records for t in {*terms(" ".join([r["title"], *r["abstract"]]))})
    known = {str(record["doc_id"]): record for record in records}
    claims = [json.loads(line) for line in (folder / "claims_train.jsonl").open(encoding="utf-8")]
    embedder = MiniLM()
    wanted = sorted({paper for claim in claims for paper in claim["evidence"]})
    documents = [_document(known[paper]) for paper in wanted]
    vectors = {wanted[i]: found[1:] for i, found in embedder.documents(documents)}
    for claim in claims:
        text = claim["claim"]
        rarity = {t: _rarity(having[t], len(records)) for t in dict.fromkeys(terms(text))}
        asked = Asked(text, rarity, understand(text, text).wants_number)
        for paper, evidence in claim["evidence"].items():
            rationales = tuple(frozenset(one["sentences"]) for one in evidence)
            cosines = vectors[paper] @ embedder.query(text)
            texts = known[paper]["abstract"]
            yield Example("SciFact", paper, texts, cosines, asked, rationales=rationales)


def _document(record: dict[str, object]) -> Document:
    """A record as an abstract is embedded, its title before it."""
    text, spans = f"{record['title']}.", []
    for sentence in record["abstract"]:
        spans.append((len(text) + 1, len(text) + 1 + len(sentence)))
        text += f" {sentence}"
    return Document(text, tuple(spans))


def _rarity(having: int, papers: int) -> float:
    return log1p((papers - having + 0.5) / (having + 0.5))


def ours(asker: Asker, cases: Sequence[Case]) -> Iterator[Example]:
    """Our questions that facts answer, put to each of their papers. Of a comparison or a list
    each paper has its own fact, in the papers' order."""
    snapshot = asker.retriever.snapshot
    names = Names(snapshot, HERE)
    for case in cases:
        if not case.facts or case.outcome != "answered":
            continue
        question, _ = asker.understood(case.subject, case.history)
        signals = asker.retriever.signals(question.text)
        rows = names.rows(case.gold)
        apart = len(rows) > 1 and len(rows) == len(case.facts)
        for i, row in enumerate(rows):
            paper = snapshot.paper(row)
            yield Example(
                _source(case, len(rows)),
                case.gold[i],
                [paper.text[start:end] for start, end in snapshot.spans(row)],
                signals.sentence[snapshot.sentence_rows(row)],
                asked_of(asker.retriever, signals, question, paper),
                facts=case.facts[i : i + 1] if apart else case.facts,
            )


def _source(case: Case, papers: int) -> str:
    seen = next((tag for tag in ("dev", "test") if tag in case.tags), "more")
    return seen if papers == 1 else f"{seen}, several papers"


def by_bm25(example: Example) -> Vector:
    index = bm25s.BM25(method="lucene", k1=1.2, b=0.75)
    index.index([terms(text) or [" "] for text in example.texts], show_progress=False)
    known = [term for term in example.asked.rarity if term in index.vocab_dict]
    return np.asarray(index.get_scores(known)) if known else np.zeros(len(example.texts))


def by_cosine(example: Example) -> Vector:
    return example.cosines


def by_hand(example: Example) -> Vector:
    """The rule that the weights replaced; they had been searched for on our ``dev`` questions."""
    has = example.features
    covered = coverage([{*terms(text)} for text in example.texts], example.asked.rarity)
    total = example.cosines + 1.5 * covered + 0.4 * has["place"] + 0.4 * has["before"]
    return total - 0.3 * has["first"] + 1.0 * has["wanted digit"] + 0.5 * has["wanted number"]


def by_weights(weights: dict[str, float]) -> Scorer:
    return lambda example: sum(w * example.features[name] for name, w in weights.items())


def fitted(examples: Sequence[Example], names: Sequence[str], strength: float) -> dict[str, float]:
    """Weights by which good sentences outscore the others of their abstracts: a logistic
    regression on the differences of their features, every question weighing the same."""
    from sklearn.linear_model import LogisticRegression

    pairs, weight = [], []
    for example in examples:
        rows = np.column_stack([example.features[name] for name in names])
        good, others = rows[example.good], rows[~example.good]
        if len(good) and len(others):
            pairs.append((good[:, None] - others[None]).reshape(-1, len(names)))
            weight.append(np.full(len(pairs[-1]), 1 / len(pairs[-1])))
    x, w = np.vstack(pairs), np.concatenate(weight)
    spread = np.sqrt((x**2).mean(axis=0)) + 1e-9
    both, labels = np.vstack([x, -x]) / spread, np.repeat([1, 0], len(x))
    model = LogisticRegression(C=strength, fit_intercept=False, max_iter=500)
    model.fit(both, labels, np.concatenate([w, w]))
    return dict(zip(names, model.coef_[0] / spread, strict=True))


def loss(examples: Sequence[Example], scorer: Scorer) -> float:
    """Mean logistic loss of the pairs of a good and another sentence."""
    losses = []
    for example in examples:
        scored, good = scorer(example), example.good
        if good.any() and not good.all():
            apart = scored[good][:, None] - scored[~good][None]
            losses.append(np.logaddexp(0, -apart).mean())
    return float(np.mean(losses))


def strength_of(examples: Sequence[Example], names: Sequence[str]) -> float:
    """The strength that loses least on folds held out."""

    def lost(strength: float) -> float:
        return sum(
            loss(held, by_weights(fitted(kept, names, strength))) for kept, held in splits(examples)
        )

    return min(STRENGTHS, key=lost)


def splits(examples: Sequence[Example]) -> Iterator[tuple[list[Example], list[Example]]]:
    """What to learn from and what is held out: no abstract is in both."""
    for fold in range(FOLDS):
        held = [example for example in examples if example.fold == fold]
        if held:
            yield [example for example in examples if example.fold != fold], held


def crossed(examples: Sequence[Example], names: Sequence[str]) -> Scorer:
    """Scores by weights that were learned, penalty included, without the abstract scored."""
    scorers = {
        held[0].fold: by_weights(fitted(kept, names, strength_of(kept, names)))
        for kept, held in splits(examples)
    }
    return lambda example: scorers[example.fold](example)


def scaled(weights: dict[str, float], examples: Sequence[Example]) -> dict[str, float]:
    """The weights with a bias, so that scores have the spread and height they should."""
    scored = [by_weights(weights)(example) for example in examples]
    factor = SPREAD / float(np.mean([each.std() for each in scored]))
    bias = BEST - factor * float(np.mean([each.max() for each in scored]))
    kept = {name: round(factor * weight, 3) for name, weight in weights.items()}
    return {"bias": round(bias, 3), **dict(sorted(kept.items(), key=lambda pair: -pair[1]))}


def left_out(names: Sequence[str], group: str) -> list[str]:
    return [name for name in names if not name.startswith(GROUPS[group])]


def print_table(title: str, columns: dict[str, list[Example]], rows: dict[str, Scorer]) -> None:
    """Means by column, and below each the interval of what it differs by from the first row."""
    print(f"\n{title}")
    print(" " * 26 + "".join(f"{f'{name} ({len(of)})':>26}" for name, of in columns.items()))
    first: dict[str, Vector] = {}
    for name, scorer in rows.items():
        cells = []
        for column, examples in columns.items():
            values = np.array([example.held(scorer(example)) for example in examples])
            low, high = interval(tuple((values - first.setdefault(column, values)).tolist()))
            cells.append(f"{values.mean():.3f}" + (f" [{low:+.3f}, {high:+.3f}]" if first else ""))
        print(f"{name:<26}" + "".join(f"{cell:>26}" for cell in cells))


def main() -> None:
    parser = argparse.ArgumentParser(description="Learn and measure which sentences answer.")
    parser.add_argument("--shared", type=Path, default=SHARED)
    parser.add_argument("--fit", action="store_true", help="learn the weights anew and keep them")
    options = parser.parse_args()
    claims = [*scifact(options.shared / "data" / "scifact")]
    cases = load_suites(HERE, [str(HERE / "ask.jsonl")])["ask"]
    asked = {
        name: [*ours(asker_over(name, files), cases)]
        for name, files in corpora(options.shared / "corpus").items()
    }
    learned_from = claims + [e for of in asked.values() for e in of if e.source.startswith("dev")]
    names = [*learned_from[0].features]
    if options.fit:
        weights = fitted(learned_from, names, strength_of(learned_from, names))
        text = json.dumps(scaled(weights, learned_from), indent=2)
        WEIGHTS.write_text(text + "\n", encoding="utf-8")
    held_out = crossed(learned_from, names)
    rules: dict[str, Scorer] = {"BM25": by_bm25, "cosine": by_cosine, "rule by hand": by_hand}
    dev = {f"dev, {corpus}": _of(of, "dev") for corpus, of in asked.items()}
    print_table(
        "Held out: three sentences hold a whole rationale, the facts",
        {"SciFact": claims, **dev},
        rules | {"learned": held_out},
    )
    shipped: Scorer = lambda e: scores(e.texts, e.cosines, e.asked)  # noqa: E731
    for corpus, examples in asked.items():
        columns = {source: _of(examples, source) for source in ("dev", "test", "more")}
        print_table(f"Our questions, {corpus}: facts", columns, rules | {"as shipped": shipped})
    without = {
        f"without {group}": crossed(learned_from, left_out(names, group)) for group in GROUPS
    }
    both = {"dev": _of([e for of in asked.values() for e in of], "dev")}
    print_table("Ablation, held out", {"SciFact": claims, **both}, {"all": held_out, **without})


def _of(examples: Sequence[Example], source: str) -> list[Example]:
    return [example for example in examples if example.source == source]


if __name__ == "__main__":
    main()
