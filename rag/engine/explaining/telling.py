"""An explanation in plain sentences, under headings. Knows values and words; finds nothing out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import floor

from rag.engine.explaining.phrases import KINDS, feature, indicated, share
from rag.engine.explaining.values import (
    SEARCH,
    Explanation,
    FoundPaper,
    FoundSentence,
    Matched,
    Shown,
    Understood,
    Verdict,
    Word,
)
from rag.engine.outcome import TOO_MUCH

Part = tuple[str, list[str]]
"""A heading and the sentences under it."""

FORMS = 6
"""Forms of a notion that are named."""
QUOTED = 70
"""Characters of a sentence that stand for it in a heading."""

REFUSED = {
    "not_in_abstracts": "Refused, since the abstracts here do not seem to say it",
    "not_in_corpus": "Refused, since nothing here seems to be about it",
}
REGARDLESS = "It is answered all the same: papers say it, or are what it is about."
"""Where the doubt does not decide."""

FORMLESS = "It is refused all the same: no sentence is of the form asked for."
LIKE = "They are nearest to the paper, by meaning and by the words that are most its own."
"""Why papers are given that are like one: the question's words say nothing of them."""


def told(found: Explanation) -> list[Part]:
    """The whole explanation, most general first."""
    population = found.understood.population
    known = {word.asked: word for word in found.understood.words}
    question = list(_question(found.understood))
    parts = [("The question", question)] if question else []
    if found.matched:
        absent = bool(found.verdict and found.verdict.absent)
        looked_for = list(_matched(found.matched, absent=absent))
        parts.append(("What was looked for in every paper", looked_for))
    if found.verdict:
        parts.append(_verdict(found.verdict))
    parts += [(paper.name, list(_paper(paper, known, population))) for paper in found.papers]
    if found.more:
        parts.append((f"and {found.more} more papers", []))
    parts += [_sentence(sentence) for sentence in found.sentences]
    if found.shown:
        parts.append(("What the model was shown", [_shown(found.shown)]))
    return parts


def _question(question: Understood) -> Iterator[str]:
    if question.kind != SEARCH:
        yield f"Taken for {KINDS.get(question.kind, question.kind)}."
    if question.standalone != question.asked:
        yield f"Understood as: {question.standalone}"
    if question.also:
        yield f"Also searched for, in the model's words: {_list(_quoted(question.also), 'and')}."
    for word in question.words:
        if word.repaired:
            yield f"“{word.asked}” was read as “{word.read_as}”."
    unknown = [word.asked for word in question.words if not word.papers]
    if unknown:
        yield f"No paper has {_list(_quoted(unknown), 'or')}."
    if question.passed < question.population:
        yield f"The filters left {question.passed:,} of {question.population:,} papers."


def _matched(matched: Matched, *, absent: bool) -> Iterator[str]:
    for forms in matched.forms:
        each = [
            f"“{name}” ({f'{papers:,}' if papers else 'in none'})" for name, papers in forms[:FORMS]
        ]
        yield f"{_list(each, 'or')}."
    if matched.without:
        yield f"Papers with {_list(_quoted(matched.without), 'or')} are left out."
    if not matched.forms and matched.said:
        others = "others" if matched.without else "there are"
        yield f"Papers found: all {matched.said:,} {others}."
        return
    ways = {
        "by its words": matched.said,
        "by meaning alone": matched.meant,
        "for standing out among the nearest": matched.beside,
    }
    counts = [f"{papers:,} {way}" for way, papers in ways.items() if papers]
    yield (
        f"Papers found: {_list(counts, 'and')}."
        if counts
        else f"No paper was found by that{'' if absent else ', so the nearest ones count'}."
    )


