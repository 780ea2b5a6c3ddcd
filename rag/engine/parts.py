"""The parts of a question that asks for two things: "What is a trigger, and why does it work?".

Each has its own sentence, which need not be one that both are like. Knows the wording only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from rag.engine.question import Question, understand
from rag.retrieve.hybrid import Signals
from rag.retrieve.terms import words

_BETWEEN = re.compile(
    r",? (?:and|or) (?=(?:(?:at|by|for|from|in|of|on|to|with) )?"
    r"(?:what|how|why|which|where|who|whose|when)\b)"
    r"|\?\s+(?=\w)",
    re.I,
)


def parts(question: Question, signals: Signals) -> Iterator[tuple[Question, Signals]]:
    """Each part as a question, with the signals of its words; nothing of a question for one thing.

    The similarities stay those of the whole question: a part may not say what it is about.
    """
    texts = [text for text in _BETWEEN.split(question.asked) if len(words(text)) > 1]
    for text in texts if len(texts) > 1 else ():
        told = {*words(text)}
        repairs = {word: term for word, term in signals.repairs.items() if word in told}
        part = replace(question, asked=text, wants_number=understand(text, text).wants_number)
        yield part, replace(signals, repairs=repairs)
