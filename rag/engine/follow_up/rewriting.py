"""A question of a conversation as a model puts it so that it stands alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from rag.engine.anaphora import continues
from rag.engine.question import Turn
from rag.engine.reply import read_reply
from rag.models import Message, Model, Reply
from rag.prompts import Task
from rag.retrieve.terms import terms
from rag.types import Usage

REPLY_TOKENS = 200
"""Of a reply at most: a question, and some thoughts of a model that thinks aloud."""
HISTORY_TOKENS = 1_500
"""Of earlier turns in a prompt, however large the window."""
MESSAGE_TOKENS = 16
"""What a message takes beside its text, at most."""
QUESTION_CHARS, ANSWER_CHARS, NAME_CHARS = 400, 1_200, 120
"""Of an earlier turn, at most: what it was about stands at its beginning."""
PAPERS = 8
"""Papers named of an earlier turn."""

_LABEL = re.compile(r"^\W{0,3}[\w -]{0,40}\bquestion\W{0,3}:\W{0,3}", re.I | re.M)
_SPECIFIC = re.compile(r"\d[\d.,]*\d|\d|\b\w*[A-Z]\w*")
"""Numbers and names; a question's first word has a capital anyway."""

Called = Callable[[str], str | None]
"""What to call the paper with an id; None for one that has gone."""


def rewrite(
    model: Model, task: Task, question: str, history: Sequence[Turn], called: Called
) -> tuple[str | None, Usage]:
    """``question`` so that it can be understood without ``history``, as the model puts it; None
    where its reply is no such question, or the window has no room for one. One request at most.

    Raises EndpointError's kinds and BudgetError.
    """
    limit = min(REPLY_TOKENS, model.window // 4)
    turns = _fitting(model, task, question, history, called, limit)
    if not turns:
        return None, Usage()
    reply = model.reply(_messages(task, question, turns), limit)
    text = _question_in(reply)
    new = text.casefold() not in (turn.question.casefold() for turn in history)
    plausible = new and _plausible(text, question, known=f"{question} {turns}")
    return (text if plausible else None), reply.usage


def _question_in(reply: Reply) -> str:
    """The one question of a reply, else its one sentence; "" if there is no such."""
    said, _ = read_reply(_LABEL.sub("", reply.text), reply.finished)
    sentences = [sentence.text for sentence in said]
    asked = [text for text in sentences if text.endswith("?")] or sentences
    return asked[0] if len(asked) == 1 else ""


def _plausible(text: str, question: str, known: str) -> bool:
    """Whether a reply can be the question made to stand alone: of about its length and words,
    with nothing made up, and leaning on nothing."""
    kept, asked = set(terms(text)), set(terms(question))
    named = {name.casefold() for name in _SPECIFIC.findall(text[1:])}
    return (
        bool(kept)
        and len(text) <= 3 * len(question) + 200
        and 2 * len(asked & kept) >= len(asked)
        and all(name in known.casefold() for name in named)
        and (text.endswith("?") or not question.endswith("?"))
        and not continues(text)
    )


def _messages(task: Task, question: str, turns: str) -> list[Message]:
    asked = task["question"].render(turns=turns, question=question)
    return [Message("system", task["system"].text), Message("user", asked)]


def _fitting(
    model: Model, task: Task, question: str, history: Sequence[Turn], called: Called, limit: int
) -> str:
    """As many of the last turns as there is room for, in their order; "" if there is for none."""
    frame = _messages(task, question, "")
    taken = sum(model.count(message.text) + MESSAGE_TOKENS for message in frame)
    room = min(HISTORY_TOKENS, model.window - limit - taken)
    kept: list[str] = []
    for turn in reversed(history):
        versions = (_shown(turn, called, length) for length in (ANSWER_CHARS, ANSWER_CHARS // 4))
        shown = next((text for text in versions if model.count(text) + 2 <= room), None)
        if shown is None:
            break
        kept.append(shown)
        room -= model.count(shown) + 2
    return "\n\n".join(reversed(kept))


def _shown(turn: Turn, called: Called, answer_chars: int) -> str:
    """A turn as a model reads it."""
    lines = [f"Question: {_cut(turn.question, QUESTION_CHARS)}"]
    lines.append(f"Answer: {_cut(turn.answer, answer_chars)}")
    names = [(n, called(key)) for n, key in enumerate(turn.papers[:PAPERS], start=1)]
    papers = "; ".join(f"[{n}] {_cut(name, NAME_CHARS)}" for n, name in names if name)
    return "\n".join([*lines, f"Papers: {papers}"] if papers else lines)


def _cut(text: str, most: int) -> str:
    """A text on one line, without control characters, and not longer than ``most``."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text[: 2 * most]).split())
    return line if len(line) <= most else line[:most].rsplit(" ", 1)[0] + " …"
