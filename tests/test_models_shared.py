"""A model asked by several threads gets its first question alone."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest

from rag.errors import EndpointUnreachable
from rag.models import Message, OnText, Reply
from rag.models.shared import Shared
from tests.fakes import Replies

ASKED = [Message("user", "Why?")]


class Crowded(Replies):
    """A model that fails ``failing`` times, replies, and then only to three at a time."""

    def __init__(self, failing: int = 0) -> None:
        super().__init__(*["Because."] * 9)
        self.failing = failing
        self.meet = threading.Barrier(3)

    def reply(
        self, messages: Sequence[Message], limit: int, on_text: OnText | None = None
    ) -> Reply:
        if self.failing:
            self.failing -= 1
            raise EndpointUnreachable("Nobody is there.", "look")
        if self.asked:
            self.meet.wait(10)
        return super().reply(messages, limit, on_text)


def test_the_first_is_asked_alone_and_the_others_together() -> None:
    model = Crowded()
    shared = Shared(model)
    with ThreadPoolExecutor(4) as pool:
        replies = list(pool.map(lambda _: shared.reply(ASKED, 9), range(4)))
    assert [reply.text for reply in replies] == ["Because."] * 4
    assert shared.count("two words") == 2


def test_who_comes_after_a_failure_is_the_first() -> None:
    shared = Shared(Crowded(failing=1))
    with pytest.raises(EndpointUnreachable):
        shared.reply(ASKED, 9)
    assert shared.reply(ASKED, 9).text == "Because."
