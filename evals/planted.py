"""Plant errors in true statements about abstracts and count how many the checker catches.

    python evals/planted.py [--shared FOLDER] [--each N] [--show KIND] [--fit]

An error changes a true statement at one place, or its quotes. The papers fall into two halves
by a hash of their id; the word lists and thresholds of ``rag.engine.check`` were tuned on
``dev``. Of the held-out half only our paraphrases were looked at, in four batches, after 93, 96,
93 and 95 % of them had been kept at first sight.
"""

from __future__ import annotations

import argparse
import random
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from calibrate import fit
from statements import (
    HALVES,
    HERE,
    SEED,
    Abstract,
    Trial,
    abstracts,
    bound,
    held,
    sampled,
    true_statements,
)

from rag.embed.minilm import MiniLM
from rag.engine.check import Checker
from rag.retrieve.terms import terms

SHARED = HERE.parent.parent / "shared"


@dataclass(frozen=True)
class Sources:
    """Where planted names and quotes are taken from."""

    abstracts: Sequence[Abstract]
    names: Sequence[str]


Plant = Callable[[Trial, random.Random, Sources], Trial | None]

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_SPELLED = "two three four five six seven eight nine ten twelve".split()
_SPELLED_NUMBER = re.compile(rf"\b({'|'.join(_SPELLED)})\b")


def number_changed(trial: Trial, chance: random.Random, _: Sources) -> Trial | None:
    """One digit of one number, or one spelled-out number, is another."""
    places = [*_NUMBER.finditer(trial.statement), *_SPELLED_NUMBER.finditer(trial.statement)]
    if not places:
        return None
    place = chance.choice(places)
    shown = place[0]
    if shown in _SPELLED:
        return _with(trial, place, chance.choice([word for word in _SPELLED if word != shown]))
    at = chance.choice([i for i, char in enumerate(shown) if char.isdigit()])
    digit = chance.choice([d for d in "123456789" if d != shown[at]])
    return _with(trial, place, shown[:at] + digit + shown[at + 1 :])


def numbers_exchanged(trial: Trial, chance: random.Random, _: Sources) -> Trial | None:
    """Two numbers of the statement have changed places."""
    return _exchanged(trial, [*_NUMBER.finditer(trial.statement)], chance)


_NAME = re.compile(
    r"(?<![\w-])(?=[\w.-]*[A-Z])(?:[A-Za-z]+\d[\w.]*|[A-Za-z]\w*[A-Z]\w*)(?:-[A-Z\d]\w*)*(?![\w-])"
)
INVENTED = (
    "ZephyrNet QuantaFlow NovaBench-7 LUMEN-3 Trellix HydraSpan CORVID PixelForge OmniTaskEval "
    "Veltrix-2 KITE DeepQuill"
).split()


def name_swapped(trial: Trial, chance: random.Random, sources: Sources) -> Trial | None:
    """One name is that of something in another abstract."""
    return _renamed(trial, chance, sources.names)


def name_invented(trial: Trial, chance: random.Random, _: Sources) -> Trial | None:
    """One name is made up."""
    return _renamed(trial, chance, INVENTED)


def _renamed(trial: Trial, chance: random.Random, names: Sequence[str]) -> Trial | None:
    known = " ".join(q.text + " " + " ".join(q.names) for q in trial.quotes).casefold()
    places = [*_NAME.finditer(trial.statement)]
    others = [name for name in names if name.casefold().rstrip("s") not in known]
    return _with(trial, chance.choice(places), chance.choice(others)) if places else None


def names_exchanged(trial: Trial, chance: random.Random, _: Sources) -> Trial | None:
    """Two names of the statement have changed places."""
    return _exchanged(trial, [*_NAME.finditer(trial.statement)], chance)


def papers_exchanged(trial: Trial, _: random.Random, __: Sources) -> Trial | None:
    """What is said of the one paper is said of the other."""
    one, other = (trial.quotes[i].names[0] for i in (0, -1))
    if trial.kind != "two papers" or one in other or other in one:
        return None
    changed = re.sub(
        f"{re.escape(one)}|{re.escape(other)}",
        lambda found: other if found[0] == one else one,
        trial.statement,
    )
    return replace(trial, statement=changed)


def _exchanged(trial: Trial, places: list[re.Match[str]], chance: random.Random) -> Trial | None:
    pairs = [(a, b) for i, a in enumerate(places) for b in places[i + 1 :] if a[0] != b[0]]
    if not pairs:
        return None
    a, b = chance.choice(pairs)
    return _with(_with(trial, b, a[0]), a, b[0])


