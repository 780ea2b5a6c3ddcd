"""Noun phrases of papers, counted by their stems and shown as papers write them.

Knows text only. There is no tagger here: a phrase is a run of words that carry meaning, and its
last word must be one that runs of these texts tend to end with, as nouns do and adjectives do not.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache

from rag.retrieve.acronyms import Acronyms
from rag.retrieve.terms import STOP_WORDS, stem, words
from rag.topics.known import small_words

WIDEST = 4
"""Most words of a phrase, each of which may have hyphens."""

FINAL, FINAL_COMPOUND = 0.4, 0.5
"""Of the places of a noun, the least share at which a run of words ends; of one with hyphens
("fine-tuning"), which are adjectives ("few-shot") more often."""

BREAKERS = frozenset(
    stem(word)
    for word in """
    achieve across adapt additional address adopt advance aim al align allow alongside also
    although amid among analyze another apply approximate argue arise art assume attain
    available base beat become beneath benefit beside best beyond broad call capable capture
    challenge come compare compelling compete complete complex comprehensive comprise compute
    conduct consequently consider consist consistent construct contain contribute crucial
    current decrease deliver demonstrate depend derive despite develop differ difficult
    discover diverse downstream due effective efficient eliminate emerge emphasize empirical
    employ enable encourage enhance ensure establish et evaluate even ever every evidence
    examine exceed except exhibit exist expensive experiment explicit exploit explore extend
    extensive face facilitate fail find finding first five focus follow formulate four
    fundamental furthermore gain general give given global growing guide help hence high
    highlight hinder however identify impact implement important improve include increase incur
    indicate induce inherent input inside insight inspire instead integrate introduce
    investigate involve issue key lack lead leverage like limit local long main maintain make
    match may meanwhile measure might mitigate moreover motivate multiple naive need neither
    new notable novel observe obtain occur offer often onto open original otherwise outperform
    output outside overcome overlook particular per perform perspective pose possible potential
    powerful practical predominant present preserve prevent previous primary principled produce
    prominent promise propose prove provide public publish raise rather real recent recover
    reduce regime rely remain remarkable replace report require research result retain reveal
    rich robust scenario score see severe short show significant similar simple since sota
    specific standard strong study substantial succeed success suffer suggest superior support
    surpass systematic tackle target tend theoretical therefore though three throughout thus
    toward towards traditional two typical under underlying understand unify unique unless
    unlike until upon use using utilize validate valuable various vary versus via whereas
    whether wide widespread within without work year yet yield
    """.split()
)
"""Stems of words that no telling phrase contains: what papers do, how they praise it, and what
only joins words. Nouns made of them may be a subject: "robustness", "exploration"."""

NOUN_ENDINGS = ("tion", "tions", "ment", "ness", "ity")

GENERIC = frozenset(
    stem(word)
    for word in """
    ability accuracy algorithm analysis application approach architecture art artificial author
    baseline benchmark capability cost data dataset deep design domain evaluation feature
    framework function information intelligence knowledge large learning length machine
    mechanism method metric model network neural number objective paper parameter performance
    pipeline problem process quality response sample setting space state strategy structure
    system task technique theory time training
    """.split()
)
"""Stems that fit any topic: a phrase needs a word besides them."""

VAGUE = frozenset(
    stem(word)
    for word in """
    ability algorithm application approach aspect baseline capability case community
    contribution demonstration development framework guarantee improvement investigation
    limitation method metric performance problem process quality reduction requirement scenario
    setting strategy task technique training
    """.split()
)
"""Stems with which a phrase names what is done about a subject, not the subject."""

_DASH = re.compile(r"(?<=\w)[‐‑–](?=\w)")
_BREAK = re.compile(r"https?://\S+|www\.\S+|[^\w\s'’-]|\s[-–—]+\s")


class Phrases:
    """The phrases of some texts, each as the stems of its words, joined by spaces.

    ``of_text`` has, for each text, its phrases → as it writes them first. Words that fewer than
    ``least`` texts have are in none. Abbreviations count as what they stand for.
    """

    def __init__(self, texts: Sequence[str], least: int = 1) -> None:
        self._acronyms = Acronyms()
        for text in texts:
            self._acronyms.read(text)
        runs = [list(_runs(text)) for text in texts]
        tokens = {token for text in runs for run in text for token in run}
        self._keys = {token: self._spelt_out(token) for token in tokens}
        having = Counter(
            key for text in runs for key in {self._keys[t] for run in text for t in run}
        )
        self._common = {key for key, count in having.items() if count >= least}
        every = [token for text in runs for run in text for token in run]
        self._cases = Counter(every)
        self._places = Counter(self._keys[token] for token in every)
        self._small = Counter(self._keys[token] for token in every if token.islower())
        self._ends = Counter(self._keys[run[-1]] for text in runs for run in text)
        self._last: dict[str, str] = {}
        self.of_text = [self._read(text) for text in runs]

    def names_something(self, phrase: str) -> bool:
        """Whether the last word is used as nouns are, and is not what all papers have."""
        if any(len(part) == 1 for part in phrase.split()):  # of a formula
            return False
        last = self._last[phrase]
        least = FINAL_COMPOUND if " " in last else FINAL
        nominal = self._ends[last] >= least * (self._places[last] + 1)
        return nominal and last not in VAGUE and not last.isdigit() and len(phrase) > 2

    def key(self, name: str) -> str:
        """The phrase that a name is, whether any text has it or not."""
        return " ".join(self._spelt_out(token) or stem(token.casefold()) for token in name.split())

    def spelt(self, phrase: str) -> str:
        """The most frequent way to write a phrase, in capitals only where its words need them;
        for an abbreviation, what it stands for."""
        forms = Counter(
            " ".join(map(self._cased, found[phrase].split()))
            for found in self.of_text
            if phrase in found
        )
        best = min(forms, key=lambda form: (_is_short(form), -forms[form], form))
        if 2 * forms[best + "s"] >= forms[best]:
            best += "s"
        long = self._acronyms.meanings(stem(best.casefold())) if _is_short(best) else []
        return " ".join(map(self._plain, self._acronyms.spelt(long[0]).split())) if long else best

    def _spelt_out(self, token: str) -> str:
        """The stems of a token or of what it abbreviates."""
        key = _key(token)
        meanings = self._acronyms.meanings(key) if _is_short(token) else []
        return " ".join(meanings[0]) if meanings else key

    def _cased(self, token: str) -> str:
        """In small letters, if the texts often have it so, as outside of headings."""
        plain, key = token.lower(), self._keys.get(token, "")
        often = 3 * self._cases[plain] >= self._cases[token]
        often = often or ("-" in token and self._cases[plain] > 0)
        inflected = token.istitle() and 10 * self._small[key] >= self._places[key]
        usual = token.istitle() and plain in small_words()
        return plain if often or inflected or usual else token

    def _plain(self, token: str) -> str:
        """In small letters, if any text has it so: where short forms are explained, the capitals
        are to show the letters."""
        plain = token.lower()
        small = self._cases[plain] or (token.istitle() and self._small[self._keys.get(token, "")])
        return plain if small else self._cased(token)

    def _read(self, runs: Sequence[Sequence[str]]) -> dict[str, str]:
        found: dict[str, str] = {}
        for run in runs:
            keys = [self._keys[token] for token in run]
            for start in range(len(run)):
                for end in range(start + 1, min(start + WIDEST, len(run)) + 1):
                    if keys[end - 1] not in self._common:
                        break
                    phrase = " ".join(keys[start:end])
                    found.setdefault(phrase, " ".join(run[start:end]))
                    self._last.setdefault(phrase, keys[end - 1])
        return found


def _runs(text: str) -> Iterator[list[str]]:
    """Longest stretches of words that a phrase may have."""
    for stretch in _BREAK.split(_DASH.sub("-", text)):
        run: list[str] = []
        for token in stretch.split():
            bare = token.strip("'’-_")
            if _key(bare):
                run.append(bare)
            elif run:
                yield run
                run = []
        if run:
            yield run


@lru_cache(maxsize=100_000)
def _key(token: str) -> str:
    """Stems of a token, several where it has hyphens; empty for one that no phrase has."""
    plain = token.casefold()
    parts = words(token)
    wordless = not any(map(str.isalpha, plain))
    if wordless or plain in STOP_WORDS or plain.endswith(("ly", "'s", "’s")):
        return ""
    if any(stem(part) in BREAKERS and not part.endswith(NOUN_ENDINGS) for part in parts):
        return ""
    inner = (part for part in parts[1:-1] if part not in STOP_WORDS)  # "mixture-of-experts"
    return " ".join(map(stem, (*parts[:1], *inner, *parts[1:][-1:])))


def _is_short(form: str) -> bool:
    """Whether it is an abbreviation and nothing more."""
    return " " not in form and "-" not in form and sum(map(str.isupper, form)) > 1
