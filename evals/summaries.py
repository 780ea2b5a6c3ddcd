"""One-line summaries: learn which sentence to take, and measure what comes out.

    python evals/summaries.py [--shared FOLDER] [--fit] [--show N]

SciTLDR's abstracts come with one-liners by their authors and reviewers. ``--fit`` learns the
weights of ``rag.summarize.chooser`` on its training part, so that a sentence scores as the line
made of it would; then the development part is measured with ROUGE (F1, stemmed, best over the
references), and the ICLR abstracts are checked for what every line has to be. ``--show`` prints
every Nth of their lines, to read.
"""

from __future__ import annotations

import argparse
import json
import re
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rouge_score.rouge_scorer import RougeScorer

import rag.summarize
from rag.corpus import read_file
from rag.corpus.clean import clean_text
from rag.corpus.handle import find_handle
from rag.corpus.sentences import sentence_spans
from rag.embed.minilm import MiniLM
from rag.engine.check import Checker
from rag.summarize import MAX_WORDS
from rag.summarize.compress import beginning, lines
from rag.summarize.extractive import Extractive
from rag.summarize.features import features
from rag.summarize.naming import named_first, short_form
from rag.summarize.openings import first_person, opened
from rag.summarize.plain import plain
from rag.summarize.whole import is_whole
from rag.types import Paper, Summary

SHARED = Path(__file__).parent.parent.parent / "shared"
WEIGHTS = Path(rag.summarize.__file__).parent / "weights.json"
ICLR = "data/iclr2026/iclr2026_accepted_12areas.jsonl"
RIDGE = 10.0
"""Of 1 to 100 the best on the development part, by little."""
METRICS = ("rouge1", "rouge2", "rougeL")
_ROUGE = RougeScorer([*METRICS], use_stemmer=True)
_MARKUP = re.compile(r"[$\\`{}]|\*\*|(?<!\w)_\w[^_]*_(?!\w)|\[[^]]*\]\(")
_OUR_SYSTEM = re.compile(
    r"\b(?:our|this|the) (?:proposed )?(?:method|approach|framework|model|algorithm|system|"
    r"technique)(?= [a-z]+s\b)",
    re.I,
)
_WE_SHOW = re.compile(r"\bwe (?:\w+ly |also )?(?:show|demonstrate|find|observe) that", re.I)
_TOKEN = re.compile(r"[\w.+%-]*[\w%]")


@dataclass(frozen=True)
class Example:
    paper: Paper
    references: tuple[str, ...]

    @property
    def sentences(self) -> list[str]:
        text = self.paper.text
        return first_person([text[start:end] for start, end in sentence_spans(text)])

    @property
    def retold(self) -> list[str]:
        """Its sentences as a third person would write them who calls the system by its name."""
        return first_person([_retold(sentence, self.paper.handle) for sentence in self.sentences])


def examples(path: Path) -> Iterator[Example]:
    """The abstracts of a part of SciTLDR, without their titles, and their one-liners."""
    with path.open(encoding="utf-8") as stream:
        for record in map(json.loads, stream):
            raw = " ".join(record["source"])
            text, target = clean_text(raw), record["target"]
            references = (target,) if isinstance(target, str) else tuple(target)
            paper = Paper(record["paper_id"], find_handle(text), text, raw, ())
            yield Example(paper, references)


def rouge(line: str, references: Sequence[str]) -> list[float]:
    """ROUGE-1, -2 and -L, F1 in per cent, each the best over the references."""
    scores = [_ROUGE.score(reference, line) for reference in references]
    return [100 * max(score[metric].fmeasure for score in scores) for metric in METRICS]


def fitted(learned_from: Sequence[Example]) -> dict[str, float]:
    """The weight of each feature: what is left of the mean ROUGE of a sentence's line when the
    mean over the abstract is taken off, by ridge regression. A third of what is learned from is
    retold: SciTLDR's authors say "we", those of other abstracts do not."""
    from sklearn.linear_model import Ridge

    inputs, targets = [], []
    for example in learned_from:
        handle, sentences = example.paper.handle, example.sentences
        made = [_line(sentence, handle) for sentence in sentences]
        worth = np.array([np.mean(rouge(line, example.references)) for line in made])
        for told in (sentences, sentences, example.retold):
            rows = np.array([[*row.values()] for row in features(told, handle)])
            inputs.append(rows - rows.mean(axis=0))
            targets.append(worth - worth.mean())
    ridge = Ridge(alpha=RIDGE).fit(np.vstack(inputs), np.concatenate(targets))
    names = features(["A sentence."], "")[0]
    found = {name: round(float(w), 2) for name, w in zip(names, ridge.coef_, strict=True)}
    return dict(sorted(found.items(), key=lambda pair: -pair[1]))


