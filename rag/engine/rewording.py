"""A question in the words of the field, as a model puts it, where a search for it is unsure.

Words that no paper uses find nothing by themselves. What the model writes is searched for beside
the question, never in its place, and is no evidence: it says where to look.
"""

from __future__ import annotations

from rag.engine.check import Checker
from rag.engine.reply import read_reply
from rag.models import Message, Model, Reply
from rag.prompts import Task
from rag.retrieve.foreign import is_foreign
from rag.types import Usage

REPLY_TOKENS = 200
"""Of a reply at most: some short lines, and some thoughts of a model that thinks aloud."""
MESSAGE_TOKENS = 16
"""What a message takes beside its text, at most."""
QUERIES, WORDS = 3, 30
"""Searches that are taken of a reply, and words of one at most: longer ones are no searches."""
LIKE = 0.15
"""Cosine to the question from which on a line is a search for it: nearly all searches written by
hand have it, and one in twenty of the things that models say beside the matter. The embedder cannot
compare languages, so for a question in another than English any line is one."""


def reword(
    model: Model, task: Task, checker: Checker, question: str
) -> tuple[tuple[str, ...], Usage]:
    """What else to search for; nothing where the reply has no search for the question, or the
    window no room for it. One request at most.

    Raises EndpointError's kinds and BudgetError.
    """
    limit = min(REPLY_TOKENS, model.window // 4)
    asked = task["question"].render(question=question)
    messages = [Message("system", task["system"].text), Message("user", asked)]
    taken = sum(model.count(message.text) + MESSAGE_TOKENS for message in messages)
    if taken + limit > model.window:
        return (), Usage()
    reply = model.reply(messages, limit)
    any_line = is_foreign(question)
    found = [
        line
        for line in _lines(reply)
        if line.casefold() != question.casefold()
        and (any_line or checker.likeness(question, line) >= LIKE)
    ]
    return tuple(found[:QUERIES]), reply.usage


def _lines(reply: Reply) -> list[str]:
    """The lines of a reply that are short enough, and long enough, to be searched for."""
    said, _ = read_reply(reply.text.encode("utf-8", "replace").decode(), reply.finished)
    lines = dict.fromkeys(sentence.text for sentence in said)
    return [line for line in lines if len(line.split()) <= WORDS and any(map(str.isalpha, line))]