def _verdict(verdict: Verdict) -> Part:
    reasons = [(indicated(each.name, each.value), each.adds) for each in verdict.indications]
    against = [text for text, adds in reasons if text and adds > 0]
    favour = [text for text, adds in reasons if text and adds < 0]
    lines = ["All papers were looked through, and none comes near it."] if verdict.absent else []
    if verdict.declined:
        lines.append("The model found no answer in what it was shown.")
    if verdict.unasked:
        lines.append("The model was not asked.")
    lines += [f"Against an answer: {'; '.join(against)}."] if against else []
    lines += [f"For one: {'; '.join(favour)}."] if favour else []
    if not verdict.indications:
        return "Answered", [*lines, LIKE]
    lines.append(
        f"Together they leave a doubt of {share(verdict.doubt)}; {share(TOO_MUCH)} is too much."
    )
    if verdict.outcome not in REFUSED and verdict.doubt >= TOO_MUCH:
        lines.append(REGARDLESS)
    certainly = verdict.absent or verdict.declined or verdict.unasked
    if verdict.outcome in REFUSED and verdict.doubt < TOO_MUCH and not certainly:
        lines.append(FORMLESS)
    return REFUSED.get(verdict.outcome, "Answered"), lines


def _paper(paper: FoundPaper, known: Mapping[str, Word], population: int) -> Iterator[str]:
    yield f"It is number {paper.rank:,} of the papers found."
    if paper.like:
        shared = f"has {_list(_quoted(paper.has.values()), 'and')}" if paper.has else "has none"
        yield f"Of the words that are most {paper.like}'s own it {shared}."
        near = _nearness(paper.abstract_nearer, paper.sentence_nearer)
        yield f"By meaning, {near}, seen from {paper.like}."
        return
    if paper.named:
        yield "The question calls it by its name."
    if paper.said:
        unsaid = any(not known[asked].papers for asked in paper.lacks)
        yield f"It says what is asked for{', as far as any paper does' if unsaid else ''}."
    if paper.meant:
        yield "It means what is asked for, but does not say it in as many words."
    if paper.has:
        rarest = sorted((known[asked] for asked in paper.has), key=lambda word: word.papers)
        has = [f"{_written(paper, word)} (in {word.papers:,})" for word in rarest]
        has[0] = f"{has[0][:-1]} of {population:,} papers)"
        yield f"It has {_list(has, 'and')}."
    if paper.lacks:
        yield f"It lacks {_list(_quoted(paper.lacks), 'and')}."
    yield f"By meaning, {_nearness(paper.abstract_nearer, paper.sentence_nearer)}."


def _written(paper: FoundPaper, word: Word) -> str:
    written = paper.has[word.asked]
    return f"“{word.asked}”" if written == word.asked else f"“{word.asked}” as “{written}”"


def _nearness(abstract: float, sentence: float) -> str:
    near = _near(abstract)
    if near == _near(sentence):
        return f"its abstract and its best sentence are both {near}"
    return f"its abstract is {near}, and its best sentence {_near(sentence)}"


def _near(nearer: float) -> str:
    if nearer == 1:
        return "the nearest"
    if nearer >= 0.5:
        return f"nearer than {floor(100 * nearer)} % of the papers"
    return "not among the nearer half"


def _sentence(sentence: FoundSentence) -> Part:
    gains = [gain for gain in sentence.gains if gain.more] or sentence.gains
    reasons = list(dict.fromkeys(feature(gain.feature, more=gain.more) for gain in gains))
    reasons = ["introduces what the paper is about", *reasons] if sentence.introduces else reasons
    lines = [f"What sets it apart in its paper: it {_list(reasons, 'and')}."] if reasons else []
    if sentence.words:
        lines.insert(0, f"It has {_list(_quoted(sentence.words), 'and')}.")
    return f"“{_short(sentence.text)}”", lines or ["It is the nearest of its paper."]


def _shown(shown: Sequence[Shown]) -> str:
    total = sum(paper.sentences for paper in shown)
    named = _list([f"{paper.name} ({paper.sentences})" for paper in shown], "and")
    return f"{total} sentences of {len(shown)} papers: {named}."


def _short(text: str) -> str:
    return text if len(text) <= QUOTED else f"{text[:QUOTED].rsplit(' ', 1)[0]} …"


def _quoted(words: Iterable[str]) -> list[str]:
    return [f"“{word}”" for word in words]


def _list(items: Sequence[str], joint: str) -> str:
    *first, last = items
    return f"{', '.join(first)} {joint} {last}" if first else last