def _line(sentence: str, handle: str) -> str:
    return next(lines(sentence, handle), beginning(sentence))


def _retold(sentence: str, handle: str) -> str:
    """ "We present X, a Y" as "X is a Y", "our method beats" as "X beats", else "the authors"."""
    if not handle or " " in handle:
        return _by_others(sentence)
    lead = plain(short_form(sentence, handle))
    text = opened(lead)
    if (named := named_first(text, lead)) != text:
        return f"{named}."
    sentence = _OUR_SYSTEM.sub(handle, sentence)
    return _by_others(_WE_SHOW.sub("Experiments show that", sentence))


def _by_others(sentence: str) -> str:
    for ours, theirs in (("we", "the authors"), ("our", "their")):
        sentence = re.sub(rf"\b{ours}\b", theirs, sentence)
        sentence = re.sub(rf"\b{ours.capitalize()}\b", theirs.capitalize(), sentence)
    return sentence


def foreign(summary: Summary) -> list[str]:
    """Numbers and names of a line that its paper does not have, by plain comparison of strings."""
    told = [
        token
        for i, token in enumerate(_TOKEN.findall(summary.text))
        if re.search(r"\d", token)
        or (i and re.search(r"[A-Z]", token))
        or re.search(r".[A-Z]", token)
    ]
    known = summary.paper.text.replace("{", "").replace("}", "")
    return [token for token in told if token not in known]


def flaws(summary: Summary) -> list[str]:
    """What a line must not be and is."""
    text, paper = summary.text, summary.paper
    quotes = summary.citations
    found = {
        "not one sentence": len(sentence_spans(text)) != 1 or not text.endswith("."),
        f"over {MAX_WORDS} words": summary.words > MAX_WORDS,
        "markup": bool(_MARKUP.search(text)),
        "not whole": not is_whole(text),
        "no valid quote": not quotes or any(paper.text[c.start : c.end] != c.quote for c in quotes),
        "not supported": not summary.supported,
        "foreign number or name": bool(foreign(summary)),
    }
    return [name for name, is_so in found.items() if is_so]


def report(title: str, summaries: Sequence[Summary], seconds: float) -> None:
    lengths = [summary.words for summary in summaries]
    counts = Counter(flaw for summary in summaries for flaw in flaws(summary))
    print(f"{title}: {len(summaries)} lines, {1000 * seconds / len(summaries):.1f} ms each")
    print(f"  words: mean {np.mean(lengths):.1f}, {min(lengths)} to {max(lengths)}")
    print(f"  flaws: {dict(counts) or 'none'}")


def summarized(summarizer: Extractive, papers: Sequence[Paper]) -> tuple[list[Summary], float]:
    """Summaries, and the seconds that they took."""
    begun = time.perf_counter()
    found = [summarizer.summarize(paper, sentence_spans(paper.text)) for paper in papers]
    return found, time.perf_counter() - begun


def main() -> None:
    parser = argparse.ArgumentParser(description="Learn and measure one-line summaries.")
    parser.add_argument("--shared", type=Path, default=SHARED)
    parser.add_argument("--fit", action="store_true", help="learn the weights anew and keep them")
    parser.add_argument("--show", type=int, metavar="N", help="print every Nth ICLR line")
    options = parser.parse_args()
    scitldr = options.shared / "data" / "scitldr"
    if options.fit:
        weights = fitted([*examples(scitldr / "train.jsonl")])
        WEIGHTS.write_text(json.dumps(weights, indent=2) + "\n", encoding="utf-8")
    summarizer = Extractive(Checker(MiniLM()))
    print(summarizer.identity)
    dev = [*examples(scitldr / "dev.jsonl")]
    summaries, seconds = summarized(summarizer, [example.paper for example in dev])
    report("SciTLDR dev", summaries, seconds)
    scores = [rouge(s.text, e.references) for s, e in zip(summaries, dev, strict=True)]
    print("  ROUGE-1/2/L:", " ".join(f"{score:.2f}" for score in np.mean(scores, axis=0)))
    summaries, seconds = summarized(summarizer, read_file(str(options.shared / ICLR)).records)
    report("ICLR", summaries, seconds)
    for summary in filter(flaws, summaries):
        print(f"  {', '.join(flaws(summary))}: {summary.text}")
    for summary in summaries[:: options.show] if options.show else ():
        print(f"{summary.paper.name}\n    {summary.text}")


if __name__ == "__main__":
    main()