def _with(trial: Trial, place: re.Match[str], new: str) -> Trial:
    text = trial.statement
    return replace(trial, statement=text[: place.start()] + new + text[place.end() :])


_VERBS = (
    "achieve outperform improve reduce surpass remain require introduce demonstrate enable provide "
    "preserve offer learn use show"
)
_NEGATIONS = (
    (r"\b(is|are|was|were|can|could|will|has been|have been)\b(?! (not|no|never)\b)", r"\1 not"),
    (rf"\b({_VERBS.replace(' ', '|')})s\b", r"does not \1"),
    (rf"\b(we|authors) ({_VERBS.replace(' ', '|')})\b", r"\1 do not \2"),
    (r"\bwith\b", "without"),
)
_AFFIRMATIONS = (
    (r"\b(does|do|did|is|are|was|were|can|has|have) not\b", r"\1"),
    (r"\bcannot\b", "can"),
    (r"\bwithout\b", "with"),
    (r"\b(?:no|never) (?=[a-z])", ""),
    (r"\bfails? to ", ""),
)
_OPPOSITES = (
    "increases/decreases improves/degrades outperforms/underperforms higher/lower more/less "
    "better/worse larger/smaller faster/slower reduces/increases reducing/increasing strong/weak "
    "improving/degrading outperforming/underperforming increase/decrease improve/degrade "
    "stronger/weaker reduce/increase outperform/underperform fewer/more lower/higher easy/hard "
    "surpasses/trails effective/ineffective stable/unstable sufficient/insufficient"
).split()


def negated(trial: Trial, chance: random.Random, _: Sources) -> Trial | None:
    """A "not" too many."""
    return _substituted(trial, chance, _NEGATIONS)


def affirmed(trial: Trial, chance: random.Random, _: Sources) -> Trial | None:
    """A "not" too few."""
    return _substituted(trial, chance, _AFFIRMATIONS)


def reversed_(trial: Trial, chance: random.Random, _: Sources) -> Trial | None:
    """A word is its opposite."""
    pairs = (pair.split("/") for pair in _OPPOSITES)
    return _substituted(trial, chance, [(rf"\b{word}\b", opposite) for word, opposite in pairs])


def _substituted(
    trial: Trial, chance: random.Random, rules: Iterable[tuple[str, str]]
) -> Trial | None:
    places = [
        (place, place.expand(new))
        for pattern, new in rules
        for place in re.finditer(pattern, trial.statement)
    ]
    return _with(trial, *chance.choice(places)) if places else None


_CLAIMS = (
    ", and won an award at the conference/, which makes it the fastest method known"
    "/, at no cost to users/ and is already used in hospitals/, as physicians have confirmed"
    "/, even on old phones/ because the brain works alike/, though critics doubt it"
    "/ and pleases investors/, which regulators now demand/ and was shown live on television"
    "/, as theory had long predicted/, with consequences for climate policy"
    "/ and needs no electricity/, a first in history/ after a decade of failed attempts"
    "/, and competitors have copied it/, which ended the debate"
)


def claim_added(trial: Trial, chance: random.Random, _: Sources) -> Trial | None:
    """A short claim with no number or name in it is glued to the end."""
    claim = chance.choice(_CLAIMS.split("/"))
    return replace(trial, statement=f"{trial.statement.rstrip('. ')}{claim}.")


def wrong_paper(trial: Trial, chance: random.Random, sources: Sources) -> Trial:
    """The quotes are as many sentences of any other paper."""
    other = chance.choice([a for a in sources.abstracts if a.key != trial.key])
    count = min(len(trial.quotes), len(other.sentences))
    return replace(trial, quotes=other.quote(*chance.sample(range(len(other.sentences)), count)))


def likest_paper(trial: Trial, _: random.Random, sources: Sources) -> Trial:
    """The quotes are the best that any other paper can offer."""
    asked = set(terms(trial.statement))
    others = [a for a in sources.abstracts if a.names != trial.quotes[0].names]
    best = max(others, key=lambda a: max(len(asked & having) for having in held(a)))
    return replace(trial, quotes=best.quote(*bound(trial.statement, best, len(trial.quotes))))


ERRORS: dict[str, Plant] = {
    "number changed": number_changed,
    "numbers exchanged": numbers_exchanged,
    "name swapped": name_swapped,
    "name invented": name_invented,
    "names exchanged": names_exchanged,
    "papers exchanged": papers_exchanged,
    "claim added": claim_added,
    "wrong paper": wrong_paper,
    "wrong paper, the likest": likest_paper,
    "negation added": negated,
    "negation removed": affirmed,
    "opposite said": reversed_,
}


def planted(true: Sequence[Trial], abstracts: Sequence[Abstract], each: int) -> list[Trial]:
    """Up to ``each`` errors of every kind in each half, half of them in our own words."""
    names = sorted({m[0] for a in abstracts for s in a.sentences for m in _NAME.finditer(s)})
    sources = Sources(abstracts, names)
    found: list[Trial] = []
    for kind, plant in ERRORS.items():
        chance = random.Random(f"{SEED} {kind}")
        made: defaultdict[tuple[str, bool], list[Trial]] = defaultdict(list)
        for trial in chance.sample(true, len(true)):
            group = made[trial.half, trial.kind in ("note", "our paraphrase")]
            error = plant(trial, chance, sources) if len(group) < each else None
            if error and error.statement + str(error.quotes) != trial.statement + str(trial.quotes):
                group.append(replace(error, kind=kind))
        for half in HALVES:
            ours, theirs = made[half, True], made[half, False]
            share = max(each // 2, each - len(theirs))
            found += ours[:share] + theirs[: each - len(ours[:share])]
    return found


def right(checker: Checker, trial: Trial) -> bool:
    """Whether an error is caught, or a true statement kept."""
    supported = checker.check(trial.statement, trial.quotes).supported
    return supported != (trial.kind in ERRORS)


def shares(checker: Checker, trials: Iterable[Trial]) -> dict[str, dict[str, tuple[int, float]]]:
    """kind → half → number of trials, share judged right."""
    judged: defaultdict[str, defaultdict[str, list[bool]]] = defaultdict(lambda: defaultdict(list))
    for trial in trials:
        judged[trial.kind][trial.half].append(right(checker, trial))
    return {
        kind: {half: (len(found), sum(found) / len(found)) for half, found in halves.items()}
        for kind, halves in judged.items()
    }


def table(found: Mapping[str, Mapping[str, tuple[int, float]]]) -> str:
    """Markdown: kind, and in each half the number of trials and the share judged right."""
    lines = ["| kind | n dev | dev | n held-out | held-out |", "|---|---|---|---|---|"]
    for kind, halves in sorted(found.items(), key=lambda item: item[0] in ERRORS):
        cells = [halves.get(half, (0, float("nan"))) for half in HALVES]
        numbers = " | ".join(f"{n} | {share:.1%}" for n, share in cells)
        lines.append(f"| {'caught' if kind in ERRORS else 'kept'}: {kind} | {numbers} |")
    return "\n".join(lines)


def weights(checker: Checker, trials: Sequence[Trial]) -> str:
    """Logistic weights of the meaning's two features, fitted on the development half."""
    wrong = ("wrong paper", "wrong paper, the likest")
    chosen = [t for t in trials if t.half == "dev" and (t.kind not in ERRORS or t.kind in wrong)]
    chosen = [trial for trial in chosen if trial.kind not in ("verbatim", "two papers")]
    x = np.array([checker.features(trial.statement, trial.quotes) for trial in chosen])
    true = np.array([trial.kind not in ERRORS for trial in chosen])
    beta = fit(x, true, np.where(true, 1.0, 0.5))
    return "COVERAGE, SIMILARITY, BIAS = " + ", ".join(f"{value:.1f}" for value in beta)


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure the evidence checker.")
    parser.add_argument("--shared", type=Path, default=SHARED)
    parser.add_argument("--each", type=int, default=150, help="trials of a kind and half")
    parser.add_argument("--show", metavar="KIND", help="the dev trials of this kind judged wrong")
    parser.add_argument("--fit", action="store_true", help="the weights of the meaning")
    options = parser.parse_args()
    papers, checker = abstracts(options.shared), Checker(MiniLM())
    true = true_statements(papers)
    trials = sampled(true, options.each) + planted(true, papers, options.each)
    if options.fit:
        print(weights(checker, trials))
    elif options.show:
        for t in trials:
            if t.kind == options.show and t.half == "dev" and not right(checker, t):
                faults = checker.check(t.statement, t.quotes).faults
                print(f"{t.statement}\n    {' | '.join(q.text for q in t.quotes)}\n    {faults}")
    else:
        print(table(shares(checker, trials)))


if __name__ == "__main__":
    main()
